#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Runs the programs of examples/cpp, which the build has compiled. Services are asked by the tool, or by a WebSocket client,
and then ended by a signal.
"""

import base64
import contextlib
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys

PROGRAMS = pathlib.Path(os.environ["ZLINK_TEST_BIN_DIR"])
TOOL = pathlib.Path(os.environ["ZLINK_BIN_DIR"]) / "zlink"
PATIENCE = 60


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"cpp_test: {what}: {found!r} is not {wanted!r}")
    print(f"{what}: ok")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout


@contextlib.contextmanager
def running(name, *arguments):
    """The program, which SIGTERM ends at the end."""
    with subprocess.Popen([PROGRAMS / f"example_cpp_{name}", *arguments], stdout=subprocess.PIPE, text=True) as program:
        try:
            yield program
            program.send_signal(signal.SIGTERM)
            check(f"the end of {name}", program.stdout.read().strip(), "ended")
            check(f"the status of {name}", program.wait(PATIENCE), 0)
        finally:
            program.kill()


def last_word(program):
    return program.stdout.readline().split()[-1]


def hello():
    check("hello", output_of(PROGRAMS / "example_cpp_hello").strip(), "the reply: hello")


def threads():
    check("threads", output_of(PROGRAMS / "example_cpp_threads").strip(), "the sum of squares: 333833500")


def service():
    with running("service", "tcp://127.0.0.1:*") as program:
        answer = output_of(TOOL, "req", "-c", last_word(program), "quiet words")
        check("an answer of the service", answer.strip(), "QUIET WORDS")


def broker():
    with running("broker") as program:
        clients, workers = last_word(program), last_word(program)
        with subprocess.Popen([TOOL, "rep", "-c", workers, "--reply", "served"], stdout=subprocess.PIPE) as worker:
            try:
                for _ in range(3):
                    check("an answer by the broker", output_of(TOOL, "req", "-c", clients, "question").strip(), "served")
            finally:
                worker.kill()


def publish():
    lines = output_of(PROGRAMS / "example_cpp_publish").splitlines()
    check("publish", sorted(lines), ["pauses of 1 us: 2000 of 2000", "pauses of 5000 us: 2000 of 2000"])


def request():
    check("request", output_of(PROGRAMS / "example_cpp_request").split("\n"), ["one", "asked again", "two", "three", ""])


def worker_pool():
    with running("worker_pool") as program:
        endpoint = last_word(program)
        for number, factor in ("91", "13"), ("1000003", "1000003"):
            check(f"the factor of {number}", output_of(TOOL, "req", "-c", endpoint, number).strip(), factor)


def websocket_bridge():
    with socket.socket() as probe:  # an endpoint that the publisher binds later
        probe.bind(("127.0.0.1", 0))
        publisher = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    with running("websocket_bridge", "0", publisher) as program:
        port = int(last_word(program).rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as browser, browser.makefile("rb") as got:
            key = base64.b64encode(os.urandom(16)).decode()
            browser.sendall(f"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
            check("the upgrade", got.readline().split()[1], b"101")
            while got.readline().strip():
                pass
            browser.sendall(struct.pack("!BBI", 0x81, 0x80 | 4, 0) + b"news")
            with subprocess.Popen([TOOL, "pub", "-b", publisher, "-r", "100", "-n", "6000", "news of today"]) as source:
                try:
                    check("the head of what the browser gets", got.read(2), bytes([0x81, 13]))
                    check("what the browser gets", got.read(13), b"news of today")
                finally:
                    source.kill()


hello()
threads()
# Those that need a Boost that is new enough, and those that builds for sanitizers leave out.
for test in service, broker, publish, request, worker_pool, websocket_bridge:
    if (PROGRAMS / f"example_cpp_{test.__name__}").exists():
        test()
    else:
        print(f"{test.__name__}: not compiled here")
