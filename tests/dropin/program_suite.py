# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Suites that are programs: each test is a process of its own, so that one that hangs or crashes is one."""
import os
import subprocess

from compare import Outcome
from steps import Failure


def environment_of(places, library):
    return {**os.environ, "LD_LIBRARY_PATH": str(places.prefix(library) / "lib")}


def must_load(places, library, program):
    """Failure if the program would run with another library."""
    loaded = subprocess.run([program], env={**environment_of(places, library), "LD_TRACE_LOADED_OBJECTS": "1"},
                            capture_output=True, text=True).stdout
    if f"libzmq.so.5 => {places.prefix(library)}/lib/libzmq.so.5 " not in loaded:
        raise Failure(f"{program} does not load {places.prefix(library)}/lib/libzmq.so.5", f"remove {places.work}")


def listing(places, library, command):
    """What a program says of its tests."""
    asked = subprocess.run(command, env=environment_of(places, library), capture_output=True, text=True, timeout=60)
    return asked.stdout


def run_case(places, title, command, environment, cwd):
    """Runs one test, its output in a log; (status, output), None as the status if it did not end."""
    log = places.folder("logs") / f"{title.replace('/', '_')[:150]}.log"
    with log.open("w") as output:
        try:
            status = subprocess.run([*map(str, command)], cwd=cwd, env=environment, timeout=places.limit,
                                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT).returncode
        except subprocess.TimeoutExpired:
            status = None
    return status, log.read_text(errors="replace")


class ProgramSuite:
    """A suite says in cases() which commands its tests are, and in outcome() what an output means."""

    by_default = False
    side_by_side = True

    def cases(self, places, library):
        """{test: command}"""
        raise NotImplementedError

    def outcome(self, status, text):
        raise NotImplementedError

    def folder(self, places, library):
        """Where the tests run."""
        return places.folder("run", self.name, library)

    def run(self, places, library, tests=None):
        results, environment = {}, environment_of(places, library)
        for test, command in self.cases(places, library).items():
            if tests is not None and test not in tests:
                continue
            status, text = run_case(places, f"{self.name} {test} on {library}", command, environment,
                                    self.folder(places, library))
            results[test] = Outcome("failed", f"no end after {places.limit} s") if status is None \
                else self.outcome(status, text)
        return results
