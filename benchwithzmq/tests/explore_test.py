# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The explorer: what it draws, when it calls a workload behind, and that its programs run what it draws."""

import json
import random
import sys
import unittest
from pathlib import Path

SUITE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SUITE), str(Path(__file__).resolve().parent)]

from explorer import judge, space  # noqa: E402
from programs import libraries, run  # noqa: E402

WINDOW = {"load": "window", "echo": 1}


def result(throughput=1000.0, cpu=10_000.0, p50=50.0, p99=90.0, status="ok", under_way=0):
    return {"status": status, "messages": 5000, "samples": 5000, "sent": 5000, "received": 5000, "due": 5000,
            "seconds": 0.3,
            "backlog": under_way, "throughput": throughput, "cpu_ns": cpu, "p50_us": p50, "p99_us": p99}


def judged(zlink, libzmq=result, of=None):
    """The verdict on pairs of what these two return, and how many pairs it took."""
    pairs = []

    def pair():
        pairs.append((zlink(), libzmq()))
        return pairs[-1]

    return judge.verdict(of or WINDOW, pair), len(pairs)


class Space(unittest.TestCase):
    def test_a_seed_draws_the_same_workloads_each_time(self):
        drawn = [space.draw(7, i) for i in range(200)]
        self.assertEqual(drawn, [space.draw(7, i) for i in range(200)])
        self.assertNotEqual(drawn, [space.draw(8, i) for i in range(200)])

    def test_a_thousand_workloads_reach_each_corner(self):
        drawn = [space.draw(1, i) for i in range(1000)]
        self.assertEqual({"tcp", "ipc", "inproc"}, {of["transport"] for of in drawn})
        self.assertEqual({"flood", "window", "open"}, {of["load"] for of in drawn})
        self.assertEqual({1, 2}, {of["processes"] for of in drawn})
        self.assertEqual({1, 2, 4} - {of["io_threads"] for of in drawn}, set())
        self.assertEqual({(row[1], row[2]) for row in space.TOPOLOGIES}, {(of["front"], of["back"]) for of in drawn})
        for of in drawn:
            self.assertFalse(of["transport"] == "inproc" and of["processes"] == 2, of)


class Verdict(unittest.TestCase):
    def test_equal_libraries_take_two_pairs(self):
        verdict, pairs = judged(result)
        self.assertEqual({}, verdict["behind"])
        self.assertEqual(2, pairs)

    def test_what_is_slower_is_confirmed_in_fresh_pairs(self):
        verdict, pairs = judged(lambda: result(throughput=800.0, p99=200.0))
        self.assertEqual({"throughput", "p99"}, set(verdict["behind"]))
        self.assertAlmostEqual(0.8, verdict["behind"]["throughput"][0])
        self.assertEqual(judge.FIRST_PAIRS + judge.FRESH_PAIRS + judge.MORE_PAIRS, pairs)

    def test_one_bad_start_is_cleared(self):
        runs = iter([result(throughput=500.0)] * 2)
        verdict, pairs = judged(lambda: next(runs, result()))
        self.assertEqual({}, verdict["behind"])
        self.assertEqual(judge.FIRST_PAIRS + judge.FRESH_PAIRS, pairs)

    def test_noise_around_equal_is_seldom_confirmed(self):
        chance = random.Random(3)

        def noisy():
            return result(throughput=1000 * chance.lognormvariate(0, 0.2), cpu=10_000 * chance.lognormvariate(0, 0.2))

        behind = sum(bool(judged(noisy, noisy)[0]["behind"]) for _ in range(300))
        self.assertLessEqual(behind, 15)  # one of fifty of what is suspected would be 2 or 3

    def test_short_times_of_a_few_peers_do_not_count_where_the_others_wait(self):
        # 200 under way at 10,000 a second are answered after 20 ms on average, whatever the median of those that were.
        def unfair():
            return result(throughput=10_000.0, p50=20.0, p99=30.0, under_way=200)

        def fair(p50=13_000.0, throughput=15_000.0, under_way=200):
            return lambda: result(throughput=throughput, p50=p50, p99=14_000.0, under_way=under_way)

        self.assertEqual({}, judged(fair(), unfair)[0]["behind"])
        self.assertEqual(1.0, judged(fair(), unfair)[0]["ratios"]["p50"])  # and zlink is not ahead by it
        with self.subTest("longer than the mean"):
            self.assertEqual({"p50"}, set(judged(fair(p50=40_000.0), unfair)[0]["behind"]))
        with self.subTest("at a lower rate"):
            self.assertEqual({"throughput", "p50", "p99"}, set(judged(fair(throughput=9_000.0), unfair)[0]["behind"]))
        with self.subTest("one under way, which nothing overtakes"):
            self.assertEqual({"p50", "p99"},
                             set(judged(fair(under_way=1), lambda: unfair() | {"backlog": 1})[0]["behind"]))
        with self.subTest("in time, where all that are due count"):
            of = {"load": "open", "rate": 10_000, "burst": 1, "echo": 1}
            open_loop = {"due": 3000, "seconds": 0.3, "backlog": 2}
            verdict = judged(lambda: fair()() | open_loop, lambda: unfair() | open_loop, of)[0]
            self.assertEqual({"p50", "p99"}, set(verdict["behind"]))

    def test_a_run_that_fails_is_behind_and_a_failing_libzmq_tells_nothing(self):
        verdict, _ = judged(lambda: result(status="failed"))
        self.assertEqual({"finished"}, set(verdict["behind"]))
        verdict, _ = judged(result, lambda: result(status="timeout"))
        self.assertEqual({}, verdict["ratios"])


class Programs(unittest.TestCase):
    def test_each_library_runs_a_small_workload(self):
        index = next(i for i in range(1000) if (of := space.draw(1, i))["transport"] == "ipc" and of["load"] == "window"
                     and of["echo"])
        of = space.draw(1, index) | {"warm_ms": 20, "measure_ms": 50}
        for label in libraries():
            with self.subTest(library=label):
                done = run(f"comp_{label}_explore", *space.arguments(of))
                self.assertEqual(0, done.returncode, done.stderr)
                said = json.loads(done.stdout.splitlines()[0])
                self.assertEqual("ok", said["status"], said)
                self.assertGreater(said["messages"], 0)

    def test_an_unknown_argument_is_refused(self):
        for label in libraries():
            done = run(f"comp_{label}_explore", "colour=red")
            self.assertEqual(2, done.returncode)
            self.assertIn("colour", done.stderr)


if __name__ == "__main__":
    unittest.main()
