#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Checks the names of GoogleTest's tests: all are snake_case, and the name of a suite ends in `_test`.

What is checked: suites, tests, and the names that INSTANTIATE_TEST_SUITE_P puts in front of suites. Prints a line per
name that breaks the rule; exit status 1 if there is one.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# TYPED_TEST_SUITE and the like name a suite that a TYPED_TEST names again.
MACRO = re.compile(r"\b(?P<macro>TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|INSTANTIATE_TEST_SUITE_P|INSTANTIATE_TYPED_TEST_SUITE_P)"
                   r"\(\s*(?P<first>\w*)\s*,\s*(?P<second>\w+)")
SNAKE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
SUITE = re.compile(r"([a-z0-9]+_)+test")


def mistakes(macro, first, second):
    """What is wrong with the two names that one macro gives."""
    prefix = macro.startswith("INSTANTIATE")
    suite, name = (second, first) if prefix else (first, second)
    if not SUITE.fullmatch(suite):
        yield f"the suite {suite} is not snake_case with _test at its end"
    # A suite of parameters may have no name in front, if it is instantiated once.
    if not SNAKE.fullmatch(name) and not (prefix and name == ""):
        yield f"{name} is not snake_case"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    arguments = parser.parse_args()

    found = wrong = 0
    for path in sorted((arguments.root / "tests").rglob("*")):
        if path.suffix not in {".cpp", ".hpp"}:
            continue
        text = path.read_text()
        for use in MACRO.finditer(text):
            found += 1
            for mistake in mistakes(*use.group("macro", "first", "second")):
                wrong += 1
                line = text.count("\n", 0, use.start()) + 1
                print(f"{path.relative_to(arguments.root)}:{line}: {mistake}")
    if not found:
        print("no test found")
    print(f"{found} names of tests, {wrong} mistakes")
    return 0 if found and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
