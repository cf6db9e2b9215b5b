#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Compares our zmq.h with libzmq's, the distribution's and that of 4.3.5: values of all macros, sizes and layouts of
the structures, prototypes.

With and without ZMQ_BUILD_DRAFT_API. Reports what libzmq's header has and ours lacks or has differently. Reports as
well what our stable part has beyond libzmq's, and prototypes that do not agree with names.txt.

Usage: compare_header_test.py [OUR_INCLUDE_DIR [THEIR_INCLUDE_DIR]]
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import api_table  # noqa: E402

NATIVE_ERRORS = {"EFSM", "ENOCOMPATPROTO", "ETERM", "EMTHREAD"}

# Where libzmq 4.3.5, which ours follows, differs from an older header of libzmq's: (name, old value, new value).
CHANGED_SINCE = {
    (4, 3, 4): {
        ("ZMQ_VERSION_PATCH", "4", "5"),
        ("ZMQ_VERSION", "40304", "40305"),
        ("ZMQ_RECONNECT_STOP_AFTER_DISCONNECT", "3", "4"),
    },
}

LAYOUTS = {
    "zmq_msg_t": ["_"],
    "zmq_pollitem_t": ["socket", "fd", "events", "revents"],
    "zmq_fd_t": [],
}
DRAFT_LAYOUTS = {"zmq_poller_event_t": ["socket", "fd", "user_data", "events"]}


class header:
    """A zmq.h in one of its two modes, seen through the C compiler."""

    def __init__(self, include, draft, scratch):
        self.draft = draft
        self.scratch = scratch
        # From a folder of its own: /usr/local/include, where zlink may be installed, comes before any -I /usr/include.
        folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        (folder / "zmq.h").symlink_to(pathlib.Path(include, "zmq.h").resolve())
        self.options = ["-I", str(folder)] + (["-DZMQ_BUILD_DRAFT_API"] if draft else [])

    def compiler(self, *arguments, source='#include "zmq.h"\n'):
        file = self.scratch / "probe.c"
        file.write_text(source)
        command = ["gcc", *self.options, *arguments, str(file)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def macros(self):
        """Name to value: a number, a quoted text, or '' for a macro without value."""
        bodies = {}
        for line in self.compiler("-E", "-dM").splitlines():
            name, _, body = line[len("#define "):].partition(" ")
            if name.startswith("ZMQ_") or name in NATIVE_ERRORS:
                bodies[name] = body.strip()
        bodies.pop("ZMQ_BUILD_DRAFT_API", None)
        # A function-like macro is judged by what it makes of sample arguments.
        call = {name: re.sub(r"\(.*\)", "(1, 2, 3)", name) for name in bodies}
        numbers = [name for name, body in bodies.items() if body and not body.startswith('"')]
        prints = [f'printf("{name} %lld\\n", (long long)({call[name]}));' for name in numbers]
        values = dict(line.rsplit(" ", 1) for line in self.run(prints))
        return {name: values.get(name, body) for name, body in bodies.items()}

    def layouts(self):
        structures = dict(LAYOUTS, **(DRAFT_LAYOUTS if self.draft else {}))
        prints = []
        for structure, fields in structures.items():
            prints.append(f'printf("sizeof {structure} %zu\\n", sizeof({structure}));')
            prints.append(f'printf("alignof {structure} %zu\\n", _Alignof({structure}));')
            for field in fields:
                prints.append(f'printf("{structure}.{field} %zu+%zu\\n", offsetof({structure}, {field}), '
                              f'sizeof((({structure} *)0)->{field}));')
        return dict(line.rsplit(" ", 1) for line in self.run(prints))

    def run(self, statements):
        program = self.scratch / "probe"
        body = "\n".join(statements)
        source = f'#include "zmq.h"\n#include <stdio.h>\nint main(void)\n{{{body}\n}}\n'
        self.compiler("-o", str(program), source=source)
        return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()

    def prototypes(self):
        """Function name to its type, as the compiler spells it."""
        listing = self.scratch / "prototypes"
        self.compiler("-fsyntax-only", "-aux-info", str(listing))
        found = {}
        for declaration in re.findall(r"^/\*.*?\*/ extern (.*);", listing.read_text(), re.MULTILINE):
            function = re.match(r"(.*?)\b(zmq_\w+) (\(.*\))$", declaration)
            if function:
                found[function.group(2)] = re.sub(r"\s+", " ", function.group(1) + function.group(3))
        return found


def differences(kind, ours, theirs, tolerated):
    for name in sorted(theirs.keys() - ours.keys()):
        yield f"{kind} {name}: missing, libzmq has {theirs[name]}"
    for name in sorted(theirs.keys() & ours.keys()):
        if ours[name] != theirs[name] and (name, theirs[name], ours[name]) not in tolerated:
            yield f"{kind} {name}: {ours[name]}, libzmq has {theirs[name]}"


def compare(ours, theirs):
    our_macros, their_macros = ours.macros(), theirs.macros()
    version = tuple(int(their_macros["ZMQ_VERSION_" + part]) for part in ("MAJOR", "MINOR", "PATCH"))
    yield from differences("macro", our_macros, their_macros, CHANGED_SINCE.get(version, set()))
    if not ours.draft:
        for name in sorted(our_macros.keys() - their_macros.keys()):
            yield f"macro {name}: not in libzmq's stable API"

    yield from differences("layout", ours.layouts(), theirs.layouts(), set())

    our_functions = ours.prototypes()
    yield from differences("function", our_functions, theirs.prototypes(), set())
    listed = api_table.functions(draft=False)
    if ours.draft:
        listed |= api_table.functions(draft=True)
    for name in sorted(listed ^ our_functions.keys()):
        yield f"function {name}: " + ("declared, not listed" if name in our_functions else "listed, not declared")


def main():
    arguments = sys.argv[1:]
    ours = arguments[0] if arguments else pathlib.Path(os.environ.get("ZLINK_SOURCE_DIR", ROOT)) / "include"
    # ./build.sh builds the one with drafts.
    found = [path.parent for path in api_table.foreign_headers(ROOT)]
    problems = 0
    for theirs in arguments[1:] or found or ["/usr/include"]:
        with tempfile.TemporaryDirectory() as scratch:
            for draft in (False, True):
                headers = [header(include, draft, pathlib.Path(scratch)) for include in (ours, theirs)]
                for problem in compare(*headers):
                    print(("draft: " if draft else "stable: ") + problem)
                    problems += 1
        print(f"{ours} against {theirs}: {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
