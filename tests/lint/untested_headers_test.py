#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tools/untested_headers.py: which headers count as included by a test."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(os.environ["ZLINK_SOURCE_DIR"]) / "tools" / "untested_headers.py"


class UntestedHeadersTest(unittest.TestCase):
    def test_headers_that_no_test_includes_itself_are_listed(self):
        files = {"src/a/used.hpp": "#include \"a/behind.hpp\"\n", "src/a/behind.hpp": "", "src/a/helped.hpp": "",
                 "src/a/unused.hpp": "\n\n", "src/a/a.cpp": "#include \"a/unused.hpp\"\n",
                 "tests/unit/a_test.cpp": "#include \"a/used.hpp\"\n// #include \"a/unused.hpp\"\n",
                 "tests/support/helper.hpp": "#include \"a/helped.hpp\"\n"}
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, TOOL, "--list", root], capture_output=True, text=True, check=True)
        self.assertEqual(["   0 a/behind.hpp", "   2 a/unused.hpp", "2 of 4 headers of src/ are included by no test"],
                         done.stdout.splitlines())


if __name__ == "__main__":
    unittest.main()
