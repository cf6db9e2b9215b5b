#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Counts the headers of src/ that no file of tests/ includes.

What another header includes does not count: a test of a class names its header.

For --check, tools/untested_headers.baseline names the headers that had no test when the rule began. A header that is not
named there needs a test that includes it. When a header has got one, the tool asks for its line to be removed (--lower
does it).
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
BASELINE = "tools/untested_headers.baseline"
BASELINE_HEAD = """\
# Headers of src/ that no test includes. No line is added. `tools/untested_headers.py --lower` removes lines.
"""


def find(root):
    """All headers, and the names of those that no test includes."""
    src = root / "src"
    headers = {path.relative_to(src).as_posix(): path for path in sorted(src.rglob("*.hpp"))}
    included = {header for path in (root / "tests").rglob("*") if path.suffix in {".hpp", ".cpp", ".h", ".c"}
                for header in INCLUDE.findall(path.read_text())}
    return headers, [name for name in headers if name not in included]


def read_baseline(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if line.strip() and not line.startswith("#")]


def main():
    about, details = __doc__.split("\n\n", 1)
    parser = argparse.ArgumentParser(description=about, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name them, with their numbers of lines")
    parser.add_argument("--check", action="store_true", help="compare with the baseline; status 1 if they differ")
    parser.add_argument("--lower", action="store_true",
                        help="remove the lines of headers that a test includes, or that are gone")
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    arguments = parser.parse_args()

    headers, untested = find(arguments.root)
    baseline_file = arguments.root / BASELINE
    baseline = read_baseline(baseline_file)
    if arguments.lower:
        baseline = [name for name in baseline if name in untested]
        baseline_file.write_text(BASELINE_HEAD + "".join(f"{name}\n" for name in baseline))

    wrong = []
    if arguments.check or arguments.lower:
        wrong = [f"{name}: no test includes it" for name in untested if name not in baseline]
        wrong += [f"{name}: remove its line from {BASELINE} (--lower does it)" for name in baseline
                  if name not in untested]
        print(*wrong, sep="\n", end="\n" if wrong else "")
    if arguments.list:
        for name in untested:
            print(f"{len(headers[name].read_text().splitlines()):4} {name}")
    print(f"{len(untested)} of {len(headers)} headers of src/ are included by no test")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
