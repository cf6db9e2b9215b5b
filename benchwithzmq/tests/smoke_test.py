"""Smoke test of the suite's programs: each one measures a tiny cell, and its output is complete and sensible."""
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

FAULTS = os.environ.get("BENCH_FAULTS", Path(__file__).parents[2] / "build" / "tests" / "bin" / "bench_faults.so")
BIN = Path(os.environ.get("ZLINK_BIN_DIR", Path(__file__).parents[2] / "build" / "bin"))

PATTERNS = ("pair", "pubsub", "dealer_dealer", "dealer_router", "router_router", "router_router_poll", "push_pull",
            "req_rep", "fan_out", "many_dealers", "proxy", "proxy_pubsub", "multipart")
ONE_WAY = ("pubsub", "push_pull", "fan_out", "proxy", "proxy_pubsub")
THROUGHPUT = {"throughput", "mb_per_s", "cpu_ns_per_msg", "cpu_user_ns_per_msg", "cpu_system_ns_per_msg",
              "system_share", "peak_rss_kb"}
LATENCY = {"latency_mean_us"} | {f"latency_{share}_us" for share in
                                 ("p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99_9", "p99_99", "max")}
LATENCY |= {"latency_samples"}
MAY_BE_ZERO = {"rate_kept", "rate_share", "timer_ns_per_msg", "cpu_user_ns_per_msg", "cpu_system_ns_per_msg", "system_share", "cpu_percent_idle_100",
               "memory_octets_per_subscription"}
SCALE = {
    "dealers": (("tcp", "64"), THROUGHPUT),
    "subscribers": (("ipc", "64"), THROUGHPUT),
    "subscriptions": (("inproc", "100"), {"subscribe_ns", "memory_octets_per_subscription", "match_ns", "match_hot_ns",
                                          "delivered_ns"}),
    "idle_connections": (("tcp", "20"), {"rss_kb_per_connection", "rss_kb_per_used_connection"}),
    "queue": (("inproc", "1000"), {"queued_messages", "rss_kb_of_queue", "rss_octets_per_message"}),
    "cpu_at_rate": (("ipc", "64"), {"throughput", "cpu_ns_per_msg", "cpu_percent_at_1000", "cpu_percent_idle_100"}),
}


def libraries():
    """Labels of the libraries that the suite was built for."""
    return [label for label in ("zlink", "std_zmq") if (BIN / f"comp_{label}_pair").exists()]


def stat(pid):
    """The fields of /proc/PID/stat behind the name, or nothing."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []


def alive(pid):
    return stat(pid)[:1] not in ([], ["Z"])


def descendants(pid):
    children = [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit() and stat(entry.name)[1:2] == [str(pid)]]
    return children + [one for child in children for one in descendants(child)]


def busy_children(pid):
    """Processes below it of one thread that have computed for a while."""
    return [one for one in descendants(pid) if (of := stat(one)) and of[17] == "1" and int(of[11]) >= 5]


def run(program, *arguments, **environment):
    env = {name: value for name, value in os.environ.items() if not name.startswith("BENCH_")}
    env.update(BENCH_SECONDS="0.05", BENCH_PEERS="3")
    env.update(environment)
    return subprocess.run([BIN / program, *arguments], env=env, capture_output=True, text=True, timeout=90, check=False)


class Programs(unittest.TestCase):
    def check(self, done, label, pattern, transport, size, metrics):
        """The program ended well and printed exactly these metrics, once each, none of them nonsense."""
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        found = {}
        info = {}
        for line in done.stdout.splitlines():
            kind, *fields = line.split(",", 2 if line.startswith("INFO") else -1)
            if kind == "INFO":
                info[fields[0]] = fields[1]
                continue
            self.assertEqual((kind, *fields[:4]), ("RESULT", label, pattern, transport, size), line)
            self.assertNotIn(fields[4], found, line)
            self.assertRegex(fields[5], r"^\d+(\.\d+)?$", line)
            found[fields[4]] = float(fields[5])
        self.assertEqual(set(found), metrics)
        for metric, value in found.items():
            if metric not in MAY_BE_ZERO:
                self.assertGreater(value, 0, metric)
        self.assertIn("library_version", info)
        if "latency_p50_us" in found:
            shares = [found[f"latency_{share}_us"] for share in ("p10", "p50", "p90", "p99", "p99_9", "max")]
            self.assertEqual(shares, sorted(shares))
        return found

    def test_every_pattern_gives_every_metric(self):
        transports = ("tcp", "ipc", "inproc")
        for i, pattern in enumerate(PATTERNS):
            metrics = THROUGHPUT | LATENCY | (set() if pattern in ONE_WAY else {"one_thread_latency_p50_us"})
            for label in libraries():
                for transport, size in ((transports[i % 3], "64"), (transports[(i + 1) % 3], "5000")):
                    with self.subTest(pattern=pattern, label=label, transport=transport, size=size):
                        done = run(f"comp_{label}_{pattern}", label, transport, size)
                        self.check(done, label, pattern.upper(), transport, size, metrics)

    def test_small_and_odd_sizes_are_checked_too(self):
        for size in ("1", "7", "8", "15", "4097"):
            with self.subTest(size=size):
                done = run("comp_zlink_pair", "zlink", "inproc", size, "--metrics", "throughput")
                self.check(done, "zlink", "PAIR", "inproc", size, THROUGHPUT)

    def test_two_processes_give_the_same_metrics_but_those_of_one_thread(self):
        for pattern in ("pair", "pubsub", "req_rep", "proxy", "proxy_pubsub"):
            for transport in ("tcp", "ipc"):
                with self.subTest(pattern=pattern, transport=transport):
                    done = run(f"comp_zlink_{pattern}", "zlink", transport, "64", BENCH_TWO_PROCESS="1")
                    self.check(done, "zlink", pattern.upper(), transport, "64", THROUGHPUT | LATENCY)

    def test_the_ends_can_have_a_core_each(self):
        cores = sorted(os.sched_getaffinity(0))
        for pattern in ("pair", "router_router_poll"):
            for transport, metrics in (("tcp", set()), ("inproc", {"one_thread_latency_p50_us"})):
                with self.subTest(pattern=pattern, transport=transport):
                    done = run(f"comp_zlink_{pattern}", "zlink", transport, "64",
                               BENCH_END_CORES=f"{cores[0]},{cores[-1]}")
                    self.check(done, "zlink", pattern.upper(), transport, "64", THROUGHPUT | LATENCY | metrics)

    def test_a_number_of_messages_can_be_given(self):
        for pattern in ("pair", "fan_out", "many_dealers", "req_rep"):
            with self.subTest(pattern=pattern):
                done = run(f"comp_zlink_{pattern}", "zlink", "tcp", "64", "--metrics", "throughput",
                           BENCH_MSG_COUNT="20000", BENCH_SECONDS="0.001")
                self.check(done, "zlink", pattern.upper(), "tcp", "64", THROUGHPUT)

    def test_metrics_can_be_chosen(self):
        done = run("comp_zlink_pubsub", "a label", "ipc", "64", "--metrics", "latency")
        self.check(done, "a label", "PUBSUB", "ipc", "64", LATENCY)

    def test_high_water_mark_and_io_threads_can_be_set(self):
        done = run("comp_zlink_dealer_router", "zlink", "tcp", "64", "--metrics=throughput", BENCH_HWM="10",
                   BENCH_IO_THREADS="2")
        self.check(done, "zlink", "DEALER_ROUTER", "tcp", "64", THROUGHPUT)
        self.assertIn("INFO,hwm,10\n", done.stdout)
        self.assertIn("INFO,io_threads,2\n", done.stdout)

    def test_a_conversation_gives_every_metric(self):
        for label in libraries():
            for transport, size, processes, window in (("tcp", "64", "1", "4"), ("ipc", "5000", "2", "32"), ("tcp", "7", "2", "1"),
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
            for transport, size, variables in (("tcp", "64", {"BENCH_RATE": "1000"}), ("ipc", "5000", {"BENCH_ECHO": "1"}),
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
            done = run(f"comp_{label}_highest_rate", label, "ipc", "64", "--metrics=throughput", BENCH_HOLD_SECONDS="0.3")
            found = self.check(done, label, "HIGHEST_RATE", "ipc", "64", THROUGHPUT - {"peak_rss_kb"})
            trials = [line.split(",")[2] for line in done.stdout.splitlines() if line.startswith("INFO,trial,")]
            self.assertEqual(f"{found['throughput']:.0f} kept for 0.300000 s", trials[-1])

    def test_a_broker_gives_every_metric(self):
        for label in libraries():
            for transport, clients, processes in (("tcp", "1", "1"), ("ipc", "20", "3"), ("inproc", "3", "1"), ("tcp", "300", "3")):
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
                    env = dict(os.environ, BENCH_SHARED_CORE="1", BENCH_SECONDS="0.3" if how == "by itself" else "60",
                               BENCH_TWO_PROCESS=two_process)
                    if how == "failing":
                        env.update(LD_PRELOAD=str(FAULTS), FAULT="change", FAULT_AFTER="10000000")
                    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
                        strangers = self.wait_until(lambda: busy_children(program.pid), "there is a stranger")
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

    def test_every_pattern_can_be_measured_through_messages(self):
        for i, pattern in enumerate((*PATTERNS, "conversation", "fixed_rate", "broker")):
            for label in libraries():
                for transport, size in ((("tcp", "ipc", "inproc")[i % 3], "64"), (("inproc", "tcp", "ipc")[i % 3], "70000")):
                    with self.subTest(pattern=pattern, label=label, transport=transport, size=size):
                        done = run(f"comp_{label}_{pattern}", label, transport, size, "--metrics=throughput", BENCH_API="msg",
                                   BENCH_ECHO="1")
                        self.assertEqual((done.returncode, done.stderr), (0, ""))
                        self.assertIn("INFO,api,msg\n", done.stdout)
                        self.assertIn(",cpu_ns_per_msg,", done.stdout)

    def test_the_floor_gives_every_metric(self):
        for transport in ("tcp", "ipc", "inproc"):
            with self.subTest(transport=transport):
                done = run("comp_floor", "floor", transport, "64")
                self.check(done, "floor", "FLOOR", transport, "64", THROUGHPUT | LATENCY | {"one_thread_latency_p50_us"})

    @unittest.skipUnless((BIN / "comp_nng_pair").exists(), "nng is not installed")
    def test_nng_gives_every_metric(self):
        done = run("comp_nng_pair", "nng", "tcp", "64")
        self.check(done, "nng", "PAIR", "tcp", "64", THROUGHPUT | LATENCY | {"one_thread_latency_p50_us"})
        done = run("comp_nng_pubsub", "nng", "ipc", "64")
        self.check(done, "nng", "PUBSUB", "ipc", "64", THROUGHPUT | LATENCY)

    def test_scale_programs_give_their_metrics(self):
        for name, ((transport, size), metrics) in SCALE.items():
            for label in libraries():
                with self.subTest(name=name, label=label):
                    done = run(f"scale_{label}_{name}", label, transport, size)
                    self.check(done, label, f"SCALE_{name.upper()}", transport, size, metrics)

    def test_link_has_two_programs(self):
        for label in libraries():
            with self.subTest(label=label), tempfile.TemporaryDirectory() as folder:
                endpoint = f"ipc://{folder}/link"
                env = dict(os.environ, BENCH_SECONDS="0.3")
                with subprocess.Popen([BIN / f"scale_{label}_link", label, "send", endpoint, "64"], env=env) as sender:
                    done = run(f"scale_{label}_link", label, "receive", endpoint, "64", BENCH_SECONDS="0.3")
                    self.assertEqual(sender.wait(60), 0)
                self.check(done, label, "SCALE_LINK", "ipc", "64", {"throughput", "mb_per_s"})

    def test_messages_that_come_wrong_fail_the_run(self):
        faults = {"lose": "came where message", "repeat": "came where message", "swap": "came where message",
                  "change": "octets changed", "cut": "octets came, not of"}
        for fault, said in faults.items():
            for pattern, size, which in (("pair", "64", {}), ("pubsub", "8192", {}),
                                         ("conversation", "64", {"FAULT_DONTWAIT": "1"}),
                                         ("broker", "64", {"BENCH_SECONDS": "0.5"}),
                                         ("fixed_rate", "64", {"FAULT_DONTWAIT": "1", "BENCH_ECHO": "1", "BENCH_RATE": "30000"})):
                if pattern == "broker" and fault not in ("change", "cut"):
                    continue  # REQ itself notices a reply too few or too many
                with self.subTest(fault=fault, pattern=pattern):
                    done = run(f"comp_zlink_{pattern}", "zlink", "inproc", size, "--metrics", "throughput",
                               LD_PRELOAD=str(FAULTS), FAULT=fault, BENCH_PEERS="1", **which)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertRegex(done.stderr, rf"^comp_zlink_{pattern}: .*{said}.*\n$")
        for fault in ("lose", "change"):  # the same calls behind zmq_msg_recv
            done = run("comp_zlink_pair", "zlink", "inproc", "64", "--metrics", "throughput", BENCH_API="msg",
                       LD_PRELOAD=str(FAULTS), FAULT=fault)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, rf"^comp_zlink_pair: .*{faults[fault]}.*\n$")
        done = run("comp_zlink_pair", "zlink", "inproc", "64", "--metrics", "throughput", LD_PRELOAD=str(FAULTS), FAULT="")
        self.check(done, "zlink", "PAIR", "inproc", "64", THROUGHPUT)

    def test_each_program_uses_the_library_it_is_named_after(self):
        done = run("comp_zlink_pair", "zlink", "inproc", "64", "--metrics", "throughput")
        self.assertIn("INFO,zlink_version,", done.stdout)
        if "std_zmq" in libraries():
            done = run("comp_std_zmq_pair", "libzmq", "inproc", "64", "--metrics", "throughput")
            self.assertIn("INFO,library_version,4.", done.stdout)
            self.assertNotIn("zlink_version", done.stdout)


class BadInput(unittest.TestCase):
    def refused(self, program, *arguments, **environment):
        done = run(program, *arguments, **environment)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, rf"^{program}: .+\n$")

    def test_bad_arguments_give_one_line(self):
        for arguments in ((), ("zlink", "tcp"), ("zlink", "tcp", "64", "65"), ("zlink", "udp", "64"), ("zlink", "tcp", "0"),
                          ("zlink", "tcp", "64k"), ("zlink", "tcp", "-1"), ("a,b", "tcp", "64"), ("", "tcp", "64"),
                          ("zlink", "tcp", "64", "--metrics"), ("zlink", "tcp", "64", "--metrics", "speed"),
                          ("zlink", "tcp", "64", "--fast")):
            with self.subTest(arguments=arguments):
                self.refused("comp_zlink_pair", *arguments)
                self.refused("comp_floor", *arguments)

    def test_bad_environment_gives_one_line(self):
        for variable, value in (("BENCH_SECONDS", "soon"), ("BENCH_SECONDS", "-1"), ("BENCH_SECONDS", "nan"),
                                ("BENCH_MSG_COUNT", "1e6"), ("BENCH_IO_THREADS", "0"), ("BENCH_HWM", "-1"),
                                ("BENCH_TWO_PROCESS", "yes"), ("BENCH_END_CORES", "1"),
                                ("BENCH_END_CORES", "0,b"), ("BENCH_PEERS", "0"), ("BENCH_API", "message")):
            with self.subTest(variable=variable, value=value):
                self.refused("comp_zlink_pair", "zlink", "tcp", "64", **{variable: value})

    def test_a_core_is_shared_by_all_or_by_none(self):
        if len(os.sched_getaffinity(0)) > 1:
            self.refused("comp_zlink_pair", "zlink", "tcp", "64", BENCH_SHARED_CORE="1")
        self.refused("comp_zlink_pair", "zlink", "tcp", "64", BENCH_SHARED_CORE="1", BENCH_END_CORES="0,0")
        self.refused("comp_zlink_pair", "zlink", "tcp", "64", BENCH_SHARED_CORE="yes")

    def test_inproc_has_no_two_processes(self):
        self.refused("comp_zlink_pair", "zlink", "inproc", "64", BENCH_TWO_PROCESS="1")

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

    def test_scale_programs_refuse_what_they_cannot_do(self):
        self.refused("scale_zlink_idle_connections", "zlink", "inproc", "64")
        self.refused("scale_zlink_queue", "zlink", "inproc", "64", BENCH_HWM="0")
        self.refused("scale_zlink_link", "zlink", "both", "tcp://127.0.0.1:1", "64")

    def test_a_link_that_cannot_be_is_an_error(self):
        done = run("scale_zlink_link", "zlink", "receive", "tcp://203.0.113.1:5555", "64")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"^scale_zlink_link: zmq_bind to tcp://203\.0\.113\.1:5555: .+\n$")


if __name__ == "__main__":
    unittest.main()
