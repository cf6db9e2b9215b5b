# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The table as text, and the progress of long work."""

import io
import sys
import unittest
from pathlib import Path

SUITE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SUITE), str(Path(__file__).resolve().parent)]

from bench_suite.progress import Progress, cell_summary  # noqa: E402
from bench_suite.report_data import Cell, Group  # noqa: E402
from bench_suite.runner import Outcome  # noqa: E402
from bench_suite.tables import comparison_text  # noqa: E402
from synthetic import result_file  # noqa: E402

CELL = Cell("PAIR", "tcp", 64)


def group_of(document):
    group = Group(document["environment"], document["settings"])
    group.add("r.json", document)
    return group


def one_cell(libs=("libzmq", "zlink"), pattern="PAIR", **options):
    return result_file(patterns=[pattern], transports=["tcp"], sizes=[64], pairs=2, libs=libs, **options)


class Table(unittest.TestCase):
    def test_other_libraries_have_a_column_each(self):
        document = one_cell(("libzmq", "zlink", "libzmq-again", "nng"))
        document["runs"] += one_cell(("floor",), "FLOOR")["runs"]
        text = comparison_text(group_of(document))
        (head,) = [line for line in text.splitlines() if "Metric" in line]
        self.assertEqual(["Size", "Metric", "libzmq", "zlink", "nng", "floor", "Diff"], head.split()[:7])
        (row,) = [line for line in text.splitlines() if "throughput" in line]
        self.assertEqual(4, row.count(" M/s"), row)
        self.assertEqual(head.index("Diff") + 4, row.index(" %") + 2, text)

    def test_what_is_not_known_is_not_named(self):
        for unknown, first in (
            (("libzmq_version",), "zlink "),
            (("zlink_version",), "libzmq "),
            (("libzmq_version", "zlink_version", "cpu_model", "cores", "kernel"), "libraries of unknown versions, "),
        ):
            text = comparison_text(group_of(one_cell(environment=dict.fromkeys(unknown))))
            self.assertTrue(text.startswith(first), text)
            self.assertNotIn("None", text)

    def test_without_them_there_are_two(self):
        self.assertNotIn("nng", comparison_text(group_of(one_cell())))

    def test_explains_ratios_that_are_of_no_pairs(self):
        document = one_cell()
        self.assertNotIn("~", comparison_text(group_of(document)))
        for run in document["runs"]:
            if run["lib"] == "libzmq":
                run["pair"] += 7
        lines = comparison_text(group_of(document)).splitlines()
        self.assertTrue(any(line.startswith("~ marks ratios that are not of paired runs") for line in lines), lines)
        self.assertTrue(any(line.endswith("~") for line in lines), lines)

    def test_a_percentile_of_too_few_samples_is_a_dash_that_is_explained(self):
        for samples, left_out in ((999, True), (1000, False), (None, False)):
            text = comparison_text(group_of(one_cell(samples=samples)))
            (row,) = [line for line in text.splitlines() if "latency p99" in line]
            self.assertEqual(left_out, row.split()[2:5] == ["–", "–", "–"], row)
            self.assertEqual(left_out, "p99 needs 1,000 samples a run" in text, text)
            self.assertRegex(text, r"latency p50 +\d")


class Terminal(io.StringIO):
    def isatty(self):
        return True


class ProgressTest(unittest.TestCase):
    def test_a_cell_is_summed_up_on_a_terminal_and_elsewhere(self):
        for stream in (Terminal(), io.StringIO()):
            with Progress(2, stream) as progress:
                for lib in ("libzmq", "zlink"):
                    progress.begin(lib, CELL)
                    progress.end(lib, CELL, Outcome("ok"))
                progress.cell_done(CELL, cell_summary(group_of(one_cell()), CELL))
            self.assertRegex(stream.getvalue(), r"\[2/2\] PAIR tcp 64 B: libzmq \d.*/s, zlink .*/s, \d\.\d\dx")

    def test_what_is_said_takes_the_place_of_the_status_line(self):
        stream = Terminal()
        progress = Progress(2, stream)
        progress.begin("zlink", CELL)
        progress.say("[x] done")
        self.assertTrue(stream.getvalue().endswith("\r\033[K[x] done\n"), stream.getvalue())

    def test_the_floor_has_a_summary(self):
        group = group_of(one_cell(("floor",), "FLOOR"))
        self.assertRegex(cell_summary(group, Cell("FLOOR", "tcp", 64)), "^floor .*/s$")


if __name__ == "__main__":
    unittest.main()
