#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Runs the programs of examples/cpp, which the build has compiled. The service is asked by the tool and then ended by a
signal.
"""

import os
import pathlib
import signal
import subprocess
import sys

PROGRAMS = pathlib.Path(os.environ["ZLINK_TEST_BIN_DIR"])
TOOL = pathlib.Path(os.environ["ZLINK_BIN_DIR"]) / "zlink"
PATIENCE = 60


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"cpp_test: {what}: {found!r} is not {wanted!r}")
    print(f"{what}: ok")


def hello():
    said = subprocess.run([PROGRAMS / "example_cpp_hello"], check=True, capture_output=True, text=True,
                          timeout=PATIENCE).stdout
    check("hello", said.strip(), "the reply: hello")


def service():
    program = PROGRAMS / "example_cpp_service"
    if not program.exists():  # this build has no Boost that is new enough
        print("service: not compiled here")
        return
    with subprocess.Popen([program, "tcp://127.0.0.1:*"], stdout=subprocess.PIPE, text=True) as running:
        try:
            endpoint = running.stdout.readline().split()[-1]
            answer = subprocess.run([TOOL, "req", "-c", endpoint, "quiet words"], check=True, capture_output=True, text=True,
                                    timeout=PATIENCE).stdout
            check("an answer of the service", answer.strip(), "QUIET WORDS")
            running.send_signal(signal.SIGTERM)
            check("its end", running.stdout.read().strip(), "ended")
            check("its status", running.wait(PATIENCE), 0)
        finally:
            running.kill()


hello()
service()
