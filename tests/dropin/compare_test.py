# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What counts as a difference between libzmq and zlink, and how apt's sources are read."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import compare
import fetch
from compare import Known, Outcome

PASSED, FAILED = Outcome("passed"), Outcome("failed", "why")
LISTED = Known("s", "sec*", True, "not there yet")


def both(libzmq, zlink):
    return {"libzmq": libzmq, "zlink": zlink}


class JudgeTest(unittest.TestCase):
    def judge(self, outcomes, repeated=(), table=()):
        """repeated: what each repetition finds."""
        repeated = list(repeated)
        verdict = compare.judge("s", list(table), outcomes, lambda tests: repeated.pop(0), len(repeated))
        self.assertEqual(repeated, [])
        return verdict

    def test_same_outcomes_are_no_difference(self):
        self.assertEqual(compare.differences(both({"a": PASSED, "b": FAILED},
                                                  {"a": PASSED, "b": Outcome("failed", "other")})), {})

    def unsteady(self, control, ours, runs=11):
        """The verdict on a test that fails in the first runs on zlink, so many, and in the last ones on libzmq."""
        failed_on = [both({"a": FAILED if i >= runs - control else PASSED}, {"a": FAILED if i < ours else PASSED})
                     for i in range(runs)]
        left = iter(failed_on[1:])
        return compare.judge("s", [], failed_on[0], lambda tests: next(left), runs - 1)

    def test_a_difference_that_is_always_there_counts_and_is_soon_settled(self):
        different = both({"a": PASSED}, {"a": FAILED})
        runs = []
        verdict = compare.judge("s", [], different, lambda tests: runs.append(tests) or different, 10)
        self.assertEqual((verdict.unlisted, len(runs)), ({"a": (PASSED, FAILED)}, 4))

    def test_a_difference_that_goes_away_counts_where_the_control_is_steady(self):
        for ours in (1, 2, 10):
            verdict = self.unsteady(control=0, ours=ours)
            self.assertEqual((verdict.unlisted, verdict.unsteady), ({"a": (PASSED, FAILED)}, {}))
        self.assertEqual(str(self.unsteady(control=0, ours=1).rates["a"]),
                         "in 1 of 11 runs on zlink, 0 of 11 on libzmq")

    def test_a_difference_does_not_count_where_the_control_is_as_unsteady(self):
        for control, ours in ((1, 1), (1, 4), (3, 3), (5, 2)):
            verdict = self.unsteady(control, ours)
            self.assertEqual((verdict.unlisted, verdict.unsteady), ({}, {"a": (PASSED, FAILED)}), (control, ours))

    def test_a_difference_counts_where_the_control_is_unsteady_far_less_often(self):
        for control, ours in ((1, 6), (1, 11), (4, 11)):
            verdict = self.unsteady(control, ours)
            self.assertEqual((verdict.unlisted, verdict.unsteady), ({"a": (PASSED, FAILED)}, {}), (control, ours))

    def test_a_test_that_vanishes_in_a_repetition_counts_as_odd(self):
        gone = both({"a": PASSED}, {})
        verdict = compare.judge("s", [], both({"a": PASSED}, {"a": FAILED}), lambda tests: gone, 3)
        self.assertEqual(str(verdict.rates["a"]), "in 4 of 4 runs on zlink, 0 of 4 on libzmq")

    def test_what_fails_on_libzmq_alone_is_told_and_not_repeated(self):
        verdict = self.judge(both({"a": FAILED}, {"a": PASSED}))
        self.assertEqual((verdict.better, verdict.unlisted), ({"a": (FAILED, PASSED)}, {}))

    def test_a_listed_difference_is_not_repeated(self):
        verdict = self.judge(both({"sec1": PASSED}, {"sec1": FAILED}), table=[LISTED])
        self.assertEqual((list(verdict.listed), verdict.unlisted, verdict.stale), (["sec1"], {}, []))

    def test_a_line_that_is_not_needed_is_told(self):
        same = both({"sec1": PASSED}, {"sec1": PASSED})
        self.assertEqual(self.judge(same, [same, same], [LISTED]).stale, [LISTED])
        different = both({"sec1": PASSED}, {"sec1": FAILED})
        self.assertEqual(compare.judge("s", [LISTED], same, lambda tests: different, 3).stale, [])

    def test_a_line_of_another_suite_is_left_alone(self):
        self.assertEqual(self.judge(both({"a": PASSED}, {"a": PASSED}), table=[Known("t", "*", True, "x")]).stale, [])

    def test_a_test_that_one_library_does_not_have_is_different(self):
        different = both({"a": PASSED, "b": PASSED}, {"a": PASSED})
        self.assertEqual(self.judge(different, [different]).unlisted, {"b": (PASSED, compare.ABSENT)})

    def test_a_star_stands_for_anything_and_brackets_for_themselves(self):
        known = Known("s", "f.py::*::t[1]", True, "x")
        self.assertTrue(known.covers("s", "f.py::Class::t[1]"))
        self.assertFalse(known.covers("s", "f.py::Class::t1"))
        self.assertFalse(known.covers("other", "f.py::Class::t[1]"))


class TableTest(unittest.TestCase):
    def read(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            return compare.read_table(file.name)

    def test_lines_are_read(self):
        self.assertEqual(self.read("# words\n\ns | sec* | always | not there yet\ns | b | at times | late | very\n"),
                         [LISTED, Known("s", "b", False, "late | very")])

    def test_a_line_without_reason_is_refused_with_its_number(self):
        for line in ("s | a | always", "s | a | always | ", "s | a | never | reason"):
            with self.assertRaisesRegex(ValueError, ":2: not 'suite"):
                self.read(f"# words\n{line}\n")

    def test_the_table_of_the_repository_is_well_formed(self):
        self.assertTrue(compare.read_table(Path(__file__).resolve().parent / "differences.txt"))


class SourcesTest(unittest.TestCase):
    def test_packages_become_source_packages(self):
        self.assertEqual(fetch.as_sources("# words\ndeb [arch=amd64] uri suite main\ndeb-src uri suite main\n", False),
                         "deb-src [arch=amd64] uri suite main")
        text = "Types: deb deb-src\nURIs: uri\nSigned-By: key\n\nTypes: deb-src\nURIs: b\n\nTypes: deb\nURIs: c\nEnabled: no\n"
        self.assertEqual(fetch.as_sources(text, True), "Types: deb-src\nURIs: uri\nSigned-By: key")

    def test_no_archive_is_an_error_with_its_cure(self):
        with tempfile.TemporaryDirectory() as folder:
            places = fetch_places(folder)
            with self.assertRaisesRegex(Exception, "apt knows no archive to fetch czmq from.*\n.*cure:"):
                fetch.from_distribution(places, "czmq", Path(folder))


def fetch_places(folder):
    from steps import Places

    return Places(Path(folder), Path(folder), Path(folder) / "dropin", 1, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
