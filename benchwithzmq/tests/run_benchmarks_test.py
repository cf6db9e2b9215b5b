# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""run_benchmarks.sh: its arguments, and what it writes with programs made up for the purpose."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import programs

SUITE = Path(__file__).resolve().parents[1]

# libzmq is 1.5 times as fast whenever it is measured as "libzmq-again".
PROGRAM = """#!{python}
import sys
lib, transport, size = sys.argv[1:4]
print("INFO,library_version,4.3.4")
if lib == "zlink":
    print("INFO,zlink_version,0.1.0")
speed = 1500 if lib == "libzmq-again" else 1000
print("RESULT," + lib + ",PAIR," + transport + "," + size + ",throughput," + str(speed))
"""


class RunBenchmarks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        # A tree of its own, so that build/ is not this one's.
        self.suite = self.root / "benchwithzmq"
        self.suite.mkdir()
        for path in (SUITE / "run_benchmarks.sh", *SUITE.glob("*.py")):
            shutil.copy(path, self.suite)
        shutil.copytree(SUITE / "bench_suite", self.suite / "bench_suite", ignore=shutil.ignore_patterns("__pycache__"))
        # Pictures are not the matter here.
        (self.root / "matplotlib.py").write_text("raise ImportError('none here')", encoding="utf-8")

    def programs(self):
        (self.root / "build" / "bin").mkdir(parents=True, exist_ok=True)
        for name in ("comp_zlink_pair", "comp_std_zmq_pair"):
            path = self.root / "build" / "bin" / name
            path.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
            path.chmod(0o755)

    def run_with(self, *arguments, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("BENCH_", "ZMQ_ASIO_", "ZLINK_"))}
        clean |= {"PYTHONPATH": str(self.root), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        return subprocess.run(
            ["bash", str(self.suite / "run_benchmarks.sh"), *arguments],
            env=clean | variables,
            cwd=self.root,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def refused(self, said, *arguments):
        done = self.run_with(*arguments)
        self.assertEqual((2, 1), (done.returncode, done.stderr.count("\n")), done.stderr)
        self.assertIn(said, done.stderr)

    def test_help(self):
        done = self.run_with("--help")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        for option in ("--with-libzmq", "--skip-libzmq", "--runs", "--quick", "--reuse-build", "--resume",
                       "--overwrite", "--directory", "--output"):
            self.assertIn(f"  {option} ", done.stdout)

    def test_says_what_is_wrong_before_anything_is_built(self):
        self.refused("unknown option '--fast'", "--fast")
        self.refused("--output needs a value", "--output")
        self.refused(f"there is no folder {self.root}/absent", "--output", "absent/table.txt")
        self.refused("leave the option out once", "--reuse-build")

    def quick(self, *arguments):
        self.programs()
        options = ("--quick", "--reuse-build", "--pattern", "PAIR", "--runs", "1", *arguments)
        done = self.run_with(*options, BENCH_MSG_SIZES="64", BENCH_TRANSPORTS="tcp,inproc")
        self.assertNotIn("Traceback", done.stderr)
        return done

    def test_a_quick_run_reports_a_busy_machine_on_top_of_the_table_and_the_report(self):
        done = self.quick()
        made = self.root / "build" / "benchmarks"
        text = (made / "table.txt").read_text(encoding="utf-8")
        self.assertTrue(text.startswith("WARNING: this machine is busy. The noise floor is 50 %"), text + done.stderr)
        self.assertIn("PAIR over inproc", text)
        self.assertEqual(1, done.stdout.count("PAIR over tcp"), done.stdout)
        self.assertIn("The machine was busy", (made / "report.md").read_text(encoding="utf-8"))

    def test_earlier_results_are_left_alone_unasked(self):
        made = self.root / "build" / "benchmarks"
        self.assertNotIn("holds the results", self.quick().stderr)
        (made / "latency-udp.png").touch()  # a picture that the next run does not draw
        kept = {path.name: path.read_bytes() for path in made.iterdir()}
        self.refused(f"{made.relative_to(self.root)} holds the results of an earlier run: --resume", "--reuse-build")
        self.refused("not both", "--reuse-build", "--resume", "--overwrite")
        self.assertEqual(kept, {path.name: path.read_bytes() for path in made.iterdir()})

        self.assertIn(f"{self.root}/second/table.txt",
                      self.quick("--directory", "second", "--output", "mine.txt").stdout)
        self.assertEqual(kept, {path.name: path.read_bytes() for path in made.iterdir()})
        self.refused("mine.txt is there already", "--reuse-build", "--directory", "third", "--output", "mine.txt")

        earlier = programs.from_another_day(made / "results.json")
        self.quick("--overwrite", "--output", "mine.txt")
        self.assertEqual(kept.keys() - {"latency-udp.png"}, {path.name for path in made.iterdir()})
        self.assertNotEqual(earlier, (made / "results.json").read_bytes())

    def test_an_output_is_meant_from_where_the_caller_is(self):
        (self.root / "mine").mkdir()
        shutil.move(self.suite, self.root / "mine" / "benchwithzmq")
        self.suite = self.root / "mine" / "benchwithzmq"
        self.programs()
        (self.root / "build").rename(self.root / "mine" / "build")
        arguments = ("--skip-libzmq", "--reuse-build", "--pattern", "PAIR", "--runs", "1", "--output", "table.txt")
        self.run_with(*arguments, BENCH_MSG_SIZES="64", BENCH_TRANSPORTS="tcp")
        self.assertIn("PAIR over tcp", (self.root / "table.txt").read_text(encoding="utf-8"))

    def test_an_output_that_cannot_be_written_does_not_cost_the_report(self):
        (self.root / "taken" / "table.txt").mkdir(parents=True)
        done = self.quick("--output", "taken")
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn("cp: ", done.stderr)
        self.assertTrue((self.root / "build" / "benchmarks" / "report.md").exists())


if __name__ == "__main__":
    unittest.main()
