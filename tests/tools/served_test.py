# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""ZLINK_STATS makes a program serve its statistics; whoever reads them, the program goes on as before."""
import contextlib
import os
import socket
import stat
import tempfile
import time
import unittest

from served_program import Program, ask, connected, metrics, numbers, numbers_of

PULL, PUSH, PUB, ROUTER = 7, 8, 1, 6
PAIR_OF_SOCKETS = ("c = context()", f"a = sock(c, {PULL}); b = sock(c, {PUSH})",
                   "assert lib.zmq_bind(a, b'inproc://x') == 0 and lib.zmq_connect(b, b'inproc://x') == 0")
END = "lib.zmq_close(a); lib.zmq_close(b); assert lib.zmq_ctx_term(c) == 0"


def eventually(holds):
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.01)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Served(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="zlink-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "s")

    def files(self):
        return sorted(os.listdir(self.folder))

    def test_over_a_socket_file_that_is_the_owners_alone(self):
        with Program(self.path, *PAIR_OF_SOCKETS, "name(a, b'in\"come'); send(b, b'hello'); send(b, b'hello')") as it:
            status = os.stat(self.path)
            self.assertTrue(stat.S_ISSOCK(status.st_mode))
            self.assertEqual(stat.S_IMODE(status.st_mode), 0o600)
            told = numbers(self.path)
            self.assertEqual((told["pid"], [s["socket"] for s in told["sockets"]]), (it.pid, ['in"come', "PUSH-2"]))
            self.assertEqual(told["sockets"][1]["messages_sent"], 2)
            self.assertNotIn("peer_list", told["sockets"][0])
            peers = numbers(self.path, "/stats.json?peers=1")["sockets"][1]["peer_list"]
            self.assertEqual([(p["endpoint"], p["messages_sent"]) for p in peers], [("inproc://x", 2)])
            it.do(END)
            self.assertEqual(self.files(), [])
            self.assertEqual(it.finish(), (0, ""))

    def test_each_number_of_the_header_is_told(self):
        with Program(self.path, *PAIR_OF_SOCKETS):
            told = numbers(self.path, "/stats.json?peers=1")["sockets"][1]
            messages = numbers_of("zlink_message_counts_t")
            self.assertEqual(messages[0], "messages_sent")
            self.assertLessEqual({*messages, *numbers_of("zlink_stats_t")}, told.keys())
            self.assertLessEqual({*messages, *numbers_of("zlink_peer_stats_t")}, told["peer_list"][0].keys())

    def test_metrics_are_sound(self):
        with Program(self.path, *PAIR_OF_SOCKETS, "name(a, b'x\\n\\\\\\xff'); name(b, b'x\\n\\\\\\xff'); send(b, b'')"):
            told = metrics(ask(self.path, "/metrics")[1])
            label = '{socket="x\\n\\\\\ufffd-2",type="PUSH"}'
            self.assertEqual(told["zlink_messages_sent_total"][label], 1)
            self.assertEqual(told["zlink_sockets"][""], 2)
            self.assertNotIn("zlink_peer_connected", told)
            self.assertIn("zlink_peer_connected", metrics(ask(self.path, "/metrics?peers=1")[1]))

    def test_over_tcp_this_machine_alone_is_answered(self):
        for _ in range(10):  # another program may take the port first
            port = free_port()
            with Program(f"tcp://127.0.0.1:{port}", *PAIR_OF_SOCKETS) as it:
                where = ("127.0.0.1", port)
                with contextlib.suppress(OSError, AssertionError):
                    if numbers(where)["pid"] != it.pid:
                        continue
                    self.assertEqual(ask(where, "/", Host="localhost")[0], 200)
                    self.assertEqual(ask(where, "/", Host=f"[::1]:{port}")[0], 200)
                    self.assertEqual(ask(where, "/metrics", Host="example.org")[0], 403)
                    self.assertEqual(ask(where, "/metrics", method="POST")[0], 405)
                    self.assertEqual(ask(where, "/metric")[0], 404)
                    return
        self.fail("no port")

    def test_a_place_in_use_is_told_once_and_the_program_goes_on(self):
        with Program(self.path, *PAIR_OF_SOCKETS) as first:
            with Program(self.path, *PAIR_OF_SOCKETS, END, *PAIR_OF_SOCKETS, END) as second:
                status, err = second.finish()
            self.assertEqual(status, 0)
            self.assertRegex(err, rf"^zlink: ZLINK_STATS={self.path}: another process listens there; use %p [^\n]*\n$")
            self.assertEqual(numbers(self.path)["pid"], first.pid)

    def test_a_value_that_means_nothing_is_told_and_the_program_goes_on(self):
        for value, cause in (("tcp://0.0.0.0:1", "is not a loopback address"), ("tcp://127.0.0.1:0", "port 0"),
                             ("tcp://127.0.0.1:http", "a port from 1 to 65535"), (self.folder + "/%d", "%p stands for"),
                             (self.folder + "/no/s", "no such folder"), (self.folder, "no socket")):
            with Program(value, *PAIR_OF_SOCKETS, "send(b, b'x')", END) as it:
                status, err = it.finish()
            self.assertEqual(status, 0)
            self.assertEqual(err.count("\n"), 1, err)
            self.assertIn(cause, err)
        with Program("", *PAIR_OF_SOCKETS, END) as it:
            self.assertEqual(it.finish(), (0, ""))

    def test_it_ends_with_the_last_context_and_begins_anew(self):
        with Program(self.path, "one = context(); two = context(); assert lib.zmq_ctx_term(one) == 0") as it:
            self.assertEqual(numbers(self.path)["sockets"], [])
            it.do("assert lib.zmq_ctx_term(two) == 0")
            self.assertEqual(self.files(), [])
            self.assertEqual(os.listdir(f"/proc/{it.pid}/task"), [str(it.pid)])
            it.do("one = context()")
            self.assertEqual(numbers(self.path)["pid"], it.pid)

    def test_a_program_that_ends_no_context_leaves_no_file_and_a_killed_one_makes_no_trouble(self):
        with Program(self.path, *PAIR_OF_SOCKETS) as it:
            it.process.kill()
            it.process.wait()
        self.assertEqual(self.files(), ["s"])
        with Program(self.path, *PAIR_OF_SOCKETS) as it:
            self.assertEqual(numbers(self.path)["pid"], it.pid)
            self.assertEqual(it.finish(), (0, ""))
        self.assertEqual(self.files(), [])

    def test_a_child_of_fork_serves_its_own_place(self):
        with Program(os.path.join(self.folder, "%p"), *PAIR_OF_SOCKETS) as it:
            it.do("r, w = os.pipe(); r2, w2 = os.pipe(); child = os.fork(); child or ("
                  "lib.zmq_ctx_term(c), context(), os.write(w2, b'x'), os.read(r, 1), os._exit(0)); os.read(r2, 1)")
            mine = str(it.pid)
            child = next(name for name in self.files() if name != mine)
            self.assertEqual(numbers(os.path.join(self.folder, child))["pid"], int(child))
            self.assertEqual(numbers(os.path.join(self.folder, mine))["pid"], it.pid)
            it.do("os.write(w, b'x'); os.waitpid(child, 0)")
            self.assertEqual(numbers(os.path.join(self.folder, mine))["pid"], it.pid)

    def test_a_child_of_fork_that_has_no_place_says_nothing(self):
        with Program(self.path, *PAIR_OF_SOCKETS) as it:
            it.do("child = os.fork(); child or (context(), os._exit(0)); assert os.waitpid(child, 0)[1] == 0")
            self.assertEqual(numbers(self.path)["pid"], it.pid)
            it.do(END)
            self.assertEqual(it.finish(), (0, ""))

    def test_a_child_of_fork_does_not_keep_its_parents_place(self):
        with Program(self.path, *PAIR_OF_SOCKETS) as it:
            # The child has come out of fork() once it writes.
            it.do("r, w = os.pipe(); s, t = os.pipe(); child = os.fork(); "
                  "child or (os.close(w), os.write(t, b'x'), os.read(r, 1), os._exit(0)); os.read(s, 1)")
            it.process.kill()
            it.process.wait()
            with self.assertRaises(ConnectionRefusedError):
                connected(self.path)

    def test_the_thread_takes_no_signals(self):
        with Program(self.path, *PAIR_OF_SOCKETS) as it:
            numbers(self.path)  # a thread that answers has its name by then
            masks = {}
            for task in os.listdir(f"/proc/{it.pid}/task"):
                with open(f"/proc/{it.pid}/task/{task}/status", encoding="utf-8") as text:
                    fields = dict(line.rstrip("\n").split(":\t", 1) for line in text if ":\t" in line)
                masks[fields["Name"]] = int(fields["SigBlk"], 16)
            # All but SIGKILL, SIGSTOP and the two of the C library.
            self.assertEqual(masks["zlink/stats0"] | 0x180040100, 0xffffffffffffffff)

    def test_hostile_readers_cost_their_own_connections_alone(self):
        with Program(self.path, *PAIR_OF_SOCKETS) as it:
            before = len(os.listdir(f"/proc/{it.pid}/fd"))
            links = []
            for i in range(20):
                link = connected(self.path)
                link.setblocking(False)
                links.append(link)
                with contextlib.suppress(OSError):
                    link.send((b"\xff\0\0\0\0\0\0\0\1\x7f", b"GET / HT", b"", b"x" * 65536,
                               b"GET /metrics?peers=1 HTTP/1.1\r\nHost: x\r\n\r\n")[i % 5])
            self.assertLessEqual(len(os.listdir(f"/proc/{it.pid}/fd")), before + 8)
            self.assertEqual(numbers(self.path)["pid"], it.pid)
            it.do("assert send(b, b'hello') == 5")
            for link in links:
                link.close()
            eventually(lambda: len(os.listdir(f"/proc/{it.pid}/fd")) == before)
            it.do(END)
            self.assertEqual(it.finish(), (0, ""))


if __name__ == "__main__":
    unittest.main()
