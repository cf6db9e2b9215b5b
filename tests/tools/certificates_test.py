# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Rules about certificates in the file of allowed peers: which peers are let in over tls:// and wss://, and by what."""
import os
import shutil
import subprocess
import tempfile
import unittest

from security_help import Folder
from zlink_cli import Command, run

EACH = ("tls://127.0.0.1:*", "wss://127.0.0.1:*")
SUBJECT = "CN=Joe Bloggs,O=Example"


class Certificates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        for name in ("trial", "other"):
            assert run("keygen", "--tls", os.path.join(cls.folder, name)).status == 0
        cls.issue_to_joe()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def issue_to_joe(cls):
        """A second client of an authority of its own, which the servers trust as well."""
        ca, request = cls.file("joe-ca.pem"), cls.file("joe.csr")
        openssl = lambda *arguments: subprocess.run(["openssl", *arguments], check=True, capture_output=True)
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=joe's",
                "-keyout", cls.file("joe-ca.key"), "-out", ca, "-days", "2")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                "/O=Example/CN=Joe Bloggs", "-keyout", cls.file("joe.key"), "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", ca, "-CAkey", cls.file("joe-ca.key"), "-CAcreateserial", "-out",
                cls.file("joe.pem"), "-days", "2")
        with open(cls.file("trusted.pem"), "w", encoding="utf-8") as trusted:
            for each in (cls.file("ca.pem"), ca):
                with open(each, encoding="utf-8") as file:
                    trusted.write(file.read())

    @classmethod
    def file(cls, name):
        return os.path.join(cls.folder, "trial", name)

    def server(self, at, allowed, *more):
        return Command("pull", "--bind", at, "--tls-cert", self.file("server.pem"), "--tls-key",
                       self.file("server.key"),
                       "--tls-ca", self.file("trusted.pem"), "--auth", allowed, "--verbose", *more)

    def push(self, endpoint, client, *more):
        identity = ("--tls-cert", self.file(client + ".pem"), "--tls-key", self.file(client + ".key")) if client else ()
        return run("push", "--connect", endpoint, "--tls-ca", self.file("ca.pem"), *identity, *more, "hello")

    def check(self, endpoint, pull, let_in, refused):
        for client, words in let_in:
            sent = self.push(endpoint, client)
            self.assertEqual(sent.status, 0, sent)
            pull.await_line(f"^let in {words} from 127.0.0.1$")
            self.assertEqual(pull.process.stdout.readline(), b"hello\n")
        for client, words in refused:
            sent = self.push(endpoint, client)
            self.assertEqual(sent.status, 1, sent)
            self.assertRegex(sent.err,
                             r"it refused authentication \(status 400\); its list of allowed peers must have .* "
                                       "certificate")
            pull.await_line(f"^refused {words}$")
        self.assertFalse(pull.has_output(0))

    def test_each_kind_of_rule(self):
        nobody = (None, "peer without a certificate from 127.0.0.1: a certificate is wanted")
        others = "from 127.0.0.1: this certificate isn't among those allowed"
        for at in EACH:
            for rule, let_in, refused in (
                    (f"tls @{self.file('client.pem')} reader",
                     [("client", r"certificate of 'CN=zlink trial client' \(reader\)")],
                     [("joe", f"certificate of '{SUBJECT}' {others}"), nobody]),
                    (f"tls @{self.file('joe.pem')}", [("joe", f"certificate of '{SUBJECT}'")], [nobody]),
                    (f"tls {SUBJECT}", [("joe", f"certificate of '{SUBJECT}'")],
                     [("client", f"certificate of 'CN=zlink trial client' {others}"), nobody]),
                    ("tls any", [("joe", f"certificate of '{SUBJECT}'"),
                                 ("client", "certificate of 'CN=zlink trial client'")],
                     [nobody]),
                    ("tls any\ndeny 127.0.0.0/8", [], [("joe", "TLS peer from 127.0.0.1: not from this address")]),
                    ("curve any\nnull\ntls CN=x", [], [("joe", f"certificate of '{SUBJECT}' {others}"), nobody])):
                with self.subTest(at, rule=rule), Folder() as folder:
                    with self.server(at, folder.write("allowed", rule + "\n")) as pull:
                        self.check(pull.endpoint(), pull, let_in, refused)

    def test_a_name_becomes_the_user_id(self):
        with Folder() as folder:
            with self.server(EACH[0], folder.write("allowed", f"tls @{self.file('joe.pem')} reader\n")) as pull:
                self.assertEqual(self.push(pull.endpoint(), "joe").status, 0)
                pull.await_line(r": is a PUSH, mechanism NULL, user 'reader', TLSv1")

    def test_a_certificate_of_no_trusted_authority_is_not_even_asked_about(self):
        with Folder() as folder, self.server(EACH[0], folder.write("allowed", "tls any\n")) as pull:
            other = os.path.join(self.folder, "other")
            with Command("push", "--connect", pull.endpoint(), "--tls-ca", self.file("ca.pem"), "--tls-cert",
                         os.path.join(other, "client.pem"), "--tls-key", os.path.join(other, "client.key"), "hello"):
                pull.await_line("the peer's certificate is not accepted: .* 'CN=zlink trial client'")
            self.assertFalse(pull.has_output(0))

    def test_passwords_are_asked_for_besides(self):
        with Folder() as folder:
            allowed = folder.write("allowed", "tls any\nplain alice secret\n")
            with self.server(EACH[0], allowed, "--plain-server") as pull:
                for client, password, status in (("joe", "secret", 0), ("joe", "guess", 1), (None, "secret", 1)):
                    own = folder.write("password", password + "\n")
                    sent = self.push(pull.endpoint(), client, "--plain-user", "alice", "--plain-password", "@" + own)
                    self.assertEqual(sent.status, status, sent)
                self.assertEqual(pull.process.stdout.readline(), b"hello\n")
                self.assertFalse(pull.has_output(0))

    def test_a_proxy(self):
        with Folder() as folder:
            allowed = folder.write("allowed", f"tls {SUBJECT}\n")
            with Command("proxy", "--kind", "streamer", "--frontend", EACH[0], "--backend", "ipc://*", "--clear",
                         "backend",
                         "--tls-cert", self.file("server.pem"), "--tls-key", self.file("server.key"), "--tls-ca",
                         self.file("trusted.pem"), "--auth", allowed) as proxy:
                at = proxy.await_line(r"PULL (tls://\S+) and").group(1)
                self.assertEqual(self.push(at, "client").status, 1)
                proxy.await_line("^refused certificate of 'CN=zlink trial client'")
                self.assertEqual(self.push(at, "joe").status, 0)

    def test_peers_in_clear_show_no_certificate(self):
        with Folder() as folder:
            allowed = folder.write("allowed", "tls any\n")
            identity = ("--tls-cert", self.file("server.pem"), "--tls-key", self.file("server.key"), "--tls-ca",
                        self.file("ca.pem"))
            for endpoints in (("--bind", "tcp://127.0.0.1:*"),
                              ("--bind", EACH[0], "--bind", "tcp://127.0.0.1:*", *identity),
                              ("--bind", EACH[0], "--connect", "tcp://127.0.0.1:9", *identity),
                              ("--connect", "tls://127.0.0.1:9", *identity)):
                done = run("pull", *endpoints, "--auth", allowed)
                self.assertEqual(done.status, 1, done)
                self.assertRegex(done.err,
                                 "^zlink: --auth .*; give one of them, listen at tls:// and wss:// endpoints alone, or "
                                           "add the line 'null'\n$")

    def test_an_authority_has_to_be_named(self):
        with Folder() as folder:
            done = run("pull", "--bind", EACH[0], "--tls-cert", self.file("server.pem"), "--tls-key",
                       self.file("server.key"),
                       "--auth", folder.write("allowed", "tls any\n"))
        self.assertEqual(done.status, 1, done)
        self.assertIn("--tls-ca", done.err)

    def test_mistakes_in_the_file(self):
        with Folder() as folder:
            key = folder.write("key", "no certificate\n")
            for rule, words in (("tls", "write 'tls @FILE"), ("tls joe", "write 'tls @FILE"),
                                ("tls @/no/such/file", "cannot read /no/such/file"),
                                ("tls @" + key, "there is no certificate in"),
                                ("tls @{0}\ntls @{0} twice".format(self.file("joe.pem")), "has a rule already")):
                done = run("auth", folder.write("allowed", rule + "\n"))
                self.assertEqual(done.status, 1, done)
                self.assertIn(words, done.err)
            told = run("auth", folder.write("allowed", f"tls {SUBJECT}\ntls @{self.file('client.pem')}\n"))
            self.assertRegex(told.out.decode(), "lets in 0 keys, 0 users, 2 certificates, from every address\n")


if __name__ == "__main__":
    unittest.main()
