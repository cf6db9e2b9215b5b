# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink monitor: what can happen to a connection has its sentence, and the exit status tells if one worked."""
import http.server
import os
import subprocess
import tempfile
import threading
import unittest

from connecting_test import NO_NAME, refusing_endpoint
from zlink_cli import Command, TcpServer, run

ANYWHERE = "tcp://127.0.0.1:*"


class Monitor(unittest.TestCase):
    def check(self, status, words, *arguments):
        result = run("monitor", *arguments)
        self.assertEqual((result.status, result.err), (status, ""), result)
        text = result.out.decode()
        for line in text.splitlines():
            self.assertRegex(line, r"^\[\d+\.\d{3} s\] ")
        for each in words if isinstance(words, (list, tuple)) else [words]:
            self.assertRegex(text, each)
        return text


class Works(Monitor):
    def test_a_connection_that_works(self):
        with Command("router", "-b", ANYWHERE) as router:
            there = router.endpoint()
            self.check(0, (rf"{there}: connected from tcp://127\.0\.0\.1:\d+; the handshake begins",
                           rf"{there}: handshake done, the connection works", rf"{there}: is a ROUTER, mechanism NULL"),
                       there, "--once")
        with Command("pub", "-b", ANYWHERE, "--delay", "1m", "x") as pub:
            self.check(0, "is a PUB", pub.endpoint(), "--type", "sub", "--once")

    def test_a_peer_that_goes_and_comes_back(self):
        with tempfile.TemporaryDirectory() as folder:
            there = f"ipc://{folder}/there"
            with Command("router", "-b", there, "-v") as router:
                router.await_line("listening on")
                with Command("monitor", there, "-o", "RECONNECT_IVL=10") as monitor:
                    self.lines_up_to(monitor, "the connection works")
                    router.interrupt()
                    router.result()
                    self.lines_up_to(monitor, "the connection is over")
                    self.lines_up_to(monitor, "; there is no socket of that name|; no socket listens there")
                    with Command("router", "-b", there):
                        self.lines_up_to(monitor, "the connection works")
                        monitor.interrupt()
                        self.assertEqual(monitor.result().status, 0)

    def lines_up_to(self, command, pattern):
        while True:
            line = command.process.stdout.readline().decode()
            self.assertTrue(line, f"no line like {pattern!r}")
            if any(words in line for words in pattern.split("|")):
                return

    def test_who_comes_to_a_listener(self):
        with Command("monitor", "--bind", ANYWHERE, "--type", "pull", "--once") as monitor:
            with Command("push", "-c", monitor.endpoint(), "hello"):
                result = monitor.result()
        self.assertEqual(result.status, 0)
        self.assertRegex(result.out.decode(), r"tcp://127\.0\.0\.1:\d+: came in; the handshake begins")
        self.assertIn(b"handshake done, the connection works", result.out)


class Fails(Monitor):
    def test_nobody_listens(self):
        with refusing_endpoint() as refusing:
            self.check(1, f"{refusing}: Connection refused; nothing listens there; start the peer, or check", refusing,
                       "--once")
            text = self.check(1, r"\] the same \S+ (times )?more\n$", refusing, "-t", "1s", "-o", "RECONNECT_IVL=10")
            self.assertEqual(text.count("Connection refused"), 1)

    def test_a_name_that_is_unknown(self):
        self.check(1, "its name cannot be looked up; the name is unknown; check its spelling", NO_NAME, "--once")

    def test_a_path_without_a_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check(1, "there is no socket of that name; start the peer", f"ipc://{folder}/none", "--once")

    def test_a_web_server(self):
        with TcpServer(b"HTTP/1.1 400 Bad Request\r\n\r\n", closes=True) as server:
            self.check(1, "what it says: this is HTTP, not ZMTP .'HTTP/1.1 400 Bad Request'", server.endpoint)

    def test_a_web_server_that_waits_for_the_end_of_a_line(self):
        class Server(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            endpoint = f"tcp://127.0.0.1:{server.server_port}"
            with Command("monitor", endpoint) as monitor:
                text = b""
                while b"of HTTP: " not in text and b"HTTP, not ZMTP" not in text:
                    line = monitor.process.stdout.readline()
                    self.assertTrue(line, text)
                    text += line
                self.assertIn(b"no answer to the greeting of ZMTP; to a request of HTTP: this is HTTP, not ZMTP", text)
            server.shutdown()

    def test_a_peer_that_is_too_old(self):
        with TcpServer(b"\x01\0") as server:
            self.check(1, ("one of ZeroMQ 2 .ZMTP 1.0. is let in by --opt OLDEST_ZMTP=1", "what it says: "),
                       server.endpoint)

    def test_a_peer_that_says_nothing(self):
        with TcpServer() as server:
            self.check(1, "it didn't answer in time; check that a ZeroMQ socket is on the other side", server.endpoint,
                       "--once", "-o", "HANDSHAKE_IVL=100")

    def test_socket_types_that_do_not_match(self):
        with Command("pull", "-b", ANYWHERE) as pull:
            self.check(1, "the socket types don't match: DEALER talks to REP, DEALER and ROUTER", pull.endpoint())

    def test_a_mechanism_that_differs(self):
        with tempfile.NamedTemporaryFile("w") as allowed:
            allowed.write("plain alice secret\n")
            allowed.flush()
            with Command("router", "-b", ANYWHERE, "--plain-server", "--auth", allowed.name) as router:
                self.check(1, "its security mechanism isn't NULL; give --curve-server-key KEY or --plain-user NAME",
                           router.endpoint())
                self.check(1, "--plain-user and --plain-password", router.endpoint(), "--plain-user", "alice",
                           "--plain-password", "@" + allowed.name)

    def test_a_wrong_key(self):
        if b" curve" not in run("version").out:
            self.skipTest("a library without CURVE")
        with tempfile.TemporaryDirectory() as folder:
            server, other = os.path.join(folder, "server"), os.path.join(folder, "other")
            for name in (server, other):
                self.assertEqual(run("keygen", name).status, 0)
            with Command("router", "-b", ANYWHERE, "--curve-server", "--curve-secret", f"@{server}_secret") as router:
                self.check(0, "mechanism CURVE", router.endpoint(), "--once", "--curve-server-key", f"@{server}")
                self.check(1, "check that it is a CURVE server, that --curve-server-key is its public key",
                           router.endpoint(), "--once", "--curve-server-key", f"@{other}")

    def test_a_certificate_that_has_expired(self):
        if b" tls" not in run("version").out:
            self.skipTest("a library without tls")
        with tempfile.TemporaryDirectory() as folder:
            key, certificate, request = (os.path.join(folder, name) for name in ("key", "pem", "csr"))
            extensions = os.path.join(folder, "extensions")
            with open(extensions, "w", encoding="ascii") as file:
                file.write("subjectAltName=IP:127.0.0.1\n")
            # It ended yesterday.
            for command in (["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                             key, "-out", request, "-subj", "/CN=old"],
                            ["x509", "-req", "-in", request, "-signkey", key, "-days", "-1", "-out", certificate,
                             "-extfile", extensions]):
                subprocess.run(["openssl", *command], check=True, capture_output=True)
            os.chmod(key, 0o600)
            with Command("router", "-b", "tls://127.0.0.1:*", "--tls-cert", certificate, "--tls-key", key) as router:
                self.check(1, "expired.*; renew that certificate, or check the clocks", router.endpoint(), "--tls-ca",
                           certificate, "--once")


class Mistakes(unittest.TestCase):
    def test_wrong_arguments(self):
        for text, *arguments in (("monitor needs an endpoint",), ("not both", "tcp://127.0.0.1:9", "--bind", ANYWHERE),
                                 ("not a socket type with a handshake", "tcp://127.0.0.1:9", "--type", "stream"),
                                 ("not a socket type with a handshake", "tcp://127.0.0.1:9", "--type", "odd"),
                                 ("--timeout takes a time", "tcp://127.0.0.1:9", "-t", "soon"),
                                 ("'foo' is not an endpoint", "foo")):
            result = run("monitor", *arguments)
            self.assertEqual(result.status, 2, result)
            self.assertRegex(result.err, r"^zlink: [^\n]*\n$")
            self.assertIn(text, result.err)


if __name__ == "__main__":
    unittest.main()
