#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Sweeps a knob of zlink over cells, and prints which value wins where."""

import os
import sys

from bench_suite import environment
from bench_suite.cells import (
    Settings,
    UsageError,
    add_load_options,
    all_cells,
    check_knob,
    chosen_loads,
    patterns_of,
    sizes_of,
    transports_of,
    whole_number,
)
from bench_suite.loads import LOADS, asked_of
from bench_suite.progress import Progress
from bench_suite.report_arguments import Parser
from bench_suite.report_data import Cell, cell_of, cell_text
from bench_suite.report_metrics import METRICS, MISSING, value_text
from bench_suite.report_samples import leave_out_chance, samples_note
from bench_suite.runner import Runner
from bench_suite.store import Results, keep_earlier, write_atomically
from run_comparison import SOURCE

EPILOG = """
Example: run_sweep.py ZMQ_ASIO_OUT_BATCH_SIZE=4096,8192,16384,32768,65536 --pattern PAIR --transports tcp --sizes 64,1024
A value "default" stands for the knob not being set. The values take turns, each round begins with another one. A value
wins where it is more than 3 % better than the default (or the first value) in every round. BENCH_TRANSPORTS,
BENCH_MSG_SIZES and the rest of the environment are those of run_comparison.py, and so is the exit status.
"""

# In every round by more than this, as a ratio: less is noise.
CLEARLY = 1.03


def parse(arguments):
    parser = Parser(prog="run_sweep.py", description=__doc__, epilog=EPILOG)
    parser.add_argument("knob", metavar="KNOB=V1,V2,..", help="the knob and its values, each tried in turn")
    parser.add_argument("--pattern", default="PAIR,DEALER_ROUTER", help="default PAIR,DEALER_ROUTER")
    parser.add_argument("--transports", help="default tcp,ipc")
    parser.add_argument("--sizes", help="octets, default 64,1024,65536,262144")
    parser.add_argument("--runs", default="3", help="rounds over all values (default 3)")
    parser.add_argument("--metric", default="throughput",
                        choices=["throughput", "latency_p50_us", "latency_p99_us", "cpu_ns_per_msg"])
    parser.add_argument("--build-dir", default=SOURCE / "build" / "bin")
    parser.add_argument("--json", metavar="FILE", help="result file, written after every run (lib: KNOB=value)")
    parser.add_argument("--resume", action="store_true", help="go on with --json FILE where it was interrupted")
    parser.add_argument("--output", metavar="FILE", help="write the table there, too")
    parser.add_argument("--overwrite", action="store_true",
                        help="replace what an earlier run left in --json FILE and --output FILE")
    add_load_options(parser)
    return parser.parse_args(arguments)


def values_of(text):
    name, separator, values = text.partition("=")
    if not separator or not values:
        raise UsageError(f"'{text}' is not KNOB=V1,V2,..")
    found = list(dict.fromkeys(values.split(",")))
    if len(found) < 2:
        raise UsageError("a sweep needs two values at least")
    for value in found:
        check_knob(name, "1" if value == "default" else value)
    return name, found


def with_knob(settings, name, value):
    knobs = dict(settings.knobs)
    knobs.pop(name, None)
    if value != "default":
        knobs[name] = value
    return Settings(**{**vars(settings), "knobs": tuple(sorted(knobs.items()))})


def zlink_version(build_dir, settings, pattern):
    """Asked of a program itself: a tiny run."""
    asked = asked_of(pattern)
    outcome = Runner(build_dir, settings.quick(asked)).run("zlink", Cell(asked, "inproc", 64), "throughput")
    if outcome.status != "ok":
        raise UsageError(f"the programs of zlink do not work: {outcome.error}")
    return outcome.info.get("zlink_version")


def plan(name, values, cells, rounds):
    """(cell, round, position, lib, value) in the order of measuring; each round begins one value further on."""
    for cell in cells:
        for number in range(rounds):
            first = number % len(values)
            for position, value in enumerate(values[first:] + values[:first]):
                yield cell, number, position, f"{name}={value}", value


def reference_of(values):
    return "default" if "default" in values else values[0]


def verdict(group, name, values, cell, metric):
    """The values that win, the best first."""
    reference = reference_of(values)
    ratios = {v: group.ratio(cell, metric, f"{name}={v}", f"{name}={reference}") for v in values if v != reference}
    ratios = {value: ratio for value, ratio in ratios.items() if ratio}
    better = [value for value, ratio in ratios.items() if ratio.low > CLEARLY]
    worse = [value for value, ratio in ratios.items() if ratio.high < 1 / CLEARLY]
    if not ratios:
        return MISSING
    if better:
        return ", ".join(sorted(better, key=lambda value: -ratios[value].median))
    if len(worse) == len(values) - 1:
        return reference
    return "no difference beyond noise" + (f" (worse: {', '.join(worse)})" if worse else "")


def figure(group, lib, cell, metric):
    """The median, and how far the runs reach below and above it."""
    values = group.values(lib, cell, metric)
    middle = group.median(lib, cell, metric)
    text = value_text(metric, middle)
    if len(values) > 1:
        text += f" ({100 * (min(values) / middle - 1):+.0f}..{100 * (max(values) / middle - 1):+.0f} %)"
    return text


def table(group, name, values, metric):
    """A row per cell, the figures of each value, and what wins."""
    rows = [["cell", *values, "wins"]]
    for cell in group.cells():
        figures = [figure(group, f"{name}={value}", cell, metric) for value in values]
        won = verdict(group, name, values, cell, metric)
        rows.append([cell_text(cell), *figures, won])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]) - 1)]
    lines = [f"{name}: {METRICS[metric].title}, medians (and the range of the runs)"]
    lines.append(f"wins: more than 3 % better than {reference_of(values)} in every round")
    lines += [note] if (note := samples_note(group, [metric])) else []
    lines.append("")
    for first, *figures, won in rows:
        shown = "".join(f"  {text:>{width}}" for text, width in zip(figures, widths[1:]))
        lines.append(f"{first:<{widths[0]}}{shown}  {won}")
    return "\n".join(lines) + "\n"


def main(arguments):
    options = parse(arguments)
    name, values = values_of(options.knob)
    settings = Settings.from_environment(os.environ)
    rounds = whole_number(options.runs, "--runs", 1, 1000)
    patterns = patterns_of(options.pattern)
    transports = transports_of(options.transports or os.environ.get("BENCH_TRANSPORTS") or "tcp,ipc")
    sizes = options.sizes or os.environ.get("BENCH_MSG_SIZES")
    sizes = sizes_of(sizes or ("64" if set(patterns) <= set(LOADS) else "64,1024,65536,262144"))
    cells = all_cells(patterns, transports, sizes, chosen_loads(options, patterns, settings), settings.processes)
    if options.resume and not options.json:
        raise UsageError("--resume needs --json FILE, the file to go on with")
    keep_earlier(options)
    runners = {value: Runner(options.build_dir, with_knob(settings, name, value)) for value in values}
    runners[values[0]].check(["zlink"], patterns)
    where = environment.describe(options.build_dir, None, zlink_version(options.build_dir, settings, patterns[0]))
    kind = "latency" if options.metric.startswith("latency") else "throughput"
    results = Results(options.json, where, {**settings.recorded(), "sweep": name, "metrics": kind, "runs": rounds})
    results.document["tool"] = "run_sweep"
    if options.resume:
        print(f"Going on with {options.json}: {results.resume()} runs are there.", file=sys.stderr)
    steps = plan(name, values, cells, rounds)
    todo = [step for step in steps if not results.has(step[3], step[0], step[1])]
    status = 0
    try:
        with Progress(len(todo)) as progress:
            for number, (cell, round_number, position, lib, value) in enumerate(todo):
                progress.begin(lib, cell)
                outcome = runners[value].run("zlink", cell, kind)
                results.add(lib, cell, round_number, position, outcome)
                progress.end(lib, cell, outcome)
                if number + 1 == len(todo) or todo[number + 1][0] != cell:
                    progress.cell_done(cell, verdict(results.group(), name, values, cell, options.metric))
    except KeyboardInterrupt:
        print("\nInterrupted.", "--resume goes on." if options.json else "", file=sys.stderr)
        status = 130
    group = results.group()
    leave_out_chance(group)
    text = table(group, name, values, options.metric)
    print(text, end="")
    if options.output:
        write_atomically(options.output, text)
    for run in group.failures:
        print(f"failed: {cell_text(cell_of(run))}: {run['lib']}: {run['error']}", file=sys.stderr)
        status = status or 1
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as error:
        print(f"run_sweep.py: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
