# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""--socks-...: through microsocks, a SOCKS5 proxy that is not ours, and what is said when it refuses."""
import socket
import subprocess
import tempfile
import unittest

from zlink_cli import Command, run


class Proxy:
    """On a port that is held by a socket of ours that doesn't listen, so that nobody else gets it."""

    def __init__(self, *arguments):
        self.port = socket.socket()
        self.port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.port.bind(("127.0.0.1", 0))
        number = self.port.getsockname()[1]
        self.address = f"127.0.0.1:{number}"
        self.process = subprocess.Popen(["microsocks", "-i", "127.0.0.1", "-p", str(number), *arguments],
                                        stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.port.close()


class Socks(unittest.TestCase):
    def send(self, proxy, endpoint, *more, env=None):
        return run("push", "--connect", endpoint, "--socks-proxy", proxy.address, "--verbose", *more, "hello", env=env)

    def test_messages_go_through(self):
        with Proxy() as proxy, Command("pull", "--bind", "tcp://127.0.0.1:*", "--count", "1") as pull:
            sent = self.send(proxy, pull.endpoint())
            self.assertEqual(sent.status, 0, sent)
            self.assertEqual(pull.process.stdout.read(), b"hello\n")

    def test_raw_octets_go_through(self):
        with Proxy() as proxy, Command("stream", "--bind", "tcp://127.0.0.1:*", "--echo") as echo:
            sent = run("stream", "--connect", echo.endpoint(), "--socks-proxy", proxy.address, "--count", "1", "hello")
            self.assertEqual(sent.status, 0, sent)
            self.assertIn(b"hello", sent.out)

    def test_the_password_is_in_a_file_or_in_the_environment(self):
        with tempfile.NamedTemporaryFile("w") as file, Proxy("-u", "joe", "-P", "secret") as proxy:
            file.write("secret\n")
            file.flush()
            for arguments, env in ((("--socks-password", "@" + file.name), {}),
                                   (("--socks-password", "env:OTHER"), {"OTHER": "secret"}),
                                   ((), {"ZLINK_SOCKS_PASSWORD": "secret"})):
                with Command("pull", "--bind", "tcp://127.0.0.1:*", "--count", "1") as pull:
                    sent = self.send(proxy, pull.endpoint(), "--socks-user", "joe", *arguments, env=env)
                    self.assertEqual(sent.status, 0, sent)
                    self.assertEqual(pull.process.stdout.read(), b"hello\n")

    def test_why_the_proxy_refuses_is_said(self):
        with Proxy("-u", "joe", "-P", "secret") as proxy:
            at = "tcp://127.0.0.1:5"
            for words, arguments in (("the proxy refuses user name and password", ("--socks-user", "joe")),
                                     ("the proxy wants authentication", ())):
                sent = self.send(proxy, at, "--timeout", "1s", *arguments, env={"ZLINK_SOCKS_PASSWORD": "guess"})
                self.assertEqual(sent.status, 1, sent)
                where = rf"{at} by way of the SOCKS proxy {proxy.address}: {words}"
                self.assertRegex(sent.err, rf"(?m)^\[\d+\.\d+ s\] .*; {where}")
                self.assertRegex(sent.err, rf"(?m)^zlink: timed out: .*; {where}")

    def test_what_is_wrong_is_said(self):
        for words, arguments in (
                ("--socks-user needs --socks-proxy HOST:PORT", ("--socks-user", "joe")),
                ("--socks-password needs --socks-proxy HOST:PORT", ("--socks-password", "env:HOME")),
                ("--socks-password needs --socks-user NAME", ("--socks-proxy", "a:1", "--socks-password", "env:HOME")),
                ("--socks-password takes @FILE or env:NAME", ("--socks-proxy", "a:1", "--socks-user", "joe",
                                                              "--socks-password", "secret")),
                ("--socks-user takes up to 255 octets", ("--socks-proxy", "a:1", "--socks-user", "a" * 256)),
                ("by --socks-password @FILE", ("-o", "SOCKS_PASSWORD=x")),
                ("the SOCKS proxy is not a host:port that can be connected to: nowhere", ("--socks-proxy", "nowhere"))):
            done = run("push", "--connect", "tcp://127.0.0.1:5", *arguments, "hello", env={"ZLINK_SOCKS_PASSWORD": "x"})
            self.assertEqual(done.status, 2, done)
            self.assertIn(words, done.err)


if __name__ == "__main__":
    unittest.main()
