# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A peer that refuses the handshake, or that we refuse, is named with cause and cure."""
import socket
import tempfile
import unittest

from zlink_cli import Command, TcpServer, run

ONE_LINE = r"^zlink: [^\n]*\n$"
# signature, version 3.0, mechanism PLAIN, no server, filler
PLAIN_GREETING = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0" + b"PLAIN".ljust(20, b"\0") + b"\0" * 32


class SocketTypes(unittest.TestCase):
    def test_each_sender_and_receiver_names_its_partners(self):
        commands = {"push": "PULL", "pull": "PUSH", "pub": "SUB and XSUB", "sub": "PUB and XPUB",
                    "xpub": "SUB and XSUB", "xsub": "PUB and XPUB", "req": "REP and ROUTER", "rep": "REQ and DEALER",
                    "dealer": "REP, DEALER and ROUTER", "router": "REQ, DEALER and ROUTER", "pair": "PAIR"}
        with Command("pair", "-b", "ipc://*") as pair, Command("pull", "-b", "ipc://*") as pull:
            pair_endpoint, pull_endpoint = pair.endpoint(), pull.endpoint()
            for command, partners in commands.items():
                with self.subTest(command):
                    endpoint = pull_endpoint if command == "pair" else pair_endpoint
                    messages = ["hello"] if command in ("push", "pub", "xpub", "req", "dealer", "pair") else []
                    result = run(command, "-c", endpoint, *messages)
                    self.assertEqual((result.status, result.out), (1, b""), result)
                    self.assertRegex(result.err, ONE_LINE)
                    self.assertIn(f"{endpoint} refused the handshake: the socket types don't match: {command.upper()} "
                                  f"talks to {partners};", result.err)
                    self.assertEqual("; 1 message unsent" in result.err, bool(messages))

    def test_a_listener_says_it_once_and_its_status_tells_unless_others_came(self):
        for others, status in ((0, 1), (1, 0)):
            with Command("pull", "-b", "ipc://*") as pull:
                endpoint = pull.endpoint()
                for _ in range(2):
                    self.assertEqual(run("req", "-c", endpoint, "hello").status, 1)
                pull.await_line("refused a peer .*: the socket types don't match: PULL talks to PUSH")
                for _ in range(others):
                    self.assertEqual(run("push", "-c", endpoint, "hello").status, 0)
                    self.assertEqual(pull.process.stdout.readline(), b"hello\n")
                pull.interrupt()
                result = pull.result()
            self.assertEqual(result.status, status, result)
            self.assertEqual(result.err.count("refused a peer"), 1)

    def test_the_other_endpoint_still_gets_its_messages(self):
        with Command("pull", "-b", "ipc://*", "-n", "1") as pull, Command("rep", "-b", "ipc://*") as rep:
            right, wrong = pull.endpoint(), rep.endpoint()
            with Command("push", "-c", wrong, "-c", right, "-n", "10000000", "-r", "1000", "x") as push:
                push.await_line(f"{wrong} refused the handshake")
                self.assertEqual(pull.result().out, b"x\n")
                push.interrupt()
                self.assertEqual(push.result().status, 1)

    def test_proxy(self):
        with tempfile.TemporaryDirectory() as folder, Command("rep", "-b", "ipc://*") as rep:
            result = run("proxy", "-k", "streamer", "--frontend", f"ipc://{folder}/front", "--backend-connect",
                         rep.endpoint())
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"zlink: ipc://.* refused the handshake: .* PUSH talks to PULL;.*\n$")


class NotZeroMq(unittest.TestCase):
    def test_a_server_that_closes_connections_is_given_up(self):
        for says, words in ((b"", "it closed the connection; check"),
                            (b"SSH-2.0-OpenSSH_9.2\r\n", "what it says isn't ZMTP")):
            with TcpServer(says, closes=True) as server:
                for arguments in (["push", "a", "b"], ["sub"], ["req", "a"]):
                    result = run(arguments[0], "-c", server.endpoint, "-o", "RECONNECT_IVL=10", *arguments[1:])
                    self.assertEqual((result.status, result.out), (1, b""), result)
                    self.assertIn(f"zlink: {server.endpoint} refused the handshake: {words}", result.err)

    def test_a_server_that_speaks_something_else(self):
        with TcpServer(b"\xff" + bytes(range(100))) as server:
            for arguments in (["push", "a"], ["sub"], ["req", "a"], ["pair", "a"]):
                result = run(arguments[0], "-c", server.endpoint, *arguments[1:])
                self.assertEqual(result.status, 1)
                self.assertRegex(result.err, ONE_LINE)
                self.assertIn("what it says isn't ZMTP", result.err)

    def test_a_web_server_gets_no_messages(self):
        answer = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        for closes in (True, False):
            with TcpServer(answer, closes=closes) as server:
                for words, more in (("what it says isn't ZMTP", []), ("it answers by HTTP", ["-o", "OLDEST_ZMTP=1"])):
                    result = run("push", "-c", server.endpoint, "hello", *more)
                    self.assertEqual(result.status, 1, result)
                    self.assertRegex(result.err, ONE_LINE)
                    self.assertIn(f"{server.endpoint} refused the handshake: {words}", result.err)
                    self.assertIn("1 message unsent", result.err)

    def test_peers_without_a_greeting_are_for_those_who_ask_for_them(self):
        routing_id = b"\x04\0you"
        with TcpServer(routing_id) as server:
            for command in ("push", "pub", "req"):
                result = run(command, "-c", server.endpoint, "hello")
                self.assertEqual(result.status, 1, result)
                self.assertRegex(result.err, ONE_LINE)
                self.assertIn("let in by --opt OLDEST_ZMTP=1", result.err)
            self.assertEqual(run("push", "-c", server.endpoint, "-o", "OLDEST_ZMTP=1", "hello").status, 0)
        with Command("proxy", "--kind", "streamer", "--frontend", "tcp://127.0.0.1:*", "--backend", "ipc://*") as proxy:
            where = proxy.await_line(r"PULL tcp://127\.0\.0\.1:(\d+)").group(1)
            with socket.create_connection(("127.0.0.1", int(where))) as stranger:
                stranger.sendall(routing_id + b"\x06\0hello")
                proxy.await_line("zlink: refused a peer that came to .*: what it says isn't ZMTP .* OLDEST_ZMTP=1")

    def test_a_server_that_says_nothing(self):
        with TcpServer() as server:
            hint = f"{server.endpoint} takes connections but doesn't answer the handshake"
            for arguments in (["req", "a"], ["sub"], ["push", "-o", "SNDHWM=1", "a", "b"]):
                result = run(arguments[0], "-c", server.endpoint, "-t", "200ms", *arguments[1:])
                self.assertEqual(result.status, 1)
                self.assertIn(hint, result.err)
            limited = run("push", "-c", server.endpoint, "-o", "HANDSHAKE_IVL=100", "a")
            self.assertEqual(limited.status, 1)
            self.assertIn("refused the handshake: it didn't answer in time", limited.err)

    def test_a_peer_that_asks_for_security(self):
        with TcpServer(PLAIN_GREETING) as server:
            result = run("push", "-c", server.endpoint, "secret")
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, ONE_LINE)
        self.assertIn("its security mechanism isn't NULL; give --curve-server-key KEY or --plain-user NAME", result.err)

    def test_a_look_whether_the_port_is_open_is_no_refusal(self):
        with Command("pull", "-b", "tcp://127.0.0.1:*", "-v") as pull:
            endpoint = pull.endpoint()
            socket.create_connection(("127.0.0.1", int(endpoint.rsplit(":", 1)[1]))).close()
            pull.await_line("handshake with .* failed")
            pull.interrupt()
            result = pull.result()
        self.assertEqual(result.status, 0)
        self.assertNotIn("zlink:", result.err)

    def test_a_message_longer_than_the_receiver_allows(self):
        with Command("push", "-b", "ipc://*", "x" * 101) as push:
            result = run("pull", "-c", push.endpoint(), "-o", "MAXMSGSIZE=100")
        self.assertEqual((result.status, result.out), (1, b""))
        self.assertRegex(result.err, ONE_LINE)
        self.assertRegex(result.err, r"the connection to ipc://\S+ is over: it sent a message longer than --opt")

    def test_a_listener_goes_on(self):
        with Command("pull", "-b", "tcp://127.0.0.1:*", "-n", "1") as pull:
            endpoint = pull.endpoint()
            with socket.create_connection(("127.0.0.1", int(endpoint.rsplit(":", 1)[1]))) as stranger:
                stranger.sendall(b"\xff" + bytes(range(100)))
                pull.await_line("zlink: refused a peer that came to .*: what it says isn't ZMTP")
            self.assertEqual(run("push", "-c", endpoint, "hello").status, 0)
            result = pull.result()
        self.assertEqual((result.status, result.out), (0, b"hello\n"))


if __name__ == "__main__":
    unittest.main()
