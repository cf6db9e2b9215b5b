#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tools/api_table.py: what it writes, and each mistake that it finds."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE_DIR = Path(os.environ["ZLINK_SOURCE_DIR"])
TOOL = SOURCE_DIR / "tools" / "api_table.py"

HEADER = """\
#define ZMQ_VERSION_PATCH 5
#define ZMQ_GOOD 1 /* with #define ZMQ_COMMENT 2 */
typedef void(zmq_call_fn)(void* data);
typedef struct zmq_thing_t {
    int value;
} zmq_thing_t;
ZMQ_EXPORT int zmq_call(void* socket,
                        int flags);
#ifdef ZMQ_BUILD_DRAFT_API
#if 1
#define ZMQ_NEW 3
#endif
ZMQ_EXPORT void* zmq_make(void);
#endif
"""
NAMES = """\
# head
[Things]
ZMQ_VERSION_PATCH works one_test.it_is
ZMQ_GOOD          differs one_test.it_is | it is: [part](compatibility.md#a-part)
EINVAL            works one_test.it_is
zmq_call_fn       works other/some_test.py
zmq_thing_t       works one_test.it_is
zmq_call          works one_test.it_is
zmq_has("x")      without one_test.it_is

[draft: News]
ZMQ_NEW           works one_test.it_is
zmq_make          works one_test.it_is
"""
TESTS = """\
// ZMQ_VERSION_PATCH ZMQ_GOOD EINVAL zmq_thing_t ZMQ_NEW
TEST(one_test, it_is)
{
    zmq_call(zmq_make(), zmq_has("x"));
}
"""
PAGE = """\
# Page

## A part

<!-- tools/api_table.py writes this part -->
<!-- end of that part -->

| | libzmq | test |
|---|---|---|
| this | that | `one_test.it_is`<br>`other/some_test.py` |

Behind it.
"""
COUNT = "9 names (7 works, 1 not built, 1 differs), compared with 1 headers of libzmq: %d problems"


class ApiTableTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for name, text in {"include/zmq.h": HEADER, "include/zlink.h": "ZLINK_EXPORT int zlink_call(int value);\n",
                           "libzmq/zmq.h": "#ifndef EINVAL\n#define EINVAL 22\n#endif\n" + HEADER,
                           "tests/abi/names.txt": NAMES, "tests/unit/one_test.cpp": TESTS,
                           "tests/other/some_test.py": "zmq_call_fn\n", "docs/compatibility.md": PAGE,
                           "tests/conformance/bad_calls_zlink_test.cpp": '{"zmq_call"}, {"zlink_call"}\n'}.items():
            self.write(name, text)
        self.assertEqual(self.run_tool()[0], 0)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def change(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        self.write(name, text.replace(old, new, 1))

    def run_tool(self, *options):
        command = [sys.executable, TOOL, *options, "--header", self.root / "libzmq/zmq.h", self.root]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def expect(self, *problems):
        """What --check finds, except the pages, which are stale whenever the source has changed."""
        status, lines = self.run_tool("--check")
        self.assertEqual(1, status)
        found = [line for line in lines[:-1] if "tools/api_table.py writes it" not in line]
        self.assertEqual(sorted(problems), sorted(line.replace(str(self.root) + "/", "") for line in found))

    def test_what_it_has_written_passes(self):
        self.assertEqual((0, [COUNT % 0]), self.run_tool("--check"))

    def test_the_page_has_a_row_for_each_name(self):
        page = (self.root / "docs/api_table.md").read_text()
        self.assertIn("| `zmq_call` | works | [one_test.it_is](../tests/unit/one_test.cpp) |\n", page)
        self.assertIn("| `zmq_call_fn` | works | [other/some_test.py](../tests/other/some_test.py) |\n", page)
        self.assertIn("| `ZMQ_GOOD` | differs: it is: [part](compatibility.md#a-part) |", page)
        self.assertIn('| `zmq_has("x")` | not built |', page)
        self.assertIn("\n## Draft: news\n", page)

    def test_the_summary_stands_between_its_marks(self):
        text = (self.root / "docs/compatibility.md").read_text()
        self.assertIn("Of 9 names, 7 work as in libzmq, 1 differ, and 1 belong to parts that are not built.\n", text)
        self.assertIn("| `ZMQ_GOOD` | it is: [part](#a-part) |\n", text)
        self.assertTrue(text.endswith("\n\nBehind it.\n"))

    def test_names_of_our_header_have_to_be_listed(self):
        self.change("include/zmq.h", "#ifdef", "#define ZMQ_MORE 2\nZMQ_EXPORT int zmq_new_call (void);\n#ifdef")
        self.expect("ZMQ_MORE, stable in include/zmq.h, is not listed as such",
                    "zmq_new_call, stable in include/zmq.h, is not listed as such")

    def test_listed_names_have_to_be_in_our_header(self):
        self.change("tests/abi/names.txt", "[draft: News]", "ZMQ_GONE works one_test.it_is\n[draft: News]")
        self.change("tests/unit/one_test.cpp", "ZMQ_NEW", "ZMQ_NEW ZMQ_GONE")
        self.expect("ZMQ_GONE, listed as stable, is not so in include/zmq.h",
                    "ZMQ_GONE is listed, but libzmq/zmq.h does not have it")

    def test_rows_name_tests(self):
        self.change("docs/compatibility.md", "`one_test.it_is`<br>", "`one_test.it_was`<br>")
        self.expect("docs/compatibility.md: there is no test one_test.it_was")

    def test_rows_without_a_test_are_found(self):
        self.change("docs/compatibility.md", "`one_test.it_is`<br>`other/some_test.py`", "")
        self.expect("docs/compatibility.md: no test for: this")

    def test_tables_without_tests_are_found(self):
        self.change("docs/compatibility.md", "| test |", "| zlink |")
        self.expect("docs/compatibility.md: a table without a column of tests: | | libzmq | zlink |")

    def test_drafts_are_listed_as_such(self):
        self.change("tests/abi/names.txt", "[draft: News]", "[News]")
        self.expect("ZMQ_NEW, draft in include/zmq.h, is not listed as such",
                    "ZMQ_NEW, listed as stable, is not so in include/zmq.h",
                    "zmq_make, draft in include/zmq.h, is not listed as such",
                    "zmq_make, listed as stable, is not so in include/zmq.h")

    def test_names_of_libzmqs_header_have_to_be_listed(self):
        self.change("libzmq/zmq.h", "#ifdef", "#define ZMQ_THEIRS 2\n#ifdef")
        self.expect("ZMQ_THEIRS of libzmq/zmq.h is not listed")

    def test_tests_have_to_exist_and_to_mention_the_name(self):
        self.change("tests/abi/names.txt", "zmq_call          works one_test.it_is",
                    "zmq_call          works one_test.it_was")
        self.change("tests/unit/one_test.cpp", "ZMQ_GOOD", "ZMQ_GOOD_ONE")
        self.expect("zmq_call: there is no test one_test.it_was",
                    "ZMQ_GOOD: the file of one_test.it_is does not mention it")

    def test_a_difference_needs_a_note_and_links_have_to_lead_somewhere(self):
        self.change("tests/abi/names.txt", "EINVAL            works one_test.it_is",
                    "EINVAL            differs one_test.it_is")
        self.change("tests/abi/names.txt", "#a-part", "#no-part")
        self.expect("EINVAL differs: the note that says how is missing",
                    "ZMQ_GOOD: the link to compatibility.md#no-part leads nowhere")

    def test_names_are_listed_once(self):
        self.change("tests/abi/names.txt", "[draft: News]", "ZMQ_GOOD works one_test.it_is\n[draft: News]")
        self.expect("ZMQ_GOOD is listed twice")

    def test_functions_with_arguments_need_rows_of_wrong_calls(self):
        self.write("tests/conformance/bad_calls_zlink_test.cpp", "")
        self.expect("zmq_call has no row in tests/conformance/bad_calls_zlink_test.cpp",
                    "zlink_call has no row in tests/conformance/bad_calls_zlink_test.cpp")

    def test_stale_pages_are_told(self):
        for name in ("docs/api_table.md", "docs/compatibility.md"):
            self.change(name, "works" if "api" in name else "work", "does")
        status, lines = self.run_tool("--check")
        self.assertEqual((1, 2, COUNT % 2), (status, len(lines) - 1, lines[-1]))

    def test_lines_of_another_form_are_told(self):
        for line in ("ZMQ_ODD", "ZMQ_ODD perhaps one_test.it_is", "ZMQ_ODD works"):
            self.write("tests/abi/names.txt", f"[Things]\n{line}\n")
            status, lines = self.run_tool("--check")
            self.assertEqual(1, status)
            self.assertIn("tests/abi/names.txt:2: not a line as the head of the file describes", lines[0])


if __name__ == "__main__":
    unittest.main()
