#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tools/class_sizes.py: each rule of counting, what is left out, and how a class may stay above the limits."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(os.environ["ZLINK_SOURCE_DIR"]) / "tools" / "class_sizes.py"


def fields(count, begin=0, kind="int"):
    return "".join(f"    {kind} m{number}_;\n" for number in range(begin, begin + count))


def one_class(count, comment=""):
    return {"base/a.hpp": f"#pragma once\nnamespace zlink {{\n{comment}class a {{\n{fields(count)}}};\n}}\n"}


class ClassSizesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        (self.root / "tools").mkdir()
        self.baseline = self.root / "tools" / "class_sizes.baseline"

    def run_tool(self, files, *arguments):
        """Status and lines of a run on a tree with these files (path below src/ -> text)."""
        for name, text in files.items():
            path = self.root / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([os.environ["ZLINK_VENV_PYTHON"], TOOL, *arguments, self.root], capture_output=True,
                              text=True, check=False)
        self.assertEqual("", done.stderr)
        return done.returncode, done.stdout.splitlines()

    def sizes(self, files):
        """Class -> (members, booleans) of all rows."""
        lines = self.run_tool(files, "--top", "100")[1]
        return {words[0]: (int(words[1]), int(words[2])) for words in map(str.split, lines[1:-1])}

    def sizes_of(self, *bodies, before=""):
        """(members, booleans) of classes with these bodies, which know nothing of each other."""
        head = "".join(f"#include <{name}>\n" for name in ("array", "atomic", "bitset", "memory", "optional", "vector"))
        classes = "".join(f"class a{number} {{\n{body}\n}};\n" for number, body in enumerate(bodies))
        sizes = self.sizes({"base/a.hpp": f"#pragma once\n{head}{before}{classes}"})
        return [sizes[f"a{number}"] for number in range(len(bodies))]

    def each_is(self, expected, *bodies, before=""):
        for body, size in zip(bodies, self.sizes_of(*bodies, before=before)):
            self.assertEqual(expected, size, body)

    # --- members ---

    def test_each_data_member_counts_one_and_static_ones_none(self):
        self.each_is((3, 0),
                     "int x_, *y_; std::vector<int> z_; static int s_; static constexpr int limit = 1; void f(int);")

    def test_members_of_anonymous_structs_and_unions_count(self):
        self.each_is((4, 0), "int x_; union { int y_; struct { int z_; int w_; }; };")

    def test_a_class_template_counts_like_a_class(self):
        text = "namespace zlink::base { template <class T> class t { T x_; bool y_; }; }\n"
        self.assertEqual({"base::t": (2, 1)}, self.sizes({"base/t.hpp": text}))

    def test_a_nested_class_that_is_kept_is_added(self):
        self.each_is((4, 1), *(f"struct part {{ int x; bool y; }};\nint z_;\n{kept}" for kept in (
            "part p_;", "std::vector<part> p_;", "std::unique_ptr<part[]> p_;", "part* p_[2];")))

    def test_a_nested_class_counts_once_however_often_it_is_kept(self):
        self.each_is((4, 0), "struct part { int x, y; };\npart p_; part q_;")

    def test_a_nested_class_of_a_kept_nested_class_is_added(self):
        self.each_is((3, 0), "struct outer { struct inner { int x; };\n inner i; };\nouter o_;")

    def test_a_nested_class_of_a_template_is_added(self):
        text = "#include <vector>\ntemplate <class T> class t { struct part { T x; T y; };\n std::vector<part> p_; };\n"
        self.assertEqual({"t": (3, 0)}, self.sizes({"base/t.hpp": text}))

    def test_a_nested_class_that_is_not_kept_has_a_row_of_its_own(self):
        self.assertEqual({"a": (1, 0), "a::step": (2, 0)},
                         self.sizes({"base/a.hpp": "class a { public: struct step { int x, y; };\n step next(); int z_; };\n"}))

    def test_a_nested_class_that_another_class_keeps_is_not_added(self):
        text = "class a { public: struct part { int x, y; };\n part p_; };\nclass b { a::part p_; };\n"
        self.assertEqual({"a": (1, 0), "b": (1, 0), "a::part": (2, 0)}, self.sizes({"base/a.hpp": text}))

    def test_an_unnamed_class_of_a_member_is_added(self):
        self.each_is((3, 1), "struct { int x; bool y; } p_;")

    def test_a_class_outside_is_not_added(self):
        self.each_is((1, 0), "other o_;", before="struct other { int x, y; };\n")

    def test_a_base_of_one_class_is_added_and_keeps_its_row(self):
        self.assertEqual({"a": (3, 1), "common": (2, 1)},
                         self.sizes({"base/a.hpp": "struct common { int x; bool y; };\nclass a : common { int z_; };\n"}))

    def test_a_base_of_two_classes_is_not_added(self):
        self.assertEqual({"common": (2, 0), "a": (1, 0), "b": (0, 0)}, self.sizes(
            {"base/a.hpp": "struct common { int x, y; };\nclass a : common { int z_; };\nclass b : common {};\n"}))

    def test_a_template_argument_of_a_base_is_no_base(self):
        text = "struct item { int x, y; };\ntemplate <class T> class list { T* first_; };\nclass a : list<item> { int z_; };\n"
        self.assertEqual((2, 0), self.sizes({"base/a.hpp": text})["a"])

    def test_classes_of_source_files_count_and_go_by_the_file_of_their_anonymous_namespace(self):
        files = {"base/a.hpp": "#pragma once\nclass a { struct hidden;\n hidden* h_; };\n",
                 "base/a.cpp": "#include \"base/a.hpp\"\nstruct a::hidden { int x; };\n"
                               "namespace zlink { namespace {\nclass b { bool y_; };\n} }\n"}
        self.assertEqual({"a": (2, 0), "(a.cpp)::b": (1, 1)}, self.sizes(files))

    # --- booleans ---

    def test_booleans(self):
        self.each_is((1, 1), "bool x_;", "const bool x_;", "std::atomic<bool> x_;", "std::atomic_flag x_;",
                     "std::optional<bool> x_;",
                     "std::array<bool, 4> x_;", "bool x_[2][3];", "std::bitset<9> x_;", "unsigned x_ : 1;", "yes x_;",
                     before="using yes = bool;\n")
        self.each_is((1, 0), "int x_;", "unsigned x_ : 2;", "bool* x_;", "std::vector<bool> x_;", "void (*x_)(bool);")

    def test_constants_combined_with_an_integer_count(self):
        constants = "constexpr int one = 1;\nenum kind { two = 2, four = 4 };\n#define ZMQ_IN 1\nint f(int);\n"
        plain = "int x_;\nint g(int i) {{ {} }}".format
        self.each_is((1, 0), *map(plain, ("return x_ == one;", "return x_ && one;", "return x_ & i;",
                                          "return x_ & f(i);",
                                          "return x_ ^ one;", "return x_ & i || one;", "return x_ & ZMQ_IN;")),
                     before=constants)
        self.each_is((1, 1), *map(plain, ("return x_ & one;", "x_ |= one; return x_ & ~one;",
                                          "return (x_ & kind::four) != 0;")),
                     before=constants)
        self.each_is((1, 2), *map(plain, ("x_ |= one; x_ &= ~(two); return x_ & one;",
                                          "return x_ & (one | kind::two);")), before=constants)
        self.each_is((1, 1), *map("std::atomic<unsigned> x_;\nvoid g() {{ {} }}".format, (
            "x_.fetch_or(one);", "x_.fetch_and(~one, std::memory_order_relaxed);", "f(x_.load() & one);",
            "f(x_.load(std::memory_order_relaxed) & one);")), before=constants)

    def test_combinations_are_found_where_functions_are_defined_and_not_in_other_classes(self):
        files = {"base/a.hpp": "#pragma once\nclass a { static constexpr int one = 1;\n int x_;\n int f(); };\nclass b { int x_; };\n",
                 "base/a.cpp": "#include \"base/a.hpp\"\nint a::f() { return x_ & one; }\n",
                 "base/c.cpp": "constexpr int two = 2;\nint f(int x_) { return x_ & two; }\n"}
        self.assertEqual({"a": (1, 1), "b": (1, 0)}, self.sizes(files))

    def test_an_integer_named_flags_counts_one(self):
        self.each_is((1, 1),
                     *(f"unsigned char {name};" for name in ("flags", "flags_", "open_flags_", "bits_", "flag")))
        self.each_is((1, 0), "int flagship_;", "int state_;", "std::vector<int> flags_;")

    # --- what is left out ---

    def test_option_structs_are_left_out(self):
        text = ("class x_options { int y_; void f(); };\nstruct limits "
                "{ int y; bool operator==(const limits&) const = default; };\n"
                "class own_limits { int y_; };\nstruct work_limits { int y; void f(); };\n"
                "class a { struct limits { int x, y; };\n limits l_; };\n")
        self.assertEqual({"own_limits", "work_limits", "a"}, set(self.sizes({"base/a.hpp": text})))
        self.assertEqual((1, 0), self.sizes({"base/a.hpp": text})["a"])

    # --- limits ---

    def test_classes_above_the_limits_are_shown_largest_first(self):
        text = (f"class a {{\n{fields(17)}}};\nclass b {{\n{fields(4, kind='bool')}}};\n"
                f"class c {{\n{fields(16)}}};\nclass d {{\n{fields(20)}}};\n")
        status, lines = self.run_tool({"base/a.hpp": text})
        self.assertEqual(0, status)
        self.assertEqual(["d", "a", "b"], [line.split()[0] for line in lines[1:-1]])
        lines = self.run_tool({}, "--limit-members", "19", "--limit-booleans", "4")[1]
        self.assertEqual(["d"], [line.split()[0] for line in lines[1:-1]])

    def test_top_shows_so_many(self):
        lines = self.run_tool({"base/a.hpp": "class a { int x_; };\nclass b { int x_, y_; };\n"}, "--top", "1")[1]
        self.assertEqual(["b"], [line.split()[0] for line in lines[1:-1]])

    def test_list_shows_each_member(self):
        lines = self.run_tool({"base/a.hpp": "class a { struct p { bool x; };\n p y_; };\n"}, "--list", "a")[1]
        self.assertEqual([["x", "1", "bool", "(of", "a::p)"], ["y_", "p"]],
                         sorted(line.split() for line in lines[1:-1]))

    def test_the_comment_directly_above_gives_the_reason(self):
        for comment in ("/// An a.\n/// One idea: all of it\n/// is one row.\n///\n/// More.\n",
                        "// One idea: all of it is one row.\n",
                        "/* One idea: all of it is one row. */\n"):
            status, lines = self.run_tool(one_class(17, comment), "--check")
            self.assertEqual((0, 1), (status, len(lines)), lines)
            self.assertIn("  a: all of it is one row.", self.run_tool({})[1], comment)

    def test_a_comment_elsewhere_or_without_a_reason_is_none(self):
        for comment in ("// One idea: all of it is one row.\n\n", "// One idea:\n", "// One ideal: no\n"):
            self.assertEqual(1, self.run_tool(one_class(17, comment), "--check")[0], comment)

    # --- the baseline ---

    def check(self, count, baseline):
        self.baseline.write_text(baseline)
        status, lines = self.run_tool(one_class(count), "--check")
        return status, lines[:-1]

    def test_a_class_above_the_limits_has_to_stand_in_the_baseline(self):
        status, lines = self.check(17, "")
        self.assertEqual(1, status)
        self.assertTrue(lines[0].startswith("a: 17 members, 0 booleans: above the limits"), lines)
        self.assertEqual((0, []), self.check(17, "# comment\na 17 0\n"))
        self.assertEqual((0, []), self.check(16, ""))

    def test_it_may_not_grow(self):
        status, lines = self.check(18, "a 17 4\n")
        self.assertEqual(1, status)
        self.assertIn("has grown", lines[0])

    def test_when_it_has_shrunk_its_line_is_to_be_lowered(self):
        for count, baseline, word in ((17, "a 18 0\n", "lower its line"), (17, "a 17 1\n", "lower its line"),
                                      (16, "a 17 0\n", "remove its line")):
            status, lines = self.check(count, baseline)
            self.assertEqual(0, status)
            self.assertIn(word, lines[0])

    def test_lower_lowers_and_removes_lines_and_raises_none(self):
        text = f"class a {{\n{fields(17)}}};\nclass b {{\n{fields(20)}}};\nclass c {{\n{fields(30)}}};\n"
        self.baseline.write_text("a 18 2\nb 19 1\ngone 50 5\n")
        self.assertEqual(1, self.run_tool({"base/a.hpp": text}, "--lower")[0])
        lines = [line for line in self.baseline.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(["a 17 0", "b 19 0"], lines)

    # --- mistakes ---

    def test_a_tree_that_cannot_be_parsed_is_told(self):
        (self.root / "src").mkdir()
        (self.root / "src" / "a.hpp").write_text("class a { unknown x_; };\n")
        done = subprocess.run([os.environ["ZLINK_VENV_PYTHON"], TOOL, "--check", self.root], capture_output=True,
                              text=True, check=False)
        self.assertEqual(1, done.returncode)
        self.assertIn("a.hpp:1:11: unknown type name 'unknown'\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
