# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The programs of examples/guide do what they are there for, those in C together with those in Python."""
import os
import signal
import subprocess
import tempfile
import threading
import unittest

PYTHON = os.environ["ZLINK_PYTHON"]
LIBRARIES = os.environ["ZLINK_LIB_DIR"]
PROGRAMS = os.environ["ZLINK_TEST_BIN_DIR"]
SCRIPTS = os.path.join(os.environ["ZLINK_SOURCE_DIR"], "examples", "guide")
LIMIT = 60  # seconds: a hang becomes a failure
BOTH_WAYS = (("c", "py"), ("py", "c"))
ENVIRONMENT = dict(os.environ, LD_LIBRARY_PATH=LIBRARIES)


def command(language, name):
    if language == "c":
        return [os.path.join(PROGRAMS, "guide_" + name)]
    return [PYTHON, os.path.join(SCRIPTS, name + ".py")]


class Program:
    """A program in the background, whose lines are read as they come."""

    def __init__(self, test, language, name, *arguments):
        self.process = subprocess.Popen(command(language, name) + list(arguments), stdout=subprocess.PIPE, text=True,
                                        env=ENVIRONMENT)
        self.watchdog = threading.Timer(LIMIT, self.process.kill)
        self.watchdog.start()
        test.addCleanup(self.end)

    def end(self):
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def line(self):
        return self.process.stdout.readline().rstrip("\n")

    def halt(self):
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def result(self):
        """Its status and the lines not yet read, when it has ended."""
        out, _ = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, out.splitlines()


class Guide(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def at(self, name):
        return f"ipc://{self.folder.name}/{name}"

    def start(self, language, name, *arguments):
        return Program(self, language, name, *arguments)

    def test_python_runs_on_our_library(self):
        maps = subprocess.run([PYTHON, "-c", "import zmq; print(open('/proc/self/maps').read())"], env=ENVIRONMENT,
                              check=True, capture_output=True, text=True, timeout=LIMIT).stdout
        self.assertIn(os.path.realpath(os.path.join(LIBRARIES, "libzmq.so.5")), maps)

    def test_a_lazy_pirate_asks_again(self):
        for serving, asking in BOTH_WAYS:
            with self.subTest(serving=serving):
                endpoint = self.at("pirate-" + serving)
                server = self.start(serving, "lazy_pirate", "server", endpoint, "1")
                client = self.start(asking, "lazy_pirate", "client", endpoint, "2")
                self.assertEqual(server.line(), "lost: request 1")
                self.assertEqual(client.line(), "no answer to request 1, attempt 1 of 3")
                status, lines = client.result()
                self.assertEqual(status, 0)
                self.assertEqual([line for line in lines if line.startswith("answer")],
                                 ["answer to request 1", "answer to request 2"])

    def test_a_lazy_pirate_gives_up(self):
        clients = [self.start(language, "lazy_pirate", "client", self.at("none"), "1") for language in ("c", "py")]
        for client in clients:
            status, lines = client.result()
            self.assertEqual(status, 1)
            self.assertEqual(lines, [f"no answer to request 1, attempt {n} of 3" for n in (1, 2, 3)] +
                             ["the server seems to be away"])

    def test_a_majordomo_replaces_workers_and_can_be_replaced(self):
        for ours, other in BOTH_WAYS:
            with self.subTest(broker=ours):
                endpoint = self.at("majordomo-" + ours)
                broker = self.start(ours, "majordomo", "broker", endpoint)
                client = self.start(other, "majordomo", "client", endpoint, "dishes", "cups", "plates")
                first = self.start(other, "majordomo", "worker", endpoint, "dishes", "Ann")
                self.assertEqual(client.result(), (0, ["Ann did cups", "Ann did plates"]))

                first.halt()
                client = self.start(ours, "majordomo", "client", endpoint, "dishes", "forks")
                second = self.start(ours, "majordomo", "worker", endpoint, "dishes", "Bob")
                self.assertEqual(client.result(), (0, ["Bob did forks"]))
                first.end()

                broker.end()
                self.start(other, "majordomo", "broker", endpoint)
                self.assertEqual(second.line(), "registering again")
                client = self.start(other, "majordomo", "client", endpoint, "dishes", "pans")
                self.assertEqual(client.result(), (0, ["Bob did pans"]))

    def test_clones_have_the_snapshot_and_what_follows(self):
        for ours, other in BOTH_WAYS:
            with self.subTest(server=ours):
                snapshot, publisher, collector = [self.at(f"{name}-{ours}") for name in ("snap", "publish", "collect")]

                def assign(language, *changes):
                    self.assertEqual(self.start(language, "clone", "set", collector, *changes).result(), (0, []))

                self.start(ours, "clone", "server", snapshot, publisher, collector)
                everything = self.start(other, "clone", "watch", snapshot, publisher)
                self.assertEqual(everything.line(), "0 keys")
                assign(other, "/a/x=1", "/b/y=2")
                self.assertEqual([everything.line() for _ in range(2)], ["/a/x=1", "/b/y=2"])

                subtree = self.start(ours, "clone", "watch", snapshot, publisher, "/a/")
                self.assertEqual([subtree.line() for _ in range(2)], ["/a/x=1", "1 keys"])
                assign(ours, "/a/x=", "/b/y=3", "/a/z=4")
                self.assertEqual([everything.line() for _ in range(3)], ["/a/x=", "/b/y=3", "/a/z=4"])
                self.assertEqual([subtree.line() for _ in range(2)], ["/a/x=", "/a/z=4"])

    def test_an_espresso_shows_what_passes(self):
        for language in ("c", "py"):
            status, lines = self.start(language, "espresso", "2").result()
            self.assertEqual((status, lines), (0, ["subscribe A", "A-1", "A-2", "unsubscribe A"]))

    def test_a_binary_star_goes_on_without_one_server(self):
        for ours, other in BOTH_WAYS:
            with self.subTest(primary=ours):
                clients = [self.at("primary-" + ours), self.at("backup-" + ours)]
                states = [self.at("primary-state-" + ours), self.at("backup-state-" + ours)]

                def answers(language):
                    status, lines = self.start(language, "binary_star", "client", *clients, "2").result()
                    self.assertEqual(status, 0)
                    return lines

                def primary():
                    return self.start(ours, "binary_star", "primary", clients[0], states[0], states[1])

                first = primary()
                backup = self.start(other, "binary_star", "backup", clients[1], states[1], states[0])
                self.assertEqual(first.line(), "active")
                self.assertEqual(backup.line(), "passive")
                self.assertEqual(answers(ours), [f"primary: answer to request {n}" for n in (1, 2)])

                first.end()
                self.assertEqual(answers(other), [f"backup: answer to request {n}" for n in (1, 2)])
                self.assertEqual(backup.line(), "active")

                again = primary()
                self.assertEqual(again.line(), "passive")
                backup.end()
                self.assertEqual(answers(ours), [f"primary: answer to request {n}" for n in (1, 2)])
                self.assertEqual(again.line(), "active")


if __name__ == "__main__":
    unittest.main()
