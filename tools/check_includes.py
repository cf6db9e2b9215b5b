#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Checks that each folder of src/ includes only what its line in CMakeLists.txt allows.

The table is read from the zlink_folder(...) lines there. The pure folders must not know the time, errno, threads'
sleeping or the network either: they are given what they need. Prints a line per violation; exit status 1 if there is
one.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PURE = {"load", "message", "pipe", "zmtp", "zws", "socks", "wire", "pattern"}

# Folder -> the only files of it that may see the public headers: those of the numbers of options.
PUBLIC_ONLY_IN = {"transport": re.compile(r"transport/\w+/\w+_options\.cpp")}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
FOLDER = re.compile(r"^zlink_folder\(([^)]*)\)", re.MULTILINE)
PUBLIC_HEADER = re.compile(r"^(zmq\.h|zlink\.h|zmq_utils\.h|zlink/.*)$")
# To the pure folders sys/uio.h is not a system call: iovec is a pair of plain values.
NOT_IN_PURE_HEADERS = re.compile(r"^(cerrno|errno\.h|ctime|time\.h|sys/(?!uio\.h).*|unistd\.h|poll\.h|arpa/.*|netinet/.*|fcntl\.h)$")
NOT_IN_PURE_CODE = [
    (re.compile(r"\berrno\b"), "errno"),
    (re.compile(r"\b(steady|system|high_resolution)_clock::now\b"), "a clock"),
    (re.compile(r"\bclock_gettime\b"), "a clock"),
    (re.compile(r"\bsleep_(for|until)\b"), "sleeping"),
]


def read_table():
    """Folder name -> set of names it may include (from CMakeLists.txt)."""
    table = {}
    for line in FOLDER.findall((ROOT / "CMakeLists.txt").read_text()):
        name, *allowed = line.split()
        table[name] = set(allowed) | {"base", name}
    return table


def without_comments(text):
    """The text with comments and string literals blanked, line breaks kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def may_see_public_headers(name, folder, allowed):
    """Whether the file with this path below src/ may."""
    return "public" in allowed and (folder not in PUBLIC_ONLY_IN or PUBLIC_ONLY_IN[folder].fullmatch(name))


def check_include(name, allowed, folders, quoted, header):
    """The reason why this include is not allowed, or None."""
    folder = name.split("/")[0]
    if header.startswith(("boost/", "asio/", "asio.hpp")):
        if not header.startswith(("boost/asio/", "boost/system/", "asio/")):
            return "only Asio is used of Boost, and only the headers that are needed"
        if name != "runtime/asio.hpp":
            return "only runtime/asio.hpp knows which Asio there is"
        return None if "asio" in allowed else f"{folder} may not see Asio"
    if header == "runtime/asio.hpp" and not name.endswith(".cpp"):
        return "Asio is for .cpp files"
    if PUBLIC_HEADER.match(header):
        return None if may_see_public_headers(name, folder, allowed) else f"{name} may not see the public headers"
    first = header.split("/")[0]
    if first in folders and "/" in header:
        return None if first in allowed else f"{folder} may not include {first}"
    if quoted:
        return "quoted includes start at src/ with the folder's name"
    if folder in PURE and NOT_IN_PURE_HEADERS.match(header):
        return f"{folder} is pure: no clock, errno or system calls"
    return None


def check_file(path, table):
    name = path.relative_to(ROOT / "src").as_posix()
    folder = name.split("/")[0]
    if folder not in table:
        yield 1, f"src/{folder} has no zlink_folder line in CMakeLists.txt"
        return
    text = path.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            reason = check_include(name, table[folder], table.keys(), found[1] == '"', found[2])
            if reason:
                yield number, f"{found[2]}: {reason}"
    if folder in PURE:
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            for pattern, what in NOT_IN_PURE_CODE:
                if pattern.search(line):
                    yield number, f"{folder} is pure: uses {what}"


def main():
    table = read_table()
    files = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in {".hpp", ".cpp", ".h"})
    violations = [(path, number, reason) for path in files for number, reason in check_file(path, table)]
    for path, number, reason in violations:
        print(f"{path.relative_to(ROOT)}:{number}: {reason}")
    print(f"{len(files)} files checked, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
