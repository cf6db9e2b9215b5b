# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What is lost is said, and the exit status says it."""
import re
import subprocess
import tempfile
import unittest

from zlink_cli import LIMIT, Command, run

NOBODY = "ipc://@zlink-test-nobody-is-here"
BIG = b"x" * 65536 + b"\n"
FLOOD = 600  # of them: more than the kernel holds for one connection


class Unsent(unittest.TestCase):
    def test_linger_counts_what_found_no_taker(self):
        for command in ("push", "dealer", "pair"):
            count = "3" if command == "push" else "0"
            result = run(command, "-c", NOBODY, "--linger", "50ms", "-n", count, "a", "b", "c")
            self.assertEqual((result.status, result.out), (1, b""), result)
            self.assertRegex(result.err, r"(?m)^zlink: --linger is over: 3 messages unsent, .*$")

    def test_linger_as_a_socket_option(self):
        result = run("push", "-c", NOBODY, "-o", "LINGER=0", "a")
        self.assertEqual(result.status, 1)
        self.assertIn("1 message unsent", result.err)

    def test_timeout_counts_them_too(self):
        result = run("push", "-c", NOBODY, "-t", "50ms", "a", "b")
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"(?m)^zlink: timed out: 2 messages unsent, .*50 ms.*$")

    def test_a_full_queue_and_the_message_that_waited(self):
        result = run("push", "-c", NOBODY, "-o", "SNDHWM=5", "-t", "50ms", "-n", "10", "x")
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"(?m)^zlink: timed out: .*; 6 messages unsent$")

    def test_interrupt(self):
        with Command("push", "-c", NOBODY, "a", "b") as push:
            push.await_line("waiting for a peer")
            push.interrupt()
            result = push.result()
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"zlink: stopped: 2 messages unsent, .*\n$")

    def test_interrupted_pace_loses_nothing(self):
        with Command("pull", "-b", "ipc://*", "-n", "2") as pull:
            with Command("push", "-c", pull.endpoint(), "-n", "100", "-r", "20", "x") as push:
                pull.process.stdout.readline()
                push.interrupt()
                result = push.result()
        self.assertEqual(result.status, 0, result)

    def test_a_peer_that_stops_reading(self):
        with Command("pull", "-b", "tcp://127.0.0.1:*") as pull:
            endpoint = pull.endpoint()
            with Command("push", "-c", endpoint, "-o", "SNDHWM=10", "-t", "300ms", stdin=subprocess.PIPE) as push:
                push.feed(b"first\n")
                self.assertEqual(pull.process.stdout.readline(), b"first\n")
                pull.halt()
                feeder = push.feed_on(BIG * FLOOD)
                self.assertEqual(push.process.wait(timeout=LIMIT), 1)
                feeder.join()
                result = push.result()
            pull.go_on()
        self.assertRegex(result.err, r"^zlink: timed out: no peer .* took the message .*; up to \d+ messages unsent\n$")

    def test_messages_that_had_arrived_when_the_count_was_reached(self):
        # The output isn't read until all has been sent: meanwhile the rest arrives.
        with Command("pull", "-b", "ipc://*", "-n", "1") as pull:
            self.assertEqual(run("push", "-c", pull.endpoint(), stdin=b"x" * 1_000_000 + b"\n2\n3\n").status, 0)
            result = pull.result()
        self.assertEqual((result.status, result.out), (0, b"x" * 1_000_000 + b"\n"))  # it was asked for one
        self.assertIn("when --count was reached, 2 messages had arrived already and are lost", result.err)


class Publisher(unittest.TestCase):
    """A subscriber is halted and goes on later: what it didn't get is what the publisher says it dropped."""

    def publish_to_a_halted_subscriber(self, command, *arguments):
        with Command(command, "-b", "tcp://127.0.0.1:*", "-o", "SNDHWM=10", *arguments, stdin=subprocess.PIPE) as pub:
            with Command("sub", "-c", pub.endpoint(), "--format", "{size}") as sub:
                published = 0
                while not sub.has_output(0.05):  # until the subscription has arrived
                    pub.feed(b"\n")
                    published += 1
                sub.halt()
                feeder = pub.feed_on(BIG * FLOOD)
                yield pub, sub, feeder
                result = pub.result()
                dropped = re.search(r"zlink: dropped ([\d,]+) of ([\d,]+) messages at the high-water mark", result.err)
                count = int(dropped[1].replace(",", "")) if dropped else 0
                if dropped:
                    self.assertEqual(int(dropped[2].replace(",", "")), FLOOD + published)
                arrived = 0
                while arrived < FLOOD - count:  # a hang here is a message that was lost without a word
                    arrived += sub.process.stdout.readline() == b"65536\n"
                sub.interrupt()
                self.assertEqual(sub.result().out, b"")
                yield result, count

    def test_drops_at_the_mark_are_counted_exactly(self):
        for command in ("pub", "xpub"):
            with self.subTest(command):
                steps = self.publish_to_a_halted_subscriber(command)
                pub, sub, feeder = next(steps)
                feeder.join()
                pub.await_line("waiting for a peer to take the unsent messages")  # it has sent everything
                sub.go_on()
                result, dropped = next(steps)
                self.assertEqual(result.status, 1)
                self.assertGreater(dropped, 0)
                steps.close()

    def test_a_publisher_that_waits_drops_nothing(self):
        for command in ("pub", "xpub"):
            with self.subTest(command):
                steps = self.publish_to_a_halted_subscriber(command, "-o", "XPUB_NODROP=1")
                _, sub, feeder = next(steps)
                sub.go_on()
                feeder.join()
                result, dropped = next(steps)
                self.assertEqual((result.status, dropped), (0, 0), result)
                steps.close()

    def test_nobody_was_there(self):
        result = run("pub", "-b", "ipc://*", "-d", "0", "a", "b")
        self.assertEqual(result.status, 0)
        self.assertIn("no subscriber was connected: 2 messages went to nobody", result.err)


class Answers(unittest.TestCase):
    def test_answers_to_a_peer_that_has_gone(self):
        # The router's output is not read until its peer has gone: it waits there with most of the answers.
        with Command("router", "-b", "ipc://*", "--echo", "-n", "20") as router:
            dealer = run("dealer", "-c", router.endpoint(), "-i", "me", "-n", "0", stdin=BIG * 20)
            self.assertEqual(dealer.status, 0, dealer)
            result = router.result()
        self.assertEqual(result.out, (b"me\t" + BIG) * 20)
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"zlink: \d+ messages? found no taker")

    def test_a_router_needs_an_id(self):
        result = run("router", "-b", "ipc://*", "hello")
        self.assertEqual(result.status, 2)
        self.assertIn("router needs the receiver's routing id before the message", result.err)


class Proxy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.front, self.back = (f"ipc://{folder.name}/{name}" for name in ("front", "back"))

    def test_messages_that_found_no_taker(self):
        with Command("proxy", "-k", "streamer", "--frontend", self.front, "--backend-connect", NOBODY) as proxy:
            proxy.await_line("forwarding")
            self.assertEqual(run("push", "-c", self.front, "1", "2", "3").status, 0)
            with Command("pull", "-c", self.front, "-v"):
                proxy.await_line("refused a peer")  # so the messages before it have arrived
            proxy.interrupt()
            result = proxy.result()
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"zlink: up to 3 messages unsent")

    def test_drops_at_the_mark(self):
        with Command("proxy", "-k", "forwarder", "--frontend", self.front, "--backend", self.back, "-o", "SNDHWM=10",
                     "-o", "RCVHWM=10") as proxy:
            proxy.await_line("forwarding")
            with Command("sub", "-c", self.back, "--format", "{size}") as sub, \
                    Command("pub", "-c", self.front, "-o", "XPUB_NODROP=1", stdin=subprocess.PIPE) as pub:
                while not sub.has_output(0.05):
                    pub.feed(b"\n")
                sub.halt()
                pub.feed_on(BIG * FLOOD).join()
                self.assertEqual(pub.result().status, 0)
                proxy.interrupt()
                result = proxy.result()
                sub.go_on()
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"zlink: dropped [\d,]+ of [\d,]+ messages at the high-water mark")


if __name__ == "__main__":
    unittest.main()
