#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Writes the table of all names of zmq.h: docs/api_table.md, and the summary of it in docs/compatibility.md.

The source of both is tests/abi/names.txt. --check writes nothing, and reports:

- names of include/zmq.h that are not listed, or listed names that it does not have;
- names of libzmq's headers that are not listed: the distribution's, and that of the libzmq with drafts in build/, if they
  are there;
- tests that do not exist, or whose file does not mention the name;
- rows of other tables in docs/compatibility.md without a test, or with one that does not exist;
- states without their note, and links that lead nowhere;
- functions of zmq.h and zlink.h without a row in the table of wrong calls, tests/conformance/bad_calls_zlink_test.cpp;
- pages that do not say what the source says.

Exit status 1 if there is anything to report.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = "tests/abi/names.txt"
PAGE = "docs/api_table.md"
SUMMARY = "docs/compatibility.md"
WRONG_CALLS = "tests/conformance/bad_calls_zlink_test.cpp"
BEGIN = "<!-- tools/api_table.py writes this part -->"
END = "<!-- end of that part -->"

STATES = {"works": "works", "without": "not built", "differs": "differs"}
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
# A function's type; another's name for a type; a structure, whose members were read before.
TYPE = re.compile(r"typedef\b[^;{]*?\(\s*(zmq_\w+)\)\s*\(|typedef\b[^;{()]*\b(zmq_\w+);|}\s*(zmq_\w+);")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# What a header defines for itself, or asks the system about: nothing that a program would use.
PRIVATE = re.compile(r"__ZMQ|ZMQ_EXPORT$|ZMQ_NOEXCEPT$|ZMQ_BUILD_DRAFT_API$|ZMQ_HAVE_(?!TIMERS$|POLLER$)|ZMQ_[A-Z]+_FALLBACK$")
# Functions of the version after 4.3.5, which zlink has already.
LATER = {"zmq_disconnect_peer"}


class entry:
    def __init__(self, name, state, tests, note, section, draft):
        self.name, self.state, self.tests, self.note, self.section, self.draft = name, state, tests, note, section, draft

    @property
    def identifier(self):
        return re.fullmatch(r"\w+", self.name) is not None

    @property
    def function(self):
        return re.fullmatch(r"zmq_\w+", self.name) is not None and not re.search(r"_(t|fn)$", self.name)


def read_source(root=ROOT):
    """The entries of names.txt, in its order. A line that is none is an error."""
    entries, section, draft = [], "", False
    for number, line in enumerate((root / SOURCE).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if heading := re.fullmatch(r"\[(draft: )?([^\]]+)\]", line):
            draft, section = heading[1] is not None, heading[2]
            continue
        fields, _, note = line.partition(" | ")
        words = fields.split()
        if len(words) < 3 or words[1] not in STATES or not section:
            raise SystemExit(f"{SOURCE}:{number}: not a line as the head of the file describes: {line}")
        entries.append(entry(words[0], words[1], words[2:], note.strip(), section, draft))
    return entries


def functions(draft, root=ROOT):
    """Names of the functions of the stable API, or of those of the drafts."""
    return {each.name for each in read_source(root) if each.function and each.draft == draft}


def names_of_header(text):
    """All names that a zmq.h has for programs: stable ones, and those under ZMQ_BUILD_DRAFT_API."""
    text = COMMENT.sub("", text)
    stable, drafts, depth = set(), set(), []
    declaration = ""
    for line in text.splitlines():
        directive = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if directive and directive[1] in {"if", "ifdef", "ifndef"}:
            depth.append("ZMQ_BUILD_DRAFT_API" in directive[2])
        elif directive and directive[1] == "endif":
            depth.pop()
        found = drafts if any(depth) else stable
        if directive:
            if directive[1] == "define" and (name := re.match(r"((?:ZMQ|E)\w+)", directive[2])):
                found.add(name[1])
            continue
        declaration += " " + line
        if line.rstrip().endswith((";", "{")) or not line.strip():
            if function := re.match(r"\s*ZMQ_EXPORT\b[^(]*?\b(zmq_\w+)\s*\(", declaration):
                found.add(function[1])
            found.update(name for names in TYPE.findall(declaration) for name in names if name)
            declaration = ""
    clean = [{name for name in names if not PRIVATE.match(name)} for names in (stable, drafts)]
    return clean[0], clean[1] - clean[0]


def read_tests(root):
    """What a test may be called in names.txt, to the files that it may be in."""
    found = {}
    tests = root / "tests"
    for path in sorted(tests.rglob("*")):
        if path.suffix not in {".cpp", ".py", ".sh"} or not path.stem.endswith("_test"):
            continue
        found.setdefault(path.relative_to(tests).as_posix(), []).append(path)
        if path.suffix == ".cpp":
            for use in TEST.finditer(path.read_text()):
                found.setdefault(f"{use[1]}.{use[2]}", []).append(path)
    return found


def spellings(name):
    """A test of the library's inside may know a name by another spelling."""
    bare = name.removesuffix("://")
    answer = re.fullmatch(r'zmq_has\(("\w+")\)', name)
    yield answer[1] if answer else bare
    if name.endswith("://"):
        yield f'"{bare}"'
    if name.startswith("ZMQ_"):
        short = name.removeprefix("ZMQ_").removeprefix("PROTOCOL_ERROR_").lower()
        yield short


def mentions(path, name):
    text = path.read_text()
    inside = "unit" in path.parts
    own, *others = spellings(name)
    return any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text)
               for each in [own, *(others if inside or "://" in name else [])])


def file_of(test, name, tests):
    """The file that is shown for a test; None: there is none that mentions the name."""
    return next((path for path in tests.get(test, []) if mentions(path, name)), None)


def cell(text):
    return text.replace("|", "\\|")


def row(each, tests, root):
    shown = []
    for test in each.tests:
        path = file_of(test, each.name, tests)
        where = f"../{path.relative_to(root).as_posix()}" if path else "#"
        shown.append(f"[{test}]({where})")
    state = STATES[each.state] + (f": {each.note}" if each.note else "")
    return f"| `{cell(each.name)}` | {cell(state)} | {'<br>'.join(shown)} |"


def sections(entries):
    """Pairs of (title, entries) in the order of the source."""
    groups = {}
    for each in entries:
        groups.setdefault((each.draft, each.section), []).append(each)
    for (draft, title), members in groups.items():
        yield ("Draft: " + title[0].lower() + title[1:] if draft else title), members


def page(entries, tests, root):
    lines = [
        "# Every name of zmq.h",
        "",
        f"`tools/api_table.py` writes this page from `{SOURCE}`. Its check compares the names with the headers of libzmq",
        "4.3.5 and of the distribution's libzmq. The differences in behaviour are in [compatibility.md](compatibility.md).",
        "",
        "- **works**: as in libzmq.",
        "- **not built**: as in a libzmq that is built without the part that the name belongs to.",
        "- **differs**: as the note says.",
    ]
    for title, members in sections(entries):
        lines += ["", f"## {title}", "", "| name | state | test |", "|---|---|---|"]
        lines += [row(each, tests, root) for each in members]
    return "\n".join(lines) + "\n"


def summary(entries):
    """The part of compatibility.md: how many names there are, and those that differ."""
    works, differ, without = (sum(each.state == state for each in entries) for state in ("works", "differs", "without"))
    lines = [BEGIN, "",
             f"Of {len(entries)} names, {works} work as in libzmq, {differ} differ, and {without} belong to parts that are not built."]
    lines += ["", "| name that differs | difference |", "|---|---|"]
    here = SUMMARY.rpartition("/")[2]
    lines += [f"| `{cell(each.name)}` | {cell(each.note.replace(f'({here}#', '(#'))} |" for each in entries
              if each.state == "differs"]
    lines += ["", END]
    return "\n".join(lines)


def with_summary(text, entries):
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"{SUMMARY}: the lines '{BEGIN}' and '{END}' are missing")
    return before + summary(entries) + after


def anchors(path):
    """Those of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}


def check_entries(entries, tests, root):
    seen = set()
    for each in entries:
        if each.name in seen:
            yield f"{each.name} is listed twice"
        seen.add(each.name)
        if each.state == "differs" and not each.note:
            yield f"{each.name} differs: the note that says how is missing"
        for target, anchor in re.findall(r"\]\(([^)#]+)(?:#([^)]*))?\)", each.note):
            path = root / "docs" / target
            if not path.exists() or (anchor and anchor not in anchors(path)):
                yield f"{each.name}: the link to {target}#{anchor} leads nowhere"
        for test in each.tests:
            if test not in tests:
                yield f"{each.name}: there is no test {test}"
            elif file_of(test, each.name, tests) is None:
                yield f"{each.name}: the file of {test} does not mention it"


def check_headers(entries, root, headers):
    listed = {draft: {each.name for each in entries if each.identifier and each.draft == draft}
              for draft in (False, True)}
    stable, drafts = names_of_header((root / "include/zmq.h").read_text())
    # The system's <errno.h> has these; libzmq's header defines them where it does not.
    system = {name for name in listed[False] if re.match(r"E[A-Z]+$", name)} - stable
    for what, ours, ought in (("stable", stable, listed[False] - system), ("draft", drafts, listed[True])):
        yield from (f"{name}, {what} in include/zmq.h, is not listed as such" for name in sorted(ours - ought))
        yield from (f"{name}, listed as {what}, is not so in include/zmq.h" for name in sorted(ought - ours))
    everything = listed[False] | listed[True]
    for header in headers:
        theirs = set().union(*names_of_header(header.read_text()))
        if not theirs:
            yield f"{header}: no name found"
        yield from (f"{name} of {header} is not listed" for name in sorted(theirs - everything))
        # All that the list has is libzmq's: the header of 4.3.5 shows it.
        if re.search(r"define ZMQ_VERSION_PATCH 5\b", header.read_text()):
            yield from (f"{name} is listed, but {header} does not have it"
                        for name in sorted(everything - theirs - LATER))


def check_wrong_calls(root):
    text = (root / WRONG_CALLS).read_text()
    rows = set(re.findall(r'"(z(?:mq|link)_\w+)', text))
    for header in ("zmq.h", "zlink.h"):
        declared = COMMENT.sub("", (root / "include" / header).read_text())
        for name, arguments in re.findall(r"_EXPORT\b[^(;]*?\b(z(?:mq|link)_\w+)\(([^;]*)\);", declared):
            if arguments.strip() != "void" and name not in rows:
                yield f"{name} has no row in {WRONG_CALLS}"


def check_rows(text, tests):
    """Rows of tables that people write: the last cell names the tests of the row."""
    written = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), "", text, flags=re.DOTALL)
    for table in re.findall(r"(?:^\|.*\n?)+", written, re.MULTILINE):
        header, _, *rows = table.splitlines()
        if not header.endswith("| test |"):
            yield f"{SUMMARY}: a table without a column of tests: {header}"
            continue
        for row_text in rows:
            named = row_text.rsplit("|", 2)[-2].strip()
            subject = row_text.split("|")[1].strip()
            if not re.fullmatch(r"`[^`]+`(<br>`[^`]+`)*", named):
                yield f"{SUMMARY}: no test for: {subject}"
            yield from (f"{SUMMARY}: there is no test {test}" for test in re.findall(r"`([^`]+)`", named)
                        if test not in tests)


def foreign_headers(root):
    candidates = [Path("/usr/include/zmq.h"), *sorted(root.glob("build*/libzmq-draft/include/zmq.h"))]
    return [path for path in candidates if path.exists()]


def main():
    about, details = __doc__.split("\n\n", 1)
    parser = argparse.ArgumentParser(description=about, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if anything is wrong or stale")
    parser.add_argument("--header", action="append", type=Path, metavar="FILE",
                        help="compare with this zmq.h of libzmq, instead of those that are there")
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    arguments = parser.parse_args()
    root = arguments.root

    entries, tests = read_source(root), read_tests(root)
    headers = arguments.header or foreign_headers(root)
    problems = [*check_entries(entries, tests, root), *check_headers(entries, root, headers), *check_wrong_calls(root),
                *check_rows((root / SUMMARY).read_text(), tests)]
    pages = {PAGE: page(entries, tests, root), SUMMARY: with_summary((root / SUMMARY).read_text(), entries)}
    for name, text in pages.items():
        path = root / name
        if path.exists() and path.read_text() == text:
            continue
        if arguments.check:
            problems.append(f"{name} is not what {SOURCE} says: tools/api_table.py writes it")
        else:
            path.write_text(text)
            print(f"wrote {name}")
    for problem in problems:
        print(problem)
    counts = ", ".join(f"{sum(each.state == state for each in entries)} {word}" for state, word in STATES.items())
    print(f"{len(entries)} names ({counts}), compared with {len(headers)} headers of libzmq: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
