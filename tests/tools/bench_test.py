# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink bench: both sides of a measurement, its results as text, JSON and a page, and what can go wrong."""
import html.parser
import json
import os
import tempfile
import unittest

from zlink_cli import Command, TcpServer, run

SHORT = ["--duration", "300ms", "--warmup", "50ms"]


class Page(html.parser.HTMLParser):
    """Counts elements, and finds those that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.counts, self.open, self.links = {}, [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Bench(unittest.TestCase):
    def measure(self, pattern, *options, bind="tcp://127.0.0.1:*", local=(), times=SHORT):
        """Runs both sides; returns the results of both."""
        with Command("bench", "local", "-b", bind, "-p", pattern, "--once", *local) as listener:
            remote = run("bench", "remote", "-c", listener.endpoint(), "-p", pattern, *times, *options)
            self.assertEqual((remote.status, listener.process.wait(60)), (0, 0), remote)
            return remote, listener.result()

    def test_throughput_and_latency_as_text(self):
        remote, local = self.measure("dealer-router", "--rate", "500", "--size", "64,1k")
        text = remote.out.decode()
        for size in (64, 1024):
            self.assertRegex(text, rf"(?m)^throughput, {size} octets: \S+( [kMG])? messages/s, .*, 0 lost$")
            self.assertRegex(text, rf"(?m)^latency, {size} octets, 500/s: .*; 175 sent, 175 answered, 0 lost$")
        self.assertRegex(text, r"(?m)^  p50 \S+ \S+  p90 \S+ \S+  p99 \S+ \S+  p99\.9 \S+ \S+  max \S+ \S+$")
        self.assertRegex(text, r"(?m)^ +\S+ \S+ to +\S+ \S+  #+ +\d+ +\d+\.\d %$")
        self.assertRegex(text, r"(?m)^The sender was behind its times by p50 ")
        self.assertRegex(local.err, r"(?m)^throughput, 64 octets: ")

    def test_results_as_json(self):
        for pattern in ("dealer-router", "pair", "req-rep"):
            remote, _ = self.measure(pattern, "--rate", "200", "--json", bind="ipc://*")
            found = json.loads(remote.out)
            self.assertEqual(found["pattern"], pattern)
            kinds = [each["kind"] for each in found["runs"]]
            self.assertEqual(kinds, ["latency"] if pattern == "req-rep" else ["throughput", "latency"])
            latency = found["runs"][-1]
            self.assertEqual((latency["sent"], latency["received"], latency["lost"]), (70, 70, 0))
            self.assertEqual((latency["path"], latency["rate"]), ("round trip", 200))
            values = latency["latency"]
            self.assertEqual(values["count"], 60)
            self.assertEqual(sum(bar["count"] for bar in values["histogram"]), values["count"])
            ordered = [values[name] for name in ("min_us", "p50_us", "p90_us", "p99_us", "p99_9_us", "max_us")]
            self.assertEqual(ordered, sorted(ordered))
            self.assertGreater(ordered[0], 0)

    def test_one_way_the_listener_has_the_results(self):
        for pattern in ("push-pull", "pub-sub"):
            remote, local = self.measure(pattern, "--rate", "200", local=["--json"])
            self.assertEqual(remote.out, b"")
            throughput, latency = json.loads(local.out)["runs"]
            self.assertEqual((throughput["kind"], throughput["lost"]), ("throughput", 0))
            self.assertGreater(throughput["received"], 0)
            self.assertEqual((latency["sent"], latency["lost"], latency["path"]), (70, 0, "one way"))
            self.assertGreater(latency["latency"]["p50_us"], 0)

    def test_a_page_that_needs_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.measure("dealer-router", "--rate", "500", "--html", path, times=["--duration", "1s"])
            with open(path, encoding="utf-8") as file:
                text = file.read()
        page = Page(text)
        self.assertEqual((page.open, page.links), ([], []))
        self.assertEqual((page.counts["section"], page.counts["svg"]), (2, 3))
        self.assertGreater(page.counts["rect"], 3)
        self.assertIn("prefers-color-scheme: dark", text)
        self.assertNotIn("http", text)

    def test_a_listener_serves_one_after_the_other(self):
        with Command("bench", "local", "-b", "tcp://127.0.0.1:*") as listener:
            for _ in range(2):
                remote = run("bench", "remote", "-c", listener.endpoint(), *SHORT, "--only", "latency")
                self.assertEqual(remote.status, 0, remote)
            listener.interrupt()
            self.assertEqual(listener.result().status, 0)

    def test_a_stall_of_the_peer_counts_for_each_message_due_meanwhile(self):
        with Command("bench", "local", "-b", "tcp://127.0.0.1:*", "-v") as listener:
            with Command("bench", "remote", "-c", listener.endpoint(), "--only", "latency", "--rate", "1000",
                         "--duration", "2s", "--warmup", "0", "--json") as remote:
                # It stands still for half a second at least, in which a quarter of all messages are due.
                listener.await_line("a run begins: latency")
                listener.halt()
                self.assertFalse(remote.has_output(0.5))
                listener.go_on()
                result = remote.result()
        values = json.loads(result.out)["runs"][0]["latency"]
        late = sum(bar["count"] for bar in values["histogram"] if bar["from_us"] >= 100_000)
        self.assertEqual(values["count"], 2000)
        self.assertGreater(late, 100)


class Mistakes(unittest.TestCase):
    def check(self, status, text, *arguments):
        result = run("bench", *arguments)
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.err, r"zlink: [^\n]*\n$")
        self.assertIn(text, result.err)

    def test_wrong_arguments(self):
        there = ["-c", "tcp://127.0.0.1:9"]
        self.check(2, "ROLE", "sideways", *there)
        self.check(2, "bench needs an endpoint: --bind", "local")
        self.check(2, "bench needs an endpoint: --connect", "remote")
        self.check(2, "--size takes sizes", "remote", *there, "--size", "64,many")
        self.check(2, "at least 8 octets", "remote", *there, "--size", "0")
        self.check(2, "--rate takes a number above 0", "remote", *there, "--rate", "0")
        self.check(2, "--rate takes a number above 0", "remote", *there, "--rate", "nan")
        self.check(2, "--duration takes a time", "remote", *there, "--duration", "0")
        self.check(2, "has latency alone", "remote", *there, "-p", "req-rep", "--only", "throughput")
        self.check(2, "the remote side has the results", "local", "-b", "tcp://127.0.0.1:*", "--json")
        self.check(2, "the local side has the results", "remote", *there, "-p", "pub-sub", "--html", "x.html")
        self.check(2, "--curve-server-key", "remote", *there, "--curve-server-key", "short")

    def test_a_peer_that_is_not_there(self):
        self.check(1, "no peer within 100 ms", "remote", "-c", "ipc://@zlink-test-no-bench", "-t", "100ms")

    def test_a_peer_that_is_something_else(self):
        with TcpServer(b"HTTP/1.1 400 Bad Request\r\n\r\n", closes=True) as server:
            self.check(1, "refused the handshake", "remote", "-c", server.endpoint)
        with Command("router", "-b", "tcp://127.0.0.1:*", "--to", "/dev/null") as router:
            self.check(1, "no answer within 200 ms", "remote", "-c", router.endpoint(), "-t", "200ms")
        with Command("bench", "local", "-b", "tcp://127.0.0.1:*", "-p", "push-pull") as local:
            self.check(1, "socket types don't match", "remote", "-c", local.endpoint(), *SHORT)

    def test_foreign_messages_are_left_out(self):
        with Command("bench", "local", "-b", "tcp://127.0.0.1:*") as local:
            self.assertEqual(run("dealer", "-c", local.endpoint(), "-n", "0", "hello").status, 0)
            local.await_line("something came that zlink bench did not send")
            remote = run("bench", "remote", "-c", local.endpoint(), *SHORT, "--only", "latency")
            self.assertEqual(remote.status, 0, remote)


if __name__ == "__main__":
    unittest.main()
