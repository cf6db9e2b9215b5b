# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink demo: its verdict, its proof of the foreign library, and what it does about dead and hung peers."""
import glob
import json
import os
import signal
import subprocess
import tempfile
import unittest

from zlink_cli import Command, run


def children(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        return [int(pid) for pid in file.read().split()]


class Demo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.environ["TMPDIR"] = folder.name  # where the demo makes its own
        self.addCleanup(os.environ.pop, "TMPDIR")

    def leftovers(self):
        return glob.glob(os.path.join(self.folder, "zlink-demo-*"))

    def test_quick_run_loses_nothing_in_any_cell(self):
        results = os.path.join(self.folder, "results.json")
        result = run("demo", "--quick", "--json", results)
        self.assertEqual(result.status, 0, result)
        self.assertRegex(result.out.decode(), r"\n(\d+) of \1 cells right; .* 0 lost; ")
        self.assertEqual(self.leftovers(), [])
        with open(results, encoding="utf-8") as file:
            report = json.load(file)
        self.assertTrue(report["ok"])
        cells = report["cells"]
        patterns = {"PAIR", "PUB/SUB", "XPUB/XSUB", "REQ/REP", "DEALER/ROUTER", "ROUTER/ROUTER", "PUSH/PULL"}
        self.assertEqual({cell["pattern"] for cell in cells}, patterns | {"STREAM"})
        for transport, directions in (("tcp", 3), ("ipc", 3), ("inproc", 1)):
            for pattern in patterns:
                same = [cell for cell in cells if cell["transport"] == transport and cell["pattern"] == pattern]
                self.assertEqual(len(same), directions, (transport, pattern))
        own = os.path.realpath(os.environ["ZLINK_LIB_DIR"])
        for cell in cells:
            self.assertEqual((cell["lost"], cell["damaged"], cell["misplaced"]), (0, 0, 0), cell)
            self.assertEqual(cell["sent"], cell["received"], cell)
            self.assertGreater(cell["sent"], 400)
            self.assertGreater(cell["bytes"], 1 << 20, "the largest message is 1 MB")
            for role in ("sender", "receiver"):
                path = cell[f"{role}_library"].split(" ")[-1]
                if cell[role] == "zlink":
                    self.assertTrue(path.startswith(own), cell)
                elif cell[role] == "libzmq":
                    self.assertEqual(path, os.path.realpath(os.environ["ZLINK_SYSTEM_LIBZMQ"]), cell)

    def test_chosen_cells_and_input(self):
        source = os.path.join(self.folder, "input")
        with open(source, "wb") as file:
            file.write(bytes(range(256)))
        result = run("demo", "-q", "-n", "50", "--patterns", "pair,reqrep", "--transports", "ipc", "--no-libzmq",
                     "--input", source)
        self.assertEqual((result.status, result.err), (0, ""), result)
        self.assertIn(b"2 of 2 cells right", result.out)

    def long_cell(self, *patterns):
        return Command("demo", "--no-libzmq", "--patterns", *patterns, "--transports", "ipc", "--seconds", "50")

    def await_peers(self, demo, count):
        demo.await_line("^peer ")
        while len(children(demo.process)) < count:
            self.assertIsNone(demo.process.poll())
        return children(demo.process)

    def test_interrupt_ends_children_and_removes_files(self):
        with self.long_cell("push/pull") as demo:
            peers = self.await_peers(demo, 2)
            demo.interrupt()
            result = demo.result()
        self.assertEqual(result.status, 1)
        self.assertIn("the demo was stopped", result.err)
        self.assertEqual(self.leftovers(), [])
        for pid in peers:
            with self.assertRaises(ProcessLookupError):
                os.kill(pid, 0)

    def test_a_dead_peer_is_named(self):
        with self.long_cell("push/pull") as demo:
            os.kill(self.await_peers(demo, 2)[0], signal.SIGKILL)
            result = demo.result()
        self.assertEqual(result.status, 1)
        self.assertRegex(result.out.decode(), r"WRONG: receiver \(zlink, process \d+\) died: signal 9")

    def test_a_hung_peer_is_named(self):
        with self.long_cell("req/rep") as demo:
            os.kill(self.await_peers(demo, 2)[0], signal.SIGSTOP)
            result = demo.result()
        self.assertEqual(result.status, 1)
        self.assertRegex(result.out.decode(), r"WRONG: .*receiver \(zlink, process \d+\) hangs")
        self.assertEqual(self.leftovers(), [])

    def test_missing_foreign_peer_is_explained(self):
        tool = os.path.join(os.environ["ZLINK_BIN_DIR"], "zlink")
        lonely = os.path.join(self.folder, "bin")
        os.mkdir(lonely)
        with open(tool, "rb") as source, open(os.path.join(lonely, "zlink"), "wb") as copy:
            copy.write(source.read())
        os.chmod(copy.name, 0o755)
        environment = dict(os.environ, LD_LIBRARY_PATH=os.environ["ZLINK_LIB_DIR"])
        done = subprocess.run([copy.name, "demo", "--quick"], capture_output=True, timeout=60, env=environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"apt-get install libzmq3-dev", done.stderr)


if __name__ == "__main__":
    unittest.main()
