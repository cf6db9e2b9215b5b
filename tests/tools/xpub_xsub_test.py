# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""xpub and xsub: publishing and subscribing where subscriptions are messages."""
import subprocess
import unittest

from zlink_cli import Command, run


class XpubXsub(unittest.TestCase):
    def test_xpub_prints_subscriptions_and_what_subscribers_send(self):
        with Command("xpub", "-b", "ipc://*") as xpub:
            endpoint = xpub.endpoint()
            with Command("sub", "-c", endpoint, "-s", "weather", "-s", "news"):
                heard = {xpub.process.stdout.readline() for _ in range(2)}
                self.assertEqual(heard, {b"subscribe weather\n", b"subscribe news\n"})
            heard = {xpub.process.stdout.readline() for _ in range(2)}
            self.assertEqual(heard, {b"unsubscribe weather\n", b"unsubscribe news\n"})
            with Command("xsub", "-c", endpoint, "-s", "abc", "upwards"):
                self.assertEqual(xpub.process.stdout.readline(), b"subscribe abc\n")
                self.assertEqual(xpub.process.stdout.readline(), b"upwards\n")

    def test_hex_and_format_show_the_octets(self):
        for arguments, expected in ((["--hex"], b"0161\n"),
                                    (["--format", "{topic} {hex} {text}"], b"a 0161 subscribe a\n")):
            with Command("xpub", "-b", "ipc://*", *arguments) as xpub:
                with Command("sub", "-c", xpub.endpoint(), "-s", "a"):
                    self.assertEqual(xpub.process.stdout.readline(), expected)

    def test_xpub_publishes(self):
        with Command("xpub", "-b", "ipc://*", "-n", "100000", "-r", "500", "a 1", "b 2") as xpub:
            endpoint = xpub.endpoint()
            self.assertEqual(run("sub", "-c", endpoint, "-s", "b", "-n", "2").out, b"b 2\nb 2\n")
            self.assertEqual(run("xsub", "-c", endpoint, "-s", "a", "-n", "2").out, b"a 1\na 1\n")
            everything = run("xsub", "-c", endpoint, "-n", "4").out.split(b"\n")
            self.assertEqual(sorted(set(everything)), [b"", b"a 1", b"b 2"])

    def test_xpub_ends_after_its_messages(self):
        with Command("xsub", "-b", "ipc://*", "-n", "2") as xsub:
            result = run("xpub", "-c", xsub.endpoint(), "-n", "2", "one", "two")
            self.assertEqual((result.status, result.out), (0, b"subscribe \n"), result)
            self.assertEqual(xsub.result().out, b"one\ntwo\n")

    def test_a_subscription_by_hand(self):
        with Command("xpub", "-b", "ipc://*") as xpub:
            with Command("xsub", "-c", xpub.endpoint(), "-s", "a", "--hex", stdin=subprocess.PIPE) as xsub:
                xsub.feed(b"0162\n")
                self.assertEqual(xpub.process.stdout.readline(), b"subscribe a\n")
                self.assertEqual(xpub.process.stdout.readline(), b"subscribe b\n")


if __name__ == "__main__":
    unittest.main()
