# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What the drop-in suites share: places, commands with a log, errors that name cause and cure."""
import os
import shlex
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

LIBRARIES = ("libzmq", "zlink")
PYTHON = "/usr/bin/python3"  # the distribution's


class Failure(Exception):
    """The suites cannot run: one line of cause, one of cure."""

    def __init__(self, cause, cure):
        super().__init__(f"{cause}\n  cure: {cure}")


_started = time.monotonic()
_printing = threading.Lock()


def say(text):
    with _printing:
        print(f"[{time.monotonic() - _started:4.0f} s] {text}", flush=True)


@dataclass(frozen=True)
class Places:
    """Where things lie; everything is below the build directory."""

    source: Path     # zlink's repository
    build: Path      # where zlink has been built
    work: Path       # ours
    jobs: int        # compile jobs
    limit: int       # seconds for one test

    def prefix(self, library):
        """include/ and lib/ of one of LIBRARIES."""
        return self.work / "prefix" / library

    def folder(self, *names):
        path = self.work.joinpath(*names)
        path.mkdir(parents=True, exist_ok=True)
        return path


def execute(places, name, command, cure, env=None, cwd=None, timeout=600):
    """Runs a command, its output in logs/<name>.log; Failure with the end of the log if that does not end well."""
    log = places.folder("logs") / f"{name}.log"
    with log.open("w") as output:
        print("+", shlex.join(map(str, command)), file=output, flush=True)
        try:
            status = subprocess.run(command, env=env and {**os.environ, **env}, cwd=cwd, stdin=subprocess.DEVNULL,
                                    stdout=output, stderr=subprocess.STDOUT, timeout=timeout).returncode
        except subprocess.TimeoutExpired:
            status = f"no end after {timeout} s"
        except OSError as error:
            status = error
    if status != 0:
        end = "".join(f"\n  | {line}" for line in log.read_text(errors="replace").splitlines()[-12:])
        raise Failure(f"{name} failed ({status}), see {log}{end}", cure)


def side_by_side(work, items):
    """work(item) for all items at once; their results in a dict, or the first exception once all have ended."""
    results, errors = {}, []

    def one(item):
        try:
            results[item] = work(item)
        except Exception as error:  # handed on below
            errors.append(error)

    threads = [threading.Thread(target=one, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
