# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Smoke test of the programs that have a load, and of the stranger on a shared core."""
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from programs import BIN, FAULTS, LATENCY, THROUGHPUT, ProgramTest, libraries, run  # noqa: E402


def stat(pid):
    """The fields of /proc/PID/stat behind the name, or nothing."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []


def alive(pid):
    return stat(pid)[:1] not in ([], ["Z"])


def descendants(pid):
    children = [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()
                and stat(entry.name)[1:2] == [str(pid)]]
    return children + [one for child in children for one in descendants(child)]


def name(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def strangers_below(pid):
    return [one for one in descendants(pid) if name(one) == "stranger"]


class Loads(ProgramTest):
    def test_a_conversation_gives_every_metric(self):
        for label in libraries():
            for transport, size, processes, window in (("tcp", "64", "1", "4"), ("ipc", "5000", "2", "32"),
                                                       ("tcp", "7", "2", "1"),
                                                       ("inproc", "64", "1", "32")):
                with self.subTest(label=label, transport=transport, size=size):
                    done = run(f"comp_{label}_conversation", label, transport, size, BENCH_SECONDS="0.2",
                               BENCH_WINDOW=window, BENCH_TWO_PROCESS=str(int(processes) - 1))
                    self.check(done, label, "CONVERSATION", transport, size, THROUGHPUT | LATENCY)
                    self.assertIn(f"INFO,window,{window}\n", done.stdout)

    def test_a_conversation_of_so_many_messages(self):
        done = run("comp_zlink_conversation", "zlink", "tcp", "64", BENCH_MSG_COUNT="20000", BENCH_WINDOW="7")
        self.check(done, "zlink", "CONVERSATION", "tcp", "64", THROUGHPUT | LATENCY)
        done = run("comp_zlink_conversation", "zlink", "tcp", "64", "--metrics=latency", BENCH_MSG_COUNT="20")
        self.check(done, "zlink", "CONVERSATION", "tcp", "64", LATENCY)

    def test_a_fixed_rate_gives_every_metric_and_says_whether_it_was_kept(self):
        metrics = LATENCY | THROUGHPUT - {"throughput", "mb_per_s", "peak_rss_kb"}
        metrics |= {"rate_share", "rate_kept", "timer_ns_per_msg"}
        for label in libraries():
            for transport, size, variables in (("tcp", "64", {"BENCH_RATE": "1000"}),
                                               ("ipc", "5000", {"BENCH_ECHO": "1"}),
                                               ("inproc", "64", {"BENCH_ECHO": "1", "BENCH_RATE": "30000"}),
                                               ("tcp", "7", {"BENCH_TWO_PROCESS": "0"})):
                with self.subTest(label=label, transport=transport, size=size):
                    done = run(f"comp_{label}_fixed_rate", label, transport, size, BENCH_SECONDS="0.3", **variables)
                    found = self.check(done, label, "FIXED_RATE", transport, size, metrics)
                    self.assertLessEqual(found["rate_share"], 1)
                    apart = transport != "inproc" and variables.get("BENCH_TWO_PROCESS") != "0"
                    self.assertIn(f"INFO,two_process,{int(apart)}\n", done.stdout)

    def test_a_rate_that_nobody_keeps_is_told(self):
        for echo in ("0", "1"):
            done = run("comp_zlink_fixed_rate", "zlink", "ipc", "64", "--metrics=throughput", BENCH_RATE="100000000",
                       BENCH_ECHO=echo, BENCH_SECONDS="0.3")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("INFO,rate_kept,no: ", done.stdout)
            self.assertIn(",rate_kept,0\n", done.stdout)

    def test_the_highest_rate_is_found_and_confirmed(self):
        for label in libraries():
            done = run(f"comp_{label}_highest_rate", label, "ipc", "64", "--metrics=throughput",
                       BENCH_HOLD_SECONDS="0.3")
            found = self.check(done, label, "HIGHEST_RATE", "ipc", "64", THROUGHPUT - {"peak_rss_kb"})
            trials = [line.split(",")[2] for line in done.stdout.splitlines() if line.startswith("INFO,trial,")]
            self.assertEqual(f"{found['throughput']:.0f} kept for 0.300000 s", trials[-1])

    def test_a_broker_gives_every_metric(self):
        for label in libraries():
            for transport, clients, processes in (("tcp", "1", "1"), ("ipc", "20", "3"), ("inproc", "3", "1"),
                                                  ("tcp", "300", "3")):
                with self.subTest(label=label, transport=transport, clients=clients):
                    done = run(f"comp_{label}_broker", label, transport, "64", BENCH_SECONDS="0.3", BENCH_PEERS=clients,
                               BENCH_WORKERS="2", BENCH_TWO_PROCESS=str(int(processes != "1")))
                    self.check(done, label, "BROKER", transport, "64", THROUGHPUT | LATENCY)
                    self.assertIn("INFO,workers,2\n", done.stdout)

    def test_a_stranger_on_the_core_ends_with_the_run(self):
        core = min(os.sched_getaffinity(0))
        command = ["taskset", "-c", str(core), BIN / "comp_zlink_pair", "zlink", "tcp", "64", "--metrics", "throughput"]
        ends = {"by itself": 0, "failing": 1, signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: -signal.SIGTERM}
        for two_process in ("0", "1"):
            for how, status in ends.items():
                with self.subTest(how=how, two_process=two_process):
                    env = dict(os.environ, BENCH_SHARED_CORE="1", BENCH_SECONDS="1" if how == "by itself" else "60",
                               BENCH_TWO_PROCESS=two_process)
                    if how == "failing":
                        env.update(LD_PRELOAD=str(FAULTS), FAULT="change", FAULT_AFTER="10000000")
                    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
                        strangers = self.wait_until(lambda: strangers_below(program.pid), "there is a stranger")
                        if isinstance(how, signal.Signals):
                            program.send_signal(how)
                        self.assertEqual(program.wait(60), status)
                        self.wait_until(lambda: not any(alive(pid) for pid in strangers), "it has gone")

    def wait_until(self, condition, said):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if found := condition():
                return found
            time.sleep(0.01)
        raise AssertionError(f"not within a minute: {said}")


class BadInput(ProgramTest):
    def test_rates_have_no_number_of_messages(self):
        for program in ("comp_zlink_fixed_rate", "comp_zlink_highest_rate"):
            self.refused(program, "zlink", "tcp", "64", BENCH_MSG_COUNT="100")
            self.refused(program, "zlink", "tcp", "64", BENCH_HOLD_SECONDS="long")
        self.refused("comp_zlink_broker", "zlink", "tcp", "64", BENCH_MSG_COUNT="100")
        self.refused("comp_zlink_broker", "zlink", "tcp", "64", BENCH_WORKERS="0")
        self.refused("comp_zlink_fixed_rate", "zlink", "tcp", "64", BENCH_RATE="0")
        self.refused("comp_zlink_fixed_rate", "zlink", "tcp", "64", BENCH_ECHO="2")
        self.refused("comp_zlink_highest_rate", "zlink", "tcp", "64", "--metrics=latency")

    def test_a_window_fits_the_queue(self):
        self.refused("comp_zlink_conversation", "zlink", "tcp", "64", BENCH_WINDOW="0")
        self.refused("comp_zlink_conversation", "zlink", "tcp", "64", BENCH_WINDOW="1001")
        self.refused("comp_zlink_conversation", "zlink", "tcp", "64", BENCH_WINDOW="11", BENCH_HWM="10")

    def test_a_core_is_shared_by_all_or_by_none(self):
        if len(os.sched_getaffinity(0)) > 1:
            self.refused("comp_zlink_pair", "zlink", "tcp", "64", BENCH_SHARED_CORE="1")
        self.refused("comp_zlink_pair", "zlink", "tcp", "64", BENCH_SHARED_CORE="1", BENCH_END_CORES="0,0")
        self.refused("comp_zlink_pair", "zlink", "tcp", "64", BENCH_SHARED_CORE="yes")


if __name__ == "__main__":
    unittest.main()
