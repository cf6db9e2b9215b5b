# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The commands that send and receive, as a user runs them."""
import socket
import subprocess
import tempfile
import unittest

from zlink_cli import Command, run

ANY_PORT = "tcp://127.0.0.1:*"


def received(*senders, receive=()):
    """Starts a pull with the arguments in receive, runs push once for each set of arguments, gives pull's output."""
    with Command("pull", "--bind", ANY_PORT, *receive) as pull:
        endpoint = pull.endpoint()
        for arguments in senders:
            stdin = arguments.pop() if isinstance(arguments[-1], bytes) else b""
            sent = run("push", "--connect", endpoint, *arguments, stdin=stdin)
            assert sent.status == 0, sent
            assert sent.out == b"" and sent.err == "", sent
        result = pull.result()
        assert result.status == 0, result
        return result.out


class PushPull(unittest.TestCase):
    def test_arguments_arrive_a_line_each_in_order(self):
        self.assertEqual(received(["hello", "two words", ""], receive=["-n", "3"]), b"hello\ntwo words\n\n")

    def test_lines_of_standard_input(self):
        lines = b"one\n\nlast without newline"
        self.assertEqual(received([lines], receive=["-n", "3"]), lines + b"\n")

    def test_lines_of_a_file_and_the_file_as_one_message(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"a\nb\n")
            file.flush()
            out = received(["--file", file.name], ["--file", file.name, "--whole"], receive=["-n", "3"])
        self.assertEqual(out, b"a\nb\na\nb\n\n")

    def test_hex_in_and_out(self):
        self.assertEqual(received(["--hex", "00ff0A", "0x68 69"], receive=["-n", "2", "--hex"]), b"00ff0a\n6869\n")

    def test_multipart_in_and_out(self):
        self.assertEqual(received(["-m", "|", "a||b", "c"], receive=["-n", "2", "-m", ","]), b"a,,b\nc\n")
        self.assertEqual(received(["-m", "\\t", "a\tb"], receive=["-n", "1"]), b"a\tb\n")

    def test_count_repeats_arguments(self):
        self.assertEqual(received(["--count", "5", "x", "y"], receive=["-n", "5"]), b"x\ny\nx\ny\nx\n")

    def test_messages_that_look_like_something_else(self):
        out = received(["[1,2]", "pull", "{}", "--", "--count", "-n"], receive=["-n", "5"])
        self.assertEqual(out, b"[1,2]\npull\n{}\n--count\n-n\n")

    def test_a_megabyte_and_many_messages(self):
        big = b"x" * (1 << 20)
        many = b"".join(b"%d\n" % number for number in range(20000))
        self.assertEqual(received(["--whole", big], [many], receive=["-n", "20001"]), big + b"\n" + many)

    def test_both_sides_bind_and_connect_over_ipc(self):
        with tempfile.TemporaryDirectory() as folder:
            endpoint = f"ipc://{folder}/socket"
            with Command("pull", "-c", endpoint, "-n", "1") as pull:
                self.assertEqual(run("push", "-b", endpoint, "over ipc").status, 0)
                self.assertEqual(pull.result().out, b"over ipc\n")

    def test_two_endpoints_share_the_work(self):
        with Command("pull", "-b", ANY_PORT, "-n", "2") as one, Command("pull", "-b", ANY_PORT, "-n", "2") as other:
            sent = run("push", "-c", one.endpoint(), "-c", other.endpoint(), "1", "2", "3", "4")
            self.assertEqual(sent.status, 0)
            self.assertEqual(sorted((one.result().out + other.result().out).split()), [b"1", b"2", b"3", b"4"])

    def test_time_out_with_and_without_messages(self):
        nothing = run("pull", "-b", ANY_PORT, "-t", "100")
        self.assertEqual(nothing.status, 1)
        self.assertIn("nothing received", nothing.err)
        self.assertEqual(received(["one"], receive=["-t", "2s"]), b"one\n")

    def test_sender_without_a_peer_times_out(self):
        for arguments in (["-b", ANY_PORT], ["-c", "ipc://@zlink-test-nobody-listens-here"]):
            result = run("push", *arguments, "-q", "-t", "200ms", "hello")
            self.assertEqual(result.status, 1, result)
            self.assertRegex(result.err, r"(?m)^zlink: timed out: .*200 ms.*$")

    def test_interrupt_ends_well_with_a_summary(self):
        with Command("pull", "-b", ANY_PORT) as pull:
            self.assertEqual(run("push", "-c", pull.endpoint(), "abc", "de").status, 0)
            self.assertEqual(pull.process.stdout.readline(), b"abc\n")
            self.assertEqual(pull.process.stdout.readline(), b"de\n")
            pull.interrupt()
            result = pull.result()
        self.assertEqual(result.status, 0)
        self.assertRegex(result.err, r"stopped: received 2 messages \(5 B\)")

    def test_reader_that_goes_away_is_no_error(self):
        with Command("pull", "-b", ANY_PORT) as pull:
            endpoint = pull.endpoint()
            pull.process.stdout.close()
            with Command("push", "-c", endpoint, "-n", "1000000", "x", "-r", "1000") as push:
                self.assertEqual(pull.process.wait(timeout=60), 0)
                push.interrupt()
                push.result()

    def test_rate_limits(self):
        with Command("pull", "-b", ANY_PORT, "-n", "11") as pull:
            with Command("push", "-c", pull.endpoint(), "-n", "11", "-r", "20", "tick") as push:
                self.assertEqual(push.result().status, 0)
            self.assertEqual(pull.result().out, b"tick\n" * 11)


class OtherPatterns(unittest.TestCase):
    def test_publish_and_subscribe_by_topic(self):
        with Command("pub", "-b", ANY_PORT, "-n", "100000", "-r", "500", "a 1", "b 2", "c 3") as pub:
            endpoint = pub.endpoint()
            chosen = run("sub", "-c", endpoint, "-s", "a", "-s", "c", "-n", "6")
            everything = run("sub", "-c", endpoint, "-n", "6")
        self.assertEqual(sorted(set(chosen.out.split(b"\n"))), [b"", b"a 1", b"c 3"])
        self.assertEqual(sorted(set(everything.out.split(b"\n"))), [b"", b"a 1", b"b 2", b"c 3"])

    def test_request_and_reply(self):
        with Command("rep", "-b", ANY_PORT, "-n", "3") as rep:
            endpoint = rep.endpoint()
            self.assertEqual(run("req", "-c", endpoint, "-n", "2", "ping").out, b"ping\nping\n")
            self.assertEqual(run("req", "-c", endpoint, "-m", "|", stdin=b"a|b\n").out, b"a|b\n")
            self.assertEqual(rep.result().out, b"ping\nping\na\tb\n")

    def test_reply_text(self):
        with Command("rep", "-b", ANY_PORT, "--reply", "pong", "-n", "1") as rep:
            self.assertEqual(run("req", "-c", rep.endpoint(), "ping").out, b"pong\n")

    def test_request_without_a_server_times_out(self):
        result = run("req", "-c", "ipc://@zlink-test-nobody-replies", "-t", "200", "hello")
        self.assertEqual(result.status, 1)
        self.assertIn("no reply", result.err)

    def test_dealer_waits_for_as_many_as_it_sent(self):
        with Command("router", "-b", ANY_PORT, "--echo", "-n", "2") as router:
            dealer = run("dealer", "-c", router.endpoint(), "-i", "me", "one", "two")
            self.assertEqual((dealer.status, dealer.out), (0, b"one\ntwo\n"))
            self.assertEqual(router.result().out, b"me\tone\nme\ttwo\n")

    def test_router_replies_to_req_and_shows_made_up_ids_as_hex(self):
        with Command("router", "-b", ANY_PORT, "--reply", "sure", "-n", "1", "-m", "|") as router:
            self.assertEqual(run("req", "-c", router.endpoint(), "please").out, b"sure\n")
            self.assertRegex(router.result().out, rb"^0x00[0-9a-f]{8}\|\|please\n$")

    def test_router_sends_by_id(self):
        with Command("router", "-b", ANY_PORT, "-m", "|", "-n", "1", stdin=subprocess.PIPE) as router:
            with Command("dealer", "-c", router.endpoint(), "-i", "worker", "-n", "1", "hello") as dealer:
                self.assertEqual(router.process.stdout.readline(), b"worker|hello\n")
                router.process.stdin.write(b"worker|do it\n")
                router.process.stdin.close()
                router.process.stdin = None
                self.assertEqual(dealer.result().out, b"do it\n")
            self.assertEqual(router.result().status, 0)

    def test_router_names_an_unknown_id(self):
        result = run("router", "-b", ANY_PORT, "-m", "|", "-n", "0", "nobody|hello")
        self.assertEqual(result.status, 1)
        self.assertIn("no connected peer has the routing id 'nobody'", result.err)

    def test_pair_talks_both_ways(self):
        with Command("pair", "-b", ANY_PORT, "-n", "1", "from the server") as server:
            client = run("pair", "-c", server.endpoint(), "-n", "1", "from the client")
            self.assertEqual(client.out, b"from the server\n")
            self.assertEqual(server.result().out, b"from the client\n")

    def test_options_by_name_reach_the_socket(self):
        # A message longer than MAXMSGSIZE ends the connection instead of arriving.
        with Command("pull", "-b", ANY_PORT, "--opt", "MAXMSGSIZE=100", "-o", "zmq_rcvhwm=5", "-n", "1") as pull:
            endpoint = pull.endpoint()
            self.assertEqual(run("push", "-c", endpoint, "--linger", "1s", "much longer than that " * 10).status, 0)
            self.assertEqual(run("push", "-c", endpoint, "short").status, 0)
            self.assertEqual(pull.result().out, b"short\n")

    def test_an_ipv6_address_works_as_typed(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError as missing:
            self.skipTest(f"no IPv6 here: {missing}")
        with Command("pull", "-b", "tcp://[::1]:*", "-n", "1") as pull:
            self.assertEqual(run("push", "-c", pull.endpoint(), "hello").status, 0)
            self.assertEqual(pull.result().out, b"hello\n")
        with Command("proxy", "-k", "streamer", "--frontend", "tcp://[::1]:*", "--backend", "ipc://*") as proxy:
            proxy.await_line(r"PULL tcp://\[::1\]:\d+")
        self.assertEqual(run("pull", "-b", "tcp://[::1]:*", "-o", "IPV6=0").status, 1)


if __name__ == "__main__":
    unittest.main()
