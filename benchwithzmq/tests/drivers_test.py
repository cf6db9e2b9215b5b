# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The drivers: run_comparison.py, run_sweep.py and syscalls.py, with programs made up for the purpose."""

import json
import os
import stat
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SUITE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(SUITE)]

import programs  # noqa: E402
from bench_suite import environment  # noqa: E402
from bench_suite.cells import Settings, UsageError, metrics_of, patterns_of, sizes_of  # noqa: E402
from bench_suite.report_data import Cell, load_groups  # noqa: E402
from bench_suite.runner import Runner, library_dir, read_output  # noqa: E402
from bench_suite.store import Results  # noqa: E402
from run_sweep import values_of  # noqa: E402
from syscalls import counts_of  # noqa: E402

# Prints results; SPEED is its throughput, and what it does otherwise is said by a file next to it.
PROGRAM = """#!{python}
import os, sys, time
lib, transport, size = sys.argv[1:4]
deed = os.path.join(os.path.dirname(sys.argv[0]), "deed-" + lib + "-" + transport + "-" + size)
factor, version, zlink, folder = 1, "4.3.4", lib == "zlink", os.environ.get("LD_LIBRARY_PATH", "/nowhere")
with open(os.path.join(os.path.dirname(sys.argv[0]), "calls"), "a") as log:
    log.write(lib + " " + transport + " " + size + "\\n")
if os.path.exists(deed):
    what = open(deed).read()
    if what == "hang": time.sleep(1000)
    if what == "fail": sys.exit("a message came twice")
    if what == "garbage": print("RESULT," + lib + ",PAIR,tcp,64,throughput,many"); sys.exit(0)
    if what == "nothing": sys.exit(0)
    if what == "fast": factor = 2
    if what == "old": version = "4.3.2"
    if what == "on zlink": zlink = True
    if what == "on libzmq": zlink = False
    if what == "elsewhere": folder = "/elsewhere"
    if what == "without curve": print("INFO,curve,0")
print("INFO,library_version," + version)
if zlink: print("INFO,zlink_version,0.1.0")
print("INFO,library_file," + folder + "/libzmq.so.5")
print("RESULT," + lib + ",PAIR," + transport + "," + size + ",throughput," + str(factor * {speed}))
print("RESULT," + lib + ",PAIR," + transport + "," + size + ",latency_p50_us,{latency}")
"""


class DriverTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = Path(folder.name)
        self.program("comp_std_zmq_pair", 1000000, 10)
        self.program("comp_zlink_pair", 3000000, 4)

    def program(self, name, speed, latency):
        path = self.bin / name
        path.write_text(PROGRAM.format(python=sys.executable, speed=speed, latency=latency), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def misbehave(self, lib, size, how, transport="tcp"):
        (self.bin / f"deed-{lib}-{transport}-{size}").write_text(how, encoding="utf-8")

    def when_asked(self, lib, how):
        """What it does when it is asked for its version."""
        self.misbehave(lib, 64, how, "inproc")

    def compare(self, *arguments, **variables):
        """A run that may replace the results of the one before."""
        return self.drive(*arguments, *(() if "--resume" in arguments else ("--overwrite",)), **variables)

    def drive(self, *arguments, program="run_comparison.py", **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("BENCH_", "ZMQ_ASIO_", "ZLINK_"))}
        command = [sys.executable, str(SUITE / program), *arguments, "--build-dir", str(self.bin)]
        return subprocess.run(command, env=clean | variables, capture_output=True, text=True, timeout=120)

    def refused(self, said, *arguments, **variables):
        done = self.compare(*arguments, **variables)
        self.assertEqual((2, True), (done.returncode, said in done.stderr), done.stderr)
        self.assertEqual(1, len(done.stderr.strip().splitlines()), done.stderr)

    def one_cell(self):
        return ("PAIR", "--sizes", "64", "--transports", "tcp", "--runs", "1", "--json", str(self.bin / "r.json"))

    def document(self, name="r.json"):
        return json.loads((self.bin / name).read_text(encoding="utf-8"))

    def write(self, document, name="r.json"):
        (self.bin / name).write_text(json.dumps(document), encoding="utf-8")

    def calls(self):
        return (self.bin / "calls").read_text(encoding="utf-8").splitlines()

    def test_a_library_without_curve_leaves_encrypted_cells_out(self):
        self.when_asked("zlink", "without curve")
        arguments = ("PAIR", "--sizes", "64", "--runs", "1", "--json", str(self.bin / "r.json"), "--transports")
        done = self.compare(*arguments, "tcp,curve+tcp,curve+ipc")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("zlink was built without CURVE: curve+tcp and curve+ipc are left out.\n", done.stderr)
        self.assertEqual({"tcp"}, {run["transport"] for run in self.document()["runs"]})
        self.refused("are left out, and nothing else was asked for", *arguments, "curve+tcp")

    def test_secrets_of_the_tool_are_no_knobs(self):
        done = self.compare(*self.one_cell(), ZLINK_CURVE_SECRET="hush", ZLINK_PLAIN_PASSWORD="hush")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotIn("hush", (self.bin / "r.json").read_text(encoding="utf-8"))

    def test_encrypted_cells_are_measured_where_both_libraries_can(self):
        done = self.compare("PAIR", "--sizes", "64", "--runs", "1", "--json", str(self.bin / "r.json"), "--transports",
                            "curve+tcp,curve+ipc")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({"curve+tcp", "curve+ipc"}, {run["transport"] for run in self.document()["runs"]})
        self.assertIn("PAIR over curve+tcp", done.stdout)
        self.assertIn("zlink curve+ipc 64", self.calls())

    def test_measures_in_turn_and_tells_the_median_ratio(self):
        done = self.compare("PAIR", "--sizes", "64", "--transports", "tcp", "--runs", "2", "--json",
                            str(self.bin / "r.json"))
        self.assertEqual((0, True), (done.returncode, "+200 %" in done.stdout), done.stderr)
        self.assertIn("+150 %", done.stdout)  # 10 us to 4 us: latency is inverted
        libs = [(run["pair"], run["lib"]) for run in self.document()["runs"]]
        self.assertEqual([(0, "libzmq"), (0, "zlink"), (1, "zlink"), (1, "libzmq")], libs)

    def test_marks_cells_below_parity(self):
        self.program("comp_zlink_pair", 500000, 20)
        done = self.compare("PAIR", "--sizes", "64", "--transports", "tcp", "--runs", "2")
        self.assertIn("Below parity in the whole range (2", done.stdout)

    def test_warns_when_the_machine_is_busy(self):
        self.misbehave("libzmq-again", 64, "fast")
        done = self.compare("PAIR", "--sizes", "64", "--transports", "tcp", "--runs", "2", "--noise")
        self.assertTrue(done.stdout.startswith("WARNING: this machine is busy"), done.stdout + done.stderr)

    def test_a_failure_is_named_and_the_rest_is_measured(self):
        self.misbehave("zlink", 64, "fail")
        done = self.compare("PAIR", "--sizes", "64,256", "--transports", "tcp", "--runs", "1", "--json",
                            str(self.bin / "r.json"))
        self.assertEqual(1, done.returncode)
        self.assertIn("PAIR tcp 64 B: zlink: a message came twice", done.stderr)
        ok = [(run["size"], run["lib"]) for run in self.document()["runs"] if run["status"] == "ok"]
        self.assertEqual([(64, "libzmq"), (256, "libzmq"), (256, "zlink")], ok)

    def test_rubbish_and_silence_are_failures_not_zeros(self):
        for how, said in (("garbage", "not a number"), ("nothing", "printed no results")):
            self.misbehave("zlink", 64, how)
            done = self.compare("PAIR", "--sizes", "64", "--transports", "tcp", "--runs", "1")
            self.assertEqual((1, True), (done.returncode, said in done.stderr), done.stderr)

    def test_a_hung_program_is_killed_and_named(self):
        self.misbehave("zlink", 64, "hang")
        runner = Runner(self.bin, Settings.from_environment({"BENCH_NO_TASKSET": "1"}), limit=0.5)
        outcome = runner.run("zlink", Cell("PAIR", "tcp", 64))
        self.assertEqual("timeout", outcome.status)
        self.assertIn("comp_zlink_pair tcp 64 was killed", outcome.error)

    def test_an_interrupted_run_is_gone_on_with(self):
        arguments = ("PAIR", "--sizes", "64,256", "--transports", "tcp", "--runs", "1", "--json",
                     str(self.bin / "r.json"))
        self.misbehave("zlink", 256, "fail")
        self.assertEqual(1, self.compare(*arguments).returncode)
        (self.bin / "deed-zlink-tcp-256").unlink()
        before = len(self.calls())
        self.assertEqual(0, self.compare(*arguments, "--resume").returncode)
        # The two that ask for the versions, and the one that was missing.
        self.assertEqual("zlink tcp 256", self.calls()[-1])
        self.assertEqual(before + 3, len(self.calls()))
        self.assertEqual(4, len(self.document()["runs"]))

    def test_earlier_results_are_not_replaced_unasked(self):
        table = ("--output", str(self.bin / "table.txt"))
        sweep = ("ZLINK_SPIN=0,default", "--pattern", "PAIR", *self.one_cell()[1:])
        calls = ("PAIR", "--zlink-only", "--transports", "tcp", "--sizes", "64", "--messages", "20", *table)
        self.assertEqual(0, self.drive(*self.one_cell(), *table).returncode)
        kept = {name: (self.bin / name).read_bytes() for name in ("r.json", "table.txt")}
        for said, program, arguments in (
            ("r.json holds the results of an earlier run: --resume goes on with it, --overwrite", "run_comparison.py",
             self.one_cell()),
            ("table.txt holds the results of an earlier run: --overwrite", "run_comparison.py",
             (*self.one_cell()[:-2], *table)),
            ("r.json holds the results of an earlier run: --resume goes on with it, --overwrite",
             "run_sweep.py", sweep),
            ("table.txt holds the results of an earlier run: --overwrite", "syscalls.py", calls),
            ("not both", "run_comparison.py", (*self.one_cell(), "--resume", "--overwrite")),
        ):
            with self.subTest(program=program, said=said):
                done = self.drive(*arguments, program=program)
                self.assertEqual((2, 1), (done.returncode, done.stderr.count("\n")), done.stderr)
                self.assertIn(said, done.stderr)
        self.assertEqual(kept, {name: (self.bin / name).read_bytes() for name in kept})
        self.assertEqual(0, self.drive(*self.one_cell(), *table, "--resume").returncode)
        earlier = programs.from_another_day(self.bin / "r.json")
        self.assertEqual(0, self.drive(*self.one_cell(), "--overwrite").returncode)
        self.assertNotEqual(earlier, (self.bin / "r.json").read_bytes())

    def test_a_device_stays_a_device(self):
        pipe = self.bin / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        done = self.drive("PAIR", "--sizes", "64", "--transports", "tcp", "--runs", "1", "--output", str(pipe))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        self.assertEqual(done.stdout, os.read(reader, 100000).decode())

    def test_zlink_alone_is_not_compared_with_none(self):
        (self.bin / "comp_std_zmq_pair").unlink()
        done = self.drive(*self.one_cell(), "--zlink-only")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotIn("None", done.stdout)
        self.assertTrue(done.stdout.startswith("zlink 0.1.0, "), done.stdout)

    def test_only_the_same_configuration_is_gone_on_with(self):
        self.assertEqual(0, self.compare(*self.one_cell(), BENCH_END_CORES=self.two_cores()).returncode)
        self.refused("end_cores, ", *self.one_cell(), "--resume")
        self.assertEqual(0, self.compare(*self.one_cell()).returncode)
        other = ("--resume", "--metrics", "latency", "--seconds", "2")
        self.refused("metrics, peers, seconds differ", *self.one_cell(), *other, BENCH_PEERS="9")
        old = self.document()

        def resume(part, name, value):
            changed = {**old, part: {**old[part], name: value}}
            return Results(self.bin / "r.json", changed["environment"], changed["settings"]).resume()

        self.assertEqual(2, resume("settings", "not set", None))
        names = ("compiler", "build_flags", "congestion_control", "libzmq_version", "libzmq_file", "git_commit")
        for part, name in (("settings", "end_cores"), ("settings", "new"), *(("environment", name) for name in names)):
            with self.subTest(name=name), self.assertRaisesRegex(UsageError, f": {name} differ"):
                resume(part, name, "another")
        old["settings"]["gone"] = 1
        self.write(old)
        del old["settings"]["gone"]
        with self.assertRaisesRegex(UsageError, "gone differ"):
            resume("settings", "not set", None)

    def test_reports_take_what_is_not_set_for_what_is_not_written(self):
        self.assertEqual(0, self.compare(*self.one_cell()).returncode)
        old = self.document()
        del old["settings"]["end_cores"], old["settings"]["metrics"]
        self.write(old, "old.json")
        self.assertEqual(1, len(load_groups([self.bin / "r.json", self.bin / "old.json"])))

    def two_cores(self):
        return "{0},{0}".format(min(os.sched_getaffinity(0)))

    def test_libzmq_is_no_zlink(self):
        self.when_asked("libzmq", "on zlink")
        self.refused("run on zlink (/nowhere/libzmq.so.5): name libzmq, as by --libzmq-prefix", *self.one_cell())
        self.when_asked("libzmq", "nothing out of the ordinary")
        self.when_asked("zlink", "on libzmq")
        self.refused("the programs of zlink run on /nowhere/libzmq.so.5", *self.one_cell())

    def test_another_libzmq_is_the_one_that_is_measured(self):
        for folder in ("lib", Path("lib", sysconfig.get_config_var("MULTIARCH") or "")):
            prefix = self.bin / f"prefix of {folder}".replace("/", " ")
            self.refused("there is no lib/libzmq.so.5", *self.one_cell(), "--libzmq-prefix", str(prefix))
            (prefix / folder).mkdir(parents=True)
            (prefix / folder / "libzmq.so.5.2.5").touch()
            (prefix / folder / "libzmq.so.5").symlink_to("libzmq.so.5.2.5")
            self.assertEqual((prefix / folder).resolve(), library_dir(prefix))
            done = self.compare(*self.one_cell(), "--libzmq-prefix", str(prefix))
            self.assertEqual(0, done.returncode, done.stderr)
            file = (prefix / folder / "libzmq.so.5.2.5").resolve()
            self.assertEqual(str(file), self.document()["environment"]["libzmq_file"])
        self.when_asked("libzmq", "elsewhere")
        self.refused("run on /elsewhere/libzmq.so.5", *self.one_cell(), "--libzmq-prefix", str(prefix))

    def test_the_floor_is_measured_beside_the_first_cell_of_its_size(self):
        for name in ("comp_std_zmq_pubsub", "comp_zlink_pubsub", "comp_floor"):
            self.program(name, 1000000, 1)
        arguments = ("PAIR,PUBSUB", *self.one_cell()[1:], "--floor")
        self.assertEqual(0, self.compare(*arguments).returncode)
        runs = [(run["pattern"], run["pair"], run["lib"]) for run in self.document()["runs"]]
        beside = [("PAIR", 0, "libzmq"), ("PAIR", 0, "zlink"), ("FLOOR", 0, "floor")]
        self.assertEqual(beside, runs[:3])
        self.assertEqual([("PUBSUB", 0, "libzmq"), ("PUBSUB", 0, "zlink")], runs[3:])
        done = self.compare(*arguments, "--runs", "2", "--resume")
        self.assertEqual(0, done.returncode, done.stderr)
        added = [(run["pattern"], run["pair"], run["lib"]) for run in self.document()["runs"]][5:]
        self.assertEqual([("FLOOR", 1, "floor"), ("PAIR", 1, "zlink"), ("PAIR", 1, "libzmq")], added[:3])
        (group,) = load_groups([self.bin / "r.json"])
        self.assertEqual(2, len(group.values("floor", Cell("PUBSUB", "tcp", 64), "throughput")))

    def test_programs_older_than_their_source_are_told(self):
        self.assertEqual(0, self.compare(*self.one_cell()).returncode)
        self.assertIs(False, self.document()["environment"]["programs_older_than_source"])
        os.utime(self.bin / "comp_zlink_pair", (1, 1))
        self.assertEqual(0, self.compare(*self.one_cell()).returncode)
        self.assertIs(True, self.document()["environment"]["programs_older_than_source"])

    def test_the_commit_is_that_of_the_source_the_programs_were_built_from(self):
        source, build, library = self.bin / "source", self.bin / "build", self.bin / "libzmq.so.5"
        (source / "src" / "part").mkdir(parents=True)
        build.mkdir()
        (build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={source}\n", encoding="utf-8")
        git = ["git", "-C", str(source), "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        library.touch()
        for changed, older in ((-10, False), (10, True)):
            file = source / "src" / "part" / "a.cpp"
            file.touch()
            os.utime(file, (library.stat().st_mtime + changed,) * 2)
            told = environment.describe(build / "bin", "4.3.4", "0.1.0", zlink_file=str(library))
            self.assertEqual((head, older), (told["git_commit"], told["programs_older_than_source"]))

    def test_a_baseline_counts_for_its_own_settings_alone(self):
        arguments = ("PAIR", "--sizes", "64", "--transports", "tcp", "--runs", "1", "--json", str(self.bin / "r.json"))
        self.assertEqual(0, self.compare(*arguments, "--refresh-libzmq").returncode)
        done = self.compare(*arguments, "--zlink-only")
        self.assertEqual((0, True), (done.returncode, "+200 %" in done.stdout), done.stderr)
        self.refused("io_threads was 1", *arguments, "--zlink-only", BENCH_IO_THREADS="2")
        self.refused("end_cores was None", *arguments, "--zlink-only", BENCH_END_CORES=self.two_cores())
        knob = self.compare(*arguments, "--zlink-only", "--metrics", "throughput", ZLINK_SPIN="0")
        self.assertEqual(0, knob.returncode, knob.stderr)
        baseline = self.document("libzmq-baseline.json")
        baseline["environment"]["build_flags"] = "-O0"
        self.write(baseline, "libzmq-baseline.json")
        self.refused("build_flags was '-O0'", *arguments, "--zlink-only")

    def test_a_baseline_counts_for_its_own_libzmq_alone(self):
        arguments = self.one_cell()
        self.assertEqual(0, self.compare(*arguments, "--refresh-libzmq").returncode)
        for how, said in (
            ("old", "libzmq_version was '4.3.4'"),
            ("elsewhere", "libzmq_file was '/nowhere/libzmq.so.5'"),
            ("on zlink", "run on zlink"),
        ):
            self.when_asked("libzmq", how)
            self.refused(said, *arguments, "--zlink-only")
        (self.bin / "comp_std_zmq_pair").unlink()
        self.assertEqual(0, self.compare(*arguments, "--zlink-only").returncode)
        told = self.document()["environment"]
        self.assertEqual(("4.3.4", "/nowhere/libzmq.so.5"), (told["libzmq_version"], told["libzmq_file"]))

    def test_a_comparison_with_a_baseline_is_gone_on_with(self):
        arguments = self.one_cell()
        self.assertEqual(0, self.compare(*arguments, "--refresh-libzmq").returncode)
        (self.bin / "comp_std_zmq_pair").unlink()
        self.misbehave("zlink", 64, "fail")
        self.assertEqual(1, self.compare(*arguments, "--zlink-only").returncode)
        (self.bin / "deed-zlink-tcp-64").unlink()
        for _ in range(2):
            done = self.compare(*arguments, "--zlink-only", "--resume")
            self.assertEqual((0, True), (done.returncode, "+200 %" in done.stdout), done.stderr)
            runs = [(run["lib"], run["pair"]) for run in self.document()["runs"]]
            self.assertEqual([("libzmq", "cached 0"), ("zlink", 0)], runs)

    def test_two_processes_do_without_inproc(self):
        arguments = ("PAIR", "--sizes", "64", "--runs", "1", "--json", str(self.bin / "r.json"))

        def transports(**variables):
            done = self.compare(*arguments, **variables)
            self.assertEqual(0, done.returncode, done.stderr)
            said = "inproc is left out" in done.stderr
            return said, sorted({run["transport"] for run in self.document()["runs"]})

        self.assertEqual((True, ["ipc", "tcp"]), transports(BENCH_TWO_PROCESS="1"))
        self.assertEqual((False, ["inproc", "ipc", "tcp"]), transports(BENCH_END_CORES=self.two_cores()))
        self.assertTrue(self.document()["settings"]["two_process"])
        self.refused("inproc stays within one process", *arguments, "--transports", "tcp,inproc", BENCH_TWO_PROCESS="1")
        self.refused("inproc stays within one process", *arguments, BENCH_TRANSPORTS="inproc", BENCH_TWO_PROCESS="1")

    def test_settings_reach_the_programs(self):
        cores = self.two_cores()
        found = Settings.from_environment({"BENCH_END_CORES": cores, "BENCH_PEERS": "7", "ZLINK_SPIN": "0"})
        wanted = {"BENCH_END_CORES": cores, "BENCH_PEERS": "7", "ZLINK_SPIN": "0"}
        self.assertEqual({"BENCH_SECONDS": "1", "BENCH_IO_THREADS": "1", **wanted}, found.variables())
        recorded = found.recorded()
        self.assertEqual((7, True), (recorded["peers"], recorded["two_process"]))
        plain = Settings.from_environment({}).recorded()
        self.assertEqual((10, False, None), (plain["peers"], plain["two_process"], plain["end_cores"]))

    def test_nothing_else_of_the_environment_reaches_the_programs(self):
        runner = Runner(self.bin, Settings.from_environment({"ZLINK_INLINE": "0"}))
        with mock.patch.dict(os.environ, ZLINK_SPIN="0", ZMQ_ASIO_IN_BATCH_SIZE="1", BENCH_HWM="3",
                             LD_LIBRARY_PATH="/x"):
            found = runner.environment("libzmq", Cell("PAIR", "tcp", 64))
        self.assertEqual("0", found["ZLINK_INLINE"])
        for name in ("ZLINK_SPIN", "ZMQ_ASIO_IN_BATCH_SIZE", "BENCH_HWM", "LD_LIBRARY_PATH"):
            self.assertNotIn(name, found)

    def test_honest_work_by_count_is_not_killed(self):
        self.assertEqual(50, Runner(self.bin, Settings.from_environment({"BENCH_SECONDS": "2"})).limit)
        for count in (1, 10**9):
            settings = Settings.from_environment({"BENCH_MSG_COUNT": str(count)})
            self.assertGreater(Runner(self.bin, settings).limit, max(3600, count / 10000))

    def test_says_what_is_wrong_in_one_line(self):
        cases = {
            ("PAIRS",): "unknown pattern",
            ("PAIR", "--transports", "radio"): "unknown transport",
            ("PAIR", "--transports", "udp"): "not measured over udp",
            ("RADIO_DISH_UDP", "--transports", "tcp"): "not measured over tcp",
            ("PAIR,CHANNEL",): "--libzmq-prefix",
            ("CHANNEL",): "a libzmq with drafts",
            ("PAIR", "--sizes", "many"): "not a whole number",
            ("PAIR", "--sizes", "64,0"): "size '0'",
            ("PAIR", "--metrics", "speed"): "unknown metric",
            ("PAIR", "--runs", "0"): "--runs",
            ("PUBSUB",): "apt-get install",
            ("PAIR", "--resume"): "--json",
            ("PAIR", "--zlink-only", "--noise"): "not with --zlink-only",
            ("PAIR", "--zlink-only", "--refresh-libzmq"): "not with --zlink-only",
            ("PAIR", "--wrong"): "--help",
        }
        for arguments, said in cases.items():
            self.refused(said, *arguments)
        self.refused("ZMQ_ASIO_IN_BATCH_SIZE", "PAIR", ZMQ_ASIO_IN_BATCH_SIZE="-1")

    def test_bad_variables_are_refused(self):
        there = min(os.sched_getaffinity(0))
        wrong = [("BENCH_END_CORES", "1"), ("BENCH_END_CORES", f"{there},4095"), ("BENCH_END_CORES", f"{there},b")]
        wrong += [("BENCH_PEERS", value) for value in ("0", "10001", "many")]
        wrong += [("ZMQ_ASIO_IN_BATCH_SIZE", value) for value in ("0", "-1", "+5", " 5", "5_000", "٥", str(2**31), "")]
        wrong += [("ZMQ_ASIO_TCP_MAX_TRANSFER_TCP", "5"), ("ZLINK_SPEED", "1"), ("ZLINK_SPIN", "2")]
        for name, value in wrong:
            with self.subTest(name=name, value=value), self.assertRaisesRegex(UsageError, name):
                Settings.from_environment({name: value})
        for value in ("1", str(2**31 - 1)):
            found = Settings.from_environment({"ZMQ_ASIO_TCP_MAX_TRANSFER": value}).variables()
            self.assertEqual(value, found["ZMQ_ASIO_TCP_MAX_TRANSFER"])

    def test_without_libzmq_it_offers_zlink_alone(self):
        (self.bin / "comp_std_zmq_pair").unlink()
        self.assertIn("--zlink-only", self.compare("PAIR").stderr)
        done = self.compare("PAIR", "--zlink-only", "--sizes", "64", "--transports", "tcp", "--runs", "1", "--json",
                            str(self.bin / "r.json"))
        self.assertEqual(0, done.returncode, done.stderr)

    def test_a_sweep_names_the_winner(self):
        text = (self.bin / "comp_zlink_pair").read_text(encoding="utf-8")
        text = text.replace("str(factor * 3000000)", 'os.environ.get("ZMQ_ASIO_OUT_BATCH_SIZE", "5000")')
        (self.bin / "comp_zlink_pair").write_text(text, encoding="utf-8")
        done = self.compare("ZMQ_ASIO_OUT_BATCH_SIZE=4096,default,8192", "--pattern", "PAIR", "--sizes", "64",
                            "--transports", "tcp",
                            "--runs", "1", program="run_sweep.py")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertTrue(done.stdout.rstrip().endswith("  8192"), done.stdout)

    def test_reads_what_it_is_given(self):
        self.assertEqual(["PAIR", "PUSH_PULL"], patterns_of("pair,push_pull,PAIR"))
        self.assertEqual(9, len(patterns_of("drafts")))
        self.assertEqual([64, 1024], sizes_of("64, 1024,64"))
        self.assertEqual(["throughput", "latency"], metrics_of("latency,throughput,latency"))
        self.assertEqual(("ZLINK_SPIN", ["0", "default"]), values_of("ZLINK_SPIN=0,default"))
        for wrong in ("ZLINK_SPIN", "ZLINK_SPIN=0", "ZLINK_SPIN=0,2", "HOME=a,b"):
            with self.assertRaises(UsageError):
                values_of(wrong)
        self.assertEqual({"throughput": 2.5}, read_output("noise\nRESULT,a,PAIR,tcp,64,throughput,2.5\n").metrics)
        table = "% time  seconds usecs/call calls errors syscall\n 50.00 0.01 3 200 7 recvfrom\n 50.00 0.01 3 100 sendto\n100.00 0.02 6 300 7 total\n"
        self.assertEqual({"recvfrom": 200, "sendto": 100}, counts_of(table))


if __name__ == "__main__":
    unittest.main()
