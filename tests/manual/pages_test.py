#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The manual: every exported function has a page, pages are well formed, and what they name exists."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE_DIR = Path(os.environ["ZLINK_SOURCE_DIR"])
LIBRARY = Path(os.environ["ZLINK_LIB_DIR"]) / "libzmq.so.5"
sys.path.insert(0, str(SOURCE_DIR / "tools"))
from manual import check  # noqa: E402
from manual.pages import manual  # noqa: E402

TOOL = SOURCE_DIR / "tools" / "man_pages.py"
USED = ("docs/man", "docs/tool.md", "include", "tools/man_pages.py", "tools/manual", "CMakeLists.txt",
        check.WRONG_CALLS)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **options)


def copy_of_the_sources(folder):
    for name in USED:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (SOURCE_DIR / name).is_dir() else shutil.copy)(SOURCE_DIR / name, target)
    return folder


class pages_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.root = Path(cls.scratch.name) / "man"
        cls.book = manual(SOURCE_DIR)
        written = run(sys.executable, "-B", TOOL, cls.root)
        if written.returncode != 0:
            raise AssertionError(written.stdout + written.stderr)
        cls.files = sorted(cls.root.rglob("*.[137]"))
        cls.pages = [path for path in cls.files if not path.read_text().startswith(".so ")]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_nothing_is_missing_in_the_sources(self):
        self.assertEqual([], check.problems(self.book))

    def test_every_exported_function_has_a_page(self):
        symbols = run("nm", "-D", "--defined-only", LIBRARY).stdout
        exported = set(re.findall(r" T ((?:zmq|zlink)_\w+)", symbols))
        self.assertGreater(len(exported), 90)
        pages = {path.name for path in self.files}
        missing = sorted(name for name in exported if f"{name}.3" not in pages)
        self.assertEqual([], missing, "the library exports these, and no header declares them with a page")

    def test_list_names_what_is_written(self):
        listed = run(sys.executable, "-B", TOOL, "--list").stdout.split()
        self.assertEqual(sorted(listed), sorted(str(path.relative_to(self.root)) for path in self.files))

    def test_pages_are_well_formed(self):
        self.assertIsNotNone(shutil.which("mandoc"), "apt-get install mandoc")
        said = run("mandoc", "-T", "lint", "-W", "warning", *self.pages)
        self.assertEqual("", said.stdout)
        self.assertEqual(0, said.returncode)

    def test_pages_have_their_sections(self):
        for path in self.pages:
            with self.subTest(path.name):
                sections = re.findall(r'^\.SH "?([^"\n]+)"?$', path.read_text(), re.MULTILINE)
                wanted = ["NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUE", "THREADS"]
                for name in wanted if path.suffix == ".3" else ("NAME", "DESCRIPTION"):
                    self.assertIn(name, sections)
                self.assertEqual("SEE ALSO", sections[-1])
                self.assertEqual(len(sections), len(set(sections)))

    def test_pages_are_shown_as_they_were_meant(self):
        for path in self.pages:
            with self.subTest(path.name):
                shown = run("mandoc", "-T", "ascii", "-O", "width=80", path)
                text = re.sub(r".\x08", "", shown.stdout)
                self.assertEqual(0, shown.returncode, shown.stderr)
                written = text.partition("\nDESCRIPTION")[2]
                self.assertNotRegex(written, r"\*\*[a-z]|`|\{\{[a-z]+ ?[a-z.]*\}\}|\]\(#|\\f", "markup is left")
                self.assertIn(path.stem, text)
                if path.suffix != ".1":  # examples of the tool have long lines
                    self.assertLess(max(map(len, text.splitlines())), 125)

    def test_man_finds_functions_that_share_a_page(self):
        if not shutil.which("man") or not re.match(r"man \d", run("man", "--version").stdout):
            self.skipTest("man is not that of man-db")
        environment = {**os.environ, "MANPAGER": "cat", "PAGER": "cat", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
        for name in ("zmq_poll", "zmq_msg_size", "zmq_timers_execute", "zlink_recv_parts"):
            shown = run("man", "-M", self.root, name, env=environment)
            self.assertEqual(0, shown.returncode, shown.stderr)
            self.assertIn("SYNOPSIS", re.sub(r".\x08", "", shown.stdout))
            self.assertIn(name, re.sub(r".\x08", "", shown.stdout))
        for path in self.pages:
            said = run("man", "-l", path, env=environment)
            # A long name in a narrow column is shown all the same.
            wrong = [line for line in said.stderr.splitlines() if "can't break line" not in line]
            self.assertEqual((0, []), (said.returncode, wrong), path.name)

    def test_prototypes_are_those_of_the_headers(self):
        for function in self.book.api.functions.values():
            page = self.book.page_of(function.name)
            text = (self.root / "man3" / f"{page.name}.3").read_text()
            plain = re.sub(r"\\f.|\\", "", text)
            squeezed = re.sub(r"\s+", "", plain)
            with self.subTest(function.name):
                self.assertIn(re.sub(r"\s+", "", function.prototype) + ";", squeezed)

    def test_examples_compile(self):
        """Each fenced block of C is the body of a function, if it is not a whole program."""
        compiler = os.environ.get("CC", "cc")
        options = ("-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-x", "c", "-")
        parts, programs = [PROLOGUE], []
        for path in sorted((SOURCE_DIR / "docs" / "man").glob("*.md")):
            for code in re.findall(r"```c\n(.*?)```", path.read_text(), re.DOTALL):
                if "int main(" in code:
                    programs.append(f'#line 1 "{path.name}"\n{code}')
                else:
                    parts.append(as_function(code, path.name, len(parts)))
        self.assertGreater(len(parts), 30)
        for text in ["".join(parts)] + programs:
            said = run(compiler, "-I", SOURCE_DIR / "include", *options, input=text)
            self.assertEqual("", said.stderr)


PROLOGUE = """
#define ZMQ_BUILD_DRAFT_API
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>
#include <zlink.h>
extern void *context, *socket, *server, *client, *requests, *replies, *tasks, *subscriber, *clients, *workers, *poller;
extern void *picture, *references, *object, *receiver;
extern size_t size;
extern zmq_pollitem_t items[];
extern int stop, task_handler, input_handler;
extern char server_secret[], server_public[], client_secret[], client_public[];
void take_task(void*), read_command(void), take_one(void*), handle(), release(), work(), start_thread();
"""


def as_function(code, name, number):
    """A block of C as the body of a function; functions in it, which have to be static, come before that."""
    functions = re.compile(r"^static .*?^}\n", re.MULTILINE | re.DOTALL)
    for own in re.findall(r"^static \w+ (\w+)\(", code, re.MULTILINE):
        code = re.sub(rf"\b{own}\b", f"{own}_{number}", code)
    before = "".join(functions.findall(code))
    return (f'#line 1 "{name}"\n{before}int example_{number}(void);\nint example_{number}(void)\n{{\n'
            f"{functions.sub('', code)}return 0;\n}}\n")


class missing_page_test(unittest.TestCase):
    """What somebody sees who adds a function and no page."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = copy_of_the_sources(Path(self.scratch.name))
        header = self.root / "include" / "zlink.h"
        header.write_text(header.read_text().replace(
            "#undef ZLINK_EXPORT", "/** Counts the peers. Fails with EINVAL if it is Monday. */\n"
                                   "ZLINK_EXPORT int zlink_new_one(void* socket);\n\n#undef ZLINK_EXPORT"))

    def run_tool(self, *arguments):
        return run(sys.executable, "-B", self.root / "tools" / "man_pages.py", *arguments)

    def test_says_how_to_add_one(self):
        said = self.run_tool("--check")
        self.assertEqual(1, said.returncode)
        self.assertIn("zlink_new_one() of zlink.h has no manual page", said.stdout)
        self.assertIn("tools/man_pages.py --new zlink_new_one", said.stdout)

    def test_begins_one_with_what_the_header_says(self):
        said = self.run_tool("--new", "zlink_new_one")
        self.assertEqual(0, said.returncode, said.stderr)
        text = (self.root / "docs/man/zlink_new_one.3.md").read_text()
        self.assertTrue(text.startswith("# zlink_new_one(3): counts the peers\n"), text)
        self.assertIn("- `EINVAL`: ...", text)
        self.assertEqual("", self.run_tool("--check").stdout)
        self.assertIn("is in", self.run_tool("--new", "zlink_new_one").stderr)

    def test_an_errno_of_the_header_has_to_be_on_the_page(self):
        self.run_tool("--new", "zlink_new_one")
        path = self.root / "docs/man/zlink_new_one.3.md"
        path.write_text(path.read_text().replace("`EINVAL`", "`EAGAIN`").replace("zmq_socket(3)", "zmq_sockets(3)"))
        said = self.run_tool("--check").stdout
        self.assertIn("zlink_new_one() can fail with EINVAL (include/zlink.h), which is not under Errors", said)
        self.assertIn("refers to zmq_sockets(3), which has no page", said)


if __name__ == "__main__":
    unittest.main()
