# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink record and zlink replay: messages come out as they went in, and files that are wrong are named."""
import os
import struct
import tempfile
import time
import unittest

from zlink_cli import Command, run

ANYWHERE = "tcp://127.0.0.1:*"
HEADER = 32


def record_of(at, *frames):
    body = struct.pack(">QI", at, len(frames)) + b"".join(struct.pack(">I", len(frame)) + frame for frame in frames)
    return struct.pack(">I", len(body)) + body


def header(kind=b"PULL", version=1):
    return b"ZLINKREC" + struct.pack(">HHQ", version, 0, 1_700_000_000_000_000_000) + kind.ljust(12, b"\0")


class Recording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "some.rec")

    def write(self, octets):
        with open(self.path, "wb") as file:
            file.write(octets)

    def read(self):
        with open(self.path, "rb") as file:
            return file.read()

    def replayed(self, count, *options, receiver="pull"):
        """Replays the file to a receiver; returns the lines that it printed and the result of the replay."""
        with Command(receiver, "-b", ANYWHERE, "-n", str(count), "-m", "|") as sink:
            sent = run("replay", self.path, "-c", sink.endpoint(), *options)
            received = sink.result()
        self.assertEqual(received.status, 0)
        return received.out.decode().splitlines(), sent


class RoundTrip(Recording):
    def test_messages_come_out_as_they_went_in(self):
        with Command("record", self.path, "--type", "pull", "-b", ANYWHERE, "-n", "3") as recorder:
            pushed = run("push", "-c", recorder.endpoint(), "-m", "|", "one|two", "", "three")
            self.assertEqual(pushed.status, 0)
            result = recorder.result()
        self.assertEqual((result.status, result.out), (0, b""))
        self.assertIn("recorded 3 messages", result.err)
        self.assertTrue(self.read().startswith(b"ZLINKREC\0\1\0\0"))
        lines, sent = self.replayed(3)
        self.assertEqual(lines, ["one|two", "", "three"])
        self.assertEqual((sent.status, sent.err), (0, "sent 3 messages\n"))

    def test_what_a_publisher_sends(self):
        with Command("record", self.path, "-b", ANYWHERE, "-s", "weather", "-n", "2") as recorder:
            run("pub", "-c", recorder.endpoint(), "weather 1", "news", "weather 2")
            self.assertEqual(recorder.result().status, 0)
        with Command("sub", "-b", ANYWHERE, "-n", "2") as sub:
            self.assertEqual(run("replay", self.path, "-c", sub.endpoint()).status, 0)
            self.assertEqual(sub.result().out, b"weather 1\nweather 2\n")

    def test_through_pipes(self):
        with Command("record", "-", "--type", "pull", "-b", ANYWHERE, "-n", "1") as recorder:
            run("push", "-c", recorder.endpoint(), "hello")
            octets = recorder.result().out
        with Command("pull", "-b", ANYWHERE, "-n", "1") as pull:
            self.assertEqual(run("replay", "-", "-c", pull.endpoint(), stdin=octets).status, 0)
            self.assertEqual(pull.result().out, b"hello\n")

    def test_a_signal_ends_a_recording_in_good_order(self):
        with Command("record", self.path, "--type", "pull", "-b", ANYWHERE) as recorder:
            run("push", "-c", recorder.endpoint(), "hello")
            while len(self.read()) <= HEADER:
                time.sleep(0.01)
            recorder.interrupt()
            self.assertEqual(recorder.result().status, 0)
        self.assertEqual(self.replayed(1)[0], ["hello"])


class Times(Recording):
    def test_messages_keep_their_distance(self):
        self.write(header() + record_of(10**9, b"a") + record_of(16 * 10**8, b"b"))
        for options, least in (([], 0.6), (["--speed", "2"], 0.3), (["--rate", "4"], 0.25)):
            begin = time.monotonic()
            lines, sent = self.replayed(2, *options)
            self.assertEqual((lines, sent.status), (["a", "b"], 0))
            self.assertGreaterEqual(time.monotonic() - begin, least, options)

    def test_at_once_does_not_wait(self):
        self.write(header() + record_of(0, b"a") + record_of(10**18, b"b"))
        self.assertEqual(self.replayed(2, "--at-once")[0], ["a", "b"])

    def test_a_signal_ends_a_long_wait(self):
        self.write(header() + record_of(0, b"a") + record_of(10**18, b"b"))
        with Command("pull", "-b", ANYWHERE, "-n", "1") as pull:
            with Command("replay", self.path, "-c", pull.endpoint()) as replay:
                pull.result()
                replay.interrupt()
                result = replay.result()
        self.assertEqual((result.status, result.err), (0, "stopped: sent 1 message\n"))


class BadFiles(Recording):
    def check(self, octets, text, count=0):
        self.write(octets)
        if count:
            lines, sent = self.replayed(count, "--at-once")
            self.assertEqual(lines, ["a"] * count)
        else:
            sent = run("replay", self.path, "-c", "tcp://127.0.0.1:9")
        self.assertEqual(sent.status, 1)
        self.assertRegex(sent.err, text)

    def test_what_is_no_recording(self):
        self.check(b"", "cannot replay .*: it is empty")
        self.check(b"GIF89a" + bytes(100), "it is not a recording")
        self.check(header()[:20], "ends within its header")
        self.check(header(version=7), "a recording of version 7; this tool reads version 1")

    def test_what_is_before_the_damage_is_sent(self):
        good = header() + record_of(0, b"a")
        where = r"record 2 at octet 53"
        self.check(good + record_of(0, b"b")[:-1], where + "; the recording was cut off there; the messages before", 1)
        self.check(good + b"\xff\xff\xff\xff" + bytes(100), where + "; the recording was cut off there", 1)
        self.check(good + struct.pack(">IQI", 12, 0, 0xffffffff), where + " is damaged: it has fewer frames", 1)
        self.check(good + struct.pack(">I", 3), where + " is damaged: its size is 3", 1)

    def test_frames_that_a_type_does_not_send(self):
        self.write(header(b"GATHER") + record_of(0, b"a", b"b"))
        result = run("replay", self.path, "-b", "ipc://*")
        self.assertEqual(result.status, 1)
        self.assertIn("message 1 has 2 frames, and a SCATTER sends one", result.err)


class Mistakes(Recording):
    def check(self, status, text, *arguments):
        result = run(*arguments)
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.err, r"^zlink: [^\n]*\n$")
        self.assertIn(text, result.err)

    def test_wrong_arguments(self):
        there = ["-c", "tcp://127.0.0.1:9"]
        self.check(2, "FILE", "record", *there)
        self.check(2, "record needs an endpoint", "record", self.path)
        self.check(2, "--type 'push' cannot record", "record", self.path, *there, "--type", "push")
        self.check(2, "--subscribe is for --type sub", "record", self.path, *there, "--type", "pull", "-s", "x")
        self.check(2, "give --group NAME", "record", self.path, *there, "--type", "dish")
        self.assertFalse(os.path.exists(self.path))
        self.write(header(b"REP"))
        self.check(2, "replay needs an endpoint", "replay", self.path)
        self.check(2, "give --type to say what sends it", "replay", self.path, *there)
        self.check(2, "--type 'pull' cannot replay", "replay", self.path, *there, "--type", "pull")
        self.check(2, "give one of --rate, --speed", "replay", self.path, *there, "--rate", "1", "--speed", "2")
        self.check(2, "--speed takes a number above 0", "replay", self.path, *there, "--speed", "0")
        self.check(2, "--rate takes a number above 0", "replay", self.path, *there, "--rate", "inf")

    def test_files(self):
        self.write(b"precious")
        self.check(1, "give another name, or --overwrite", "record", self.path, "--type", "pull", "-b",
                   "ipc://@zlink-rec-1")
        self.assertEqual(self.read(), b"precious")
        self.check(1, "No such file", "record", os.path.join(self.folder, "no", "such"), "-b", "ipc://@zlink-rec-2")
        self.check(1, "No such file", "replay", os.path.join(self.folder, "none"), "-c", "tcp://127.0.0.1:9")
        with Command("record", self.path, "--overwrite", "--type", "pull", "-b", ANYWHERE, "-n", "1") as recorder:
            run("push", "-c", recorder.endpoint(), "hello")
            self.assertEqual(recorder.result().status, 0)
        self.assertTrue(self.read().startswith(b"ZLINKREC"))

    def test_a_full_disk_is_told(self):
        with Command("record", "/dev/full", "--overwrite", "--type", "pull", "-b", ANYWHERE) as recorder:
            result = recorder.result()
        self.assertEqual(result.status, 1)
        self.assertIn("No space left on device", result.err)


if __name__ == "__main__":
    unittest.main()
