# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink keygen: pairs that belong together, files that keep their secret, nothing overwritten by mistake."""
import os
import re
import stat
import unittest

from security_help import OURS, WITH_CURVE, Folder, run_python

Z85 = r"[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}"
READ_CERTIFICATES = """
import sys, zmq.auth
public, secret = zmq.auth.load_certificate(sys.argv[1])
print(public.decode(), secret.decode() if secret else "")
"""


class Printed(unittest.TestCase):
    def test_a_pair_whose_public_key_can_stand_on_a_command_line(self):
        for library in WITH_CURVE:
            with self.subTest(library), Folder() as folder:
                made = library.run("keygen")
                self.assertEqual((made.status, made.err), (0, ""))
                public, secret = re.fullmatch(rf"public ({Z85})\nsecret ({Z85})\n", made.out.decode()).groups()
                self.assertTrue(public[0].isalnum())
                self.assertNotEqual(made.out, library.run("keygen").out)
                for sources in ([secret + "\n"], [made.out.decode()]):
                    file = folder.write("key", sources[0])
                    self.assertEqual(library.run("keygen", "--public-of", "@" + file).out.decode(), public + "\n")
                named = library.run("keygen", "--public-of", "env:MY_KEY", MY_KEY=secret)
                self.assertEqual(named.out.decode(), public + "\n")

    def test_a_library_without_curve_is_named(self):
        made = OURS.run("keygen")
        self.assertEqual(made.status, 0 if OURS in WITH_CURVE else 1)
        if made.status != 0:
            self.assertRegex(made.err, r"^zlink: \S+libzmq\S+ was built without CURVE; [^\n]*\n$")


class Files(unittest.TestCase):
    def test_certificates_are_what_pyzmq_reads(self):
        with Folder() as folder:
            made = WITH_CURVE[0].run("keygen", folder.path("server"))
            self.assertEqual(made.status, 0, made)
            public = re.fullmatch(rf"public ({Z85})\n", made.out.decode()).group(1)
            for name in ("server", "server_secret"):
                reader = run_python(READ_CERTIFICATES, folder.path(name))
                out, err = reader.communicate()
                self.assertEqual(reader.returncode, 0, err)
                keys = out.decode().split()
                self.assertEqual(keys[0], public)
                self.assertEqual(len(keys), 2 if name == "server_secret" else 1)
                if len(keys) == 2:
                    file = folder.write("alone", keys[1])
                    told = WITH_CURVE[0].run("keygen", "--public-of", "@" + file)
                    self.assertEqual(told.out.decode(), public + "\n")
            # Of CZMQ's form, too: sections, and names with four blanks in front.
            for name, keys in (("server", ["public-key"]), ("server_secret", ["public-key", "secret-key"])):
                text = folder.read(name)
                self.assertRegex(text, r"(?m)^metadata\n    name = \"server\"\ncurve\n    public-key = \"")
                self.assertEqual(re.findall(r"(?m)^    (\S+-key) = ", text), keys)

    def test_plain_keys(self):
        with Folder() as folder:
            made = WITH_CURVE[0].run("keygen", "--format", "z85", folder.path("k"))
            self.assertEqual(f"public {folder.read('k')}", made.out.decode())
            self.assertRegex(folder.read("k_secret"), rf"^{Z85}\n$")
            told = WITH_CURVE[0].run("keygen", "--public-of", "@" + folder.path("k_secret"))
            self.assertEqual(told.out.decode(), folder.read("k"))

    def test_the_secret_is_the_owners_alone_whatever_the_mask(self):
        before = os.umask(0)
        try:
            with Folder() as folder:
                self.assertEqual(WITH_CURVE[0].run("keygen", folder.path("k")).status, 0)
                self.assertEqual(stat.S_IMODE(os.stat(folder.path("k_secret")).st_mode), 0o600)
                self.assertEqual(sorted(os.listdir(folder.directory.name)), ["k", "k_secret"])
        finally:
            os.umask(before)

    def test_nothing_is_overwritten_without_force(self):
        for taken in ("k", "k_secret"):
            with Folder() as folder:
                folder.write(taken, "precious", mode=0o644)
                refused = WITH_CURVE[0].run("keygen", folder.path("k"))
                self.assertEqual((refused.status, refused.out), (1, b""))
                self.assertRegex(refused.err, rf"^zlink: {folder.path(taken)} is there already; .*--force[^\n]*\n$")
                self.assertEqual(os.listdir(folder.directory.name), [taken])
                self.assertEqual(folder.read(taken), "precious")
                self.assertEqual(WITH_CURVE[0].run("keygen", "--force", folder.path("k")).status, 0)
                self.assertEqual(stat.S_IMODE(os.stat(folder.path("k_secret")).st_mode), 0o600)
                self.assertNotEqual(folder.read(taken), "precious")

    def test_mistakes(self):
        with Folder() as folder:
            library = WITH_CURVE[0]
            for status, said, arguments in (
                    (1, "No such file or directory", ["/no/such/directory/k"]),
                    (1, "cannot read /no/such/file", ["--public-of", "@/no/such/file"]),
                    (1, "no variable NO_SUCH", ["--public-of", "env:NO_SUCH"]),
                    (1, "there is no secret key in", ["--public-of", "@" + folder.write("short", "abc")]),
                    (2, "not the secret itself", ["--public-of", "x" * 40]),
                    (2, "not both", ["k", "--public-of", "env:X"]),
                    (2, "--format", ["--format", "pem", "k"])):
                result = library.run("keygen", *arguments)
                self.assertEqual((result.status, result.out), (status, b""), result)
                self.assertRegex(result.err, r"^zlink: [^\n]*\n$")
                self.assertIn(said, result.err)


if __name__ == "__main__":
    unittest.main()
