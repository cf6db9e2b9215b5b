# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Puts Debian's python3-zmq on zlink and runs foreign peers on PyPI's pyzmq.

start() must come before `import zmq`: it starts the script again with zlink's directory first on the loader's path."""
import faulthandler
import hashlib
import itertools
import json
import os
import random
import select
import subprocess
import sys
import tempfile

PATIENCE = 20  # seconds: longer than anything here takes, so that a hang becomes a failure
HERE = os.path.dirname(os.path.abspath(__file__))


def start(limit=280):
    """Makes this process run on zlink; a process that outlives the limit tells where it hangs and dies."""
    directory = os.environ["ZLINK_LIB_DIR"]
    if os.environ.get("LD_LIBRARY_PATH") != directory:
        environment = dict(os.environ, LD_LIBRARY_PATH=directory, PYTHONDONTWRITEBYTECODE="1")
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)
    faulthandler.dump_traceback_later(limit, exit=True)


def foreign_environment():
    """What a process on another libzmq than ours gets."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LD_")}


def mapped_libraries():
    """The libzmq files that this process has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps}
    return {path for path in paths if os.path.basename(path).startswith("libzmq")}


def content(seed, number, sizes):
    """The frames of a message that both ends can compute; every byte depends on seed, number and frame."""
    frames = []
    for part, size in enumerate(sizes):
        key = hashlib.sha256(f"{seed} {number} {part}".encode()).digest()
        frames.append(key[:size] if size <= len(key) else random.Random(key).randbytes(size))
    return frames


class Endpoints:
    """Endpoints to bind; ipc paths vanish at the end."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="zlink-")
        self.numbers = itertools.count()

    def wildcard(self, transport):
        if transport != "ipc":
            return f"{transport}://127.0.0.1:*"
        return f"ipc://{self.directory.name}/{next(self.numbers)}"

    def close(self):
        self.directory.cleanup()


class Peer:
    """A process whose functions are called by name: by default on PyPI's pyzmq, see pyzmq_peer.py."""

    def __init__(self, program="pyzmq_peer.py", interpreter="ZLINK_VENV_PYTHON"):
        self.process = subprocess.Popen([os.environ[interpreter], os.path.join(HERE, program)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=foreign_environment())

    def start(self, function, *arguments, **named):
        """Calls a function; finish() must follow."""
        self.process.stdin.write(json.dumps([function, arguments, named]).encode() + b"\n")
        self.process.stdin.flush()

    def answered(self, seconds):
        """Whether finish() has nothing to wait for, after at most so long."""
        return bool(select.select([self.process.stdout], [], [], seconds)[0])

    def finish(self):
        """What the function returned."""
        if not self.answered(2 * PATIENCE):
            raise AssertionError("no answer from the peer")
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the peer ended with status {self.process.wait(PATIENCE)}")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError("peer: " + answer["error"])
        return answer["value"]

    def __getattr__(self, function):
        def call(*arguments, **named):
            self.start(function, *arguments, **named)
            return self.finish()
        return call

    def close(self):
        """Lets it end by itself."""
        self.process.stdin.close()
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        assert status == 0, f"the peer ended with status {status}"
