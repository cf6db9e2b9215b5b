#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The C++ API beside the C API, plain sockets of Asio, and cppzmq on libzmq: paired medians over tcp, on one core."""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]

# What is measured, and against what: program, mode.
ROWS = [
    ("async_receive_some, hosted", ("zlink", "some_hosted"), "C API, messages", ("zlink", "c_messages")),
    ("async_receive_some, hosted", ("zlink", "some_hosted"), "C API, octets", ("zlink", "c")),
    ("async_receive_some", ("zlink", "some"), "C API, messages", ("zlink", "c_messages")),
    ("async_receive_some", ("zlink", "some"), "C API, octets", ("zlink", "c")),
    ("receive(), hosted", ("zlink", "receive_hosted"), "C API, messages", ("zlink", "c_messages")),
    ("receive()", ("zlink", "receive"), "C API, messages", ("zlink", "c_messages")),
    ("async_receive, hosted", ("zlink", "each_hosted"), "C API, messages", ("zlink", "c_messages")),
    ("async_receive", ("zlink", "each"), "C API, messages", ("zlink", "c_messages")),
    ("socket::receive", ("zlink", "blocking"), "cppzmq", ("cppzmq", "blocking")),
    ("ping-pong, hosted", ("zlink", "ping_hosted"), "Asio", ("asio", "ping")),
    ("ping-pong, I/O thread", ("zlink", "ping"), "Asio", ("asio", "ping")),
    ("ping-pong, hosted, two threads", ("zlink", "ping_hosted_threads"), "Asio", ("asio", "ping_threads")),
    ("ping-pong, I/O threads, two threads", ("zlink", "ping_threads"), "Asio", ("asio", "ping_threads")),
    ("ping-pong, C API, two threads", ("zlink", "ping_c"), "cppzmq", ("cppzmq", "ping")),
    ("timer beside async_receive, hosted", ("zlink", "timer_flood_hosted"), "no flood", ("zlink", "timer")),
]


class Missing(Exception):
    pass


def run(options, program, mode):
    """The metric's name, and its value."""
    path = options.build_dir / f"comp_cpp_{program}"
    if not path.exists():
        raise Missing(f"{path.name} is missing: it needs Boost.Asio 1.81, or cppzmq (cppzmq-dev) and libzmq")
    done = subprocess.run([path, mode, str(options.size), str(options.seconds)], capture_output=True, text=True,
                          timeout=60 + 10 * options.seconds, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{path.name} {mode}: {done.stderr.strip() or done.returncode}")
    _, _, _, metric, value = done.stdout.strip().split(",")
    return metric, float(value)


def measure(options, row):
    name, subject, other, against = row
    mine, theirs, ratios = [], [], []
    for pair in range(options.pairs):
        values = {}
        for which in (subject, against) if pair % 2 == 0 else (against, subject):
            metric, values[which] = run(options, *which)
        mine.append(values[subject])
        theirs.append(values[against])
        ratios.append(values[subject] / values[against])
    return (f"| {name} | {metric} | {statistics.median(mine):,.1f} | {other} | {statistics.median(theirs):,.1f} | "
            f"{statistics.median(ratios):.2f} | {min(ratios):.2f} to {max(ratios):.2f} |")


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="runs of each, in turn (9)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run (0.5)")
    parser.add_argument("--size", type=int, default=64, help="octets of a message (64)")
    parser.add_argument("--core", type=int, default=-1, help="the core for all; the last one unless set")
    parser.add_argument("--all-cores", action="store_true", help="no core is chosen")
    parser.add_argument("--only", default="", help="rows whose name has this text")
    parser.add_argument("--build-dir", type=Path, default=SOURCE / "build" / "bin")
    options = parser.parse_args()
    if options.pairs < 1 or not 0 < options.seconds <= 60 or not 8 <= options.size <= 65536:
        parser.error("--pairs from 1, --seconds up to 60, --size from 8 to 65536")
    return options


def main():
    options = parse()
    if not options.all_cores:
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {options.core if options.core >= 0 else cores[-1]})
    print("| | metric | median | against | median | ratio | range |\n|---|---|---|---|---|---|---|")
    for row in ROWS:
        if options.only not in row[0]:
            continue
        try:
            print(measure(options, row), flush=True)
        except Missing as missing:
            print(f"| {row[0]} | {missing} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
