#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Counts the data members and booleans of each class in src/, over clang's AST.

A class of more than 16 data members or 3 booleans is a sign that a second idea hides in it. Without options, a table
shows the classes above the limits, largest first.

What counts as a member:
- Each non-static data member counts one, those of an anonymous struct or union too.
- The members of a nested or base class are added to the class that alone uses it as its own. That is so if a data member or
  base of that class, or of what is added to it, names it, and none of another class does. An added nested class has no row.

What counts as a boolean, besides being a member:
- bool; bool in std::atomic, std::optional, std::array or a C array; std::atomic_flag; std::bitset; a bit-field of width 1.
- A flag integer: an integer, an enumeration or an atomic of these that the class combines with a constant of src/ by &, |,
  fetch_and or fetch_or. It counts as many booleans as different constants are combined with it. The class's own code is
  searched: its body, and the .cpp files of its folder that define its functions. Macros, as the kernel's, do not count.
- An integer whose name ends in flag, flags or bits counts at least one.

Option structs are left out: classes named ..._options, and aggregates without member functions named ...options or ...limits.
Classes inside of function bodies are not seen.

A class above the limits stays if the comment directly above it says "One idea:" and the reason; it is listed apart. For
--check, tools/class_sizes.baseline holds "class members booleans" of classes that are still to be divided. A class may not
grow beyond its line; when it shrinks, the tool asks for the line to be lowered (--lower does it).

Needs libclang's Python bindings and the headers that src/ includes: `./build.sh lint` installs both.
"""
import argparse
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / "build" / "venv"
sys.path.insert(0, str(ROOT / "tools"))
try:
    from class_tree import Record, Tree
except ImportError:  # no libclang
    if Path(sys.prefix) != VENV and (VENV / "bin" / "python").exists():
        os.execv(VENV / "bin" / "python", [str(VENV / "bin" / "python"), *sys.argv])
    sys.exit("class_sizes.py: no libclang for this Python: ./build.sh lint installs it into build/venv")

BASELINE = "tools/class_sizes.baseline"
BASELINE_HEAD = """\
# Classes above the limits of tools/class_sizes.py that are still to be divided: class, data members, booleans.
# The aim is an empty list: no line is added or raised. `tools/class_sizes.py --lower` lowers and removes lines.
"""

FLAG_NAME = re.compile(r"(?:^|_)(?:flags?|bits)_?$")
A_CONSTANT = r"[~(\s]*(?:\w+::)*\w+\b(?!\s*(?:[(.\[]|->|::))"
REASON = re.compile(r"\bOne idea:\s*(.+)", re.DOTALL)


# --- counting
# ------------------------------------------------------------------------------------------------------------

@dataclass
class Row:
    record: Record
    members: int
    booleans: int
    parts: list   # names of what is counted with it
    reason: str   # what its comment says behind "One idea:"
    counted: list  # (class, member, booleans) for each member

    def key(self):
        return self.record.name


def parts_of(record, records, users):
    """The class and those nested and base classes that it alone uses as its own."""
    parts = {record.usr}
    while True:
        near = parts | {other.usr for other in records.values() if other.around in parts}
        bases = set().union(*(records[part].bases for part in parts))
        more = {usr for usr in (near | bases) - parts
                if usr in records and not records[usr].is_options()
                and users[usr] & parts and users[usr] <= near | {usr}}
        if not more:
            return parts
        parts |= more


def flags_in(tree, record, member):
    """How many booleans an integer holds."""
    own = ["\n".join(tree.code[record.path].splitlines()[record.lines[0] - 1:record.lines[1]])]
    folder = record.path.relative_to(tree.src).parts[0]
    scope = re.compile(rf"\b{re.escape(record.name.rsplit('::', 1)[-1])}::~?\w+")
    own += [code for path, code in tree.code.items()
            if path.suffix == ".cpp" and path.relative_to(tree.src).parts[0] == folder
            and (path == record.path or scope.search(code))]
    name = rf"\b{re.escape(member.name)}\b(?:\.load\([^()]*\))?"
    operator = r"(?:\s*[&|]=?(?![&|])|\.fetch_(?:and|or)\()"
    combined = re.compile(rf"{name}{operator}({A_CONSTANT}(?:\s*\|(?!\|){A_CONSTANT})*)")
    masks = {word for code in own for match in combined.findall(code) for word in re.findall(r"\w+\b(?!::)", match)}
    return max(len(masks & tree.constants), 1 if FLAG_NAME.search(member.name) else 0)


def reason_of(tree, record):
    """What stands behind "One idea:" in the comment directly above, or ""."""
    lines = tree.texts[record.path].splitlines()[:record.lines[0] - 1]
    comment = []
    while lines and re.match(r"\s*(//|/\*|\*)", lines[-1]):
        comment.insert(0, re.sub(r"^\s*(?://+!?|/\*+|\*+(?!/))<?\s?|\s*\*/\s*$", "", lines.pop()))
    found = REASON.search("\n".join(comment))
    return " ".join(found[1].split("\n\n")[0].split()) if found else ""


def count(tree):
    """A row for each class, the largest first, without option structs and nested classes that are part of another
    one."""
    records = tree.records
    users = {usr: set() for usr in records}
    for record in records.values():
        for usr in record.named & records.keys():
            users[usr].add(record.usr)
    parts = {usr: parts_of(record, records, users) for usr, record in records.items()}
    inner = {part for usr, own in parts.items() for part in own if part != usr and records[part].around}

    rows = []
    for usr, record in records.items():
        if usr in inner or record.is_options():
            continue
        own = sorted((records[part] for part in parts[usr]), key=lambda part: part.name)
        counted = [(part, member, 1 if member.boolean else flags_in(tree, part, member) if member.integer else 0)
                   for part in own for member in part.members]
        rows.append(Row(record, len(counted), sum(booleans for _, _, booleans in counted),
                        [part.name for part in own if part.usr != usr and part.members], reason_of(tree, record),
                        counted))
    rows.sort(key=lambda row: (-row.members, -row.booleans, row.key()))
    named = {}
    for row in rows:  # two anonymous namespaces in files of one name
        if named.setdefault(row.key(), row) is not row:
            row.record.name += f"@{row.record.path.relative_to(tree.src).parent.as_posix()}"
    return rows


# --- saying
# ---------------------------------------------------------------------------------------------------------------

def print_table(tree, rows):
    width = max((len(row.key()) for row in rows), default=5)
    print(f"{'class':{width}}  members  booleans  where")
    for row in rows:
        where = f"{row.record.path.relative_to(tree.root)}:{row.record.lines[0]}"
        parts = f"  (with {', '.join(name.removeprefix(row.key() + '::') for name in row.parts)})" if row.parts else ""
        print(f"{row.key():{width}}  {row.members:7}  {row.booleans:8}  {where}{parts}")


def print_members(row):
    print(f"{row.key()}: {row.members} members, {row.booleans} booleans (with the count of each)")
    for part, member, booleans in row.counted:
        of_part = f"  (of {part.name})" if part is not row.record else ""
        print(f"  {member.name:24} {booleans or ' '}  {member.written}{of_part}")


def read_baseline(path):
    """Class -> its members and booleans."""
    lines = ([line.split() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
             if path.exists() else [])
    return {name: (int(members), int(booleans)) for name, members, booleans in lines}


def compare(over, accepted, baseline):
    """Two lists of texts: what is wrong, and what the baseline could give up."""
    wrong, lower = [], []
    for row in over:
        now = f"{row.key()}: {row.members} members, {row.booleans} booleans"
        if row.key() not in baseline:
            wrong.append(f"{now}: above the limits: divide it, or say in its comment behind "
                         f"\"One idea:\" why it is one")
            continue
        members, booleans = baseline[row.key()]
        if row.members > members or row.booleans > booleans:
            wrong.append(f"{now}: has grown, its line in {BASELINE} says {members} and {booleans}")
        elif (row.members, row.booleans) != (members, booleans):
            lower.append(f"{now}: lower its line in {BASELINE}, which says {members} and {booleans} (--lower does it)")
    kept = {row.key() for row in over}
    for name in baseline:
        if name not in kept:
            why = ("its comment says why it is one idea" if name in {row.key() for row in accepted}
                   else "no such class is above the limits")
            lower.append(f"{name}: remove its line from {BASELINE}, {why} (--lower does it)")
    return wrong, lower


def lowered(over, baseline):
    """The baseline's text without what it can give up."""
    rows = {row.key(): row for row in over}
    lines = [f"{name} {min(members, rows[name].members)} {min(booleans, rows[name].booleans)}\n"
             for name, (members, booleans) in baseline.items() if name in rows]
    return BASELINE_HEAD + "".join(lines)


def main():
    about, details = __doc__.split("\n\n", 1)
    parser = argparse.ArgumentParser(description=about, epilog=details,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit-members", type=int, default=16, metavar="N", help="default: 16")
    parser.add_argument("--limit-booleans", type=int, default=3, metavar="N", help="default: 3")
    parser.add_argument("--top", type=int, metavar="N", help="show the N largest classes, above the limits or not")
    parser.add_argument("--list", metavar="CLASS",
                        help="show each member of this class, with the booleans that it counts")
    parser.add_argument("--check", action="store_true",
                        help="compare with the baseline; status 1 if a class is above it")
    parser.add_argument("--lower", action="store_true",
                        help="lower the baseline's lines to what the classes are now; adds and raises none")
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, help="of the source tree; default: this one")
    arguments = parser.parse_args()

    tree = Tree(arguments.root.resolve())
    rows = count(tree)
    large = [row for row in rows if row.members > arguments.limit_members or row.booleans > arguments.limit_booleans]
    over = [row for row in large if not row.reason]
    accepted = [row for row in large if row.reason]
    baseline_file = tree.root / BASELINE
    baseline = read_baseline(baseline_file)
    if arguments.lower:
        baseline_file.write_text(lowered(over, baseline))
        baseline = read_baseline(baseline_file)

    wrong = []
    if arguments.check or arguments.lower:
        wrong, lower = compare(over, accepted, baseline)
        print(*wrong, *lower, sep="\n", end="\n" if wrong or lower else "")
    elif arguments.list:
        found = [row for row in rows if row.key() == arguments.list]
        if not found:
            parser.error(f"no row is called {arguments.list}")
        print_members(*found)
    elif arguments.top is not None:
        print_table(tree, rows[:arguments.top])
    else:
        print_table(tree, over)
        if accepted:
            print("\nabove the limits, and one idea:")
            print_table(tree, accepted)
            for row in accepted:
                print(f"  {row.key()}: {row.reason}")
    print(f"{len(rows)} classes, {len(over)} above {arguments.limit_members} members or "
          f"{arguments.limit_booleans} booleans, "
          f"{len(accepted)} more accepted as one idea")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
