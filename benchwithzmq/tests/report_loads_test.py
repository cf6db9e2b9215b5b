# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Reports of cells with a load: tables, findings, curves."""

import re
import sys
import unittest
from pathlib import Path

SUITE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(SUITE), str(Path(__file__).resolve().parent)]

from bench_suite.report_markdown import markdown_report  # noqa: E402
from bench_suite.report_summary import findings, warnings  # noqa: E402
from report_test import WithFolder, run  # noqa: E402
from synthetic import result_file  # noqa: E402


def loaded(pattern="CONVERSATION", loads=None, sizes=(64,), **options):
    """A document with a cell for each load, and a plain PAIR."""
    loads = loads or [{"dealers": n, "window": w, "processes": "one"} for n in (2, 16) for w in (1, 32, 256)]
    document = result_file(patterns=["PAIR"], transports=["tcp"], sizes=[64], pairs=2, **options)
    for load in loads:
        more = result_file(patterns=[pattern], transports=["tcp"], sizes=sizes, pairs=2, load=load, **options)
        document["runs"] += more["runs"]
    return document


class Loads(WithFolder):
    def test_tables_have_a_row_per_line_and_a_column_per_step(self):
        text = markdown_report([self.group(loaded())], "Title")
        (part,) = re.findall(r"### CONVERSATION, Throughput: ratio\n\n((?:\|.*\n)+)", text)
        rows = [[field.strip() for field in line.split("|")[1:-1]] for line in part.splitlines()]
        self.assertEqual(["window:", "1", "32", "256"], rows[0])
        self.assertEqual(["tcp 64 B, 2 DEALERs", "tcp 64 B, 16 DEALERs"], [row[0] for row in rows[2:]])
        self.assertIn("| tcp 64 B, 16 DEALERs, 256 in flight | ", text)
        # The tables of the patterns without a load are what they were.
        (part,) = re.findall(r"### Throughput: ratio\n\n((?:\|.*\n)+)", text)
        self.assertEqual(3, len(part.splitlines()), part)

    def test_findings_are_apart(self):
        found = findings(self.group(loaded()))
        self.assertTrue(found[0].startswith("Throughput: zlink is better in every cell"), found)
        self.assertTrue(any(text.startswith("CONVERSATION: Throughput: zlink is better in every cell")
                            for text in found))

    def test_a_pattern_of_no_line_has_a_column_of_its_own(self):
        document = loaded("HIGHEST_RATE", [{"way": way, "processes": "apart"} for way in ("one_way", "echo")])
        text = markdown_report([self.group(document)], "Title")
        self.assertRegex(text, r"\|  \| ratio \|\n\|---\|-+\|\n\| tcp 64 B, one way, apart \| ")

    def test_a_rate_that_was_not_kept_is_on_top(self):
        document = loaded("FIXED_RATE", [{"way": "echo", "rate": 1000, "processes": "apart"}])
        for run in document["runs"]:
            if run["pattern"] == "FIXED_RATE":
                late = (run["lib"], run["pair"]) == ("zlink", 1)
                run["metrics"].update(rate_kept=int(not late), rate_share=0.4 if late else 1)
        group = self.group(document)
        self.assertIn("A rate was not kept in some run of 1 cell", warnings(group)[0])
        text = markdown_report([group], "Title")
        self.assertIn("| FIXED_RATE tcp 64 B, echo, 1,000 /s, apart | zlink | 40% |", text)

    def test_where_the_rate_is_given_the_noise_is_that_of_the_cpu_time(self):
        document = result_file(["FIXED_RATE"], ["tcp"], [64], 2, ("libzmq", "libzmq-again"),
                               load={"way": "echo", "rate": 1000})
        for one in document["runs"]:
            one["metrics"] = {"cpu_ns_per_msg": 100 if one["lib"] == "libzmq" else 140, "rate_kept": 1, "rate_share": 1}
        median, most = self.group(document).noise()
        self.assertAlmostEqual(median, 0.4)
        self.assertAlmostEqual(most, 0.4)

    def test_curves_are_drawn(self):
        pictures = self.folder / "pictures"
        paths = [self.write(loaded(sizes=(64, 1024)), "1.json")]
        rates = [{"way": way, "rate": rate, "processes": "apart"} for way in ("one_way", "echo")
                 for rate in (1000, 300000)]
        document = loaded("FIXED_RATE", rates)
        for one in document["runs"]:
            one["metrics"].pop("throughput")
            one["metrics"].update(rate_kept=int(one["lib"] != "zlink"), rate_share=0.5)
        strange = loaded("OF_TOMORROW", [{"planets": 9, "kind": "round"}])
        document["runs"] += strange["runs"]
        paths.append(self.write(document, "2.json"))
        done = run(*paths, "--png-dir", str(pictures), "--html", str(self.folder / "page.html"))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {path.name for path in pictures.iterdir() if path.name.startswith("load")}
        wanted = {f"load-conversation-{name}-tcp.png" for name in ("throughput", "cpu", "latency")}
        self.assertEqual(wanted | {f"load-fixed-rate-{name}-tcp.png" for name in ("cpu", "latency")}, found)
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("Under load", page)
        self.assertIn("A cross marks a rate that was not kept", page)
        self.assertIn("Rates that were not kept (", page)
        self.assertIn("planets 9", page)


if __name__ == "__main__":
    unittest.main()
