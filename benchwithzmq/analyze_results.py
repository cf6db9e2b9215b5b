#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Compares two versions of zlink: two result files of run_comparison.py, cell by cell."""

import argparse
import statistics
import sys

from bench_suite.report_arguments import Parser
from bench_suite.report_compare import ENOUGH_RUNS, IMPROVEMENT, LEAST_RUNS, LOST, REGRESSION, SAME, TOO_FEW, compare
from bench_suite.report_data import BASELINE, BASELINE_AGAIN, SUBJECT, ReportError, cell_text, group_titles, load_groups
from bench_suite.report_environment import environment_rows
from bench_suite.report_markdown import table
from bench_suite.report_metrics import MAIN_METRICS, METRICS, MISSING, change_text, value_text
from bench_suite.report_samples import leave_out_chance, samples_note

_DESCRIPTION = """\
Compares the results of two versions of zlink, OLD.json and NEW.json, cell by cell: the ratio of the medians (above 1
the new one is better, for latency and CPU time too) with its bootstrap confidence interval. A change counts as a regression
or an improvement where the whole interval lies on one side of 1 and the medians differ by the threshold or more. A cell
that had results and fails now is a regression, too."""

_MARKS = {
    REGRESSION: "▼ regression",
    IMPROVEMENT: "▲ improvement",
    SAME: "",
    TOO_FEW: "? too few runs",
    LOST: "▼ failed",
}


def main(arguments=None):
    options = _parse(arguments)
    try:
        old, new = (_only_group(path) for path in (options.old, options.new))
        changes = compare(
            old, new, options.metrics, options.lib, options.relative, options.confidence, options.threshold
        )
    except ReportError as error:
        print(f"analyze_results.py: {error}", file=sys.stderr)
        return 2
    lines = _markdown(options, old, new, changes) if options.markdown else _plain(options, old, new, changes)
    try:
        print("\n".join(lines), flush=True)
    except BrokenPipeError:
        sys.stderr.close()
    worse = any(change.verdict in (REGRESSION, LOST) for change in changes)
    return 1 if worse and options.fail_on_regression else 0


def _parse(arguments):
    parser = Parser(
        description=_DESCRIPTION,
        epilog="Exit status: 0, or 1 with --fail-on-regression and a regression, or 2 for bad input.",
    )
    parser.add_argument("old", metavar="OLD.json", help="results of the version to compare with")
    parser.add_argument("new", metavar="NEW.json", help="results of the version in question")
    parser.add_argument(
        "--metrics",
        type=_metrics,
        default=MAIN_METRICS,
        metavar="M,M",
        help=f"metrics to compare (default: {','.join(MAIN_METRICS)})",
    )
    parser.add_argument(
        "--lib",
        default=SUBJECT,
        choices=[SUBJECT, BASELINE, BASELINE_AGAIN, "nng", "omq", "floor"],
        help="whose results to compare (default: %(default)s; libzmq shows how the machine changed)",
    )
    parser.add_argument(
        "--relative",
        action="store_true",
        help="compare the ratios to libzmq, pair by pair: for files from different days or machines",
    )
    parser.add_argument(
        "--confidence",
        type=_share,
        default=0.99,
        metavar="C",
        help="of the interval, between 0.5 and 1 (default: %(default)s)",
    )
    parser.add_argument(
        "--threshold",
        type=_threshold,
        default=0.03,
        metavar="T",
        help="least change that counts (default: %(default)s, that is 3 %%)",
    )
    parser.add_argument("--only-changes", action="store_true", help="leave out the cells that stayed the same")
    parser.add_argument("--fail-on-regression", action="store_true", help="exit with status 1 if there is a regression")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    return parser.parse_args(arguments)


def _metrics(text):
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in METRICS:
            raise argparse.ArgumentTypeError(f"unknown metric '{name}' (known: {', '.join(METRICS)})")
    if not names:
        raise argparse.ArgumentTypeError("no metric given")
    return list(dict.fromkeys(names))


def _share(text):
    value = _number(text)
    if not 0.5 <= value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not between 0.5 and 1")
    return value


def _threshold(text):
    value = _number(text)
    if not 0 <= value < 10:
        raise argparse.ArgumentTypeError(f"'{text}' is not between 0 and 10")
    return value


def _number(text):
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None


def _only_group(path):
    (group,) = load_groups([path])
    leave_out_chance(group)
    return group


# --- output ---------------------------------------------------------------------------------------------------------


def _plain(options, old, new, changes):
    lines = _versions(options, old, new)
    lines += [f"warning: {text}" for text in _warnings(options, old, new, changes)]
    for metric in options.metrics:
        rows = _rows(options, metric, changes)
        if rows:
            lines += ["", _heading(options, metric)] + _columns(_head(options), rows)
    return lines + [""] + _verdict(options, changes)


def _markdown(options, old, new, changes):
    lines = ["# Two versions of zlink compared", ""] + [f"- {text}" for text in _versions(options, old, new)]
    lines += (
        [f"- **{text}**" for text in _warnings(options, old, new, changes)] + [""] + _verdict(options, changes) + [""]
    )
    facts = [dict(environment_rows([group])) for group in (old, new)]
    names = list(dict.fromkeys([*facts[0], *facts[1]]))
    lines += table(
        ["Environment", "old", "new"], [[name] + [of.get(name, MISSING) for of in facts] for name in names]
    ) + [""]
    for metric in options.metrics:
        rows = _rows(options, metric, changes)
        if rows:
            lines += [f"## {_heading(options, metric)}", ""] + table(_head(options), rows) + [""]
    return lines


def _versions(options, old, new):
    return [
        f"{name}: {path}: {_version(group, options.relative)}"
        for name, path, group in (("old", options.old, old), ("new", options.new, new))
    ]


def _version(group, relative):
    facts = dict(environment_rows([group]))
    told = [f"{lib} {facts[lib]}" for lib in (["zlink", "libzmq"] if relative else ["zlink"]) if lib in facts]
    told += [f"commit {facts['Commit']}"] if "Commit" in facts else []
    told += [facts[name] for name in ("Date", "CPU", "Kernel", "Compiler") if name in facts]
    return ", ".join(told + [group.title()])


def _warnings(options, old, new, changes):
    for name, word in (
        ("host", "machines"),
        ("cpu_model", "CPUs"),
        ("kernel", "kernels"),
        ("compiler", "compilers"),
        ("build_flags", "build flags"),
        ("congestion_control", "TCP congestion controls"),
        ("libzmq_version", "versions of libzmq"),
    ):
        first, second = (group.environments[0].get(name) or "not known" for group in (old, new))
        if first != second:
            hint = (
                ""
                if options.relative or name not in ("host", "cpu_model", "kernel")
                else "; --relative compares the ratios to libzmq"
            )
            yield f"different {word}: {first} and {second}{hint}"
    for name, word in (("seconds", "seconds a run"), ("msg_count", "messages a run")):
        first, second = (group.settings.get(name) or "not given" for group in (old, new))
        if first != second:
            yield f"different {word}: {first} and {second}"
    if old.title() != new.title():
        yield f"different settings: {group_titles([old])[0]} and {group_titles([new])[0]}"
    for name, group in (("old", old), ("new", new)):
        if group.failures:
            yield f"{len(group.failures)} failed runs in the {name} file"
    few = sum(change.verdict == TOO_FEW for change in changes)
    if few:
        yield (
            f"{few} results have too few runs for a verdict: {LEAST_RUNS} on both sides show large changes, "
            f"{ENOUGH_RUNS} or more are needed for small ones"
        )
    note = samples_note(old, options.metrics) or samples_note(new, options.metrics)
    if note:
        yield note


def _heading(options, metric):
    return METRICS[metric].title + (", ratio to libzmq" if options.relative else "")


def _head(options):
    return ["Cell", "old", "new", "change", f"{100 * options.confidence:g} % interval", "verdict"]


def _rows(options, metric, changes):
    rows = []
    for change in changes:
        if change.metric != metric or options.only_changes and change.verdict == SAME:
            continue
        interval = MISSING if change.ratio is None else f"{change_text(change.low)} to {change_text(change.high)}"
        old, new = (_figure(options, metric, value) for value in (change.old, change.new))
        rows.append([cell_text(change.cell), old, new, change_text(change.ratio), interval, _MARKS[change.verdict]])
    return rows


def _figure(options, metric, value):
    if value is None:
        return MISSING
    return f"{value:.2f}×" if options.relative else value_text(metric, value)


def _columns(head, rows):
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    last = len(head) - 1
    lines = []
    for row in [head, *rows]:
        line = "  ".join(
            item.ljust(width) if place in (0, last) else item.rjust(width)
            for place, (item, width) in enumerate(zip(row, widths))
        )
        lines.append(line.rstrip())
    return [lines[0], "-" * (sum(widths) + 2 * last)] + lines[1:]


def _verdict(options, changes):
    lines = []
    for metric in options.metrics:
        ratios = [change.ratio for change in changes if change.metric == metric and change.ratio]
        if ratios:
            lines.append(
                f"{_heading(options, metric)}: {change_text(statistics.geometric_mean(ratios))} on average over "
                f"{len(ratios)} cells"
            )
    count = {verdict: sum(change.verdict == verdict for change in changes) for verdict in _MARKS}
    told = [f"{count[REGRESSION]} regressions", f"{count[IMPROVEMENT]} improvements", f"{count[SAME]} unchanged"]
    told += [f"{count[TOO_FEW]} without a verdict"] if count[TOO_FEW] else []
    told += [f"{count[LOST]} failed in the new version"] if count[LOST] else []
    summary = ", ".join(told)
    return ["- " + line for line in lines] + ["- " + summary] if options.markdown else lines + [summary]


if __name__ == "__main__":
    sys.exit(main())
