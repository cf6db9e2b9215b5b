# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Smoke test of the drivers in scale/: a short run each, and bad input."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

SUITE = Path(__file__).parents[1]
BIN = Path(os.environ.get("ZLINK_BIN_DIR", SUITE.parent / "build" / "bin"))


def run(script, *arguments, **variables):
    return subprocess.run([sys.executable, SUITE / "scale" / script, "--build-dir", BIN, *arguments],
                          capture_output=True,
                          text=True, timeout=120, check=False, env=dict(os.environ, **variables))


class Drivers(unittest.TestCase):
    def results(self, done):
        """Metrics of the run by label."""
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {}
        for line in done.stdout.splitlines():
            if line.startswith("RESULT,"):
                _, label, _, _, _, metric, value = line.split(",")
                found.setdefault(label, {})[metric] = float(value)
                self.assertGreater(float(value), 0, line)
        return found

    def test_asyncio_gives_a_rate_for_each_library(self):
        found = self.results(run("asyncio_rate.py", "--pairs", "1", "--seconds", "0.2"))
        self.assertEqual(set(found), {"libzmq", "zlink"})
        for metrics in found.values():
            self.assertEqual(set(metrics), {"turns_per_s", "stream_msg_per_s"})

    def test_a_delayed_link_gives_a_rate_or_says_what_it_lacks(self):
        mounts = Path("/proc/self/mountinfo").read_text()
        done = run("delayed_link.py", "--pairs", "1", "--seconds", "1", "--delay-ms", "5", "--sizes", "65536")
        self.assertEqual(Path("/proc/self/mountinfo").read_text().count("/run/netns"), mounts.count("/run/netns"))
        if done.returncode == 1:
            self.assertRegex(done.stderr, r"^delayed_link\.py: .+\n$")
            self.assertRegex(done.stderr, "root|netns|netem|iproute2|unshare|not permitted")
            return
        found = self.results(done)
        self.assertEqual(set(found), {"libzmq", "zlink"})
        self.assertIn("INFO,round_trip_ms,", done.stdout)
        left = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=False).stdout
        self.assertNotIn("benchwithzmq", left)

    def test_a_link_without_its_tools_says_what_to_install(self):
        done = run("delayed_link.py", PATH="/nonexistent")
        self.assertEqual((1, "delayed_link.py: ip is missing: apt-get install iproute2\n"),
                         (done.returncode, done.stderr))

    def test_bad_input_gives_one_line(self):
        for script, arguments in (("asyncio_rate.py", ("--pairs", "0")), ("asyncio_rate.py", ("--size", "7")),
                                  ("asyncio_rate.py", ("--libraries", "nng")), ("delayed_link.py", ("--seconds", "-1")),
                                  ("delayed_link.py", ("--delay-by", "hope")), ("delayed_link.py", ("more",))):
            with self.subTest(script=script, arguments=arguments):
                done = run(script, *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, rf"^{script}: .+\n$")

    def test_a_missing_library_is_named(self):
        for script in ("asyncio_rate.py", "delayed_link.py"):
            done = run(script, "--build-dir", "/nonexistent/bin")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"^{script}: no .+\n$")


if __name__ == "__main__":
    unittest.main()
