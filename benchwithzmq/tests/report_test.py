# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""report.py and the modules behind it: what stands in tables, page and pictures, gaps, bad input."""

import gzip
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

SUITE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(SUITE), str(Path(__file__).resolve().parent)]

from bench_suite.report_data import Cell, ReportError, group_titles, load_file, load_groups  # noqa: E402
from bench_suite.report_environment import environment_rows  # noqa: E402
from bench_suite.report_markdown import markdown_report, summary, summary_sizes  # noqa: E402
from bench_suite.report_metrics import change_text, ratio_text, size_text, value_text  # noqa: E402
from bench_suite.report_samples import leave_out_chance, samples_note  # noqa: E402
from bench_suite.report_summary import findings, warnings  # noqa: E402
from report import _parse as parse_report  # noqa: E402
from synthetic import result_file, write_result_file  # noqa: E402


class WithFolder(unittest.TestCase):
    """Gives each test a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, document, name="results.json"):
        path = self.folder / name
        path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        return str(path)

    def group(self, document):
        (group,) = load_groups([self.write(document)])
        return group


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, str(SUITE / "report.py"), *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )


def one_cell(values, metric="throughput"):
    """A document with one cell; values: [(pair, lib, value)]."""
    document = result_file(patterns=["PAIR"], transports=["tcp"], sizes=[64], pairs=0)
    document["runs"] = [
        {
            "pattern": "PAIR",
            "transport": "tcp",
            "size": 64,
            "pair": pair,
            "lib": lib,
            "status": "ok",
            "metrics": {metric: value},
        }
        for pair, lib, value in values
    ]
    return document


CELL = Cell("PAIR", "tcp", 64)


class Numbers(unittest.TestCase):
    def test_sizes_have_units(self):
        self.assertEqual(
            [size_text(size) for size in (0, 64, 1000, 1024, 1536, 65536, 1 << 20)],
            ["0 B", "64 B", "1000 B", "1 KB", "1.50 KB", "64 KB", "1 MB"],
        )

    def test_values_have_units_and_three_digits(self):
        self.assertEqual(value_text("throughput", 3442000), "3.44 M/s")
        self.assertEqual(value_text("throughput", 999_900), "1.00 M/s")
        self.assertEqual(value_text("throughput", 8.2), "8.20 /s")
        self.assertEqual(value_text("latency_p50_us", 7.31), "7.31 µs")
        self.assertEqual(value_text("latency_p99_9_us", 1234.5), "1.23 ms")
        self.assertEqual(value_text("latency_p50_us", 0.25), "250 ns")
        self.assertEqual(value_text("cpu_ns_per_msg", 45.04), "45.0 ns")
        self.assertEqual(value_text("cpu_ns_per_msg", None), "–")

    def test_ratios_have_the_digits_that_matter(self):
        self.assertEqual(
            [ratio_text(ratio) for ratio in (0.871, 1.154, 1.996, 5.12, 9.96, None)],
            ["0.87×", "1.15×", "2.0×", "5.1×", "10×", "–"],
        )
        self.assertEqual([change_text(ratio) for ratio in (1.5, 0.985, None)], ["+50 %", "-1.5 %", "–"])


class Ratios(WithFolder):
    def test_median_and_range_of_the_pairs(self):
        group = self.group(
            one_cell(
                [
                    (0, "libzmq", 100),
                    (0, "zlink", 300),
                    (1, "libzmq", 200),
                    (1, "zlink", 400),
                    (2, "zlink", 1000),
                    (2, "libzmq", 200),
                ]
            )
        )
        ratio = group.ratio(CELL, "throughput")
        self.assertEqual((ratio.median, ratio.low, ratio.high, ratio.pairs, ratio.paired), (3, 2, 5, 3, True))

    def test_latency_is_inverted(self):
        group = self.group(one_cell([(0, "libzmq", 8), (0, "zlink", 4)], "latency_p50_us"))
        self.assertEqual(group.ratio(CELL, "latency_p50_us").median, 2)

    def test_a_pair_counts_only_if_both_runs_were_good(self):
        document = one_cell([(0, "libzmq", 100), (0, "zlink", 300), (1, "libzmq", 100)])
        document["runs"].append({**document["runs"][0], "pair": 1, "lib": "zlink", "status": "failed", "metrics": {}})
        ratio = self.group(document).ratio(CELL, "throughput")
        self.assertEqual((ratio.median, ratio.pairs), (3, 1))

    def test_a_baseline_of_another_time_is_no_pair(self):
        ratio = self.group(one_cell([(7, "libzmq", 100), (0, "zlink", 300), (1, "zlink", 200)])).ratio(
            CELL, "throughput"
        )
        self.assertEqual((ratio.median, ratio.low, ratio.high, ratio.paired), (2.5, 2, 3, False))

    def test_missing_and_impossible_values_are_gaps(self):
        for value in (None, 0, -3.5, float("nan"), float("inf")):
            with self.subTest(value=value):
                group = self.group(one_cell([(0, "libzmq", 100), (0, "zlink", value)]))
                self.assertIsNone(group.median("zlink", CELL, "throughput"))
                self.assertIsNone(group.ratio(CELL, "throughput"))

    def test_no_time_in_the_kernel_is_a_value(self):
        group = self.group(one_cell([(0, "libzmq", 0), (0, "zlink", 0)], "cpu_system_ns_per_msg"))
        self.assertEqual(group.median("zlink", CELL, "cpu_system_ns_per_msg"), 0)
        self.assertIsNone(group.ratio(CELL, "cpu_system_ns_per_msg"))

    def test_noise_is_libzmq_against_itself(self):
        group = self.group(
            one_cell(
                [
                    (0, "libzmq", 100),
                    (0, "libzmq-again", 110),
                    (1, "libzmq", 100),
                    (1, "libzmq-again", 70),
                    (2, "libzmq", 100),
                    (2, "libzmq-again", 100),
                ]
            )
        )
        median, most = group.noise()
        self.assertAlmostEqual(median, 0.1)
        self.assertAlmostEqual(most, 0.3)
        self.assertIn("The machine was busy", " ".join(warnings(group)))

    def test_the_floor_of_raw_sockets_holds_for_all_patterns(self):
        document = result_file(patterns=["PAIR", "PUBSUB"], sizes=[64], pairs=1)
        document["runs"] += result_file(patterns=["FLOOR"], sizes=[64], pairs=1, libs=("floor",))["runs"]
        group = self.group(document)
        self.assertEqual(group.patterns(), ["PAIR", "PUBSUB"])
        self.assertIsNotNone(group.median("floor", Cell("PUBSUB", "ipc", 64), "throughput"))


class Groups(WithFolder):
    def test_slices_of_one_matrix_are_one_group(self):
        first = write_result_file(self.folder / "1.json", patterns=["PAIR"], pairs=2)
        second = write_result_file(
            self.folder / "2.json", patterns=["PAIR", "PUBSUB"], pairs=3, environment={"date": "2025-03-02"}
        )
        (group,) = load_groups([first, second])
        self.assertEqual(group.patterns(), ["PAIR", "PUBSUB"])
        self.assertEqual(group.ratio(CELL, "throughput").pairs, 5)
        self.assertIn(("Date", "2025-03-01T12:00:00+00:00; 2025-03-02"), environment_rows([group]))

    def test_other_settings_or_versions_are_other_groups_with_titles_of_their_own(self):
        paths = [
            write_result_file(self.folder / f"{number}.json", patterns=["PAIR"], pairs=1, **options)
            for number, options in enumerate(
                [
                    {},
                    {"settings": {"pinned": False, "io_threads": 2}},
                    {"settings": {"knobs": {"ZMQ_ASIO_OUT_BATCH_SIZE": "8192"}}},
                    {"environment": {"git_commit": "ffff"}},
                ]
            )
        ]
        groups = load_groups(paths)
        titles = group_titles(groups)
        self.assertEqual(len(set(titles)), 4)
        self.assertIn("not pinned, 2 I/O threads", titles[1])
        self.assertIn("ZMQ_ASIO_OUT_BATCH_SIZE=8192", titles[2])
        self.assertIn("commit ffff", titles[3])

    def test_titles_do_not_name_none(self):
        for name, said in (("libzmq_version", "without libzmq"), ("git_commit", "commit not known")):
            documents = [result_file(pairs=1), result_file(pairs=1, environment={name: None})]
            titles = group_titles([self.group(document) for document in documents])
            self.assertTrue(titles[1].endswith(said), titles)

    def test_a_failed_run_that_was_repeated_is_no_failure(self):
        document = one_cell([(0, "libzmq", 100), (0, "zlink", 300)])
        document["runs"].insert(0, {**document["runs"][1], "status": "timeout", "metrics": {}})
        self.assertEqual(self.group(document).failures, [])


class Markdown(WithFolder):
    def report(self, document):
        return markdown_report([self.group(document)], "Title")

    def test_shows_the_environment(self):
        text = self.report(result_file(pairs=1, environment={"git_dirty": True, "governor": "performance"}))
        for fact in (
            "Example CPU 3.0 GHz",
            "Linux 6.1.0",
            "| Cores | 2 |",
            "g++ 12.2.0",
            "-O3 -DNDEBUG",
            "| libzmq | 4.3.4 |",
            "| zlink | 0.1.0 |",
            "0123456789abcdef0123 with changes",
            "yes, core 1",
            "performance",
            "2025-03-01",
        ):
            self.assertIn(fact, text)

    def test_every_row_has_the_columns_of_its_head(self):
        text = self.report(result_file(pairs=2, libs=("libzmq", "zlink", "nng")))
        for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            self.assertEqual(len({line.count("|") - line.count("\\|") for line in table.splitlines()}), 1, table)

    def test_a_missing_cell_is_a_dash_and_never_a_zero(self):
        document = result_file(patterns=["PAIR"], transports=["tcp"], sizes=[64, 256], pairs=1)
        document["runs"] = [run for run in document["runs"] if (run["lib"], run["size"]) != ("zlink", 256)]
        text = self.report(document)
        (row,) = [line for line in text.splitlines() if line.startswith("| tcp 256 B ")]
        self.assertEqual(row.split(" | ")[2:4], ["–", "–"])
        self.assertNotRegex(text, r"\| 0(\.0*)?[ ×|]")

    def test_a_cell_that_failed_in_all_runs_is_shown_as_a_gap(self):
        document = result_file(patterns=["PAIR", "PUBSUB"], transports=["tcp"], sizes=[64, 256], pairs=1)
        for run in document["runs"]:
            if run["pattern"] == "PUBSUB":
                run.update(status="timeout", metrics={})
        text = self.report(document)
        self.assertIn("| PUBSUB | – | – |", text)
        self.assertRegex(text, r"\| tcp 256 B \|( – \|)+\n")

    def test_failures_are_named(self):
        document = result_file(patterns=["PAIR"], transports=["tcp"], sizes=[64], pairs=2)
        document["runs"][1].update(status="failed", error="message 17 lost | twice", metrics={})
        text = self.report(document)
        self.assertIn("1 run failed", text)
        self.assertIn("message 17 lost \\| twice", text)

    def test_cells_below_parity_are_marked(self):
        text = self.report(one_cell([(0, "libzmq", 100), (0, "zlink", 80), (1, "libzmq", 100), (1, "zlink", 90)]))
        self.assertIn("0.85× (0.80–0.90) ▼", text)
        self.assertIn("Cells below parity in every pair", text)

    def test_the_summary_shows_the_ends_and_a_middle_of_the_sizes(self):
        self.assertEqual(summary_sizes([64, 256, 1024, 65536, 131072, 262144]), [64, 1024, 262144])
        self.assertEqual(summary_sizes([64, 65536]), [64, 65536])
        text = summary([self.group(result_file(pairs=1))])
        self.assertIn("| Throughput | tcp 64 B | tcp 1 KB | tcp 256 KB | ipc 64 B |", text)
        self.assertIn("| ROUTER_ROUTER_POLL |", text)
        self.assertIn("Example CPU", text)

    def test_results_of_one_library_alone_make_a_report(self):
        group = self.group(result_file(pairs=1, libs=("zlink",)))
        self.assertIn("only zlink has results", " ".join(warnings(group)))
        self.assertEqual(findings(group), [])
        self.assertIn("| tcp 64 B | – |", markdown_report([group], "Title"))


class Percentiles(WithFolder):
    """Those that too few samples lie beyond are left out, where the number is known."""

    SMALL = {"patterns": ["PAIR"], "transports": ["tcp"], "sizes": [64], "pairs": 2}

    def steps(self, samples):
        group = self.group(result_file(**self.SMALL, samples=samples))
        leave_out_chance(group)
        return [step for step in ("p50", "p99", "p99_9", "p99_99") if group.ratio(CELL, f"latency_{step}_us")]

    def test_ten_samples_lie_beyond_each(self):
        self.assertEqual(self.steps(999), ["p50"])
        self.assertEqual(self.steps(1000), ["p50", "p99"])
        self.assertEqual(self.steps(10000), ["p50", "p99", "p99_9"])
        self.assertEqual(self.steps(None), ["p50", "p99", "p99_9", "p99_99"])

    def test_the_floor_counts_its_own(self):
        document = result_file(**self.SMALL, samples=5000)
        document["runs"] += result_file(**{**self.SMALL, "patterns": ["FLOOR"]}, libs=("floor",), samples=500)["runs"]
        group = self.group(document)
        leave_out_chance(group)
        self.assertIsNone(group.median("floor", CELL, "latency_p99_us"))
        self.assertIsNotNone(group.median("floor", CELL, "latency_p50_us"))
        self.assertIsNotNone(group.median("zlink", CELL, "latency_p99_us"))
        self.assertTrue(samples_note(group))

    def test_tables_show_a_dash_and_explain_it(self):
        few, many = (run(self.write(result_file(**self.SMALL, samples=n)), "--markdown", "-").stdout
                     for n in (250, 5000))
        (row,) = [line for line in few.splitlines() if line.startswith("| tcp 64 B ")]
        self.assertEqual(row.split(" | ")[7:10], ["–", "–", "–"])
        self.assertIn("p99 needs 1,000 samples a run", few)
        self.assertNotIn("samples", many)
        self.assertNotIn("Latency samples", few)

    def test_curves_end_there(self):
        sides = []
        for samples in (None, 250):
            page = self.folder / f"{samples}.html"
            done = run(self.write(result_file(**self.SMALL, samples=samples)), "--html", str(page))
            self.assertEqual(done.returncode, 0, done.stderr)
            sides.append(page.read_text(encoding="utf-8"))
        told = "none with fewer than 10 samples beyond it"
        self.assertEqual([told in page for page in sides], [False, True])
        # All nine points of a curve, and the six up to p95.
        self.assertEqual([len(re.findall(r'd="M [^"]*(?:\nL [^"]*){8,}" clip-path', page)) > 0 for page in sides],
                         [True, False])


class BadInput(WithFolder):
    def test_is_told_in_one_line(self):
        good = one_cell([(0, "zlink", 1)])
        cases = {
            "is not JSON": "{",
            'it has no "schema"': [1, 2],
            "has schema 7": {**good, "schema": 7},
            '"runs" is missing': {**good, "runs": None},
            'runs[0]: "size" is missing': {**good, "runs": [{"pattern": "PAIR", "transport": "tcp"}]},
            'runs[0]: metric "throughput" is not a number': one_cell([(0, "zlink", "fast")]),
            "runs[0]: is not an object": {**good, "runs": [3]},
            "holds no result": {**good, "runs": []},
        }
        for message, document in cases.items():
            with self.subTest(message=message):
                done = run(self.write(document), "--markdown", "-")
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_compressed_files_are_read_and_broken_ones_named(self):
        document = result_file(patterns=["PAIR"], pairs=1)
        packed = self.folder / "r.json.gz"
        packed.write_bytes(gzip.compress(json.dumps(document).encode("utf-8")))
        self.assertEqual(document, load_file(packed))
        for octets in (packed.read_bytes()[:-20], b"{}"):
            packed.write_bytes(octets)
            with self.assertRaisesRegex(ReportError, "is not a whole gzip file"):
                load_file(packed)

    def test_unreadable_files(self):
        with self.assertRaisesRegex(ReportError, "No such file"):
            load_file(self.folder / "absent.json")
        (self.folder / "binary.json").write_bytes(b"\x89PNG\xff\xfe")
        with self.assertRaisesRegex(ReportError, "not a text file"):
            load_file(self.folder / "binary.json")

    def test_an_output_that_cannot_be_written(self):
        done = run(self.write(one_cell([(0, "zlink", 1)])), "--markdown", str(self.folder / "absent" / "x.md"))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    def test_reports_lie_beside_the_results(self):
        for name in ("r/pinned.json", "r/pinned.json.gz"):
            options = parse_report([name])
            self.assertEqual((options.markdown, options.html), ("r/pinned.md", "r/pinned.html"))

    def test_help(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--html", "--markdown", "--png-dir", "--summary"):
            self.assertIn(option, done.stdout)

    def test_without_matplotlib_tables_work_and_the_page_says_what_is_missing(self):
        (self.folder / "matplotlib.py").write_text("raise ImportError('none here')")
        path = self.write(one_cell([(0, "libzmq", 1), (0, "zlink", 2)]))
        self.assertIn("2.0×", run(path, "--markdown", "-", PYTHONPATH=str(self.folder)).stdout)
        done = run(path, "--html", str(self.folder / "page.html"), PYTHONPATH=str(self.folder))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("need matplotlib", done.stderr)


class Outline(HTMLParser):
    """What a page refers to and whether its elements are closed."""

    _VOID = {"meta", "br", "img", "link", "use", "path", "rect", "image"}

    def __init__(self):
        super().__init__()
        self.open, self.references, self.ids = [], [], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("src", "href", "xlink:href", "action"):
                self.references.append(value)
            if name == "id":
                self.ids.append(value)
        if tag not in self._VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self._VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in self._VOID:
            assert self.open.pop() == tag, tag


class Pictures(WithFolder):
    """Needs matplotlib, in this interpreter or in build/venv."""

    def test_the_page_needs_no_other_file_and_holds_every_plot(self):
        document = result_file(
            patterns=["PAIR", "ROUTER_ROUTER"],
            sizes=[64, 65536],
            pairs=2,
            libs=("libzmq", "zlink", "libzmq-again", "nng"),
        )
        document["runs"] = [
            run
            for run in document["runs"]
            if (run["lib"], run["transport"], run["pattern"]) != ("zlink", "ipc", "PAIR")
        ]
        document["runs"][0].update(status="failed", error="<script>alert(1)</script>", metrics={})
        page = self.folder / "page.html"
        done = run(self.write(document), "--html", str(page))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text(encoding="utf-8")
        outline = Outline()
        outline.feed(text)
        self.assertEqual(outline.open, [])
        self.assertEqual([name for name in outline.references if not name.startswith(("#", "data:"))], [])
        self.assertEqual({name[1:] for name in outline.references if name.startswith("#")} - set(outline.ids), set())
        self.assertEqual(len(outline.ids), len(set(outline.ids)))
        # Four heat maps; throughput, latency, CPU and percentiles of three transports.
        self.assertEqual(text.count("<svg"), 16)
        self.assertIn("Example CPU 3.0 GHz", text)
        self.assertNotIn("<script>", text)

    def test_a_png_for_each_plot_named_after_it(self):
        paths = [
            write_result_file(
                self.folder / f"{number}.json",
                patterns=["PAIR"],
                transports=["tcp"],
                sizes=[64, 1024],
                pairs=1,
                settings={"io_threads": number},
            )
            for number in (1, 2)
        ]
        pictures = self.folder / "pictures"
        done = run(*paths, "--png-dir", str(pictures))
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {path.name for path in pictures.iterdir()}
        kinds = [
            "ratio-throughput",
            "ratio-latency",
            "ratio-latency-p99",
            "ratio-cpu",
            "throughput-tcp",
            "latency-tcp",
            "cpu-tcp",
            "percentiles-tcp",
        ]
        self.assertEqual(
            names,
            {
                f"pinned-to-core-1-{number}-io-thread{'s' if number > 1 else ''}-{kind}.png"
                for number in (1, 2)
                for kind in kinds
            },
        )
        for path in pictures.iterdir():
            data = path.read_bytes()
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(min(struct.unpack(">II", data[16:24])), 300)

    def test_pictures_of_two_runs_are_not_mixed(self):
        pictures = self.folder / "pictures"
        pictures.mkdir()
        for name in ("ratio-latency-p99.png", "pinned-to-core-1-throughput-ipc.png", "percentiles-tcp.png"):
            (pictures / "ratio-throughput-not-pinned.png").write_bytes(b"somebody's own")
            (pictures / name).write_bytes(b"older")
            path = self.write(one_cell([(0, "libzmq", 1), (0, "zlink", 2)]))
            done = run(path, "--png-dir", str(pictures))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(f"holds {name} of an earlier report", done.stderr)
            self.assertEqual({name, "ratio-throughput-not-pinned.png"}, {file.name for file in pictures.iterdir()})
            (pictures / name).unlink()
        for _ in range(2):  # the same report again replaces its own
            done = run(path, "--png-dir", str(pictures))
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(b"somebody's own", (pictures / "ratio-throughput-not-pinned.png").read_bytes())

    def test_lines_are_broken_where_a_result_is_missing(self):
        document = result_file(
            patterns=["PAIR"], transports=["tcp"], sizes=[64, 256, 1024], pairs=1, libs=("libzmq", "zlink")
        )
        whole, broken = self.folder / "whole.html", self.folder / "broken.html"
        run(self.write(document), "--html", str(whole))
        document["runs"] = [one for one in document["runs"] if (one["lib"], one["size"]) != ("zlink", 256)]
        run(self.write(document), "--html", str(broken))
        # A line that spans all three sizes has no second "move to".
        spans = [
            len(
                re.findall(
                    r'd="M [^"]*\nL [^"]*\nL [^"]*" clip-path[^>]*style="fill: none; stroke: #1769c4',
                    path.read_text(encoding="utf-8"),
                )
            )
            for path in (whole, broken)
        ]
        self.assertLess(spans[1], spans[0])

    def test_odd_results_can_be_drawn(self):
        """One size of 0 bytes; a library alone; every octave; values of no spread."""
        cases = [
            result_file(patterns=["PAIR"], transports=["tcp"], sizes=[0], pairs=1),
            result_file(patterns=["UNHEARD_OF"], transports=["udp"], sizes=[7], pairs=1, libs=("zlink",)),
            result_file(patterns=["PAIR"], transports=["tcp"], sizes=[1 << power for power in range(21)], pairs=1),
            one_cell([(0, "libzmq", 5), (0, "zlink", 5), (1, "zlink", 5), (1, "libzmq", 5)]),
        ]
        for number, document in enumerate(cases):
            with self.subTest(number=number):
                done = run(self.write(document), "--png-dir", str(self.folder / str(number)))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(list((self.folder / str(number)).iterdir()))


if __name__ == "__main__":
    unittest.main()
