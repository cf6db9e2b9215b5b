# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What is sent as a file comes out as the same octets, whatever they are."""
import os
import random
import re
import subprocess
import tempfile
import time
import unittest

from zlink_cli import LIMIT, ZLINK, Command, run

OCTETS = bytes(range(256)) + b"\n\n\0\0" + random.Random(9).randbytes(3_000_000) + b"no newline at the end"


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        return path

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def send(self, count, *arguments, receive=(), stdin=b""):
        """Sends with push, receives `count` messages with pull; returns pull's output."""
        with Command("pull", "-b", "ipc://*", "-n", str(count), *receive) as pull:
            sent = run("push", "-c", pull.endpoint(), *arguments, stdin=stdin)
            self.assertEqual((sent.status, sent.out), (0, b""), sent)
            result = pull.result()
        self.assertEqual(result.status, 0, result)
        return result.out

    def test_whole_file(self):
        source = self.path("in", OCTETS)
        out = self.send(1, "--whole", "--file", source, receive=["--raw", "--to", self.path("out")])
        self.assertEqual(out, b"")
        self.assertEqual(self.content("out"), OCTETS)

    def test_whole_standard_input_to_standard_output(self):
        self.assertEqual(self.send(1, "--whole", receive=["--raw"], stdin=OCTETS), OCTETS)

    def test_chunks(self):
        source = self.path("in", OCTETS)
        messages = -(-len(OCTETS) // 65536)
        self.assertEqual(self.send(messages, "--chunk", "64k", "-f", source, receive=["--raw"]), OCTETS)
        sizes = self.send(3, "--chunk", "4", receive=["--format", "{size} {hex}"], stdin=b"abcd\n\0gh12")
        self.assertEqual(sizes, b"4 61626364\n4 0a006768\n2 3132\n")

    def test_empty_file_is_an_empty_message(self):
        self.send(1, "-w", "-f", self.path("in", b""), receive=["--raw", "--to", self.path("out", b"old")])
        self.assertEqual(self.content("out"), b"")

    def test_lines(self):
        lines = b"one\n\n\0two \xff\xfe\r\nlast\n"
        self.assertEqual(self.send(4, stdin=lines), lines)

    def test_messages_that_end_in_nul(self):
        names = b"a b\nc\0\0d\n\0"
        self.assertEqual(self.send(3, "--null", receive=["-0"], stdin=names), names)
        self.assertEqual(self.send(2, "-0", receive=["--format", "{n}:{size}"], stdin=b"one\0last"), b"1:3\n2:4\n")

    def test_frames_keep_their_octets(self):
        parts = b"\0\n\xff||" + OCTETS.replace(b"|", b"") + b"|end"
        out = self.send(1, "-w", "-m", "|", receive=["--raw", "-m", "|"], stdin=parts)
        self.assertEqual(out, parts)
        joined = self.send(1, "-w", "-m", "|", receive=["--raw"], stdin=parts)
        self.assertEqual(joined, parts.replace(b"|", b""))

    def test_hex_carries_any_message(self):
        lines = b"00ff0a,,6869\n\n0a\n"
        self.assertEqual(self.send(3, "-x", "-m", ",", receive=["-x", "-m", ","], stdin=lines), lines)

    def test_both_ways_by_way_of_an_echo(self):
        with Command("rep", "-b", "ipc://*", "-n", "1", "-q", "--to", self.path("seen"), "--raw", "-v") as rep:
            self.assertEqual(rep.result().status, 2)  # -q and -v contradict each other
        with Command("rep", "-b", "ipc://*", "-n", "1", "--to", self.path("seen"), "--raw") as rep:
            reply = run("req", "-c", rep.endpoint(), "--whole", "--raw", stdin=OCTETS)
            self.assertEqual((reply.status, reply.out), (0, OCTETS))
            self.assertEqual(rep.result().status, 0)
        self.assertEqual(self.content("seen"), OCTETS)

    def test_a_router_writes_no_ids_in_raw(self):
        with Command("router", "-b", "ipc://*", "-n", "1", "--raw") as router:
            self.assertEqual(run("dealer", "-c", router.endpoint(), "-n", "0", "-w", stdin=OCTETS).status, 0)
            self.assertEqual(router.result().out, OCTETS)

    def test_a_file_that_cannot_be_written(self):
        missing = run("pull", "-b", "ipc://*", "--to", self.path("no/such/file"))
        self.assertEqual(missing.status, 1)
        self.assertRegex(missing.err, r"^zlink: cannot write .*No such file.*\n$")
        with Command("pull", "-b", "ipc://*", "--to", "/dev/full") as pull:
            run("push", "-c", pull.endpoint(), "x")
            full = pull.result()
        self.assertEqual(full.status, 1)
        self.assertRegex(full.err, r"\nzlink: writing the messages to /dev/full failed: No space.*\n$")


class Format(unittest.TestCase):
    def formatted(self, template, *messages, receive=()):
        with Command("pull", "-b", "ipc://*", "-n", str(len(messages)), "--format", template, *receive) as pull:
            self.assertEqual(run("push", "-c", pull.endpoint(), "-m", "|", *messages).status, 0)
            return pull.result().out

    def test_fields(self):
        self.assertEqual(self.formatted("{n} {topic}/{size}/{frames}/{hex}/{text}", "weather sunny", "a|b c", ""),
                         b"1 weather/13/1/776561746865722073756e6e79/weather sunny\n"
                         b"2 a/4/2/61\t622063/a\tb c\n"
                         b"3 /0/1//\n")

    def test_text_around_the_fields(self):
        self.assertEqual(self.formatted("{{{text}}}\\t\\x41\\n", "x", receive=["--raw"]), b"{x}\tA\n")
        self.assertEqual(self.formatted("{text}", "x", "y", receive=["--null"]), b"x\0y\0")

    def test_time(self):
        before = time.time()
        out = self.formatted("{time} {unix}", "x").decode()
        found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z (\d+)\.(\d{6})\n", out)
        self.assertTrue(found, out)
        self.assertLessEqual(before - 0.001, float(f"{found[3]}.{found[4]}"))
        self.assertLessEqual(float(f"{found[3]}.{found[4]}"), time.time() + 0.001)

    def test_id_of_a_router(self):
        with Command("router", "-b", "ipc://*", "-n", "1", "--format", "{id}:{text}:{size}:{frames}") as router:
            self.assertEqual(run("dealer", "-c", router.endpoint(), "-i", "me", "-n", "0", "hello").status, 0)
            self.assertEqual(router.result().out, b"me:hello:5:1\n")

    def test_unknown_fields_are_named(self):
        result = run("pull", "-b", "ipc://*", "--format", "{size} {colour}")
        self.assertEqual(result.status, 2)
        self.assertRegex(result.err, r"^zlink: --format has no field '\{colour\}'; there are .*\{size\}.*\n$")
        self.assertEqual(run("pull", "-b", "ipc://*", "--format", "{size").status, 2)
        self.assertEqual(run("pull", "-b", "ipc://*", "--format", "\\q").status, 2)

    def test_a_closed_output_is_said_to_be_closed(self):
        with Command("push", "-b", "ipc://*", "hello") as push:
            closed = subprocess.run(["bash", "-c", 'exec "$@" >&-', "bash", ZLINK, "pull", "-n", "1", "-c",
                                     push.endpoint()], stderr=subprocess.PIPE, timeout=LIMIT, check=False)
        self.assertEqual(closed.returncode, 1)
        self.assertIn(b"standard output failed: Bad file descriptor; it is closed", closed.stderr)
        self.assertNotIn(b"space", closed.stderr)


if __name__ == "__main__":
    unittest.main()
