# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""pyzmq: its extension built against each library, and its whole test suite."""
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import fetch
from compare import Outcome
from steps import PYTHON, Failure, execute, say

HERE = Path(__file__).resolve().parent
REQUIREMENT = "pyzmq==27.3.0"
OUTCOME = '"outcome"'    # in the file that the plugin writes
LARGE_NEEDS = 6 << 30  # octets of free memory for its messages of 2 GB
OWN_LIMIT = 30         # seconds for those of its tests to which it gives 60 itself; the longest takes 4


class PyzmqSuite:
    name = "pyzmq"
    what = REQUIREMENT
    by_default = True
    needs = ()
    at_least = 400         # of its tests pass on libzmq
    side_by_side = True    # both libraries at once

    def __init__(self):
        self._one_large = threading.Lock()

    def fetch(self, places):
        """The tools, in an environment that both libraries' environments see."""
        self._tools = places.work / "tools"
        if not (self._tools / "bin" / "pip").exists():
            execute(places, "make Python environment", [PYTHON, "-m", "venv", "--clear", self._tools],
                    "apt-get install python3-venv")
        self._pip = self._tools / "bin" / "pip"
        constraints = HERE.parent / "constraints.txt"
        stamp, wanted = self._tools / "requirements.txt", (HERE / "requirements.txt").read_text() + constraints.read_text()
        if not stamp.exists() or stamp.read_text() != wanted:
            execute(places, "fetch Python packages",
                    [self._pip, "install", "--disable-pip-version-check", "-c", constraints, "-r",
                     HERE / "requirements.txt"],
                    "pip must reach PyPI: look at the network and at `pip config list`")
            stamp.write_text(wanted)
        self._source = fetch.from_pypi(places, self._pip, REQUIREMENT)

    def build(self, places, library):
        wheels, environment = places.folder("wheels", library), self._environment(places, library)
        for wheel in wheels.glob("*.whl"):
            wheel.unlink()
        execute(places, f"build pyzmq on {library}",
                [self._pip, "wheel", "--disable-pip-version-check", "--no-build-isolation", "--no-deps",
                 "--config-settings", "cmake.define.CMAKE_C_FLAGS_RELEASE=-O1", "--wheel-dir", wheels, self._source],
                "apt-get install g++ cmake ninja-build python3-dev; ./build.sh dropin does so",
                env={"ZMQ_PREFIX": str(places.prefix(library)), "PATH": f"{self._tools}/bin:{os.environ['PATH']}",
                     "CMAKE_BUILD_PARALLEL_LEVEL": str(places.jobs)})
        execute(places, f"make environment of pyzmq on {library}",
                [PYTHON, "-m", "venv", "--clear", "--without-pip", environment], "apt-get install python3-venv")
        packages = next(environment.glob("lib/python*/site-packages"))
        tools = next(self._tools.glob("lib/python*/site-packages"))
        (packages / "tools.pth").write_text(f"{tools}\n")
        execute(places, f"install pyzmq on {library}",
                [self._pip, "--python", environment / "bin" / "python", "install", "--disable-pip-version-check",
                 "--no-index",
                 "--no-deps", *wheels.glob("*.whl")], "remove " + str(places.work))
        # The tests without the package next to them, whose Python files would be found before the extension.
        run = places.folder("run", "pyzmq", library)
        execute(places, f"copy tests of pyzmq for {library}",
                ["sh", "-c", 'rm -rf "$2" && cp -a "$1" "$2" && rm -rf "$2/zmq"', "sh", self._source, run / "source"],
                "remove " + str(places.work))

    def run(self, places, library, tests=None):
        """Runs all tests or the named ones; {test: Outcome}. A test that kills the process is failed, and the others go
        on."""
        if tests is not None:
            return self._group(places, library, f"again on {library}", list(tests))
        outcomes = self._group(places, library, f"on {library}", ["-m", "not large", "tests"])
        with self._one_large:
            free = next(int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemAvailable")) << 10
            if free < LARGE_NEEDS:
                say(f"pyzmq on {library}: tests of messages of 2 GB left out, {free >> 20} MB of memory are free")
            else:
                outcomes |= self._group(places, library, f"on {library}, large", ["-m", "large", "tests"])
        return outcomes

    def _environment(self, places, library):
        return places.work / "environment" / library

    def _group(self, places, library, title, selection):
        outcomes, left_out = {}, []
        while True:
            known, unfinished, end = self._process(places, library, title, selection, left_out)
            outcomes |= known
            if unfinished is None:
                return outcomes
            outcomes[unfinished] = Outcome("failed", f"ended the process: {end}")
            left_out = list(outcomes)

    def _process(self, places, library, title, selection, left_out):
        """Runs pytest once; its outcomes, the test that ended it before its time, or None, and how."""
        file = places.folder("logs") / f"outcomes-{library}.json"
        file.write_text("")
        arguments = [argument for test in left_out for argument in ("--deselect", test)]
        with open(places.folder("logs") / f"pyzmq {title}.log", "a") as log:
            process = subprocess.Popen(
                [self._environment(places, library) / "bin" / "python", "-P", "-m", "pytest", "-p", "no:cacheprovider",
                 "-p", "dropin_outcomes", "--timeout", str(places.limit), *selection, *arguments],
                cwd=places.work / "run" / "pyzmq" / library / "source", stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, "DROPIN_OUTCOMES": str(file), "DROPIN_LIMIT": str(min(OWN_LIMIT, places.limit)),
                     "PYTHONPATH": str(HERE / "plugin"),
                     "LD_LIBRARY_PATH": str(places.prefix(library) / "lib")})
            try:
                end = self._watch(places, process, file, f"pyzmq {title}")
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)  # what its tests have started, and itself if it hangs
                except ProcessLookupError:
                    pass
                process.wait()

        records = [json.loads(line) for line in file.read_text().splitlines()]
        collected = next((record for record in records if "tests" in record), None)
        if not collected:
            raise Failure(f"pyzmq's tests did not begin on {library} ({end}), see {log.name}",
                          f"remove {places.work} and start again")
        expected = str((places.prefix(library) / "lib" / "libzmq.so.5").resolve())
        if [str(Path(path).resolve()) for path in collected["libraries"]] != [expected]:
            raise Failure(f"pyzmq loads {collected['libraries']} instead of {expected}",
                          f"remove {places.work} and start again")
        outcomes = {record["test"]: Outcome(record["outcome"], " ".join(record["reason"].split())[:160])
                    for record in records if "test" in record}
        begun = [record["begun"] for record in records if "begun" in record and record["begun"] not in outcomes]
        return outcomes, begun[-1] if begun else None, end

    def _watch(self, places, process, file, title):
        """Waits for the end, or for a test that does not end; how it ended."""
        # Counted in waits rather than by the clock: a machine that stops for a while stops the test as well.
        size, waits, silent = 0, 0, 0
        while True:
            try:
                return f"status {process.wait(timeout=0.5)}"
            except subprocess.TimeoutExpired:
                waits, silent = waits + 1, silent + 1
            if file.stat().st_size != size:
                size, silent = file.stat().st_size, 0
            elif silent * 0.5 > places.limit + 30:
                return f"no end after {places.limit + 30} s"
            if waits % 40 == 0:
                say(f"{title}: {file.read_text().count(OUTCOME)} tests done")
