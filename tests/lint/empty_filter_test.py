# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A test program whose filter matches nothing fails: ctest would call that a success for ever."""
import os
import subprocess
import unittest
from pathlib import Path


def run(test_filter, *arguments, **environment):
    program = Path(os.environ["ZLINK_TEST_BIN_DIR"]) / "conformance"
    return subprocess.run([program, f"--gtest_filter={test_filter}", *arguments], capture_output=True, text=True,
                          timeout=60,
                          env={**os.environ, **environment})


class EmptyFilterTest(unittest.TestCase):
    def test_a_filter_that_matches_nothing_fails(self):
        ended = run("no_such_suite.*")
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertIn("no test matches 'no_such_suite.*'", ended.stderr)

    def test_each_part_of_a_filter_has_to_match(self):
        ended = run("endpoint_test.*:no_such_suite.*:-*")
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertIn("no test matches 'no_such_suite.*'", ended.stderr)

    def test_tests_are_not_listed_by_a_filter_that_matches_nothing(self):
        ended = run("no_such_suite.*", "--gtest_list_tests")
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertIn("no test matches 'no_such_suite.*'", ended.stderr)

    def test_a_filter_that_takes_everything_away_fails(self):
        ended = run("endpoint_test.*:-*")
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertIn("no test ran", ended.stderr)

    def test_a_share_without_tests_fails(self):
        ended = run("endpoint_test.*", GTEST_TOTAL_SHARDS="10000", GTEST_SHARD_INDEX="9999")
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertIn("no test ran", ended.stderr)

    def test_a_filter_that_matches_is_run(self):
        ended = run("endpoint_test.*")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertNotIn("no test", ended.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
