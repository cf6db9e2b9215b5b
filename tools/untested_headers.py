#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Counts the headers of src/ that no file of tests/ includes; --list names them.

What another header includes does not count: a test of a class names its header.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true", help="name them, with their numbers of lines")
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    arguments = parser.parse_args()

    src = arguments.root / "src"
    headers = {path.relative_to(src).as_posix(): path for path in sorted(src.rglob("*.hpp"))}
    included = {header for path in (arguments.root / "tests").rglob("*") if path.suffix in {".hpp", ".cpp", ".h", ".c"}
                for header in INCLUDE.findall(path.read_text())}
    untested = [name for name in headers if name not in included]
    if arguments.list:
        for name in untested:
            print(f"{len(headers[name].read_text().splitlines()):4} {name}")
    print(f"{len(untested)} of {len(headers)} headers of src/ are included by no test")
    return 0


if __name__ == "__main__":
    sys.exit(main())
