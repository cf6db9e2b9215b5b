# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Runs one program once, and reads what it printed."""

import os
import signal
import subprocess
import sysconfig
import time
from dataclasses import dataclass, field
from pathlib import Path

from .cells import DRAFT_PATTERNS, KNOB_PREFIXES, WITHOUT_LATENCY, UsageError
from .loads import LOADS, load_environment

# How a library's programs are called, and what stands for it in result files.
PROGRAMS = {"libzmq": "comp_std_zmq", "libzmq-again": "comp_std_zmq", "zlink": "comp_zlink", "nng": "comp_nng",
            "omq": "comp_std_zmq"}


def library_dir(prefix):
    """The folder of libzmq.so.5 below a prefix: lib, or a multiarch folder such as Debian's."""
    for folder in (Path(prefix, "lib"), Path(prefix, "lib", sysconfig.get_config_var("MULTIARCH") or "")):
        if (folder / "libzmq.so.5").exists():
            return folder.resolve()
    raise UsageError(f"--libzmq-prefix {prefix}: there is no lib/libzmq.so.5 in it")


@dataclass
class Outcome:
    status: str  # ok, failed, timeout
    error: str | None = None
    elapsed: float = 0.0
    metrics: dict = field(default_factory=dict)
    info: dict = field(default_factory=dict)


class Runner:
    def __init__(self, build_dir, settings, libzmq_prefix=None, limit=None, omq_dir=None):
        self.build_dir = Path(build_dir)
        self.settings = settings
        self.libzmq_dir = library_dir(libzmq_prefix) if libzmq_prefix else None
        self.omq_dir = omq_dir
        # Throughput, latency (half as long), the one-thread latency and the set-up; much more means that it hangs.
        # By count there is no telling, so the programs' own watchdog has the first word.
        by_count = 3600 + settings.msg_count / 1000
        self.limit = limit or (by_count if settings.msg_count else 30 + 10 * settings.seconds)

    def limit_of(self, cell):
        """Seconds after which a program hangs."""
        return self.limit + (30 + 20 * self.settings.hold if cell.pattern == "HIGHEST_RATE" else 0)

    def program(self, lib, pattern):
        if lib == "floor":
            return self.build_dir / "comp_floor"
        return self.build_dir / f"{PROGRAMS[lib]}_{pattern.lower()}"

    def check(self, libs, patterns):
        """Before long work: all programs are there."""
        for lib in libs:
            for pattern in patterns:
                path = self.program(lib, pattern)
                if lib == "nng" and pattern not in ("PAIR", "PUBSUB"):
                    continue
                if os.access(path, os.X_OK):
                    continue
                if lib in ("libzmq", "libzmq-again", "omq") and pattern in DRAFT_PATTERNS:
                    raise UsageError(
                        f"{path} is missing: it is built when there is a libzmq with drafts "
                        f"(./build.sh bench builds both); "
                        "--zlink-only measures zlink alone"
                    )
                if lib in ("libzmq", "libzmq-again", "omq"):
                    raise UsageError(
                        f"{path} is missing: it is built when the system's libzmq is installed (apt-get install "
                        "libzmq5, then build again); --zlink-only measures zlink alone"
                    )
                if lib == "nng":
                    raise UsageError(f"{path} is missing: it is built when nng is installed "
                                     f"(apt-get install libnng-dev)")
                raise UsageError(f"{path} is missing: ./build.sh build makes it (--build-dir names another folder)")

    def command(self, lib, cell, metrics=None):
        of = self.settings
        if metrics and (cell.pattern in WITHOUT_LATENCY or cell.pattern in LOADS and not LOADS[cell.pattern].timed):
            metrics = "throughput"
        pin = ["taskset", "-c", str(of.taskset_cpu)] if of.pinned else []
        call = [str(self.program(lib, cell.pattern)), lib, cell.transport, str(cell.size)]
        return pin + call + (["--metrics", metrics] if metrics else [])

    def environment(self, lib, cell):
        # Neither the caller's library path nor its settings of the suite reach the programs by accident.
        stripped = ("BENCH_", "LD_LIBRARY_PATH", *KNOB_PREFIXES)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(stripped)}
        if lib.startswith("libzmq") and self.libzmq_dir:
            kept["LD_LIBRARY_PATH"] = str(self.libzmq_dir)
        elif lib == "omq":
            kept["LD_LIBRARY_PATH"] = str(self.omq_dir)
        return kept | self.settings.variables() | load_environment(cell.load)

    def run(self, lib, cell, metrics=None):
        start = time.monotonic()
        name = self.program(lib, cell.pattern).name
        done = run_limited(self.command(lib, cell, metrics), self.environment(lib, cell), self.limit_of(cell))
        if done is None:
            error = f"{name} {cell.transport} {cell.size} was killed: no end after {self.limit_of(cell):.0f} s"
            return Outcome("timeout", error, time.monotonic() - start)
        found = read_output(done.stdout)
        found.elapsed = round(time.monotonic() - start, 3)
        if done.returncode != 0:
            found.status = "timeout" if done.returncode == 3 else "failed"
            said = done.stderr.strip().splitlines()
            found.error = said[-1] if said else f"{name} ended with status {done.returncode}"
        elif found.status == "ok" and not found.metrics:
            found.status, found.error = "failed", f"{name} printed no results"
        return found


def read_output(text):
    """The RESULT and INFO lines of a program; other lines do not matter here."""
    found = Outcome("ok")
    for line in text.splitlines():
        parts = line.split(",")
        if parts[0] == "RESULT" and len(parts) == 7:
            try:
                found.metrics[parts[5]] = float(parts[6])
            except ValueError:
                return Outcome("failed", f"a result is not a number: {line}")
        elif parts[0] == "INFO" and len(parts) >= 3:
            found.info[parts[1]] = ",".join(parts[2:])
    return found


def run_limited(command, environment, limit):
    """A program in a session of its own (subprocess.CompletedProcess). None: it did not end within `limit` seconds, and
    was killed with all that it had started."""
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        _kill(process)
        return None
    except BaseException:
        _kill(process)
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()
