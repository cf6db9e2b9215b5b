# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What the tests of security share: files for a test, and the tool on the distribution's libzmq, which has CURVE."""
import os
import subprocess
import tempfile

from zlink_cli import LIMIT, ZLINK, Command, environment, run


class Folder:
    """A directory of files for one test."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="zlink-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def write(self, name, text, mode=0o600):
        """Replaces the file by one of that content, in one step."""
        draft = self.path(name) + ".draft"
        with open(draft, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(draft, mode)
        os.replace(draft, self.path(name))
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()


class Library:
    """The tool on zlink, or on the distribution's libzmq."""

    def __init__(self, name, folder=None):
        self.name, self.variables = name, {"LD_LIBRARY_PATH": folder} if folder else {}

    def __repr__(self):
        return self.name

    def run(self, *arguments, **variables):
        return run(*arguments, env={**self.variables, **variables})

    def command(self, *arguments, **variables):
        return Command(*arguments, env={**self.variables, **variables})

    def has_curve(self):
        lines = self.run("version").out.decode().splitlines()
        return "curve" in next(line for line in lines if line.startswith("capabilities")).split()


_links = tempfile.TemporaryDirectory(prefix="zlink-")  # a folder with nothing in it but that library
os.symlink(os.path.realpath(os.environ["ZLINK_SYSTEM_LIBZMQ"]), os.path.join(_links.name, "libzmq.so.5"))
OURS = Library("zlink")
THEIRS = Library("libzmq", _links.name)

# Which builds can encrypt. A build of zlink without CURVE leaves the other one alone with itself.
WITH_CURVE = [library for library in (OURS, THEIRS) if library.has_curve()]
PAIRS = [(server, client) for server in WITH_CURVE for client in WITH_CURVE]


def keygen(folder, name):
    """Makes a certificate; returns its public key."""
    made = WITH_CURVE[0].run("keygen", folder.path(name))
    assert made.status == 0, made
    return made.out.decode().split()[1]


def run_python(script, *arguments):
    """Runs a script on PyPI's pyzmq, which brings a libzmq of its own."""
    variables = {name: value for name, value in environment(None).items() if not name.startswith("LD_")}
    return subprocess.Popen([os.environ["ZLINK_VENV_PYTHON"], "-c", script, *arguments], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables)


__all__ = ["Folder", "Library", "OURS", "THEIRS", "WITH_CURVE", "PAIRS", "keygen", "run_python", "LIMIT", "ZLINK"]
