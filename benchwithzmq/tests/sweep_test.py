# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""run_sweep.py, with a program made up for the purpose."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SUITE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SUITE), str(Path(__file__).resolve().parent)]

from bench_suite.report_data import Cell, Group  # noqa: E402
from run_sweep import table, verdict  # noqa: E402

# Its throughput is the knob's value; it writes down each call, and interrupts its driver at the one that `stop` names.
PROGRAM = """#!{python}
import os, signal, sys, time
here = os.path.dirname(sys.argv[0])
value = os.environ.get("ZMQ_ASIO_OUT_BATCH_SIZE", "5000")
if sys.argv[2] == "inproc":  # asked for its version
    value = "1"
else:
    with open(here + "/calls", "a") as log:
        log.write(value + "\\n")
    if os.path.exists(here + "/stop") and len(open(here + "/calls").readlines()) == int(open(here + "/stop").read()):
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(1000)
print("INFO,zlink_version,0.1.0")
print("RESULT,zlink,PAIR,tcp,64,throughput," + value)
"""
CELL = Cell("PAIR", "tcp", 64)


class Sweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = Path(folder.name)
        program = self.bin / "comp_zlink_pair"
        program.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
        program.chmod(0o755)
        self.file = self.bin / "r.json"

    def sweep(self, *arguments, values="4096,default,8192", **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("BENCH_", "ZMQ_ASIO_", "ZLINK_"))}
        variables = {"BENCH_TRANSPORTS": "tcp", "BENCH_MSG_SIZES": "64", **variables}
        command = [sys.executable, str(SUITE / "run_sweep.py"), f"ZMQ_ASIO_OUT_BATCH_SIZE={values}"]
        command += ["--pattern", "PAIR", "--build-dir", str(self.bin), "--json", str(self.file), *arguments]
        command += [] if "--resume" in arguments else ["--overwrite"]
        # An interrupt has to reach the driver even where the tests are run in the background, which ignores it.
        restore = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731
        return subprocess.run(
            command, env=clean | variables, capture_output=True, text=True, timeout=120, preexec_fn=restore
        )

    def calls(self):
        return (self.bin / "calls").read_text(encoding="utf-8").split()

    def document(self):
        return json.loads(self.file.read_text(encoding="utf-8"))

    def test_each_round_begins_with_another_value(self):
        done = self.sweep("--runs", "2")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["4096", "5000", "8192", "5000", "8192", "4096"], self.calls())
        self.assertEqual([0, 1, 2, 0, 1, 2], [run["position"] for run in self.document()["runs"]])

    def test_the_file_tells_of_the_machine_and_the_settings(self):
        self.sweep("--runs", "1", BENCH_IO_THREADS="2")
        document = self.document()
        self.assertEqual("0.1.0", document["environment"]["zlink_version"])
        self.assertIn("cpu_model", document["environment"])
        settings = document["settings"]
        self.assertEqual((2, "ZMQ_ASIO_OUT_BATCH_SIZE"), (settings["io_threads"], settings["sweep"]))

    def test_the_environment_names_transports_and_sizes(self):
        self.sweep("--runs", "1", BENCH_TRANSPORTS="ipc", BENCH_MSG_SIZES="64,128")
        self.assertEqual({("ipc", 64), ("ipc", 128)}, {(r["transport"], r["size"]) for r in self.document()["runs"]})

    def test_an_interrupt_prints_what_there_is_and_resume_goes_on(self):
        (self.bin / "stop").write_text("4", encoding="utf-8")
        done = self.sweep("--runs", "2")
        self.assertEqual(130, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"PAIR tcp 64 B .*4.10 k/s .*  8192\n")
        (self.bin / "stop").unlink()
        done = self.sweep("--runs", "2", "--resume")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(6, len(self.document()["runs"]))
        # The one that was interrupted is repeated, no other.
        self.assertEqual(["4096", "5000", "8192", "5000", "5000", "8192", "4096"], self.calls())

    def test_resume_needs_a_file_of_the_same_kind(self):
        self.sweep("--runs", "1")
        done = self.sweep("--runs", "1", "--resume", "--metric", "latency_p50_us")
        self.assertEqual((2, True), (done.returncode, "metrics differ" in done.stderr), done.stderr)


class Verdicts(unittest.TestCase):
    def group(self, metric, **values):
        """values: a list for each value of the knob, an item a round."""
        runs = [
            {**CELL._asdict(), "lib": f"K={name.strip('v')}", "pair": pair, "status": "ok", "metrics": {metric: value}}
            for name, of in values.items()
            for pair, value in enumerate(of)
        ]
        group = Group({}, {})
        group.add("", {"runs": runs})
        return group

    def verdict(self, metric="throughput", **values):
        names = [name.strip("v") for name in values]
        return verdict(self.group(metric, **values), "K", names, CELL, metric)

    def test_a_value_wins_only_if_it_does_in_every_round(self):
        self.assertEqual("2", self.verdict(v1=[100, 200, 300], v2=[104, 220, 330]))
        self.assertEqual("no difference beyond noise", self.verdict(v1=[100, 100, 100], v2=[150, 150, 102]))

    def test_compares_with_the_default_wherever_it_stands(self):
        found = self.verdict(v1=[100, 100], default=[200, 200], v2=[201, 199])
        self.assertEqual("no difference beyond noise (worse: 1)", found)
        self.assertEqual("default", self.verdict(v1=[100, 100], default=[200, 200], v2=[150, 150]))

    def test_names_the_best_first_and_those_that_are_worse(self):
        self.assertEqual("3, 2", self.verdict(v1=[100], v2=[110], v3=[120]))
        self.assertEqual("no difference beyond noise (worse: 3)", self.verdict(v1=[100], v2=[101], v3=[50]))

    def test_less_latency_is_better(self):
        self.assertEqual("2", self.verdict("latency_p50_us", v1=[10, 10], v2=[8, 9]))

    def test_a_cell_shows_median_and_range(self):
        group = self.group("throughput", v1=[90e3, 100e3, 120e3], v2=[100e3])
        self.assertRegex(table(group, "K", ["1", "2"], "throughput"), r"100 k/s \(-10\.\.\+20 %\)\s+100 k/s  ")

    def test_a_value_without_results_is_a_gap(self):
        group = self.group("throughput", v1=[100])
        self.assertTrue(table(group, "K", ["1", "2"], "throughput").endswith("–  –\n"))


if __name__ == "__main__":
    unittest.main()
