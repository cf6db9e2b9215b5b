# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""--verbose tells what happens to connections; the live line of a terminal never shares a line with anything else."""
import os
import pty
import re
import subprocess
import tempfile
import unittest

from zlink_cli import LIMIT, ZLINK, Command, environment, run


class Verbose(unittest.TestCase):
    def test_both_ends_of_a_connection(self):
        with Command("pull", "-b", "tcp://127.0.0.1:*", "-v", "-n", "1") as pull:
            endpoint = pull.endpoint()
            push = run("push", "-c", endpoint, "-v", "hello")
            self.assertEqual(push.status, 0)
            pulled = pull.result()
        where = re.escape(endpoint)
        for line in (rf"connected to {where} from tcp://127\.0\.0\.1:\d+", rf"handshake with {where} done",
                     "all connections closed"):
            self.assertRegex(push.err, rf"(?m)^\[\d+\.\d{{3}} s\] {line}$")
        for line in (rf"accepted a connection from tcp://127\.0\.0\.1:\d+ at {where}",
                     r"handshake with tcp://127\.0\.0\.1:\d+ done"):
            self.assertRegex(pulled.err, rf"(?m)^\[\d+\.\d{{3}} s\] {line}$")

    def test_what_is_known_of_a_peer(self):
        with Command("router", "-b", "tcp://127.0.0.1:*", "-v") as router:
            with Command("dealer", "-c", router.endpoint(), "-v", "-i", "joe") as dealer:
                dealer.await_line(rf"^\[.*\] {router.endpoint()}: is a ROUTER, mechanism NULL$")
                router.await_line(r"^\[.*\] tcp://127\.0\.0\.1:\d+: is a DEALER, id 'joe', mechanism NULL$")

    def test_reconnecting(self):
        with Command("sub", "-c", "ipc://@zlink-test-nobody-publishes", "-v") as sub:
            sub.await_line(r"^\[.*\] trying ipc://@zlink-test-nobody-publishes again in \d+ ms$")

    def test_lost_connections(self):
        with Command("pull", "-b", "ipc://*", "-v") as pull:
            self.assertEqual(run("push", "-c", pull.endpoint(), "hello").status, 0)
            pull.await_line(r"^\[.*\] disconnected from ipc://")

    def test_proxy(self):
        with tempfile.TemporaryDirectory() as folder:
            front, back = f"ipc://{folder}/front", f"ipc://{folder}/back"
            with Command("proxy", "--frontend", front, "--backend", back, "-v") as proxy:
                proxy.await_line("forwarding")
                run("req", "-c", front, "-t", "50ms", "hello")
                proxy.await_line(rf"^\[.*\] handshake with {front} done$")

    def test_without_it_nothing_is_said(self):
        with Command("pull", "-b", "ipc://*", "-n", "1") as pull:
            push = run("push", "-c", pull.endpoint(), "hello")
            self.assertEqual((push.status, push.err), (0, ""))
            self.assertNotIn("handshake", pull.result().err)


class Terminal:
    """Runs a command whose standard error is a terminal."""

    def __init__(self, *arguments):
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen([ZLINK, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=theirs, env=environment(None))
        os.close(theirs)
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.ours)

    def read(self, pattern=None):
        """Reads until the pattern has appeared, or to the end."""
        while pattern is None or not re.search(pattern, self.text):
            try:
                octets = os.read(self.ours, 4096)
            except OSError:  # the other side was closed
                octets = b""
            if not octets:
                assert pattern is None, self.text
                break
            self.text += octets.decode()

    def screen(self):
        """The lines as a person sees them: carriage return and erase take away what stood there."""
        lines = []
        for line in self.text.replace("\r\n", "\n").split("\n"):
            lines.append(line.split("\r\x1b[K")[-1])
        return lines


class LiveLine(unittest.TestCase):
    def test_it_shows_rates_and_the_goal(self):
        with Command("pull", "-b", "ipc://*") as pull:
            with Terminal("push", "-c", pull.endpoint(), "-r", "100", "-n", "100000", "x") as push:
                push.read(r"\r\x1b\[K\d+/s, \d+ B/s, \d+ of 100,000")
                push.process.terminate()
                push.read()
                self.assertRegex(push.screen()[-2], r"^stopped: sent \d+ messages")

    def test_an_error_has_a_line_of_its_own(self):
        with Command("pull", "-b", "ipc://*") as pull:
            endpoint = pull.endpoint()
            with Terminal("push", "-c", endpoint, "-r", "100", "-n", "100000", "-o", "RECONNECT_IVL=-1", "-t", "300ms",
                          "x") as push:
                push.read("of 100,000")
                pull.interrupt()
                pull.result()
                push.read()
                self.assertEqual(push.process.wait(timeout=LIMIT), 1)
                last = [line for line in push.screen() if line][-1]
                self.assertRegex(last, r"^zlink: timed out: ")
                self.assertNotRegex(last, r"\d/s, ")

    def test_events_have_lines_of_their_own(self):
        with Command("pull", "-b", "ipc://*") as pull:
            with Terminal("push", "-c", pull.endpoint(), "-r", "100", "-n", "100000", "-v", "x") as push:
                push.read("of 100,000")
                pull.interrupt()
                pull.result()
                push.read("disconnected from ")
                push.process.terminate()
                push.read()
                events = [line for line in push.screen() if "disconnected from" in line]
                self.assertEqual(len(events), 1)
                self.assertRegex(events[0], r"^\[\d+\.\d+ s\] disconnected from \S+$")


if __name__ == "__main__":
    unittest.main()
