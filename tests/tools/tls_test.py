# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tls:// and wss:// on the command line: certificates for trials, who is let in, and what is said of who is not."""
import os
import pathlib
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
                self.assertIn("refused the handshake: the peer's certificate is not accepted: ", sent.err)
        with self.server() as pull:
            sent = run("push", "--verbose", "--connect", pull.endpoint(), "--tls-ca", self.file("ca.pem"), "--tls-host",
                       "elsewhere.example", "hello")
            self.assertEqual(sent.status, 1, sent)
            self.assertRegex(sent.err, r"\] handshake with tls://\S+ failed: Permission denied; tls://\S+: the peer's "
                                       r"certificate is not accepted: hostname mismatch: 'elsewhere.example' is wanted, and it is for ")
            pull.await_line("refused a peer that came to tls://.*: the peer refuses: ")

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
                (2, "--tls-key needs --tls-cert", ("--tls-key", missing))):
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
