# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""analyze_results.py: the bootstrap interval, verdicts, exit status, bad input."""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SUITE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(SUITE), str(Path(__file__).resolve().parent)]

from bench_suite.report_bootstrap import median_distribution, ratio_interval  # noqa: E402
from bench_suite.report_compare import IMPROVEMENT, LOST, REGRESSION, SAME, TOO_FEW, compare  # noqa: E402
from bench_suite.report_data import ReportError, load_groups  # noqa: E402
from synthetic import result_file, write_result_file  # noqa: E402

SMALL = {"patterns": ["PAIR", "PUBSUB"], "transports": ["tcp"], "sizes": [64, 65536]}


class Bootstrap(unittest.TestCase):
    def test_the_chances_add_up_to_one(self):
        for count in (1, 2, 3, 4, 5, 10, 25, 40):
            chances = [chance for _, chance in median_distribution([1.1**number for number in range(count)])]
            self.assertAlmostEqual(sum(chances), 1, places=5)

    def test_agrees_with_resamples_that_are_drawn(self):
        draw = random.Random(7)
        for count in (5, 6):
            values = [draw.gauss(100, 10) for _ in range(count)]
            drawn = [statistics.median(draw.choices(values, k=count)) for _ in range(20000)]
            for median, chance in median_distribution(values):
                share = sum(abs(other - median) < 1e-9 for other in drawn) / len(drawn)
                self.assertAlmostEqual(share, chance, delta=0.015)

    def test_the_interval_of_equal_values_is_a_point(self):
        self.assertEqual(ratio_interval([4, 4, 4], [2, 2, 2, 2], 0.99), (2, 2))

    def test_the_interval_holds_the_ratio_and_widens_with_confidence(self):
        draw = random.Random(3)
        first, second = ([draw.gauss(mean, 5) for _ in range(10)] for mean in (110, 100))
        ratio = statistics.median(first) / statistics.median(second)
        narrow, wide = (ratio_interval(first, second, confidence) for confidence in (0.8, 0.99))
        self.assertTrue(wide[0] <= narrow[0] <= ratio <= narrow[1] <= wide[1])
        self.assertLess(wide[0], wide[1])


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, **options):
        return write_result_file(self.folder / name, **{**SMALL, **options})

    def verdicts(self, old, new, metrics=("throughput", "latency_p50_us", "cpu_ns_per_msg"), **options):
        groups = [load_groups([path])[0] for path in (old, new)]
        return [change.verdict for change in compare(*groups, metrics, **options)]


class Verdicts(WithFolder):
    def test_a_slower_version_regresses_in_every_metric(self):
        found = self.verdicts(self.file("a", seed=1), self.file("b", seed=2, zlink_speed=0.7))
        self.assertEqual(set(found), {REGRESSION})

    def test_a_faster_version_improves(self):
        found = self.verdicts(self.file("a", seed=1), self.file("b", seed=2, zlink_speed=1.4))
        self.assertEqual(set(found), {IMPROVEMENT})

    def test_noise_alone_is_no_change(self):
        found = self.verdicts(self.file("a", seed=1, pairs=10), self.file("b", seed=2, pairs=10))
        self.assertEqual(set(found), {SAME})

    def test_a_sure_but_small_change_does_not_count(self):
        old, new = self.file("a", noise=0.001, seed=1), self.file("b", noise=0.001, seed=2, zlink_speed=0.98)
        self.assertEqual(set(self.verdicts(old, new)), {SAME})
        self.assertEqual(set(self.verdicts(old, new, threshold=0.01)), {REGRESSION})

    def test_few_runs_show_large_changes_only(self):
        old = self.file("a", pairs=3, seed=1)
        self.assertEqual(set(self.verdicts(old, self.file("b", pairs=3, seed=2, zlink_speed=0.5))), {REGRESSION})
        self.assertNotIn(REGRESSION, self.verdicts(old, self.file("c", pairs=3, seed=3, zlink_speed=0.95)))
        self.assertEqual(set(self.verdicts(old, self.file("d", pairs=2, seed=4, zlink_speed=0.5))), {TOO_FEW})

    def test_relative_cancels_a_slower_machine(self):
        old, new = self.file("a", noise=0.01), self.file("b", noise=0.01)
        document = json.loads(Path(new).read_text())
        for run in document["runs"]:
            run["metrics"]["throughput"] *= 0.5
        Path(new).write_text(json.dumps(document))
        self.assertEqual(set(self.verdicts(old, new, ["throughput"])), {REGRESSION})
        self.assertEqual(set(self.verdicts(old, new, ["throughput"], relative=True)), {SAME})

    def test_a_cell_that_fails_now_is_lost(self):
        new = result_file(**SMALL)
        for run in new["runs"]:
            if (run["pattern"], run["size"], run["lib"]) == ("PAIR", 64, "zlink"):
                run.update(status="timeout", metrics={})
        (self.folder / "b").write_text(json.dumps(new))
        self.assertEqual(self.verdicts(self.file("a"), self.folder / "b", ["throughput"]).count(LOST), 1)

    def test_nothing_in_common_is_an_error(self):
        with self.assertRaisesRegex(ReportError, "no cell"):
            self.verdicts(self.file("a"), self.file("b", sizes=[128]))
        with self.assertRaisesRegex(ReportError, "libzmq beside it"):
            self.verdicts(self.file("a"), self.file("c", libs=("zlink",)), relative=True)


class Program(WithFolder):
    def run_with(self, *arguments):
        return subprocess.run(
            [sys.executable, str(SUITE / "analyze_results.py"), *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )

    def test_the_exit_status_tells_of_a_regression_only_if_asked(self):
        old, slow = self.file("old.json", seed=1), self.file("slow.json", seed=2, zlink_speed=0.7)
        self.assertEqual(self.run_with(old, slow).returncode, 0)
        self.assertEqual(self.run_with(old, slow, "--fail-on-regression").returncode, 1)
        self.assertEqual(self.run_with(slow, old, "--fail-on-regression").returncode, 0)

    def test_prints_figures_interval_and_verdict(self):
        done = self.run_with(
            self.file("old.json", seed=1),
            self.file("new.json", seed=2, zlink_speed=0.7, environment={"git_commit": "ffff"}),
        )
        for text in ("PAIR tcp 64 KB", "99 % interval", "▼ regression", "commit ffff", "0123456789", "Example CPU"):
            self.assertIn(text, done.stdout)
        self.assertIn("16 regressions, 0 improvements, 0 unchanged", done.stdout)

    def test_only_changes_leaves_out_what_stayed(self):
        old = self.file("old.json", pairs=10)
        self.assertNotIn("PAIR tcp", self.run_with(old, old, "--only-changes").stdout)

    def test_warns_of_another_machine_and_of_few_runs(self):
        done = self.run_with(
            self.file("old.json", pairs=2), self.file("new.json", pairs=2, environment={"host": "other"})
        )
        self.assertIn("different machines: bench and other", done.stdout)
        self.assertIn("too few runs for a verdict", done.stdout)

    def test_warns_of_what_else_makes_a_difference(self):
        old = self.file("old.json", pairs=3)
        same = self.run_with(old, old, "--relative").stdout
        self.assertNotIn("different", same)
        new = self.file(
            "new.json",
            pairs=3,
            environment={"libzmq_version": "4.3.5", "congestion_control": "bbr"},
            settings={"seconds": 0.2, "msg_count": 5000},
        )
        for text in (
            "different versions of libzmq: 4.3.4 and 4.3.5",
            "different TCP congestion controls: cubic and bbr",
            "different seconds a run: 1 and 0.2",
            "different messages a run: not given and 5000",
        ):
            self.assertIn(f"warning: {text}\n", self.run_with(old, new).stdout)

    def test_ratios_to_libzmq_name_it(self):
        old, new = self.file("old.json"), self.file("new.json", environment={"libzmq_version": "4.3.5"})
        done = self.run_with(old, new, "--relative")
        self.assertIn("zlink 0.1.0, libzmq 4.3.4,", done.stdout)
        self.assertIn("zlink 0.1.0, libzmq 4.3.5,", done.stdout)
        self.assertNotIn("libzmq 4.3.4,", self.run_with(old, new).stdout)

    def test_percentiles_of_too_few_samples_are_not_compared(self):
        files = [self.file(f"{number}.json", samples=250, seed=number) for number in (1, 2)]
        done = self.run_with(*files)
        self.assertIn("warning: Percentiles with fewer than 10 samples", done.stdout)
        self.assertNotIn("Latency p99", done.stdout)
        self.assertIn("Latency p50", done.stdout)

    def test_markdown(self):
        done = self.run_with(self.file("old.json", seed=1), self.file("new.json", seed=2), "--markdown")
        self.assertIn("| Cell | old | new | change | 99 % interval | verdict |", done.stdout)
        self.assertIn("| CPU | Example CPU 3.0 GHz | Example CPU 3.0 GHz |", done.stdout)

    def test_bad_input_is_one_line_and_status_2(self):
        good = self.file("good.json")
        (self.folder / "bad.json").write_text("no JSON")
        for arguments, message in (
            ((good, str(self.folder / "bad.json")), "is not JSON"),
            ((good, str(self.folder / "absent.json")), "No such file"),
            ((good, self.file("other.json", sizes=[128])), "no cell"),
            ((good, good, "--metrics", "speed"), "unknown metric 'speed'"),
            ((good, good, "--confidence", "2"), "not between 0.5 and 1"),
            ((good, good, "--threshold", "x"), "not a number"),
        ):
            with self.subTest(message=message):
                done = self.run_with(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_help(self):
        self.assertIn("--fail-on-regression", self.run_with("--help").stdout)


if __name__ == "__main__":
    unittest.main()
