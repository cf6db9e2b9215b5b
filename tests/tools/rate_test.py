# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""--rate at every pace: it neither stalls nor runs ahead."""
import time
import unittest

from zlink_cli import Command

RATES = {20: 6, 1000: 1000, 2000: 2000, 5000: 5000, 10000: 20000, 20000: 20000, 50000: 50000}


class Rate(unittest.TestCase):
    def test_all_messages_are_sent_and_not_too_early(self):
        for rate, count in RATES.items():
            with self.subTest(rate=rate), Command("pull", "-b", "ipc://*", "-n", str(count)) as pull:
                endpoint = pull.endpoint()
                begin = time.monotonic()
                with Command("push", "-c", endpoint, "-n", str(count), "-r", str(rate), "tick") as push:
                    self.assertEqual(pull.result().out, b"tick\n" * count)
                    self.assertEqual(push.result().status, 0)
                taken = time.monotonic() - begin
                # At most 50 ms are caught up with.
                self.assertGreaterEqual(taken, (count - 1) / rate - 0.05)

    def test_time_without_a_peer_is_not_caught_up_with(self):
        with Command("push", "-b", "ipc://*", "-n", "101", "-r", "200", "tick") as push:
            endpoint = push.endpoint()
            push.await_line("waiting for a peer")
            begin = time.monotonic()
            with Command("pull", "-c", endpoint, "-n", "101") as pull:
                self.assertEqual(pull.result().out, b"tick\n" * 101)
            self.assertGreaterEqual(time.monotonic() - begin, 100 / 200 - 0.05)
            self.assertEqual(push.result().status, 0)


if __name__ == "__main__":
    unittest.main()
