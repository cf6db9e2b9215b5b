# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink proxy between real commands."""
import tempfile
import unittest

from zlink_cli import Command, run


class Proxy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.front, self.back, self.tap = (f"ipc://{folder.name}/{name}" for name in ("front", "back", "tap"))

    def test_queue_forwards_requests_and_replies_and_sums_up(self):
        with Command("proxy", "--frontend", self.front, "--backend", self.back) as proxy:
            proxy.await_line("forwarding between ROUTER .* and DEALER")
            with Command("rep", "-c", self.back, "--reply", "pong", "-n", "2") as rep:
                self.assertEqual(run("req", "-c", self.front, "-n", "2", "ping").out, b"pong\npong\n")
                self.assertEqual(rep.result().out, b"ping\nping\n")
            proxy.interrupt()
            result = proxy.result()
        self.assertEqual(result.status, 0, result)
        self.assertIn("stopped: forwarded", result.err)

    def test_streamer_with_capture(self):
        with Command("proxy", "-k", "streamer", "--frontend", self.front, "--backend", self.back, "--capture", self.tap,
                     "--capture-type", "push") as proxy:
            proxy.await_line("forwarding")
            with Command("pull", "-c", self.back, "-n", "2") as pull, Command("pull", "-c", self.tap, "-n", "2") as tap:
                self.assertEqual(run("push", "-c", self.front, "one", "two").status, 0)
                self.assertEqual(pull.result().out, b"one\ntwo\n")
                self.assertEqual(tap.result().out, b"one\ntwo\n")
            proxy.interrupt()
            self.assertEqual(proxy.result().status, 0)

    def test_forwarder_passes_subscriptions_on(self):
        with Command("proxy", "-k", "forwarder", "--frontend", self.front, "--backend", self.back) as proxy:
            proxy.await_line("forwarding between XSUB .* and XPUB")
            with Command("pub", "-c", self.front, "-n", "100000", "-r", "500", "a 1", "b 2"):
                result = run("sub", "-c", self.back, "-s", "b", "-n", "3")
            self.assertEqual(result.out, b"b 2\n" * 3)
            proxy.interrupt()
            self.assertEqual(proxy.result().status, 0)

    def test_address_in_use_is_named(self):
        with Command("pull", "-b", "tcp://127.0.0.1:*") as other:
            result = run("proxy", "--frontend", other.endpoint(), "--backend", self.back)
        self.assertEqual(result.status, 1)
        self.assertIn("another socket listens there", result.err)


if __name__ == "__main__":
    unittest.main()
