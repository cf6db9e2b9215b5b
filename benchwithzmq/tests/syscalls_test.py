# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""syscalls.py, with an strace made up for the purpose."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SUITE = Path(__file__).resolve().parents[1]

# Five calls at the start, two sends and a receive for each message that is sent, and the pauses of the harness.
STRACE = """#!{python}
import os, sys
count = int(os.environ["BENCH_MSG_COUNT"])
messages = count + count // 10 + 1
rows = [(2 * messages + 5, "sendto"), (messages, "recvfrom"), (7 * count, "clock_nanosleep"), (40, "mmap")]
with open(sys.argv[sys.argv.index("-o") + 1], "w") as log:
    log.write("% time  seconds usecs/call calls errors syscall\\n")
    for calls, name in rows:
        log.write(" 50.00 0.010000 3 " + str(calls) + " " + name + "\\n")
with open(os.path.dirname(sys.argv[0]) + "/calls", "a") as log:
    log.write(" ".join(sys.argv[sys.argv.index("-o") + 2:]) + "\\n")
"""


class Syscalls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = Path(folder.name)
        for name, text in (
            ("strace", STRACE.format(python=sys.executable)),
            ("comp_zlink_pair", "#!/bin/false\n"),
            ("comp_std_zmq_pair", "#!/bin/false\n"),
        ):
            (self.bin / name).write_text(text, encoding="utf-8")
            (self.bin / name).chmod(0o755)

    def run_with(self, *arguments, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("BENCH_", "ZMQ_ASIO_", "ZLINK_"))}
        command = [sys.executable, str(SUITE / "syscalls.py"), *arguments, "--build-dir", str(self.bin)]
        variables = {"PATH": f"{self.bin}:{os.environ['PATH']}", **variables}
        return subprocess.run(command, env=clean | variables, capture_output=True, text=True, timeout=120)

    def test_divides_by_the_messages_that_are_sent_and_leaves_the_harness_out(self):
        for messages in ("20", "1000", "99999"):
            done = self.run_with("--transports", "tcp", "--sizes", "64", "--messages", messages)
            self.assertEqual(0, done.returncode, done.stderr)
            for lib in ("libzmq ", "zlink  "):
                self.assertIn(f"{lib}   3.0000 a message: sendto 2, recvfrom 1\n", done.stdout)
            self.assertIn("without the harness's own clock_nanosleep", done.stdout)

    def test_the_environment_names_transports_and_sizes(self):
        done = self.run_with(BENCH_TRANSPORTS="ipc", BENCH_MSG_SIZES="64,128", BENCH_NO_TASKSET="1")
        self.assertEqual(0, done.returncode, done.stderr)
        cells = {tuple(line.split()[2:4]) for line in (self.bin / "calls").read_text(encoding="utf-8").splitlines()}
        self.assertEqual({("ipc", "64"), ("ipc", "128")}, cells)

    def test_says_what_is_wrong_in_one_line(self):
        for arguments, said in (
            (("--transports", "sctp"), "unknown transport"),
            (("--transports", "udp"), "not measured over udp"),
            (("--metrics", "latency"), "--help"),
            (("--messages", "3"), "--messages"),
        ):
            done = self.run_with(*arguments)
            self.assertEqual((2, 1, True), (done.returncode, done.stderr.count("\n"), said in done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
