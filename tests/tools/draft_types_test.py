# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The commands of the draft socket types, and what the tool knows of these types elsewhere."""
import contextlib
import os
import subprocess
import tempfile
import unittest

from zlink_cli import Command, run

ANY_PORT = "tcp://127.0.0.1:*"


@contextlib.contextmanager
def foreign_library():
    """The environment in which the tool runs on the distribution's libzmq, which has no drafts."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.realpath(os.environ["ZLINK_SYSTEM_LIBZMQ"]), os.path.join(folder, "libzmq.so.5"))
        yield {"LD_LIBRARY_PATH": folder}


class Pipelines(unittest.TestCase):
    def test_scatter_and_gather(self):
        with Command("gather", "-b", ANY_PORT, "-n", "3") as gather:
            sent = run("scatter", "-c", gather.endpoint(), "one", "two", "")
            self.assertEqual((sent.status, sent.err), (0, ""), sent)
            self.assertEqual(gather.result().out, b"one\ntwo\n\n")

    def test_messages_have_one_frame(self):
        for command in (["scatter", "-c", "ipc:///tmp/nobody"], ["client", "-c", "ipc:///tmp/nobody"]):
            result = run(*command, "-m", ",", "a,b")
            self.assertEqual(result.status, 2, result)
            self.assertIn("sends messages of one frame, not of 2", result.err)

    def test_a_channel_talks_both_ways(self):
        with Command("channel", "-b", ANY_PORT, "-n", "1", "from the listener") as bound:
            result = run("channel", "-c", bound.endpoint(), "-n", "1", "from the caller")
            self.assertEqual((result.status, result.out), (0, b"from the listener\n"), result)
            self.assertEqual(bound.result().out, b"from the caller\n")


class Numbers(unittest.TestCase):
    def test_a_server_answers_each_client(self):
        for answer, expected in ((["--echo"], b"hello\n"), (["--reply", "late"], b"late\n")):
            with Command("server", "-b", ANY_PORT, *answer) as server:
                for _ in range(2):
                    result = run("client", "-c", server.endpoint(), "hello")
                    self.assertEqual((result.status, result.out), (0, expected), result)
                    self.assertRegex(server.process.stdout.readline(), rb"^\d+\thello\n$")

    def test_a_server_sends_to_a_number(self):
        with Command("server", "-b", ANY_PORT, "-m", "|", stdin=subprocess.PIPE) as server:
            with Command("client", "-c", server.endpoint(), "-n", "2", "who am I") as client:
                number, text = server.process.stdout.readline().split(b"|")
                self.assertEqual(text, b"who am I\n")
                server.feed(number + b"|first\n" + number + b"|second\n")
                self.assertEqual(client.result().out, b"first\nsecond\n")

    def test_numbers_of_nobody_are_told(self):
        result = run("server", "-b", ANY_PORT, "-m", "|", "-n", "0", "12345|x")
        self.assertEqual(result.status, 1, result)
        self.assertIn("no connected peer has the routing id '12345'", result.err)
        for text, error in (("x|y", "'x' is not a peer's number"), ("5|y|z", "one frame after the address, not of 2"),
                            ("alone", "needs the receiver's routing id before the message")):
            result = run("server", "-b", ANY_PORT, "-m", "|", "-n", "0", text)
            self.assertEqual(result.status, 2, result)
            self.assertIn(error, result.err)

    def test_a_peer_talks_to_the_one_it_connects_to(self):
        with Command("peer", "-b", ANY_PORT, "--echo", "--format", "{id} {text}") as bound:
            result = run("peer", "-c", bound.endpoint(), "-n", "2", "one", "two")
            self.assertEqual((result.status, result.out), (0, b"one\ntwo\n"), result)
            self.assertRegex(bound.process.stdout.readline(), rb"^\d+ one\n$")

    def test_a_peer_has_one_endpoint_to_talk_to(self):
        result = run("peer", "-c", "ipc:///tmp/a", "-c", "ipc:///tmp/b", "x")
        self.assertEqual(result.status, 2, result)
        self.assertIn("peer talks to one --connect endpoint", result.err)


class Groups(unittest.TestCase):
    def test_a_dish_gets_what_goes_to_its_groups(self):
        with Command("radio", "-b", ANY_PORT, "-m", "|", "-n", "100000", "-r", "500", "a|1", "b|2", "c|3") as radio:
            for form, expected in (([], b"b\t2\n"), (["--format", "{topic}: {text}"], b"b: b\t2\n")):
                result = run("dish", "-c", radio.endpoint(), "-g", "b", "-n", "2", *form)
                self.assertEqual((result.status, result.out), (0, expected * 2), result)
            both = run("dish", "-c", radio.endpoint(), "-g", "a", "-g", "c", "-n", "10").out.split(b"\n")
            self.assertEqual(set(both), {b"a\t1", b"c\t3", b""})

    def test_a_radio_may_have_one_group(self):
        with Command("dish", "-b", ANY_PORT, "-g", "weather", "-n", "2") as dish:
            result = run("radio", "-c", dish.endpoint(), "-g", "weather", "sunny", "windy")
            self.assertEqual(result.status, 0, result)
            self.assertEqual(dish.result().out, b"weather\tsunny\nweather\twindy\n")

    def test_over_udp(self):
        with Command("dish", "-b", "udp://127.0.0.1:*", "-g", "weather", "-n", "1") as dish:
            result = run("radio", "-c", dish.endpoint(), "-g", "weather", "sunny")
            self.assertEqual((result.status, result.err), (0, ""), result)
            self.assertEqual(dish.result().out, b"weather\tsunny\n")

    def test_what_is_missing_is_told(self):
        for arguments, error in ((["dish"], "give --group NAME"),
                                 (["dish", "-g", "a", "-g", "a"], "it is given twice"),
                                 (["radio", "x"], "radio needs the group before the message"),
                                 (["radio", "-g", "a", "-g", "b", "x"], "radio sends a message to one group"),
                                 (["radio", "-g", "g" * 256, "x"], "is longer than 255 bytes")):
            result = run(*arguments, "-b", ANY_PORT)
            self.assertEqual(result.status, 2, result)
            self.assertIn(error, result.err)


class Datagrams(unittest.TestCase):
    def test_an_answer_goes_back_to_the_address(self):
        with Command("dgram", "-b", "udp://127.0.0.1:*", "--reply", "it is late", "-n", "1") as server:
            address = server.endpoint().removeprefix("udp://")
            with Command("dgram", "-b", "udp://127.0.0.1:*", "-n", "1", "-m", "|",
                         f"{address}|what time is it") as client:
                own = client.endpoint().removeprefix("udp://")
                self.assertEqual(client.result().out.decode(), f"{address}|it is late\n")
            self.assertEqual(server.result().out.decode(), f"{own}\twhat time is it\n")

    def test_there_is_no_security(self):
        result = run("dish", "-b", "udp://127.0.0.1:*", "-g", "a", "--plain-user", "joe")
        self.assertEqual(result.status, 2, result)
        self.assertIn("--plain-user is for the handshake of ZMTP", result.err)
        self.assertNotIn("--curve", run("dgram", "--help").out.decode())


class Elsewhere(unittest.TestCase):
    def test_a_proxy_between_scatter_and_gather(self):
        with Command("proxy", "--frontend", "ipc://*", "--frontend-type", "gather", "--backend", "ipc://*",
                     "--backend-type", "scatter") as proxy:
            front, back = proxy.await_line(r"between GATHER (\S+) and SCATTER (\S+)$").groups()
            with Command("gather", "-c", back, "-n", "2") as gather:
                self.assertEqual(run("scatter", "-c", front, "one", "two").status, 0)
                self.assertEqual(gather.result().out, b"one\ntwo\n")

    def test_proxies_that_cannot_be(self):
        for front, back, error in (("server", "client", "not a socket type that a proxy can serve"),
                                   ("pull", "scatter", "both sides have to be of these types")):
            result = run("proxy", "--frontend", "ipc://*", "--frontend-type", front, "--backend", "ipc://*",
                         "--backend-type", back)
            self.assertEqual(result.status, 2, result)
            self.assertIn(error, result.err)

    def test_sockets_that_threads_share_have_an_option(self):
        self.assertRegex(run("env", "shared").out.decode(), r"SHARED +0 .*; 1 in SERVER, CLIENT, ")
        self.assertRegex(run("env", "--type", "client", "shared").out.decode(), r"SHARED +1 ")
        with Command("pull", "-b", ANY_PORT, "-n", "1", "--opt", "ZLINK_SHARED=1") as pull:
            self.assertEqual(run("push", "-c", pull.endpoint(), "-o", "shared=1", "x").status, 0)
            self.assertEqual(pull.result().out, b"x\n")

    def test_wrong_types_are_told(self):
        with Command("server", "-b", ANY_PORT) as server:
            result = run("push", "-c", server.endpoint(), "x")
            self.assertEqual(result.status, 1, result)
            self.assertIn("refused the handshake", result.err)

    def test_a_libzmq_without_drafts_is_named(self):
        with foreign_library() as env:
            for command in (["server"], ["peer"], ["radio", "-g", "a", "x"], ["dish", "-g", "a"]):
                result = run(*command, "-b", "ipc:///tmp/nobody", env=env)
                self.assertEqual(result.status, 1, result)
                self.assertRegex(result.err, r"libzmq\S* has no zmq_msg_group, a function of the draft API")
            self.assertEqual(run("env", "hwm", env=env).status, 0)
            self.assertNotIn("SERVER,", run("env", env=env).out.decode())


if __name__ == "__main__":
    unittest.main()
