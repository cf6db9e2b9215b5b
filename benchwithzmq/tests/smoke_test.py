# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Smoke test of the suite's programs: each one measures a tiny cell, and its output is complete and sensible."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from programs import BIN, FAULTS, LATENCY, THROUGHPUT, ProgramTest, libraries, libraries_with_curve, run  # noqa: E402

PATTERNS = ("pair", "pubsub", "dealer_dealer", "dealer_router", "router_router", "router_router_poll", "push_pull",
            "req_rep", "fan_out", "many_dealers", "proxy", "proxy_pubsub", "multipart")
ONE_WAY = ("pubsub", "push_pull", "fan_out", "proxy", "proxy_pubsub", "scatter_gather", "radio_dish")
DRAFTS = ("client_server", "scatter_gather", "channel", "radio_dish")
SCALE = {
    "dealers": (("tcp", "64"), THROUGHPUT),
    "subscribers": (("ipc", "64"), THROUGHPUT),
    "subscriptions": (("inproc", "100"), {"subscribe_ns", "memory_octets_per_subscription", "match_ns", "match_hot_ns",
                                          "delivered_ns"}),
    "idle_connections": (("tcp", "20"), {"rss_kb_per_connection", "rss_kb_per_used_connection"}),
    "queue": (("inproc", "1000"), {"queued_messages", "rss_kb_of_queue", "rss_octets_per_message"}),
    "cpu_at_rate": (("ipc", "64"), {"throughput", "cpu_ns_per_msg", "cpu_percent_at_1000", "cpu_percent_idle_100"}),
}


class Programs(ProgramTest):
    def test_every_pattern_gives_every_metric(self):
        transports = ("tcp", "ipc", "inproc")
        for i, pattern in enumerate(PATTERNS):
            metrics = THROUGHPUT | LATENCY | (set() if pattern in ONE_WAY else {"one_thread_latency_p50_us"})
            for label in libraries():
                for transport, size in ((transports[i % 3], "64"), (transports[(i + 1) % 3], "5000")):
                    with self.subTest(pattern=pattern, label=label, transport=transport, size=size):
                        done = run(f"comp_{label}_{pattern}", label, transport, size)
                        self.check(done, label, pattern.upper(), transport, size, metrics)

    def test_every_pattern_of_the_draft_api_gives_every_metric(self):
        transports = ("tcp", "ipc", "inproc")
        for i, pattern in enumerate(DRAFTS):
            metrics = THROUGHPUT | LATENCY | (set() if pattern in ONE_WAY else {"one_thread_latency_p50_us"})
            for label in ("zlink", "std_zmq"):
                for transport, size in ((transports[i % 3], "64"), (transports[(i + 1) % 3], "5000")):
                    with self.subTest(pattern=pattern, label=label, transport=transport, size=size):
                        done = run(f"comp_{label}_{pattern}", label, transport, size)
                        self.check(done, label, pattern.upper(), transport, size, metrics)
                    with self.subTest(pattern=pattern, label=label, transport=transport, size=size, threads=4):
                        done = run(f"comp_{label}_shared_{pattern}", label, transport, size)
                        self.check(done, label, f"SHARED_{pattern.upper()}", transport, size, THROUGHPUT)
        for label in ("zlink", "std_zmq"):
            with self.subTest(pattern="radio_dish_udp", label=label):
                done = run(f"comp_{label}_radio_dish_udp", label, "udp", "64")
                self.check(done, label, "RADIO_DISH_UDP", "udp", "64", THROUGHPUT | LATENCY)
        self.refused("comp_zlink_radio_dish_udp", "zlink", "tcp", "64")
        self.refused("comp_zlink_shared_channel", "zlink", "tcp", "64", "--metrics", "latency")

    def test_a_number_of_messages_is_divided_among_threads(self):
        for pattern in DRAFTS:
            with self.subTest(pattern=pattern):
                done = run(f"comp_zlink_shared_{pattern}", "zlink", "tcp", "64", BENCH_MSG_COUNT="20001",
                           BENCH_SECONDS="0.001")
                self.check(done, "zlink", f"SHARED_{pattern.upper()}", "tcp", "64", THROUGHPUT)

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

    def test_encrypted_transports(self):
        with_curve = libraries_with_curve()
        for label in libraries():
            if label not in with_curve:
                done = self.refused(f"comp_{label}_pair", label, "curve+tcp", "64")
                self.assertIn("was built without CURVE", done.stderr)
        for label in with_curve:
            for i, pattern in enumerate(PATTERNS):
                metrics = THROUGHPUT | LATENCY | (set() if pattern in ONE_WAY else {"one_thread_latency_p50_us"})
                transport = ("curve+tcp", "curve+ipc")[i % 2]
                with self.subTest(pattern=pattern, label=label, transport=transport):
                    done = run(f"comp_{label}_{pattern}", label, transport, "64")
                    self.check(done, label, pattern.upper(), transport, "64", metrics)
            for pattern in ("pair", "pubsub", "req_rep", "proxy"):
                for transport in ("curve+tcp", "curve+ipc"):
                    with self.subTest(pattern=pattern, label=label, transport=transport, processes=2):
                        done = run(f"comp_{label}_{pattern}", label, transport, "64", BENCH_TWO_PROCESS="1")
                        self.check(done, label, pattern.upper(), transport, "64", THROUGHPUT | LATENCY)

    def test_secrets_of_the_tool_are_not_written_down(self):
        done = run("comp_zlink_pair", "zlink", "inproc", "64", ZLINK_CURVE_SECRET="hush", ZLINK_PLAIN_PASSWORD="hush",
                   ZLINK_SPIN="1")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("hush", done.stdout)
        self.assertIn("INFO,knob_ZLINK_SPIN,1", done.stdout)

    def test_connections_a_second(self):
        with_curve = libraries_with_curve()
        for label in libraries():
            for transport in ("tcp", "ipc", "tls", "ws", "wss",
                              *(("curve+tcp", "curve+ipc", "curve+ws") if label in with_curve else ())):
                for processes in ("0", "1"):
                    with self.subTest(label=label, transport=transport, processes=processes):
                        done = run(f"comp_{label}_handshakes", label, transport, "64", "--metrics", "throughput",
                                   BENCH_TWO_PROCESS=processes)
                        self.check(done, label, "HANDSHAKES", transport, "64", THROUGHPUT)
        self.refused("comp_zlink_handshakes", "zlink", "inproc", "64")
        self.refused("comp_zlink_handshakes", "zlink", "tcp", "64", "--metrics", "latency")

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

    def test_every_pattern_can_be_measured_through_messages(self):
        for i, pattern in enumerate((*PATTERNS, "conversation", "fixed_rate", "broker")):
            for label in libraries():
                for transport, size in ((("tcp", "ipc", "inproc")[i % 3], "64"),
                                        (("inproc", "tcp", "ipc")[i % 3], "70000")):
                    with self.subTest(pattern=pattern, label=label, transport=transport, size=size):
                        # A rate that a busy machine carries, too: without it there is no CPU time a message.
                        done = run(f"comp_{label}_{pattern}", label, transport, size, "--metrics=throughput",
                                   BENCH_API="msg", BENCH_ECHO="1", BENCH_RATE="200")
                        self.assertEqual((done.returncode, done.stderr), (0, ""))
                        self.assertIn("INFO,api,msg\n", done.stdout)
                        self.assertIn(",cpu_ns_per_msg,", done.stdout)

    def test_the_floor_gives_every_metric(self):
        for transport in ("tcp", "ipc", "inproc"):
            with self.subTest(transport=transport):
                done = run("comp_floor", "floor", transport, "64")
                self.check(done, "floor", "FLOOR", transport, "64",
                           THROUGHPUT | LATENCY | {"one_thread_latency_p50_us"})

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
                                         ("conversation", "64", {"FAULT_DONTWAIT": "1", "BENCH_MSG_COUNT": "20000"}),
                                         ("broker", "64", {"BENCH_SECONDS": "0.5", "FAULT_AFTER": "50"}),
                                         ("fixed_rate", "64", {"FAULT_DONTWAIT": "1", "FAULT_AFTER": "50",
                                                               "BENCH_ECHO": "1",
                                                                "BENCH_RATE": "30000"})):
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
        done = run("comp_zlink_pair", "zlink", "inproc", "64", "--metrics", "throughput", LD_PRELOAD=str(FAULTS),
                   FAULT="")
        self.check(done, "zlink", "PAIR", "inproc", "64", THROUGHPUT)

    def test_each_program_uses_the_library_it_is_named_after(self):
        done = run("comp_zlink_pair", "zlink", "inproc", "64", "--metrics", "throughput")
        self.assertIn("INFO,zlink_version,", done.stdout)
        if "std_zmq" in libraries():
            done = run("comp_std_zmq_pair", "libzmq", "inproc", "64", "--metrics", "throughput")
            self.assertIn("INFO,library_version,4.", done.stdout)
            self.assertNotIn("zlink_version", done.stdout)


class BadInput(ProgramTest):
    def test_bad_arguments_give_one_line(self):
        for arguments in ((), ("zlink", "tcp"), ("zlink", "tcp", "64", "65"), ("zlink", "udp", "64"),
                          ("zlink", "tcp", "0"),
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

    def test_inproc_has_no_two_processes(self):
        self.refused("comp_zlink_pair", "zlink", "inproc", "64", BENCH_TWO_PROCESS="1")

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
