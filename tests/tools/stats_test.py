# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink stats and zlink exporter, on programs that serve their statistics."""
import fcntl
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import unittest

from served_program import Program, ask, metrics
from zlink_cli import LIMIT, ZLINK, Command, environment, run

FLOW = ("c = context()", "a = sock(c, 7); b = sock(c, 8); name(a, b'in'); name(b, b'out')",
        "assert lib.zmq_bind(a, b'inproc://x') == 0 and lib.zmq_connect(b, b'inproc://x') == 0",
        "assert [send(b, b'hello') for i in range(5)] == [5] * 5",
        "assert lib.zmq_recv(a, ctypes.create_string_buffer(9), ctypes.c_size_t(9), 0) == 5")


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="zlink-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.place = os.path.join(self.folder, "%p")

    def path(self, name):
        return os.path.join(self.folder, str(name))

    def listener(self, path, answers=None):
        """A socket that accepts nothing, or answers each connection at once."""
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        server.bind(path)
        server.listen()
        if answers is not None:
            pid = os.fork()
            if pid == 0:
                link, _ = server.accept()
                link.recv(1000)
                link.sendall(answers)
                os._exit(0)
            self.addCleanup(os.waitpid, pid, 0)


class Stats(Folder):
    def test_one_table_with_the_rates_of_an_interval(self):
        with Program(self.place, *FLOW) as it:
            done = run("stats", "--once", "-i", "100ms", "ipc://" + self.path(it.pid))
            self.assertEqual((done.status, done.err), (0, ""))
            summary, head, *rows = done.out.decode().splitlines()
            self.assertEqual(summary, "1 process, 2 sockets")
            self.assertEqual(head.split()[:4], ["PROCESS", "SOCKET", "TYPE", "PEERS"])
            cells = [row.split() for row in rows]
            self.assertRegex(cells[0][0], rf"^python3[.\d]*/{it.pid}$")
            self.assertEqual([c[1:] for c in cells], [["in", "PULL", "1", "0", "0", "0.00", "0.00", "4", "0", "0"],
                                                      ["out", "PUSH", "1", "0", "0", "0.00", "0.00", "0", "4", "0"]])
            with_peers = run("stats", "--once", "-p", "-i", "100ms", self.path(it.pid)).out.decode()
            self.assertIn("\n    inproc://x  in 0  out 5  queued in 0  out 4\n", with_peers)

    def test_json_is_one_line_for_each_look(self):
        with Program(self.place, *FLOW) as it:
            done = run("stats", "--once", "--json", self.folder)
            self.assertEqual(done.out.count(b"\n"), 1)
            told = json.loads(done.out)
            self.assertEqual(told["skipped"], [])
            process, = told["processes"]
            self.assertEqual((process["pid"], process["sockets"][1]["messages_sent"]), (it.pid, 5))
            with Command("stats", "--json", "-i", "100ms", self.folder) as live:
                for _ in range(2):
                    self.assertEqual(json.loads(live.process.stdout.readline())["processes"][0]["pid"], it.pid)
                live.interrupt()
                self.assertEqual(live.result().status, 0)

    def test_in_a_folder_the_ended_are_skipped_and_told(self):
        with Program(self.place, *FLOW) as ended:
            ended.process.kill()
            ended.process.wait()
        with Program(self.place, *FLOW) as it:
            with open(self.path("notes"), "w", encoding="utf-8") as text:
                text.write("no socket")
            done = run("stats", "--once", "-i", "100ms", self.folder)
            self.assertEqual(done.status, 0, done)
            self.assertEqual(done.err, f"skipped ipc://{self.path(ended.pid)}: nobody listens there; the program has "
                                       "ended\n")
            self.assertIn(f"/{it.pid} ", done.out.decode())
            self.assertNotIn(f"/{ended.pid} ", done.out.decode())
            self.assertIn("1 process, 2 sockets, 1 skipped\n", done.out.decode())

    def test_what_cannot_be_read_is_told_with_cause_and_cure(self):
        self.listener(self.path("other"), b"SSH-2.0-x\r\n")
        stale = socket.socket(socket.AF_UNIX)
        stale.bind(self.path("stale"))
        stale.close()
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        for place, cause in ((self.path("none"), "no such file; start the program with ZLINK_STATS"),
                             (self.path("stale"), "nobody listens there; the program has ended"),
                             (self.path("file"), "is no socket; give the place"),
                             (self.path("other"), "does not serve zlink's statistics; give the place")):
            done = run("stats", "--once", place)
            self.assertEqual((done.status, done.out), (1, b""), done)
            self.assertRegex(done.err, rf"^zlink: ipc://{place}: .*{cause}.*\n$")
        for place in ("tcp://10.0.0.1:1", "tcp://127.0.0.1", "@abstract"):
            done = run("stats", place)
            self.assertEqual(done.status, 2, done)
            self.assertIn("use the path of a file, or tcp://127.0.0.1:PORT", done.err)
        self.assertEqual(run("stats", "--once", "-i", "1ms", self.path("none")).status, 2)
        with tempfile.TemporaryDirectory() as empty:
            self.assertIn(f"start one with ZLINK_STATS={empty}/%p", run("stats", "--once", empty).err)

    def test_a_process_that_hangs_keeps_nobody_waiting_for_long(self):
        self.listener(self.path("0"))
        with Program(self.place, *FLOW) as it:
            done = run("stats", "--once", "--json", self.folder)
            told = json.loads(done.out)
            self.assertEqual([p["pid"] for p in told["processes"]], [it.pid])
            self.assertIn("does not answer within 2 s", told["skipped"][0]["reason"])

    def test_on_a_terminal_it_fits_and_ends_with_q(self):
        with Program(self.place, *FLOW):
            ours, theirs = pty.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 4, 30, 0, 0))
            before = termios.tcgetattr(theirs)
            with subprocess.Popen([ZLINK, "stats", "-i", "100ms", "-p", self.folder], stdin=theirs, stdout=theirs,
                                  stderr=subprocess.DEVNULL, env=environment({"NO_COLOR": "1"}), start_new_session=True,
                                  preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) as process:
                heard = b""
                while heard.count(b"\x1b[H") < 3:
                    heard += os.read(ours, 4096)
                os.write(ours, b"q")
                self.assertEqual(process.wait(LIMIT), 0)
            self.assertEqual(termios.tcgetattr(theirs), before)
            os.close(theirs)
            os.close(ours)
            screen = re.sub(rb"\x1b\[[0-9]*[A-Z]", b"", heard.split(b"\x1b[H")[1]).decode().split("\r\n")
            self.assertEqual([len(line) <= 30 for line in screen], [True] * len(screen))
            self.assertEqual(screen[2], "... 4 lines more")

    def test_it_ends_when_its_only_program_has_ended(self):
        with Program(self.place, *FLOW) as it:
            with Command("stats", "-i", "100ms", self.path(it.pid)) as live:
                self.assertIn(b"1 process, 2 sockets", live.process.stdout.readline())
                it.process.send_signal(signal.SIGKILL)
                it.process.wait()
                done = live.result()
                self.assertEqual(done.status, 1)
                self.assertIn("the program has ended", done.err)


class Exporter(Folder):
    def scrape(self, port, page="/metrics"):
        status, text = ask(("127.0.0.1", port), page)
        self.assertEqual(status, 200, text)
        return metrics(text)

    def exporter(self, *places):
        it = Command("exporter", *places, "-l", "127.0.0.1:0")
        self.addCleanup(it.__exit__)
        return it, int(it.endpoint().rsplit(":", 1)[1])

    def test_many_processes_are_told_apart(self):
        with Program(self.place, *FLOW) as one, Program(self.place, *FLOW) as two:
            it, port = self.exporter(self.folder, self.path(one.pid))
            told = self.scrape(port)
            sent = told["zlink_messages_sent_total"]
            self.assertEqual({re.search(r'pid="(\d+)"', labels)[1] for labels in sent}, {str(one.pid), str(two.pid)})
            self.assertEqual(told["zlink_exporter_processes"][""], 2)
            self.assertIn("zlink_peer_connected", self.scrape(port, "/metrics?peers=1"))
            two.process.kill()
            two.process.wait()
            told = self.scrape(port)
            self.assertEqual((told["zlink_exporter_processes"][""], told["zlink_exporter_failures"][""]), (1, 0))
            self.assertEqual(ask(("127.0.0.1", port), "/metrics", Host="example.org")[0], 403)
            it.interrupt()
            self.assertEqual(it.result().status, 0)

    def test_a_process_that_hangs_is_a_failure_among_the_others(self):
        self.listener(self.path("0"))
        with Program(self.place, *FLOW) as one:
            _, port = self.exporter(self.folder)
            told = self.scrape(port)
            self.assertEqual((told["zlink_exporter_processes"][""], told["zlink_exporter_failures"][""]), (1, 1))
            self.assertIn(f'pid="{one.pid}"', str(told["zlink_sockets"]))

    def test_it_says_where_it_cannot_listen(self):
        for place, status in (("10.0.0.1:9187", 2), (self.path("no/s"), 1)):
            done = run("exporter", self.folder, "-l", place)
            self.assertEqual(done.status, status, done)
            self.assertRegex(done.err, r"^zlink: --listen .*; .*\n$")


if __name__ == "__main__":
    unittest.main()
