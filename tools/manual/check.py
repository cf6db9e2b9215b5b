# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What is missing or wrong in the manual's sources."""
import re

from manual.pages import page_error

WRONG_CALLS = "tests/conformance/bad_calls_zlink_test.cpp"
ROW = re.compile(r'\{"(z\w+)",\s*"[^"]*",\s*((?:curve \? )?[A-Z0-9]+(?: : [A-Z0-9]+)?),')
NEEDED = {"3": ("description", "return value", "threads"), "7": ("description",), "1": ("description",)}

SKELETON = """\
# {name}(3): {purpose}

<!--
handle: socket
-->

## Description

{comment}

## Return value

0, or -1 and an errno.

## Errors

{errors}

## See also

zmq_socket(3)
"""


def errnos_of_wrong_calls(root):
    """The errno that each function fails with, by the table of wrong calls."""
    found = {}
    for name, wanted in ROW.findall((root / WRONG_CALLS).read_text()):
        found.setdefault(name, set()).update(re.findall(r"\bE[A-Z]+\b", wanted))
    return found


def problems(book):
    out = []
    for name in book.undocumented():
        header = book.api.functions[name].header
        out.append(f"{name}() of {header} has no manual page. Run 'tools/man_pages.py --new {name}', which begins "
                   f"docs/man/{name}.3.md with what the header says, and write the rest. If it belongs to a page that "
                   f"exists, add it to the line 'functions:' of that page.")
    known = book.known()
    wrong_calls = errnos_of_wrong_calls(book.root)
    for each in book.pages:
        where = each.path.name
        sections = each.sections()
        out += [f"{where}: no section '{name}'" for name in NEEDED[each.section] if name not in sections]
        out += [f"{where}: refers to {name}({section}), which has no page"
                for name, section in sorted(each.references()) if (name, section) not in known]
        for name in each.functions:
            named = each.errnos()
            for origin, errnos in ((f"include/{book.api.functions[name].header}", book.api.functions[name].errnos),
                                   (WRONG_CALLS, wrong_calls.get(name, set()))):
                missing = sorted(errnos - named - set(each.listed("without")))
                if missing:
                    out.append(f"{where}: {name}() can fail with {', '.join(missing)} ({origin}), "
                               f"which is not under Errors")
    taken = {}
    for each in book.pages:
        for name in each.names:
            if (name, each.section) in taken:
                out.append(f"{each.path.name}: {name}({each.section}) is also in {taken[name, each.section]}")
            taken[name, each.section] = each.path.name
    return out


def begin_page(book, name):
    function = book.api.functions.get(name)
    if not function:
        raise page_error(f"there is no function {name} in zmq.h or zlink.h")
    if existing := book.page_of(name):
        raise page_error(f"{name} is in {existing.path} already")
    purpose = function.comment.split(".")[0].split(";")[0].replace("\n", " ")
    errors = "\n".join(f"- `{errno}`: ..." for errno in sorted(function.errnos)) or "- `EFAULT`: ..."
    path = book.root / "docs" / "man" / f"{name}.3.md"
    path.write_text(SKELETON.format(name=name, purpose=purpose[:1].lower() + purpose[1:], comment=function.comment,
                                    errors=errors))
    return path
