# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tls:// and wss:// on the command line: certificates for trials, which peers are let in, and what is said of the
others."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

from zlink_cli import Command, run

ANYWHERE = "tls://127.0.0.1:*"
EACH = (ANYWHERE, "wss://127.0.0.1:*/path")


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.trial = os.path.join(cls.folder, "trial")
        cls.made = run("keygen", "--tls", cls.trial)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def file(self, name):
        return os.path.join(self.trial, name)

    def server(self, command="pull", *more, at=ANYWHERE):
        return Command(command, "--bind", at, "--tls-cert", self.file("server.pem"), "--tls-key",
                       self.file("server.key"), *more)

    def test_certificates_for_trials_are_what_openssl_takes_and_are_not_replaced_by_mistake(self):
        self.assertEqual(self.made.status, 0, self.made)
        self.assertEqual(sorted(os.listdir(self.trial)),
                         ["ca.pem", "client.key", "client.pem", "server.key", "server.pem"])
        for name in os.listdir(self.trial):
            mode = stat.S_IMODE(os.stat(self.file(name)).st_mode)
            self.assertEqual(mode, 0o600 if name.endswith(".key") else 0o644, name)
        for purpose, name in (("sslserver", "server.pem"), ("sslclient", "client.pem")):
            subprocess.run(["openssl", "verify", "-x509_strict", "-purpose", purpose, "-CAfile", self.file("ca.pem"),
                            self.file(name)], check=True, capture_output=True)
        before = pathlib.Path(self.file("ca.pem")).read_text()
        again = run("keygen", "--tls", self.trial)
        self.assertEqual(again.status, 1)
        self.assertIn("is there already", again.err)
        self.assertEqual(pathlib.Path(self.file("ca.pem")).read_text(), before)

    def test_messages_go_through(self):
        for at in EACH:
            with self.subTest(at), self.server("pull", "--count", "2", at=at) as pull:
                sent = run("push", "--connect", pull.endpoint(), "--tls-ca", self.file("ca.pem"), "hello", "again")
                self.assertEqual(sent.status, 0, sent)
                self.assertEqual(pull.process.stdout.read(), b"hello\nagain\n")
                self.assertEqual(pull.process.wait(), 0)

    def test_a_server_that_nobody_vouches_for_is_refused_with_its_reason(self):
        for at in EACH:
            with self.subTest(at), self.server(at=at) as pull:
                sent = run("push", "--connect", pull.endpoint(), "hello")
                self.assertEqual(sent.status, 1, sent)
                self.assertRegex(sent.err,
                                 "refused the handshake: the peer's certificate is not accepted: .*: nobody who is "
                                           "trusted here has signed 'CN=zlink trial server': name "
                                           "its authority's file by "
                                           r"--tls-ca \(for a public authority set --opt TLS_TRUST_SYSTEM=1\)")
        with self.server() as pull:
            sent = run("push", "--verbose", "--connect", pull.endpoint(), "--tls-ca", self.file("ca.pem"), "--tls-host",
                       "elsewhere.example", "hello")
            self.assertEqual(sent.status, 1, sent)
            self.assertRegex(sent.err, r"\] handshake with tls://\S+ failed: Permission denied; tls://\S+: the peer's "
                                       r"certificate is not accepted: hostname mismatch: 'elsewhere.example' is "
                                       r"wanted, and it is for 'DNS:localhost, IP "
                                       r"Address:127.0.0.1.*': connect by such a "
                                       r"name, or give it as --tls-host\n")
            pull.await_line("refused a peer that came to tls://.*: the peer refuses: ")

    def test_the_reason_comes_at_the_first_failure(self):
        for at in (ANYWHERE, "wss://127.0.0.1:*"):
            with self.subTest(at), self.server(at=at) as pull:
                endpoint = pull.endpoint().replace("127.0.0.1", "localhost")
                done = run("sub", "--connect", endpoint)
                self.assertEqual(done.status, 1, done)
                self.assertRegex(done.err,
                                 f"^zlink: {endpoint} refused the handshake: the peer's certificate is not accepted: ")

    def test_who_speaks_no_tls_is_told_apart(self):
        with Command("pull", "--bind", "tcp://127.0.0.1:*") as pull:
            endpoint = pull.endpoint().replace("tcp", "tls")
            with Command("push", "--connect", endpoint, "--tls-ca", self.file("ca.pem"), "hello") as push:
                push.await_line(f"zlink: {endpoint} refused the handshake: .*the server speaks no "
                                f"TLS; is it bound by tcp://")
        with self.server() as pull:
            with Command("push", "--connect", pull.endpoint().replace("tls", "tcp"), "hello"):
                pull.await_line("zlink: refused a peer that came to .*: the client speaks no TLS; "
                                "does it connect by tcp://")
        with self.server(at="wss://127.0.0.1:*") as pull:
            with Command("push", "--connect", pull.endpoint().replace("wss", "ws"), "hello"):
                pull.await_line("zlink: refused a peer that came to .*: the client speaks HTTP without "
                                "TLS; does it connect by "
                                "http:// or ws://")

    def test_verbose_tells_what_was_agreed_on(self):
        for at in EACH:
            with self.subTest(at), self.server("pull", "--tls-ca", self.file("ca.pem"), "--verbose", at=at) as pull:
                sent = run("push", "--connect", pull.endpoint(), "--verbose", "--tls-ca", self.file("ca.pem"),
                           "--tls-cert",
                           self.file("client.pem"), "--tls-key", self.file("client.key"), "hello")
                self.assertEqual(sent.status, 0, sent)
                self.assertRegex(sent.err,
                                 rf"(?m)^\[\d+\.\d+ s\] {re.escape(pull.endpoint())}: is a PULL, mechanism NULL, "
                                           r"TLSv1\.\d, \w+, certificate of 'CN=zlink trial server', "
                                           r"for 'DNS:localhost, IP "
                                           r"Address:127\.0\.0\.1.*'$")
                pull.await_line(r": is a PUSH, mechanism NULL, TLSv1\.\d, \w+, certificate of 'CN=zlink trial client'$")

    def encrypted_key(self):
        file = os.path.join(self.folder, "encrypted.key")
        subprocess.run(["openssl", "pkey", "-in", self.file("server.key"), "-aes256", "-passout", "pass:a word", "-out",
                        file], check=True, capture_output=True)
        return file

    def test_the_password_of_a_key_is_in_a_file_or_in_the_environment(self):
        password = pathlib.Path(self.folder, "password")
        password.write_text("a word\n", encoding="utf-8")
        password.chmod(0o600)
        server = ("pull", "--bind", ANYWHERE, "--tls-cert", self.file("server.pem"), "--tls-key", self.encrypted_key(),
                  "--timeout", "1ms")
        for arguments, env in ((("--tls-key-password", f"@{password}"), {}),
                               (("--tls-key-password", "env:OTHER"), {"OTHER": "a word"}),
                               ((), {"ZLINK_TLS_KEY_PASSWORD": "a word"})):
            done = run(*server, *arguments, env=env)
            self.assertRegex(done.err, r"^listening on tls://\S+\nzlink: timed out: ")
        for words, arguments in (("cannot bind to tls://", ()),
                                 ("cannot bind to tls://", ("--tls-key-password", "env:OTHER"))):
            done = run(*server, *arguments, env={"OTHER": "another"})
            self.assertEqual(done.status, 1, done)
            self.assertIn(words, done.err)
            self.assertIn("--tls-key-password", done.err)

    def test_a_stream_goes_over_tls(self):
        ca = ("--tls-ca", self.file("ca.pem"))
        with self.server("stream", "--echo") as echo:
            for arguments in (ca, ("--insecure",)):
                sent = run("stream", "--connect", echo.endpoint(), *arguments, "--count", "1", "--raw", "hello")
                self.assertEqual((sent.status, sent.out), (0, b"hello"), sent)
            for arguments in ((), ("--delay", "200ms")):  # it may hear that the connection is over before it sends
                refused = run("stream", "--connect", echo.endpoint(), *arguments, "-o", "RECONNECT_IVL=10", "hello")
                self.assertEqual(refused.status, 1, refused)
                self.assertRegex(refused.err,
                                 "refused the handshake: the peer's certificate is not accepted: .* by --tls-ca ")
            echo.await_line("zlink: refused a peer that came to tls://.*: the peer refuses: unknown CA")
        done = run("stream", "--connect", "tcp://127.0.0.1:9", *ca)
        self.assertEqual(done.status, 2, done)
        self.assertIn("write tls://127.0.0.1:9", done.err)

    def test_insecure_takes_whoever_it_is(self):
        with self.server("pull", "--count", "1") as pull:
            sent = run("push", "--connect", pull.endpoint(), "--insecure", "hello")
            self.assertEqual(sent.status, 0, sent)
            self.assertEqual(pull.process.stdout.read(), b"hello\n")

    def test_clients_may_be_asked_for_certificates(self):
        with self.server("pull", "--tls-ca", self.file("ca.pem"), "-o", "TLS_REQUIRE_CLIENT_CERT=1", "--count",
                         "1") as pull:
            to = ("push", "--connect", pull.endpoint(), "--tls-ca", self.file("ca.pem"))
            refused = run(*to, "hello")
            self.assertEqual(refused.status, 1, refused)
            self.assertIn("certificate required", refused.err)
            sent = run(*to, "--tls-cert", self.file("client.pem"), "--tls-key", self.file("client.key"), "welcome")
            self.assertEqual(sent.status, 0, sent)
            self.assertEqual(pull.process.stdout.read(), b"welcome\n")

    def test_what_is_wrong_is_said(self):
        missing = self.file("missing.pem")
        for status, words, arguments in (
                (1, f"cannot bind to tls://127.0.0.1:5: cannot read {missing}: No such file", ("--tls-cert", missing)),
                (1, "a tls endpoint needs a certificate", ()),
                (2, "--tls-key needs --tls-cert", ("--tls-key", missing)),
                (2, "--tls-key-password needs --tls-cert", ("--tls-key-password", "env:HOME")),
                (2, "not the secret itself", ("--tls-cert", missing, "--tls-key-password", "secret"))):
            done = run("pull", "--bind", "tls://127.0.0.1:5", *arguments)
            self.assertEqual(done.status, status, done)
            self.assertIn(words, done.err)
        done = run("pull", "--connect", "tls://127.0.0.1:5", "--insecure", "--tls-ca", missing)
        self.assertEqual(done.status, 2, done)
        self.assertIn("--insecure asks nothing", done.err)
        done = run("keygen", "--host", "x")
        self.assertEqual(done.status, 2, done)
        done = run("keygen", "--tls", os.path.join(self.folder, "other"), "--host", "a,IP:1.2.3.4")
        self.assertEqual(done.status, 2, done)


if __name__ == "__main__":
    unittest.main()
