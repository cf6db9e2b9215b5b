# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A bind to an ipc:// path on which somebody listens asks for --force; other files are never replaced."""
import os
import tempfile
import unittest

from zlink_cli import Command, run


class Takeover(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "socket")
        self.endpoint = "ipc://" + self.path

    def test_a_live_socket_is_taken_over_by_force_alone(self):
        with Command("pull", "--verbose", "--bind", self.endpoint) as first:
            first.await_line("listening")
            refused = run("pull", "--bind", self.endpoint)
            self.assertEqual(refused.status, 1, refused)
            self.assertRegex(refused.err, r"^zlink: another socket listens on ipc://[^\n]*--force\n$")
            for arguments in (["--frontend", self.endpoint, "--backend", "ipc://*"],
                              ["--frontend", "ipc://*", "--backend", self.endpoint]):
                refused = run("proxy", *arguments)
                self.assertEqual(refused.status, 1, refused)
                self.assertIn("--force", refused.err)
            with Command("pull", "--force", "--count", "1", "--bind", self.endpoint) as second:
                second.await_line("taking ipc://.* over")
                self.assertEqual(run("push", "--connect", self.endpoint, "hello").status, 0)
                self.assertEqual(second.result().out, b"hello\n")

    def test_a_dead_socket_file_is_taken_over_silently(self):
        with Command("pull", "--verbose", "--bind", self.endpoint) as first:
            first.await_line("listening")
            first.process.kill()
            first.process.wait()
        self.assertTrue(os.path.exists(self.path))
        with Command("pull", "--count", "1", "--bind", self.endpoint) as second:
            self.assertEqual(run("push", "--connect", self.endpoint, "hello").status, 0)
            result = second.result()
        self.assertEqual(result.out, b"hello\n")
        self.assertNotIn("taking", result.err)

    def test_a_file_that_is_no_socket_is_left_alone(self):
        with open(self.path, "w", encoding="ascii") as file:
            file.write("precious")
        for force in ([], ["--force"]):
            refused = run("pull", "--bind", self.endpoint, *force)
            self.assertEqual(refused.status, 1, refused)
            self.assertIn("not a socket", refused.err)
        with open(self.path, encoding="ascii") as file:
            self.assertEqual(file.read(), "precious")


if __name__ == "__main__":
    unittest.main()
