# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What a peer sends must not steer the terminal: control characters are shown there, and pass elsewhere."""
import os
import subprocess
import unittest

from security_help import Folder
from zlink_cli import LIMIT, ZLINK, Command, environment, run

HOSTILE = b"\x1b]0;title\x07red \x1b[31m\xc2\x9b5m\x9b\r\x7f end\ttab"
SHOWN = rb"\x1b]0;title\x07red \x1b[31m\xc2\x9b5m\x9b\x0d\x7f end" + b"\ttab"


def on_a_terminal(*arguments):
    """Everything that the command writes to a terminal; line breaks as the terminal makes them."""
    ours, theirs = os.openpty()
    with subprocess.Popen([ZLINK, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL,
                          env=environment(None)) as process:
        os.close(theirs)
        heard = b""
        try:
            while piece := os.read(ours, 4096):
                heard += piece
        except OSError:
            pass  # the last one has closed it
        os.close(ours)
        process.wait(LIMIT)
    return heard


class Terminal(unittest.TestCase):
    def receive(self, *arguments, command="pull", sender="push", body=HOSTILE):
        with Folder() as folder:
            body_file = folder.path("body")
            with open(body_file, "wb") as file:
                file.write(body)
            with Command(sender, "-b", "ipc://*", "--whole", "--file", body_file, "-d", "0") as push:
                return on_a_terminal(command, "-c", push.endpoint(), "-n", "1", *arguments)

    def test_controls_are_shown(self):
        self.assertEqual(self.receive(), SHOWN + b"\r\n")

    def test_those_of_formats_are_the_users_own(self):
        self.assertEqual(self.receive("--format", r"\x1b[1m{text}\x1b[0m"), b"\x1b[1m" + SHOWN + b"\x1b[0m\r\n")
        self.assertEqual(self.receive("--format", "{topic}"), rb"\x1b]0;title\x07red" + b"\r\n")

    def test_raw_is_raw(self):
        self.assertEqual(self.receive("--raw"), HOSTILE)

    def test_text_in_utf_8_stays_as_it_is(self):
        text = "Grüße, 漢字 🙂".encode()
        self.assertEqual(self.receive(body=text), text + b"\r\n")

    def test_what_is_no_utf_8_is_shown(self):
        for octets in (b"\xff", b"\xc3", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\x80"):
            shown = b"".join(b"\\x%02x" % octet for octet in octets)
            self.assertEqual(self.receive(body=octets), shown + b"\r\n")

    def test_elsewhere_octets_pass(self):
        with Command("push", "-b", "ipc://*", HOSTILE) as push:
            self.assertEqual(run("pull", "-c", push.endpoint(), "-n", "1").out, HOSTILE + b"\n")

    def test_lines_on_standard_error_have_none(self):
        done = run("push", "-c", "tcp://127.0.0.1:\x1b[31m", "x")
        self.assertEqual(done.status, 2)
        self.assertNotIn("\x1b", done.err)
        self.assertIn(r"\x1b[31m", done.err)
        self.assertNotIn("\x9b", run("\u009bpusch").err)


if __name__ == "__main__":
    unittest.main()
