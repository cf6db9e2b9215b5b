#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Checks that each source file begins with the licence's notice: an SPDX line and the copyright.

`check_notices.py --add` writes it where it is missing. Without arguments: prints a line per file without it; exit
status 1 if there is one.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES = ("SPDX-License-Identifier: MPL-2.0", "SPDX-FileCopyrightText: 2026 the zlink authors")
FOLDERS = (".ci", ".clusterfuzzlite", "bench", "benchwithzmq", "cmake", "examples", "fuzz", "include", "packaging", "src",
           "tests", "tools")

# What a line of comment begins and ends with, by the end of a file's name. C and its headers are read by C90 compilers,
# too.
COMMENTS = {
    ".cpp": ("// ", ""), ".hpp": ("// ", ""), ".js": ("// ", ""),
    ".c": ("/* ", " */"), ".h": ("/* ", " */"), ".map": ("/* ", " */"),
    ".py": ("# ", ""), ".sh": ("# ", ""), ".cmake": ("# ", ""), ".cmake.in": ("# ", ""), "CMakeLists.txt": ("# ", ""),
    "run": ("# ", ""),
    ".html": ("<!-- ", " -->"),
}


def comment_of(path):
    """What a comment of this file begins and ends with, or None if it needs no notice."""
    return next((marks for end, marks in COMMENTS.items() if path.name.endswith(end)), None)


def sources(root):
    """The files that need a notice: of the project's own folders, and not what seeds the fuzz targets."""
    yield from (path for path in (root / "CMakeLists.txt", root / "build.sh") if path.exists())
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root).parts
            if path.is_file() and "corpus" not in inside and "__pycache__" not in inside and comment_of(path):
                yield path


def first_line(text):
    """Where the notice stands: behind `#!` and `<!doctype>`."""
    found = re.match(r"(#!|<!doctype)[^\n]*\n", text, re.IGNORECASE)
    return found.end() if found else 0


def notice_of(path):
    begin, end = comment_of(path)
    return "".join(f"{begin}{line}{end}\n" for line in LINES)


def add_notice(path):
    text = path.read_text()
    at = first_line(text)
    # A comment that follows is about the file: a blank line keeps the two apart.
    rest = text[at:]
    path.write_text(text[:at] + notice_of(path) + ("" if rest.startswith("\n") else "\n") + rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--add", action="store_true", help="write the notice where it is missing")
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    arguments = parser.parse_args()

    files = list(sources(arguments.root))
    missing = [path for path in files
               if not path.read_text()[first_line(path.read_text()):].startswith(notice_of(path))]
    for path in missing:
        if arguments.add:
            add_notice(path)
        else:
            print(f"{path.relative_to(arguments.root)}: no notice of the licence "
                  f"(tools/check_notices.py --add writes it)")
    if not files:
        print("no source file found")
    print(f"{len(files)} files, {len(missing)} without a notice{' got one' if arguments.add and missing else ''}")
    return 0 if files and (arguments.add or not missing) else 1


if __name__ == "__main__":
    sys.exit(main())
