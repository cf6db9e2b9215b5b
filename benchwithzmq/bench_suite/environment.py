"""What a result file tells of the machine, the libraries and the source."""

import os
import platform
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]


def describe(build_dir, libraries):
    cache = _build_cache(build_dir)
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
        **libraries,
        "git_commit": _output(["git", "-C", str(SOURCE), "rev-parse", "HEAD"]),
        "git_dirty": bool(_output(["git", "-C", str(SOURCE), "status", "--porcelain", "--untracked-files=no"])),
        "date": now(),
    }


def now():
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


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
    """The CMake cache beside build/bin."""
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
