# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""How the output of each suite's programs is read."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import compare
import fetch
import outputs
import run
from compare import Outcome
from steps import Failure

PASSED = Outcome("passed")


class GoTest(unittest.TestCase):
    def test_names_are_listed(self):
        self.assertEqual(outputs.go_tests("TestA\nExampleB_c\nok  \tzmq4\t0.01s\n"), ["TestA", "ExampleB_c"])

    def test_outcomes(self):
        self.assertEqual(outputs.go_outcome(0, "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n"), PASSED)
        self.assertEqual(outputs.go_outcome(0, "=== RUN   TestA\n--- SKIP: TestA\n    a_test.go:3: no curve\n"),
                         Outcome("skipped", "a_test.go:3: no curve"))
        self.assertEqual(outputs.go_outcome(0, "testing: warning: no tests to run\nPASS\n").word, "skipped")
        self.assertEqual(outputs.go_outcome(1, "=== RUN   TestA\n    a_test.go:9: got 1\n--- FAIL: TestA (0.0s)\n"),
                         Outcome("failed", "a_test.go:9: got 1"))
        self.assertEqual(outputs.go_outcome(2, "=== RUN   TestA\npanic: no socket\n\ngoroutine 1 [running]:\n"),
                         Outcome("failed", "panic: no socket"))
        self.assertEqual(outputs.go_outcome(-6, ""), Outcome("failed", "status -6"))


class RustTest(unittest.TestCase):
    def test_programs_are_those_that_hold_tests(self):
        def line(name, path, is_test):
            return json.dumps({"reason": "compiler-artifact", "target": {"name": name}, "profile": {"test": is_test},
                               "executable": path})

        text = "\n".join(["+ cargo test", "  Compiling zmq", line("poll", "/t/poll-1", True), line("libc", 0, False),
                          line("example", "/t/example", False), '{"reason":"build-finished","success":true}'])
        self.assertEqual(outputs.cargo_programs(text), {"poll": "/t/poll-1"})

    def test_names_are_listed(self):
        self.assertEqual(outputs.rust_tests("a::b: test\nc: test\nd: benchmark\n"), ["a::b", "c"])

    def test_outcomes(self):
        self.assertEqual(outputs.rust_outcome(0, "test a ... ok\n\ntest result: ok. 1 passed; 0 failed\n"), PASSED)
        self.assertEqual(outputs.rust_outcome(0, "test a ... ignored\n\ntest result: ok. 0 passed\n"),
                         Outcome("skipped", "ignored"))
        self.assertEqual(outputs.rust_outcome(0, "running 0 tests\n\ntest result: ok. 0 passed; 0 failed\n").word,
                         "skipped")
        self.assertEqual(outputs.rust_outcome(101, "thread 'a' panicked at tests/a.rs:5:9:\nassertion failed: x\n"),
                         Outcome("failed", "assertion failed: x"))
        self.assertEqual(outputs.rust_outcome(-11, "running 1 test\n"), Outcome("failed", "running 1 test"))


class MochaTest(unittest.TestCase):
    def test_outcomes(self):
        def test(title, **err):
            return {"fullTitle": title, "err": err}

        report = {"tests": [test("s a"), test("s b", message="not\n 1"), test("s c"), test("s a")],
                  "pending": [test("s c")],
                  "failures": [test("s b", message="not\n 1"), test("before all", message="x")]}
        self.assertEqual(outputs.mocha_outcomes("f.js", json.dumps(report)),
                         {"f.js: s a": PASSED, "f.js: s a again": PASSED, "f.js: s b": Outcome("failed", "not 1"),
                          "f.js: s c": Outcome("skipped"), "f.js: before all": Outcome("failed", "x")})

    def test_no_report(self):
        self.assertIsNone(outputs.mocha_outcomes("f.js", ""))


class CatchTest(unittest.TestCase):
    def test_names_are_listed_and_selected_alone(self):
        self.assertEqual(outputs.catch_tests("buffers\nsend, and [recv]\n\n"), ["buffers", "send, and [recv]"])
        self.assertEqual(outputs.catch_pattern("send, and [recv]"), "send\\, and \\[recv]")

    def test_outcomes(self):
        self.assertEqual(outputs.catch_outcome(0, "====\nAll tests passed (3 assertions in 1 test case)\n"), PASSED)
        self.assertEqual(outputs.catch_outcome(0, "====\nNo tests ran\n").word, "skipped")
        self.assertEqual(outputs.catch_outcome(1, "...\n/src/a.cpp:7: FAILED:\n  CHECK( a == b )\nwith:\n"),
                         Outcome("failed", "a.cpp:7 CHECK( a == b )"))
        self.assertEqual(outputs.catch_outcome(-6, "terminate called\n"), Outcome("failed", "terminate called"))


class SuitesTest(unittest.TestCase):
    def test_each_has_what_the_run_asks_of_it(self):
        self.assertEqual(len({suite.name for suite in run.SUITES}), len(run.SUITES))
        self.assertEqual([suite.name for suite in run.SUITES if suite.by_default], ["pyzmq", "czmq"])
        for suite in run.SUITES:
            self.assertGreater(suite.at_least, 0)
            self.assertTrue(suite.what)

    def test_a_client_that_is_missing_is_named_with_its_cure(self):
        class Suite:
            name, needs = "cobol", (("no-such-client", "apt-get install cobol"),)

        with self.assertRaisesRegex(Failure, "no-such-client is missing.*cobol needs\n  cure: apt-get install cobol"):
            run.need_clients([Suite()])


class RowTest(unittest.TestCase):
    def test_the_last_table_counts_cases_and_differences(self):
        outcomes = {"libzmq": {"a": PASSED, "b": PASSED}, "zlink": {"a": PASSED, "b": Outcome("failed", "why")}}
        verdict = compare.judge("s", [], outcomes, lambda tests: outcomes, 1)
        self.assertEqual(compare.row("s", outcomes, verdict).split(), ["s", "2", "2", "1", "1", "NEW"])
        same = {"libzmq": {"a": PASSED}, "zlink": {"a": PASSED}}
        verdict = compare.judge("s", [], same, None, 1)
        self.assertEqual(compare.row("s", same, verdict).split(), ["s", "1", "1", "1", "none"])


class SourcesTest(unittest.TestCase):
    def test_the_sources_of_a_newer_release(self):
        self.assertEqual(fetch.of_suite("deb-src uri/debian bookworm bookworm-updates main\n"
                                        "deb-src uri/other other-bookworm main", "trixie"),
                         "deb-src uri/debian trixie main")
        self.assertEqual(fetch.of_suite("Types: deb-src\nSuites: bookworm bookworm-updates\n\n"
                                        "Types: deb-src\nSuites: bookworm-security", "trixie"),
                         "Types: deb-src\nSuites: trixie")


if __name__ == "__main__":
    unittest.main(verbosity=2)
