# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""ws:// on the command line: messages, and what is said of a peer that is not let in, or lets nobody in."""
import re
import socket
import threading
import unittest

from zlink_cli import Command, run

ANYWHERE = "ws://127.0.0.1:*/path"


class Answering:
    """A server that answers whatever is asked with the same octets."""

    def __init__(self, answer):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = "ws://127.0.0.1:{}/path".format(self.listener.getsockname()[1])
        threading.Thread(target=self.serve, args=(answer,), daemon=True).start()

    def serve(self, answer):
        try:
            while True:
                with self.listener.accept()[0] as client:
                    while b"\r\n\r\n" not in client.recv(65536, socket.MSG_PEEK):
                        pass
                    client.recv(65536)
                    client.sendall(answer)
        except OSError:
            return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def ask(endpoint, octets):
    """Of a listener, by hand; what it answers until it closes."""
    host, port = endpoint.split("/")[2].split(":")
    with socket.create_connection((host, int(port)), 20) as client:
        client.sendall(octets)
        answer = b""
        while some := client.recv(65536):
            answer += some
        return answer


class Ws(unittest.TestCase):
    def test_messages_go_through(self):
        with Command("pull", "--bind", ANYWHERE, "--count", "2") as pull:
            sent = run("push", "--connect", pull.endpoint(), "hello", "again")
            self.assertEqual(sent.status, 0, sent)
            self.assertEqual(pull.process.stdout.read(), b"hello\nagain\n")

    def test_why_a_server_lets_nobody_in(self):
        switch = (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  b"Sec-WebSocket-Accept: c29tZXRoaW5nIGVsc2UgYWx0b2dldGhlcg==\r\n\r\n")
        for answer, words in ((b"HTTP/1.1 503 Service Unavailable\r\n\r\n",
                               "the server answers 'HTTP/1.1 503 Service Unavailable' instead of "
                               "switching to WebSocket"),
                              (switch, "the server's Sec-WebSocket-Accept is not the one for this client's key"),
                              (b"\xff\0\0\0\0\0\0\0\x01\x7f\3", "the server's answer is not HTTP"),
                              (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 9000, "the server's answer is too long")):
            with self.subTest(words), Answering(answer) as server:
                sent = run("push", "--verbose", "--connect", server.endpoint, "hello")
                self.assertEqual(sent.status, 1, sent)
                self.assertIn(f"{server.endpoint} refused the handshake: {words}", sent.err)
                self.assertIn(f"] protocol error 0x30000000 of {server.endpoint}; {server.endpoint}: {words}\n",
                              sent.err)

    def test_a_server_that_hangs_up(self):
        with Answering(b"") as server, Command("push", "--verbose", "--connect", server.endpoint, "hello") as push:
            push.await_line(f"{server.endpoint}: the peer has ended the connection during the upgrade to WebSocket")

    def test_why_a_client_is_not_let_in(self):
        request = (b"GET /path HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n")
        for asked, status, words in ((b"GET /path HTTP/1.1\r\nHost: here\r\n\r\n", b"426",
                                      "the client wants no WebSocket"),
                                     (request.replace(b"/path", b"/other") + b"\r\n", b"404",
                                      "the client asks for another path: '/other'"),
                                     (request + b"Sec-WebSocket-Protocol: mqtt\r\n\r\n", b"400",
                                      "the client's sub-protocols and security mechanisms differ "
                                      "from ours: 'mqtt', where "
                                      "'ZWS2.0/NULL,ZWS2.0' is wanted"),
                                     (b"\x16\3\1\0\5hello", b"400", "the client's request is not HTTP"),
                                     (request + b"X: " + b"x" * 9000, b"431", "the client's request is too long"),
                                     (request + b"Origin: https://evil.example\r\n\r\n", b"403",
                                      "pages of this origin are not let in: 'https://evil.example'")):
            with self.subTest(words), Command("pull", "--verbose", "--bind", ANYWHERE, "--opt",
                                              "WS_ORIGIN=https://example.com") as pull:
                self.assertTrue(ask(pull.endpoint(), asked).startswith(b"HTTP/1.1 " + status))
                pull.await_line(r"protocol error 0x30000000 of ws://127.0.0.1:\d+/path; ws://127.0.0.1:\d+/path: " +
                                re.escape(words))
                pull.await_line("refused a peer that came to ws://.*: " + re.escape(words))


if __name__ == "__main__":
    unittest.main()
