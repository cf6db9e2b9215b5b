# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink ping: round trips to whatever answers, those that are lost, and the figures at the end."""
import json
import unittest

from zlink_cli import Command, TcpServer, run

ANYWHERE = "tcp://127.0.0.1:*"
QUICK = ["--interval", "1ms"]


class Ping(unittest.TestCase):
    def check_answers(self, listener, *options):
        result = run("ping", listener.endpoint(), "-n", "20", *QUICK, *options)
        self.assertEqual((result.status, result.err), (0, ""))
        text = result.out.decode()
        for number in range(1, 21):
            self.assertRegex(text, rf"(?m)^\d+ octets from {listener.endpoint()}: number {number}, \S+ \S+$")
        self.assertRegex(text, r"(?m)^20 sent, 20 answered, 0 lost$")
        self.assertRegex(text, r"(?m)^  p50 .*  max \S+ \S+$")
        self.assertRegex(text, r"(?m)^ +\S+ \S+ to +\S+ \S+  #+ +\d+ ")
        return text

    def test_its_own_other_side(self):
        with Command("ping", "--bind", ANYWHERE) as listener:
            self.check_answers(listener)
            self.assertIn("1024 octets from", self.check_answers(listener, "--size", "1k"))
            listener.interrupt()
            result = listener.result()
        self.assertEqual(result.status, 0)
        self.assertIn("answered 40 messages", result.err)

    def test_a_rep_and_a_router_that_echo(self):
        for command in (["rep"], ["router", "--echo"]):
            with Command(*command, "-b", ANYWHERE, "--to", "/dev/null") as listener:
                self.check_answers(listener)

    def test_a_rep_that_answers_something_else(self):
        with Command("rep", "-b", ANYWHERE, "--reply", "it is late", "--to", "/dev/null") as listener:
            result = run("ping", listener.endpoint(), "-n", "3", "--interval", "0")
        self.assertEqual(result.status, 0)
        self.assertEqual(result.out.decode().count("with other contents than were sent"), 3)

    def test_the_listener_ends_at_its_count(self):
        with Command("ping", "--bind", ANYWHERE, "--count", "5") as listener:
            self.assertEqual(run("ping", listener.endpoint(), "-n", "5", *QUICK).status, 0)
            self.assertEqual(listener.result().status, 0)

    def test_figures_as_json(self):
        with Command("ping", "--bind", "ipc://*") as listener:
            result = run("ping", listener.endpoint(), "-n", "50", "--interval", "0", "--json")
        found = json.loads(result.out)
        self.assertEqual((result.status, found["sent"], found["answered"], found["lost"]), (0, 50, 50, 0))
        self.assertEqual(found["round_trip"]["count"], 50)
        self.assertLessEqual(found["round_trip"]["min_us"], found["round_trip"]["p50_us"])

    def test_it_ends_in_good_order_at_a_signal(self):
        with Command("ping", "--bind", ANYWHERE) as listener:
            with Command("ping", listener.endpoint(), *QUICK) as ping:
                self.assertTrue(ping.has_output(60))
                ping.interrupt()
                result = ping.result()
        self.assertEqual(result.status, 0)
        self.assertRegex(result.out.decode(), r"(?m)^\S+ sent, \S+ answered, 0 lost$")

    def test_answers_that_do_not_come(self):
        with Command("router", "-b", ANYWHERE, "--to", "/dev/null") as silent:
            result = run("ping", silent.endpoint(), "-n", "2", *QUICK, "-t", "100ms")
        self.assertEqual(result.status, 1)
        self.assertIn("number 2: no answer within 100 ms", result.err)
        self.assertIn("2 sent, 0 answered, 2 lost", result.out.decode())


class Mistakes(unittest.TestCase):
    def check(self, status, text, *arguments):
        result = run("ping", *arguments)
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.err, r"zlink: [^\n]*\n$")
        self.assertIn(text, result.err)

    def test_wrong_arguments(self):
        there = "tcp://127.0.0.1:9"
        self.check(2, "ping needs an endpoint")
        self.check(2, "not both", there, "--bind", ANYWHERE)
        self.check(2, "'foo' is not an endpoint", "foo")
        self.check(2, "--size takes a size from 24", there, "--size", "23")
        self.check(2, "--interval takes a time", there, "--interval", "often")
        self.check(2, "--timeout takes a time", there, "--timeout", "never")
        self.check(2, "whole number", there, "--count", "some")

    def test_nobody_and_somebody_else(self):
        self.check(1, "no peer at ipc://@zlink-test-no-ping within 100 ms", "ipc://@zlink-test-no-ping", "-t", "100ms")
        with TcpServer(b"HTTP/1.1 400 Bad Request\r\n\r\n", closes=True) as server:
            self.check(1, "what it says isn't ZMTP", server.endpoint)
        with Command("pull", "-b", ANYWHERE) as pull:
            self.check(1, "socket types don't match", pull.endpoint())


if __name__ == "__main__":
    unittest.main()
