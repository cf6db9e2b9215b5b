#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tools/check_test_names.py: which names of suites and tests it refuses."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(os.environ["ZLINK_SOURCE_DIR"]) / "tools" / "check_test_names.py"


class CheckTestNamesTest(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as root:
            path = Path(root) / "tests" / "unit" / "a_test.cpp"
            path.parent.mkdir(parents=True)
            path.write_text(text)
            done = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)
        self.assertEqual("", done.stderr)
        return done.returncode, done.stdout.splitlines()

    def refused(self, text):
        status, lines = self.check(text)
        self.assertEqual((1, 2), (status, len(lines)), lines)
        return lines[0]

    def test_statements_in_snake_case_pass(self):
        self.assertEqual((0, ["3 names of tests, 0 mistakes"]),
                         self.check("TEST(lane_test, has_room)\nTEST_P(v2_test, ends_after_8_kb)\n"
                                    "INSTANTIATE_TEST_SUITE_P(, v2_test, testing::Bool());\n"))

    def test_a_suite_ends_in_test(self):
        self.assertIn("a_test.cpp:2: the suite lane ", self.refused("\nTEST(lane, has_room)\n"))

    def test_a_suite_in_another_style_is_refused(self):
        self.assertIn("LaneTest", self.refused("TEST_F(LaneTest, has_room)\n"))

    def test_a_test_in_another_style_is_refused(self):
        for name in ("HasRoom", "has_Room", "has__room", "has_room_"):
            with self.subTest(name):
                self.assertIn(f"{name} is not", self.refused(f"TEST_P(lane_test, {name})\n"))

    def test_a_name_on_the_next_line_is_seen(self):
        self.assertIn("HasRoom", self.refused("TEST_F(lane_test,\n       HasRoom)\n"))

    def test_an_instance_in_another_style_is_refused(self):
        self.assertIn("Sizes is not", self.refused("INSTANTIATE_TEST_SUITE_P(Sizes, lane_test, all());\n"))

    def test_a_tree_without_tests_is_a_mistake(self):
        self.assertEqual(1, self.check("int a;\n")[0])


if __name__ == "__main__":
    unittest.main()
