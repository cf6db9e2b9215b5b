#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Counts the system calls a message costs in both libraries, under strace -f -c."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_suite.cells import (
    Settings,
    UsageError,
    add_load_options,
    all_cells,
    chosen_loads,
    patterns_of,
    refuse_counts,
    sizes_of,
    transports_of,
    whole_number,
)
from bench_suite.loads import LOADS
from bench_suite.report_arguments import Parser
from bench_suite.report_data import cell_text
from bench_suite.runner import Runner
from bench_suite.store import keep_earlier, write_atomically
from run_comparison import SOURCE

EPILOG = """
strace slows every call down, so batches come out smaller than they are; the figures compare, they do not predict. What
a program needs to start and end is measured with a run of few messages, and taken off. clock_nanosleep is left out: it
is how the programs themselves wait and watch. BENCH_TRANSPORTS, BENCH_MSG_SIZES and the rest of the environment are
those of run_comparison.py; BENCH_MSG_COUNT is set by --messages.
"""

# Calls of the harness, not of a library.
NOT_COUNTED = {"clock_nanosleep"}


def parse(arguments):
    parser = Parser(prog="syscalls.py", description=__doc__, epilog=EPILOG)
    parser.add_argument("pattern", metavar="PATTERN", nargs="?", default="PAIR",
                        help="as for run_comparison.py (default PAIR)")
    parser.add_argument("--transports", help="default tcp,ipc")
    parser.add_argument("--sizes", help="octets, default 64,1024,65536,262144")
    parser.add_argument("--messages", help="messages counted (default: 100,000, fewer if they are large)")
    parser.add_argument("--build-dir", default=SOURCE / "build" / "bin")
    parser.add_argument("--zlink-only", action="store_true")
    parser.add_argument("--top", default="6", help="kinds of calls shown for each cell (default 6)")
    parser.add_argument("--output", metavar="FILE", help="write the table there, too")
    parser.add_argument("--overwrite", action="store_true", help="replace what an earlier run left in --output FILE")
    add_load_options(parser)
    return parser.parse_args(arguments)


def counts_of(text):
    """Calls by name, from the table that strace -c writes."""
    found = {}
    for line in text.splitlines():
        row = re.match(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?([a-z_]\w*)\s*$", line)
        if row and row.group(2) != "total":
            found[row.group(2)] = int(row.group(1))
    return found


def sent(messages):
    """How many messages a program sends for BENCH_MSG_COUNT: a warm-up comes first (message_quota of the harness)."""
    return messages // 10 + 1 + messages


def traced(runner, lib, cell, messages):
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "strace.txt"
        command = ["strace", "-f", "-c", "-o", str(log), *runner.command(lib, cell, "throughput")]
        variables = runner.environment(lib, cell) | {"BENCH_MSG_COUNT": str(messages)}
        try:
            done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"{cell_text(cell)}: {lib}: no end after 600 s") from None
        if done.returncode != 0:
            raise RuntimeError((done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
        return counts_of(log.read_text(encoding="utf-8"))


def per_message(runner, lib, cell, messages):
    few = max(1, messages // 10)
    small, large = (traced(runner, lib, cell, n) for n in (few, messages))
    more = sent(messages) - sent(few)
    return {name: max(0.0, (large[name] - small.get(name, 0)) / more) for name in large if name not in NOT_COUNTED}


def main(arguments):
    options = parse(arguments)
    keep_earlier(options)
    if not shutil.which("strace"):
        raise UsageError("strace is missing: apt-get install strace")
    settings = Settings.from_environment(os.environ)
    patterns = patterns_of(options.pattern)
    refuse_counts(patterns, "syscalls.py")
    transports = transports_of(options.transports or os.environ.get("BENCH_TRANSPORTS") or "tcp,ipc")
    sizes = options.sizes or os.environ.get("BENCH_MSG_SIZES")
    sizes = sizes_of(sizes or ("64" if set(patterns) <= set(LOADS) else "64,1024,65536,262144"))
    cells = all_cells(patterns, transports, sizes, chosen_loads(options, patterns, settings), settings.processes)
    top = whole_number(options.top, "--top", 1, 100)
    runner = Runner(options.build_dir, settings)
    libs = ["zlink"] if options.zlink_only else ["libzmq", "zlink"]
    runner.check(libs, patterns)
    lines, status = ["System calls a message, without the harness's own clock_nanosleep", ""], 0
    for cell in cells:
        default = 2000 if cell.size > 16384 else 100000
        messages = whole_number(options.messages, "--messages", 20, 10**9) if options.messages else default
        lines.append(f"{cell_text(cell)}: {messages} messages")
        for lib in libs:
            print(f"{cell_text(cell)}: {lib}", file=sys.stderr, flush=True)
            try:
                found = per_message(runner, lib, cell, messages)
            except RuntimeError as error:
                lines.append(f"  {lib:<7} failed: {error}")
                status = 1
                continue
            shown = sorted(found.items(), key=lambda item: -item[1])[:top]
            kinds = ", ".join(f"{name} {count:.4g}" for name, count in shown if count >= 0.00005)
            lines.append(f"  {lib:<7} {sum(found.values()):8.4f} a message: {kinds or 'none'}")
        lines.append("")
    text = "\n".join(lines)
    print(text, end="")
    if options.output:
        write_atomically(options.output, text)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as error:
        print(f"syscalls.py: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
