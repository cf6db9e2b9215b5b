#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Writes the manual: man pages of the C API, of the transports and of the tool, from docs/man/ and the headers.

    man_pages.py DIRECTORY                 writes DIRECTORY/man1, man3 and man7
    man_pages.py --completions DIRECTORY   writes zlink.bash and _zlink, for bash and zsh
    man_pages.py --commands ZLINK          writes docs/man/commands.json anew, from the help of the tool
    man_pages.py --list                    paths of the pages below DIRECTORY, one a line
    man_pages.py --check                   functions without a page, and mistakes in pages: exit status 1
    man_pages.py --new FUNCTION            begins docs/man/FUNCTION.3.md with what the header says

The form of the sources is described in tools/manual/pages.py.
"""
import argparse
import os
import sys
import time
from pathlib import Path

from manual import check, commands
from manual.pages import manual, page_error, render

ROOT = Path(__file__).resolve().parent.parent
DATE = "2026-11-28"  # of the texts; SOURCE_DATE_EPOCH is another one


def paths(book):
    return [f"man{each.section}/{name}.{each.section}" for each in book.pages for name in each.names]


def write(book, directory):
    date = DATE
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        date = time.strftime("%Y-%m-%d", time.gmtime(int(epoch)))
    for each in book.pages:
        folder = directory / f"man{each.section}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{each.name}.{each.section}").write_text(render(book, each, date))
        for name in each.names[1:]:
            (folder / f"{name}.{each.section}").write_text(f".so man{each.section}/{each.name}.{each.section}\n")
    wanted = set(paths(book))
    for path in directory.glob("man[137]/*.[137]"):
        if str(path.relative_to(directory)) not in wanted:
            path.unlink()  # of an earlier version


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?", type=Path, help="where the pages go")
    parser.add_argument("--completions", type=Path, metavar="DIRECTORY")
    parser.add_argument("--commands", type=Path, metavar="ZLINK")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--new", metavar="FUNCTION")
    arguments = parser.parse_args()
    if arguments.commands:
        found = commands.as_json(commands.collect(arguments.commands.resolve()))
        (ROOT / "docs" / "man" / "commands.json").write_text(found)
        return 0
    book = manual(ROOT)
    if arguments.completions:
        arguments.completions.mkdir(parents=True, exist_ok=True)
        (arguments.completions / "zlink.bash").write_text(commands.bash_completion(book.commands))
        (arguments.completions / "_zlink").write_text(commands.zsh_completion(book.commands))
    elif arguments.list:
        print("\n".join(paths(book)))
    elif arguments.new:
        print(check.begin_page(book, arguments.new))
    elif arguments.check:
        problems = check.problems(book)
        if problems:
            print("\n".join(problems))
        return 1 if problems else 0
    elif arguments.directory:
        write(book, arguments.directory)
    else:
        parser.error("DIRECTORY or an option is needed")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except page_error as wrong:
        sys.exit(f"man_pages.py: {wrong}")
