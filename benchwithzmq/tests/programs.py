# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""How tests run the suite's programs, and what their output has to look like."""
import json
import os
import subprocess
import unittest
from pathlib import Path

FAULTS = os.environ.get("BENCH_FAULTS", Path(__file__).parents[2] / "build" / "tests" / "bin" / "bench_faults.so")
BIN = Path(os.environ.get("ZLINK_BIN_DIR", Path(__file__).parents[2] / "build" / "bin"))

THROUGHPUT = {"throughput", "mb_per_s", "cpu_ns_per_msg", "cpu_user_ns_per_msg", "cpu_system_ns_per_msg",
              "system_share", "peak_rss_kb"}
LATENCY = {"latency_mean_us"} | {f"latency_{share}_us" for share in
                                 ("p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99_9", "p99_99", "max")}
LATENCY |= {"latency_samples"}
MAY_BE_ZERO = {"cpu_user_ns_per_msg", "cpu_system_ns_per_msg", "system_share", "cpu_percent_idle_100",
               "memory_octets_per_subscription", "rate_kept", "rate_share", "timer_ns_per_msg"}


def from_another_day(results):
    """Results that no run of today makes again, though it measures the same within the same second. Returns what the
    file holds then."""
    made = json.loads(results.read_bytes())
    made["environment"]["date"] = "2000-01-01T00:00:00+00:00"
    results.write_text(json.dumps(made))
    return results.read_bytes()


def libraries():
    """Labels of the libraries that the suite was built for."""
    return [label for label in ("zlink", "std_zmq") if (BIN / f"comp_{label}_pair").exists()]


def libraries_with_curve():
    """Those of them that can encrypt."""
    return [label for label in libraries() if "INFO,curve,1" in run(f"comp_{label}_pair", label, "inproc", "64").stdout]


def run(program, *arguments, **environment):
    env = {name: value for name, value in os.environ.items() if not name.startswith("BENCH_")}
    env.update(BENCH_SECONDS="0.05", BENCH_PEERS="3")
    env.update(environment)
    return subprocess.run([BIN / program, *arguments], env=env, capture_output=True, text=True, timeout=90, check=False)


class ProgramTest(unittest.TestCase):
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

    def refused(self, program, *arguments, **environment):
        done = run(program, *arguments, **environment)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, rf"^{program}: .+\n$")
        return done
