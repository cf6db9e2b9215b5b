# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Loads: which cells they make, how they reach the programs, and what the drivers say of them."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SUITE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SUITE)]

from bench_suite.cells import Settings, UsageError, all_cells, patterns_of  # noqa: E402
from bench_suite.loads import LOADS, load_environment, load_of, load_order, load_text, loads_of  # noqa: E402
from bench_suite.report_data import Cell, ReportError, cell_text, load_file, load_groups  # noqa: E402

# Its throughput is the load that it is told; each call is written down.
PROGRAM = """#!{python}
import os, sys
lib, transport, size = sys.argv[1:4]
told = [os.environ.get(name, "-") for name in ("BENCH_PEERS", "BENCH_WINDOW", "BENCH_TWO_PROCESS")]
with open(os.path.dirname(sys.argv[0]) + "/calls", "a") as log:
    log.write(" ".join([lib, transport, size, *told]) + "\\n")
print("INFO,library_version,4.3.4")
if lib == "zlink": print("INFO,zlink_version,0.1.0")
print("RESULT," + lib + ",X," + transport + "," + size + ",throughput," + os.environ["BENCH_PEERS"])
"""


class Loads(unittest.TestCase):
    def test_every_combination_is_a_load(self):
        found = loads_of("CONVERSATION", "tcp", {"dealers": [2, 64], "window": [1, 4]})
        self.assertEqual(4, len(found))
        self.assertEqual((("dealers", 2), ("window", 1), ("processes", "one")), found[0])
        self.assertEqual([()], loads_of("PAIR", "tcp", {}))

    def test_inproc_stays_within_one_process(self):
        chosen = {"dealers": [2], "window": [1], "processes": ["one", "apart"]}
        self.assertEqual(["one", "apart"],
                         [dict(load)["processes"] for load in loads_of("CONVERSATION", "tcp", chosen)])
        self.assertEqual(["one"], [dict(load)["processes"] for load in loads_of("CONVERSATION", "inproc", chosen)])
        with self.assertRaisesRegex(UsageError, "inproc stays within one process"):
            all_cells(["CONVERSATION"], ["inproc"], None, {"processes": ["apart"]})

    def test_the_environment_may_leave_no_choice(self):
        found = loads_of("CONVERSATION", "tcp", {"dealers": [2], "window": [1]}, "apart")
        self.assertEqual(["apart"], [dict(load)["processes"] for load in found])

    def test_every_pattern_with_a_load_has_texts_and_variables(self):
        for pattern in LOADS:
            loads = loads_of(pattern, "tcp", {})
            self.assertEqual(len(loads), len({load_text(load) for load in loads}))
            self.assertEqual(len(loads), len({tuple(load_environment(load).items()) for load in loads}))
            self.assertEqual(sorted(loads, key=load_order), loads)

    def test_patterns_with_and_without_a_load_can_be_measured_together(self):
        cells = all_cells(patterns_of("pair,conversation"), ["tcp"], None, {"dealers": [2], "window": [1]})
        self.assertEqual([("PAIR", 64), ("PAIR", 256)], [(cell.pattern, cell.size) for cell in cells[:2]])
        self.assertEqual(("CONVERSATION", 64), (cells[-1].pattern, cells[-1].size))
        self.assertEqual(7, len(cells))
        self.assertEqual("CONVERSATION tcp 64 B, 2 DEALERs, 1 in flight", cell_text(cells[-1]))

    def test_a_result_file_tells_the_load_in_any_order(self):
        self.assertEqual(
            load_of({"load": {"dealers": 2, "window": 1}}), load_of({"load": {"window": 1, "dealers": 2}})
        )
        self.assertEqual((), load_of({}))


class Driver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = Path(folder.name)
        for name in ("conversation", "pair"):
            for library in ("zlink", "std_zmq"):
                path = self.bin / f"comp_{library}_{name}"
                path.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
                path.chmod(0o755)

    def compare(self, *arguments, script="run_comparison.py", **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("BENCH_", "ZMQ_ASIO_", "ZLINK_"))}
        command = [sys.executable, str(SUITE / script), *arguments, "--build-dir", str(self.bin)]
        return subprocess.run(command, env=clean | variables, capture_output=True, text=True, timeout=120)

    def test_each_load_is_a_cell_that_the_programs_are_told(self):
        arguments = ("CONVERSATION", "--dealers", "2,3", "--windows", "5", "--processes", "one,apart",
                     "--transports", "tcp")
        done = self.compare(*arguments, "--runs", "1", "--json", str(self.bin / "r.json"))
        self.assertEqual(0, done.returncode, done.stderr)
        calls = [line.split() for line in (self.bin / "calls").read_text(encoding="utf-8").splitlines()]
        self.assertEqual(["libzmq tcp 64 2 5 0", "zlink tcp 64 2 5 0"], [" ".join(call) for call in calls[2:4]])
        self.assertEqual("zlink tcp 64 3 5 1", " ".join(calls[-1]))
        self.assertIn("64 B, 3 DEALERs, 5 in flight, apart  throughput", done.stdout)
        (group,) = load_groups([self.bin / "r.json"])
        self.assertEqual(4, len(group.cells()))
        again = self.compare(*arguments, "--runs", "1", "--json", str(self.bin / "r.json"), "--resume")
        self.assertIn("8 runs are there", again.stderr)

    def refused(self, said, *arguments, **variables):
        done = self.compare(*arguments, **variables)
        self.assertEqual((2, 1, True), (done.returncode, done.stderr.count("\n"), said in done.stderr), done.stderr)

    def test_calls_and_a_shared_core_are_settings_of_a_run(self):
        cell = ("PAIR", "--sizes", "64", "--transports", "tcp", "--runs", "1", "--json", str(self.bin / "r.json"))
        for arguments, setting, title in (
            (("--api", "msg"), {"api": "msg"}, ", zmq_msg_send and zmq_msg_recv, "),
            (("--shared-core",), {"shared_core": True}, ", beside a busy process, "),
        ):
            done = self.compare(*cell, "--overwrite", *arguments)
            self.assertEqual(0, done.returncode, done.stderr)
            (group,) = load_groups([self.bin / "r.json"])
            self.assertEqual(setting, {name: group.settings[name] for name in setting})
            self.assertIn(title, group.title())
            self.refused(f"{next(iter(setting))} differ", *cell, "--resume")
        cell += ("--overwrite",)
        self.refused("--api: invalid choice", *cell, "--api", "both")
        self.refused("BENCH_API 'both' is neither", *cell, BENCH_API="both")
        for variables in ({"BENCH_NO_TASKSET": "1"},
                          {"BENCH_END_CORES": "{0},{0}".format(min(os.sched_getaffinity(0)))}):
            self.refused("--shared-core needs one core for all", *cell, "--shared-core", **variables)
        found = Settings.from_environment({"BENCH_SHARED_CORE": "1", "BENCH_API": "msg"}).variables()
        self.assertEqual(("1", "msg"), (found["BENCH_SHARED_CORE"], found["BENCH_API"]))

    def test_two_processes_are_all_there_is_where_the_environment_says_so(self):
        arguments = ("CONVERSATION", "--dealers", "2", "--windows", "5", "--runs", "1", "--transports", "tcp")
        self.assertEqual(0, self.compare(*arguments, BENCH_TWO_PROCESS="1").returncode)
        self.assertTrue((self.bin / "calls").read_text(encoding="utf-8").endswith("zlink tcp 64 2 5 1\n"))
        done = self.compare(*arguments, "--processes", "one", BENCH_TWO_PROCESS="1")
        self.assertEqual((2, True), (done.returncode, "contradicts BENCH_TWO_PROCESS" in done.stderr), done.stderr)

    def test_wrong_loads_are_refused_in_one_line(self):
        for arguments, said in (
            (("CONVERSATION", "--dealers", "0"), "--dealers '0' is not a whole number from 1"),
            (("CONVERSATION", "--windows", "4,many"), "--windows 'many' is not a whole number"),
            (("FIXED_RATE", "--rates", "1e6"), "--rates '1e6' is not a whole number"),
            (("FIXED_RATE", "--ways", "back"), "--ways 'back' is none of one_way, echo"),
            (("CONVERSATION", "--processes", "3"), "--processes '3' is none of one, apart"),
            (("HIGHEST_RATE", "--rates", "4"), "--rates is for FIXED_RATE, which is not measured: leave it out"),
            (("PAIR", "--windows", "4"), "--windows is for CONVERSATION, which is not measured: leave it out"),
            (("CONVERSATION", "--processes", "apart", "--transports", "inproc"), "inproc stays within one process"),
        ):
            for script in ("run_comparison.py", "syscalls.py")[: 1 if "RATE" in arguments[0] else 2]:
                done = self.compare(*arguments, script=script)
                self.assertEqual((2, 1), (done.returncode, done.stderr.count("\n")), done.stderr)
                self.assertIn(said, done.stderr)

    def test_rates_are_not_counted(self):
        for arguments, variables in (
            (("FIXED_RATE",), {"BENCH_MSG_COUNT": "5", "script": "run_comparison.py"}),
            (("HIGHEST_RATE",), {"script": "syscalls.py"}),
            (("BROKER",), {"script": "syscalls.py"}),
        ):
            done = self.compare(*arguments, **variables)
            self.assertEqual((2, 1), (done.returncode, done.stderr.count("\n")), done.stderr)
            self.assertIn("goes by time", done.stderr)
        done = self.compare("HIGHEST_RATE", "--metrics", "latency")
        self.assertEqual((2, True), (done.returncode, "HIGHEST_RATE is a throughput" in done.stderr), done.stderr)

    def test_a_rate_that_was_not_kept_is_told(self):
        for library, kept in (("std_zmq", 1), ("zlink", 0)):
            path = self.bin / f"comp_{library}_fixed_rate"
            lines = f'print("RESULT,l,X,tcp,64,rate_kept,{kept}"); print("RESULT,l,X,tcp,64,rate_share,{0.25 + 0.75 * kept}")\n'
            lines += 'print("RESULT,l,X,tcp,64,cpu_ns_per_msg,500")\n'
            text = PROGRAM.format(python=sys.executable).replace("BENCH_WINDOW",
                                                                 "BENCH_RATE").replace("throughput", "peers")
            path.write_text(text + lines, encoding="utf-8")
            path.chmod(0o755)
        done = self.compare("FIXED_RATE", "--rates", "5000", "--ways", "echo", "--transports", "tcp", "--runs", "1")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("64 B, echo, 5,000 /s, apart: zlink: the rate was not kept (25% of it)", done.stderr)
        self.assertIn("  FIXED_RATE tcp 64 B, echo, 5,000 /s, apart: zlink 25 %\n", done.stdout)
        self.assertNotIn("libzmq 100 %", done.stdout)
        self.assertTrue((self.bin / "calls").read_text(encoding="utf-8").endswith("zlink tcp 64 10 5000 1\n"))

    def test_a_sweep_knows_loads(self):
        done = self.compare("ZLINK_INLINE=0,1", "--pattern", "CONVERSATION", "--dealers", "2", "--windows", "1,4",
                            "--transports", "tcp", "--runs", "1", script="run_sweep.py")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("CONVERSATION tcp 64 B, 2 DEALERs, 4 in flight  ", done.stdout)

    def test_a_result_file_with_a_strange_load_is_no_result_file(self):
        document = {"schema": 1, "environment": {}, "settings": {}}
        for load in (3, [1], {"dealers": [2]}, {"dealers": None}, {"dealers": True}):
            run = {**Cell("PAIR", "tcp", 64)._asdict(), "load": load, "lib": "zlink", "status": "ok", "metrics": {}}
            (self.bin / "r.json").write_text(json.dumps({**document, "runs": [run]}), encoding="utf-8")
            with self.assertRaisesRegex(ReportError, 'runs.0.: "load" is not an object'):
                load_file(self.bin / "r.json")


if __name__ == "__main__":
    unittest.main()
