#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tools/untested_headers.py: which headers count as included by a test, and that their number only gets lower."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(os.environ["ZLINK_SOURCE_DIR"]) / "tools" / "untested_headers.py"
COUNT = "2 of 4 headers of src/ are included by no test"


class UntestedHeadersTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        files = {"src/a/used.hpp": "#include \"a/behind.hpp\"\n", "src/a/behind.hpp": "", "src/a/helped.hpp": "",
                 "src/a/unused.hpp": "\n\n", "src/a/a.cpp": "#include \"a/unused.hpp\"\n",
                 "tests/unit/a_test.cpp": "#include \"a/used.hpp\"\n// #include \"a/unused.hpp\"\n",
                 "tests/support/helper.hpp": "#include \"a/helped.hpp\"\n"}
        for name, text in files.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def baseline(self, *names):
        self.write("tools/untested_headers.baseline", "# head\n" + "".join(f"{name}\n" for name in names))

    def run_tool(self, option):
        done = subprocess.run([sys.executable, TOOL, option, self.root], capture_output=True, text=True, check=False)
        self.assertEqual("", done.stderr)
        return done.returncode, done.stdout.splitlines()

    def test_headers_that_no_test_includes_itself_are_listed(self):
        self.assertEqual((0, ["   0 a/behind.hpp", "   2 a/unused.hpp", COUNT]), self.run_tool("--list"))

    def test_headers_of_the_baseline_pass(self):
        self.baseline("a/behind.hpp", "a/unused.hpp")
        self.assertEqual((0, [COUNT]), self.run_tool("--check"))

    def test_another_header_needs_a_test(self):
        self.baseline("a/unused.hpp")
        self.assertEqual((1, ["a/behind.hpp: no test includes it", COUNT]), self.run_tool("--check"))

    def test_lines_that_are_not_needed_any_more_have_to_go(self):
        self.baseline("a/behind.hpp", "a/unused.hpp", "a/used.hpp", "a/gone.hpp")
        status, lines = self.run_tool("--check")
        self.assertEqual(1, status)
        self.assertEqual(["a/used.hpp", "a/gone.hpp"], [line.split(":")[0] for line in lines[:-1]])
        self.assertEqual((0, [COUNT]), self.run_tool("--lower"))
        self.assertEqual((0, [COUNT]), self.run_tool("--check"))

    def test_lowering_adds_no_line(self):
        self.baseline("a/unused.hpp", "a/used.hpp")
        self.assertEqual((1, ["a/behind.hpp: no test includes it", COUNT]), self.run_tool("--lower"))
        self.assertEqual((1, ["a/behind.hpp: no test includes it", COUNT]), self.run_tool("--check"))


if __name__ == "__main__":
    unittest.main()
