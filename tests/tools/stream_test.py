# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink stream and plain TCP programs."""
import random
import socket
import subprocess
import unittest

from zlink_cli import Command, TcpServer, run

ANY_PORT = "tcp://127.0.0.1:*"


def dial(endpoint):
    return socket.create_connection(("127.0.0.1", int(endpoint.rsplit(":", 1)[1])), timeout=60)


def read_all(connection, size):
    octets = b""
    while len(octets) < size:
        piece = connection.recv(65536)
        assert piece, octets
        octets += piece
    return octets


class Stream(unittest.TestCase):
    def test_it_prints_what_a_server_says_until_that_closes(self):
        with TcpServer(b"220 welcome\r\n\0\xff", closes=True) as server:
            result = run("stream", "-c", server.endpoint, "--raw")
        self.assertEqual((result.status, result.out, result.err), (0, b"220 welcome\r\n\0\xff", ""))

    def test_what_it_could_not_send_before_the_server_closed_is_unsent(self):
        with TcpServer(b"busy\n", closes=True) as server:
            result = run("stream", "-c", server.endpoint, "--raw", "--delay", "200ms", "-o", "RECONNECT_IVL=-1",
                         "hello")
        self.assertEqual((result.status, result.out), (1, b"busy\n"), result)
        self.assertRegex(result.err, "^zlink: the peer closed the connection: 1 message unsent; ")

    def test_it_talks_to_a_server(self):
        listener = socket.create_server(("127.0.0.1", 0))
        with listener, Command("stream", "-c", "tcp://127.0.0.1:%d" % listener.getsockname()[1], "--raw",
                               stdin=subprocess.PIPE) as stream:
            connection, _ = listener.accept()
            with connection:
                stream.feed(b"GET / HTTP/1.0\r\n\r\n")
                self.assertEqual(read_all(connection, 18), b"GET / HTTP/1.0\r\n\r\n")
                connection.sendall(b"HTTP/1.0 204 No Content\r\n\r\n")
            self.assertEqual(stream.result().out, b"HTTP/1.0 204 No Content\r\n\r\n")
            self.assertEqual(stream.process.returncode, 0)

    def test_any_octets_come_back_from_an_echo(self):
        octets = random.Random(7).randbytes(1_000_000)
        with Command("stream", "-b", ANY_PORT, "--echo", "--to", "/dev/null") as echo:
            with dial(echo.endpoint()) as connection:
                connection.sendall(octets[:100_000])
                self.assertEqual(read_all(connection, 100_000), octets[:100_000])
            with Command("stream", "-c", echo.endpoint(), "--raw", "--chunk", "64k", stdin=subprocess.PIPE) as client:
                client.feed_on(octets)
                self.assertEqual(client.process.stdout.read(len(octets)), octets)

    def test_reply_and_ids(self):
        with Command("stream", "-b", ANY_PORT, "--reply", "pong", "-n", "1") as server:
            with dial(server.endpoint()) as connection:
                connection.sendall(b"ping")
                self.assertEqual(read_all(connection, 4), b"pong")
            self.assertRegex(server.result().out, rb"^0x00[0-9a-f]{8}\tping\n$")

    def test_sending_by_id(self):
        with Command("stream", "-b", ANY_PORT, "-m", "|", stdin=subprocess.PIPE) as server:
            with dial(server.endpoint()) as connection:
                connection.sendall(b"hello")
                sender = server.process.stdout.readline().split(b"|")[0]
                server.feed(sender + b"|two|parts\n")
                self.assertEqual(read_all(connection, 9), b"twoparts\n")

    def test_a_peer_that_went_before_its_answer(self):
        result = run("stream", "-b", ANY_PORT, "-m", "|", "0x0012345678|hello")
        self.assertEqual(result.status, 1)
        self.assertIn("no connected peer has the routing id '0x0012345678'", result.err)

    def test_nobody_answers_the_call(self):
        result = run("stream", "-c", "tcp://127.0.0.1:9", "-t", "100ms", "hello")
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"(?m)^zlink: timed out: no peer at tcp://127.0.0.1:9 .*; 1 message unsent$")

    def test_wrong_arguments(self):
        for arguments in (["-c", "ipc:///tmp/x"], ["-c", "tcp://127.0.0.1:9", "-c", "tcp://127.0.0.1:10"],
                          ["-b", ANY_PORT, "hello"]):
            result = run("stream", *arguments)
            self.assertEqual(result.status, 2, result)
            self.assertRegex(result.err, r"zlink: [^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
