# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Smoke test of run_cpp.py: a short run of what is built, and bad input."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

SUITE = Path(__file__).parents[1]
BIN = Path(os.environ.get("ZLINK_BIN_DIR", SUITE.parent / "build" / "bin"))


def run(*arguments):
    return subprocess.run([sys.executable, SUITE / "run_cpp.py", "--build-dir", BIN, *arguments],
                          capture_output=True, text=True, timeout=120, check=False)


class RunCpp(unittest.TestCase):
    @unittest.skipUnless((BIN / "comp_cpp_zlink").exists(), "there is no Boost.Asio")
    def test_a_row_has_both_medians_and_a_ratio(self):
        done = run("--pairs", "1", "--seconds", "0.05", "--only", ", hosted")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split("|") for line in done.stdout.splitlines()[2:]]
        self.assertEqual(len(rows), 7)
        for row in rows:
            self.assertGreater(float(row[6]), 0, row)

    def test_what_is_not_built_is_named(self):
        done = run("--build-dir", "/nonexistent", "--pairs", "1", "--seconds", "0.05")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("comp_cpp_zlink is missing", done.stdout)

    def test_bad_input(self):
        self.assertEqual(run("--pairs", "0").returncode, 2)
        self.assertEqual(run("--size", "7").returncode, 2)


if __name__ == "__main__":
    unittest.main()
