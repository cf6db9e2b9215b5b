# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What a result file tells of the machine, the libraries and the source."""

import os
import platform
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]


def describe(build_dir, libzmq_version, zlink_version, libzmq_file=None, zlink_file=None, programs=(), **others):
    """`programs`: those of zlink that are measured, on `zlink_file`. `others`: versions and files of more libraries."""
    cache = _build_cache(build_dir)
    source = Path(cache.get("CMAKE_HOME_DIRECTORY", SOURCE))
    compiler = cache.get("CMAKE_CXX_COMPILER", "c++")
    return {
        "host": platform.node(),
        "cpu_model": _cpu_model(),
        "cores": os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release()}",
        "governor": _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "congestion_control": _first_line("/proc/sys/net/ipv4/tcp_congestion_control"),
        "compiler": (_output([compiler, "--version"]) or compiler).splitlines()[0],
        "build_flags": _flags(cache),
        "libzmq_version": libzmq_version,
        "libzmq_file": libzmq_file,
        "zlink_version": zlink_version,
        "zlink_file": zlink_file,
        **others,
        "git_commit": _output(["git", "-C", str(source), "rev-parse", "HEAD"]),
        "git_dirty": bool(_output(["git", "-C", str(source), "status", "--porcelain", "--untracked-files=no"])),
        "programs_older_than_source": _older_than_source(source, programs, zlink_file) if zlink_file else None,
        "date": now(),
    }


def now():
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _older_than_source(source, programs, library):
    """Whether something that is measured was built before its source changed: then the commit may be another's."""

    def older(built, *patterns):
        changed = max((file.stat().st_mtime for pattern in patterns for file in source.glob(pattern)), default=0)
        return os.path.exists(built) and os.path.getmtime(built) < changed

    def program_older(program):
        pattern = program.name.removeprefix("comp_zlink_")
        return older(
            program, "benchwithzmq/programs/harness/*", "benchwithzmq/programs/*.hpp",
            f"benchwithzmq/programs/{pattern}.cpp"
        )

    return older(library, "src/**/*.?pp", "include/**/*.h*") or any(map(program_older, programs))


def _first_line(path):
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def _output(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


def _cpu_model():
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    return found.group(1) if found else platform.processor()


def _build_cache(build_dir):
    """The CMake cache next to build/bin."""
    path = Path(build_dir).resolve().parent / "CMakeCache.txt"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (re.match(r"([A-Za-z0-9_]+):[A-Z]+=(.*)", line) for line in lines)
    return {found.group(1): found.group(2) for found in pairs if found}


def _flags(cache):
    kind = cache.get("CMAKE_BUILD_TYPE", "")
    return f"{cache.get('CMAKE_CXX_FLAGS', '')} {cache.get(f'CMAKE_CXX_FLAGS_{kind.upper()}', '')}".strip() or kind
