# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A program with sockets that is told what to do line by line, and readers of the statistics that it serves."""
import contextlib
import http.client
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading

LIMIT = 60  # seconds: a hang becomes a failure

CHILD = """
import ctypes, os, signal, sys
lib = ctypes.CDLL(os.path.join(os.environ["ZLINK_LIB_DIR"], "libzmq.so.5"))
lib.zmq_ctx_new.restype = lib.zmq_socket.restype = ctypes.c_void_p
def context(): return ctypes.c_void_p(lib.zmq_ctx_new())
def sock(of, kind): return ctypes.c_void_p(lib.zmq_socket(of, kind))
def name(s, text): assert lib.zmq_setsockopt(s, %d, text, ctypes.c_size_t(len(text))) == 0
def send(s, text): return lib.zmq_send(s, text, ctypes.c_size_t(len(text)), 1)
for line in sys.stdin:
    try:
        exec(line, globals())
        print("ok", flush=True)
    except Exception as problem:
        print(repr(problem), flush=True)
"""


def option_number(name):
    header = os.path.join(os.environ["ZLINK_SOURCE_DIR"], "include", "zlink.h")
    with open(header, encoding="utf-8") as text:
        return int(re.search(rf"#define {name}[\\\s]+(\d+)", text.read()).group(1))


def numbers_of(structure):
    """The names of the numbers in a structure of zlink.h."""
    with open(os.path.join(os.environ["ZLINK_SOURCE_DIR"], "include", "zlink.h"), encoding="utf-8") as text:
        body = re.search(rf"struct {structure} \{{\n(.*?)\n\}} {structure};", text.read(), re.DOTALL).group(1)
    return re.findall(r"^    (?:uint64_t|unsigned) (\w+);", body, re.MULTILINE)


class Program:
    """The child. Its standard error is read at its end: finish() returns it."""

    def __init__(self, stats, *first):
        env = dict(os.environ, LC_ALL="C.UTF-8")
        env.pop("ZLINK_STATS", None)
        if stats is not None:
            env["ZLINK_STATS"] = stats
        self.process = subprocess.Popen([sys.executable, "-c", CHILD % option_number("ZLINK_NAME")], env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.watchdog = threading.Timer(LIMIT, self.process.kill)
        self.watchdog.start()
        self.pid = self.process.pid
        for line in first:
            self.do(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer == "ok\n", f"{line}: {answer!r}"

    def finish(self):
        """Its end by the end of its input; returns (status, standard error)."""
        _, err = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, err


def connected(path):
    """A connection; if many others are waiting to be accepted, it waits, too."""
    link = socket.socket(socket.AF_UNIX)
    try:
        link.setblocking(True)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", LIMIT, 0))
        link.connect(path)
        link.settimeout(LIMIT)
        return link
    except OSError:
        link.close()
        raise


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=LIMIT)
        self.path = path

    def connect(self):
        self.sock = connected(self.path)


def ask(where, page, method="GET", **headers):
    """(status, text) of a page; `where` is a path or (host, port)."""
    link = Unix(where) if isinstance(where, str) else http.client.HTTPConnection(*where, timeout=LIMIT)
    try:
        link.request(method, page, headers=headers)
        answer = link.getresponse()
        return answer.status, answer.read().decode()
    finally:
        link.close()


def numbers(where, page="/stats.json"):
    status, text = ask(where, page)
    assert status == 200, (status, text)
    return json.loads(text)


SAMPLE = re.compile(r'^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\})|(?=\})))*\})? (\d+(?:\.\d+)?)$')


def metrics(text):
    """{name: {labels: value}} of a text in Prometheus's format, which is checked strictly."""
    families, declared, series = {}, {}, set()
    current = None
    for line in text.splitlines():
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            assert word in ("HELP", "TYPE") and (word, name) not in declared, line
            declared[word, name] = rest
            assert word == "HELP" or (("HELP", name) in declared and rest in ("counter", "gauge")), line
            assert (rest == "counter") == name.endswith("_total") or word == "HELP", line
            current = name
            families[name] = {}
            continue
        found = SAMPLE.match(line)
        assert found, line
        assert found[1] == current, f"{line}: not among its own"
        assert (found[1], found[2]) not in series, f"{line}: twice"
        series.add((found[1], found[2]))
        families[current][found[2] or ""] = float(found[3])
    assert text.endswith("\n")
    return families
