# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What the scripts of this folder share: installing a program below BUILD/programs, and running it on either library."""
import os
import shutil
import signal
import socket
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path

PYTHON = "/usr/bin/python3"
TRIPLET = sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu"
MARK = "ZLINK_PROGRAM_RUN"
# What a Python program begins with that asks another one by the C API: `lib`, and sockets that wait 30 s for input.
BY_C_API = """
import ctypes
lib = ctypes.CDLL("libzmq.so.5")
for name in ("zmq_ctx_new", "zmq_socket"):
    getattr(lib, name).restype = ctypes.c_void_p
context = ctypes.c_void_p(lib.zmq_ctx_new())
def open_socket(kind):
    socket = ctypes.c_void_p(lib.zmq_socket(context, kind))
    wait = ctypes.c_int(30000)
    lib.zmq_setsockopt(socket, 27, ctypes.byref(wait), ctypes.c_size_t(4))
    return socket
"""


class Failure(Exception):
    pass


def must(command, log, limit=900):
    """Runs a step of an installation."""
    with open(log, "a", encoding="utf-8") as output:
        done = subprocess.run([str(word) for word in command], cwd=log.parent, stdout=output,
                              stderr=subprocess.STDOUT, timeout=limit, check=False)
    if done.returncode != 0:
        raise Failure(f"{Path(str(command[0])).name} failed with status {done.returncode}, see {log}")


class Wheels:
    """A program of PyPI in a virtual environment. For zlink there is a copy of pyzmq, with zlink in place of the libzmq
    that its wheel brings; PYTHONPATH puts it first."""

    def __init__(self, home, build, *packages):
        self.home, self.build, self.packages = home, build, packages
        self.bin = home / "venv" / "bin"
        self.python = self.bin / "python"

    def install(self):
        log = self.home / "install.log"
        if not (self.home / "installed").exists():
            must([PYTHON, "-m", "venv", self.home / "venv"], log)
            must([self.bin / "pip", "install", "--disable-pip-version-check", *self.packages], log)
            (self.home / "installed").write_text("")
        site = next((self.home / "venv" / "lib").glob("python3*/site-packages"))
        overlay = self.home / "zlink"
        shutil.rmtree(overlay, ignore_errors=True)
        for name in ("zmq", "pyzmq.libs"):
            shutil.copytree(site / name, overlay / name, symlinks=True)
        (bundled,) = (overlay / "pyzmq.libs").glob("libzmq*")
        shutil.copy((self.build / "lib" / "libzmq.so.5").resolve(), bundled)
        asked = subprocess.run([self.python, "-c", "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))",
                                self.packages[0].split("=")[0]], capture_output=True, text=True, timeout=60, check=True)
        return asked.stdout.strip()

    def environment(self, library):
        return {"PYTHONPATH": str(self.home / "zlink")} if library == "zlink" else {}

    def is_ours(self, path):
        return path.startswith(str(self.home / "zlink"))


class Debs:
    """Packages of the distribution and what they need, unpacked into a folder: nothing of the machine is changed."""

    def __init__(self, home, build, *packages):
        self.home, self.build, self.packages = home, build, packages
        self.root = home / "root"

    def install(self):
        log = self.home / "install.log"
        if not (self.home / "installed").exists():
            folder = self.home / "debs"
            folder.mkdir(parents=True, exist_ok=True)
            told = subprocess.run(["apt-get", "install", "-s", "--no-install-recommends", *self.packages],
                                  capture_output=True, text=True, timeout=120, check=False).stdout
            missing = [line.split()[1] for line in told.splitlines() if line.startswith("Inst ")]
            names = sorted({*missing, *self.packages})
            must(["sh", "-c", 'cd "$1" && shift && apt-get download -q "$@"', "sh", folder, *names], log)
            for package in sorted(folder.glob("*.deb")):
                must(["dpkg", "-x", package, self.root], log)
            (self.home / "installed").write_text("")
        (package,) = (self.home / "debs").glob(f"{self.packages[0]}_*.deb")
        return package.name.split("_")[1].replace("%3a", ":").split(":")[-1]

    def environment(self, library):
        first = self.build / ("lib" if library == "zlink" else "distribution")
        folders = [first, self.root / "usr/lib" / TRIPLET, self.root / "lib" / TRIPLET]
        folders += sorted(path for path in (self.root / "usr/lib" / TRIPLET).glob("*")
                          if path.name in ("blas", "lapack", "pulseaudio"))
        return {"LD_LIBRARY_PATH": ":".join(map(str, folders)),
                "PATH": f"{self.root}/usr/bin:{self.root}/usr/sbin:{os.environ['PATH']}"}

    def is_ours(self, path):
        return path == str((self.build / "lib" / "libzmq.so.5").resolve())


class Stage:
    """One run of a program on one library: its processes, a folder, ports. All of it is gone at the end."""

    def __init__(self, source, library, logs):
        self.source, self.library, self.logs = source, library, logs
        self.folder = Path(tempfile.mkdtemp(prefix="zlink-program-"))
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"
        self.environment = {**os.environ, **source.environment(library), MARK: self.mark, "PYTHONDONTWRITEBYTECODE": "1",
                            "HOME": str(self.folder)}
        self.loaded = set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self._pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *command, name, **more):
        output = open(self.logs / f"{name}.{self.library}.log", "a", encoding="utf-8")  # the process has it, too
        return subprocess.Popen([str(word) for word in command], env=self.environment, cwd=self.folder, stdout=output,
                                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True, **more)

    def call(self, *command, limit=120):
        """What a command prints."""
        done = subprocess.run([str(word) for word in command], env=self.environment, cwd=self.folder, timeout=limit,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{Path(str(command[0])).name} ended with {done.returncode}: {(done.stderr or done.stdout)[-400:]}")
        return done.stdout

    def watched(self, *command, limit=180):
        """What a command prints; meanwhile its libraries, and those of its children, are looked at."""
        process = subprocess.Popen([str(word) for word in command], env=self.environment, cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + limit
        while True:
            self.note_libraries()
            try:
                out, err = process.communicate(timeout=0.5)
                break
            except subprocess.TimeoutExpired as late:
                if time.monotonic() > end:
                    process.kill()
                    raise Failure(f"{Path(str(command[0])).name} does not end") from late
        if process.returncode != 0:
            raise Failure(f"{Path(str(command[0])).name} ended with {process.returncode}: {err[-400:]}")
        return out

    def until(self, wanted, what, seconds=90):
        end = time.monotonic() + seconds
        while not (value := wanted()):
            if time.monotonic() > end:
                raise Failure(f"{what} has not come within {seconds} s")
            time.sleep(0.02)
        return value

    def note_libraries(self):
        """Remembers which libzmq the processes have loaded."""
        for pid in self._pids():
            try:
                lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
            except OSError:
                continue
            self.loaded |= {line.split()[-1] for line in lines if "/libzmq" in line}

    def check_libraries(self):
        if not self.loaded:
            raise Failure("no process has loaded a libzmq")
        wrong = {path for path in self.loaded if self.source.is_ours(path) != (self.library == "zlink")}
        if wrong:
            raise Failure(f"on {self.library}, a process has loaded {sorted(wrong)}")

    def _pids(self):
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                variables = (folder / "environ").read_bytes()
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            # A program that sets its title writes over its environment, as salt does.
            if f"{MARK}={self.mark}".encode() in variables.split(b"\0") or str(self.folder).encode() in words:
                found.append(int(folder.name))
        return found


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
