#!/usr/bin/env python3
"""Sweeps a knob of zlink over cells, and prints which value wins where."""

import os
import statistics
import sys

from bench_suite.cells import Settings, UsageError, all_cells, check_knob, patterns_of, sizes_of, transports_of, whole_number
from bench_suite.progress import Progress
from bench_suite.report_arguments import Parser
from bench_suite.report_data import Cell
from bench_suite.report_metrics import METRICS, MISSING, size_text, value_text
from bench_suite.runner import Runner
from bench_suite.store import Results, write_atomically
from run_comparison import SOURCE

EPILOG = """
Example: run_sweep.py ZMQ_ASIO_OUT_BATCH_SIZE=4096,8192,16384,32768,65536 --pattern PAIR --transports tcp --sizes 64,1024
A value "default" stands for the knob not being set. Environment as for run_comparison.py.
"""


def parse(arguments):
    parser = Parser(prog="run_sweep.py", description=__doc__, epilog=EPILOG)
    parser.add_argument("knob", metavar="KNOB=V1,V2,..", help="the knob and its values, each tried in turn")
    parser.add_argument("--pattern", default="PAIR,DEALER_ROUTER", help="default PAIR,DEALER_ROUTER")
    parser.add_argument("--transports", default="tcp,ipc")
    parser.add_argument("--sizes", default="64,1024,65536,262144")
    parser.add_argument("--runs", default="3", help="rounds over all values (default 3)")
    parser.add_argument("--metric", default="throughput", choices=["throughput", "latency_p50_us", "latency_p99_us", "cpu_ns_per_msg"])
    parser.add_argument("--build-dir", default=SOURCE / "build" / "bin")
    parser.add_argument("--json", metavar="FILE", help="write all runs there (lib: the knob's value)")
    parser.add_argument("--output", metavar="FILE", help="write the table there, too")
    return parser.parse_args(arguments)


def values_of(text):
    name, separator, values = text.partition("=")
    if not separator or not values:
        raise UsageError(f"'{text}' is no KNOB=V1,V2,..")
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


def table(name, values, cells, metric, measured):
    """A row per cell, the median of each value, the winner marked. A winner within 3 % of another is no winner."""
    better = METRICS[metric].improvement
    width = max(9, *(len(value) for value in values))
    lines = [f"{name}: {METRICS[metric].title}, medians", ""]
    lines.append(f"{'cell':<34}" + "".join(f" {value:>{width}}" for value in values) + "  wins")
    for cell in cells:
        medians = {v: statistics.median(measured[cell, v]) for v in values if measured.get((cell, v))}
        row = f"{cell.pattern + ' ' + cell.transport + ' ' + size_text(cell.size):<34}"
        row += "".join(f" {value_text(metric, medians[v]) if v in medians else MISSING:>{width}}" for v in values)
        if medians:
            best = max(medians, key=lambda v: better(medians[v], 1))
            near = [v for v in medians if better(medians[best], medians[v]) < 1.03]
            row += "  " + (best if len(near) == 1 else "no difference: " + ", ".join(near))
        lines.append(row)
    return "\n".join(lines) + "\n"


def main(arguments):
    options = parse(arguments)
    name, values = values_of(options.knob)
    settings = Settings.from_environment(os.environ)
    rounds = whole_number(options.runs, "--runs", 1, 1000)
    patterns = patterns_of(options.pattern)
    cells = all_cells(patterns, transports_of(options.transports), sizes_of(options.sizes))
    runners = {value: Runner(options.build_dir, with_knob(settings, name, value)) for value in values}
    runners[values[0]].check(["zlink"], patterns)
    metrics = "latency" if options.metric.startswith("latency") else "throughput"
    measured, failures = {}, []
    results = Results(options.json, {}, {"sweep": name})
    with Progress(len(cells) * rounds * len(values)) as progress:
        for cell in cells:
            for round_number in range(rounds):
                for position, value in enumerate(values):
                    progress.begin(f"{name}={value}", cell)
                    outcome = runners[value].run("zlink", Cell(*cell), metrics)
                    results.add(f"{name}={value}", cell, round_number, position, outcome)
                    if outcome.status != "ok":
                        failures.append(f"{name}={value} {cell.pattern} {cell.transport} {cell.size}: {outcome.error}")
                    elif options.metric in outcome.metrics:
                        measured.setdefault((cell, value), []).append(outcome.metrics[options.metric])
                    progress.end(value, cell, outcome)
            progress.cell_done(cell, "done")
    text = table(name, values, cells, options.metric, measured)
    print(text, end="")
    if options.output:
        write_atomically(options.output, text)
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as error:
        print(f"run_sweep.py: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
