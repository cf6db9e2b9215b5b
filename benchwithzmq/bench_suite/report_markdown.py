# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The report as Markdown: a summary, and the full tables."""

from .loads import load_text
from .report_data import BASELINE, BASELINE_AGAIN, SUBJECT, Cell, cell_of, cell_text, group_titles
from .report_environment import environment_rows
from .report_loads import late_rows, load_tables
from .report_metrics import (
    MAIN_METRICS,
    METRICS,
    MISSING,
    change_text,
    in_order,
    ratio_text,
    size_text,
    value_text,
    TRANSPORTS,
)
from .report_samples import samples_note
from .report_summary import behind, findings, warnings

LATE_HEAD = ["Cell", "Library", "Share of the rate in the worst run"]
RATIO_NOTE = (
    "The ratios are medians over pairs of runs, zlink to libzmq; latency and CPU time are inverted, so that above "
    "1 zlink is always the better one."
)


def markdown_report(groups, title):
    lines = [f"# {title}", "", "## Environment", ""]
    lines += table(["", ""], environment_rows(groups))
    lines += [
        "",
        RATIO_NOTE + " A range in parentheses is the least and the best pair; ▼ marks cells whose whole range "
        "lies below parity; – is a missing result.",
        "",
    ]
    for group, heading in zip(groups, group_titles(groups)):
        lines += [f"## {heading[0].upper()}{heading[1:]}", ""]
        lines += [f"> **{text}**\n" for text in warnings(group)]
        lines += [f"- {text}" for text in [*findings(group), samples_note(group)] if text] + [""]
        lines += _ratio_tables(group) + _load_tables(group) + _value_tables(group) + _yardsticks(group) + _behind(group) + _failures(group)
    return "\n".join(lines).rstrip() + "\n"


def summary_table(group, metric="throughput"):
    """Ratios of patterns by transport, at the smallest, a middle and the largest size."""
    cells, tried = dict(group.ratios(metric)), group.attempted(metric)
    sizes = summary_sizes({cell.size for cell in tried})
    columns = [
        (transport, size) for transport in in_order({cell.transport for cell in tried}, TRANSPORTS) for size in sizes
    ]
    patterns = in_order({cell.pattern for cell in tried}, group.patterns())
    rows = [
        [pattern] + [ratio_cell(cells.get(Cell(pattern, *column)), with_range=False) for column in columns]
        for pattern in patterns
    ]
    return table([METRICS[metric].title] + [f"{transport} {size_text(size)}" for transport, size in columns], rows)


def summary(groups):
    """The text for docs/performance/summary.md: throughput and latency of the first group, and their surroundings."""
    group = groups[0]
    facts = dict(environment_rows([group]))
    lines = [f"> **{text}**\n" for text in warnings(group)]
    for metric in ("throughput", "latency_p50_us"):
        if group.plain_ratios(metric):
            lines += summary_table(group, metric) + [""]
    told = [facts[name] for name in ("CPU", "Kernel", "Compiler") if name in facts]
    told += [f"{name} {facts[name]}" for name in ("libzmq", "zlink") if name in facts]
    told += [f"{name.lower()} {facts[name]}" for name in ("Commit", "Date") if name in facts]
    lines += [f"{RATIO_NOTE} Measured {group.title()}: {', '.join(told)}."]
    return "\n".join(lines) + "\n"


def summary_sizes(sizes):
    """Up to three sizes that stand for all: the smallest, the one nearest to 1 KB between, the largest."""
    sizes = sorted(sizes)
    if len(sizes) <= 3:
        return sizes
    middle = min(sizes[1:-1], key=lambda size: (abs(size - 1024), size))
    return [sizes[0], middle, sizes[-1]]


def table(head, rows):
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [
        "| " + " | ".join(head) + " |",
        "|" + "|".join(["---"] + ["---:" if len(head) > 2 else "---"] * (len(head) - 1)) + "|",
    ]
    return lines + ["| " + " | ".join(str(item).replace("|", "\\|") for item in row) + " |" for row in rows]


def ratio_cell(ratio, with_range=True):
    if ratio is None:
        return MISSING
    text = ("" if ratio.paired else "~") + ratio_text(ratio.median)
    if with_range and ratio.pairs > 1:
        text += f" ({ratio_text(ratio.low, '')}–{ratio_text(ratio.high, '')})"
    return text + (" ▼" if ratio.behind else "")


def detail_tables(group):
    """(pattern, head, rows) with both libraries' medians and their ratio for the main metrics that have values."""
    metrics = [metric for metric in MAIN_METRICS if any(group.has(lib, metric) for lib in (BASELINE, SUBJECT))]
    head = ["Cell"]
    for metric in metrics:
        head += [f"{METRICS[metric].title}: libzmq", "zlink", "diff"]
    for pattern in group.patterns():
        rows = []
        for cell in group.cells():
            if cell.pattern != pattern:
                continue
            row = [", ".join(filter(None, (f"{cell.transport} {size_text(cell.size)}", load_text(cell.load))))]
            for metric in metrics:
                ratio = group.ratio(cell, metric)
                row += [value_text(metric, group.median(lib, cell, metric)) for lib in (BASELINE, SUBJECT)]
                row.append(change_text(ratio.median if ratio else None) + (" ▼" if ratio and ratio.behind else ""))
            rows.append(row)
        if rows:
            yield pattern, head, rows


def failure_rows(group):
    return [
        [
            cell_text(cell_of(run)),
            run["lib"],
            str(run.get("pair", MISSING)),
            run["status"],
            " ".join(str(run.get("error") or MISSING).split()),
        ]
        for run in group.failures
    ]


def yardstick_rows(group):
    """(lib, rows) for each library besides the two: its medians, and zlink's ratio to them."""
    for lib in group.libs():
        if lib in (BASELINE, SUBJECT, BASELINE_AGAIN):
            continue
        rows = []
        for cell in group.cells():
            row = []
            for metric in ("throughput", "latency_p50_us", "latency_p99_us"):
                ratio = group.ratio(cell, metric, over=lib)
                row += [
                    value_text(metric, group.median(lib, cell, metric)),
                    ratio_text(ratio.median if ratio else None),
                ]
            if any(item != MISSING for item in row):
                rows.append([cell_text(cell)] + row)
        yield lib, ["Cell", "Throughput", "zlink is", "Latency p50", "zlink is", "Latency p99", "zlink is"], rows


def _ratio_tables(group):
    lines = []
    for metric in MAIN_METRICS:
        cells = dict(group.plain_ratios(metric))
        if not cells:
            continue
        lines += [f"### {METRICS[metric].title}: ratio", ""]
        tried = group.attempted(metric)
        for transport in in_order({cell.transport for cell in tried}, TRANSPORTS):
            of = {cell for cell in tried if cell.transport == transport}
            sizes = sorted({cell.size for cell in of})
            rows = [
                [pattern] + [ratio_cell(cells.get(Cell(pattern, transport, size))) for size in sizes]
                for pattern in in_order({cell.pattern for cell in of}, group.patterns())
            ]
            lines += table([transport] + [size_text(size) for size in sizes], rows) + [""]
    return lines


def _load_tables(group):
    lines = []
    for heading, head, rows in load_tables(group, ratio_cell):
        lines += [f"### {heading}", ""] + table(head, rows) + [""]
    if rows := late_rows(group):
        lines += ["### Rates that were not kept", ""] + table(LATE_HEAD, rows) + [""]
    return lines


def _value_tables(group):
    lines = []
    for pattern, head, rows in detail_tables(group):
        lines += [f"### {pattern}", ""] + table(head, rows) + [""]
    return lines


def _yardsticks(group):
    lines = []
    for lib, head, rows in yardstick_rows(group):
        lines += [f"### Beside {lib}", ""] + table(head, rows) + [""]
    return lines


def _behind(group):
    found = behind(group, MAIN_METRICS)
    if not found:
        return []
    rows = [[cell_text(cell), METRICS[metric].title, ratio_cell(ratio)] for metric, cell, ratio in found]
    return ["### Cells below parity in every pair", ""] + table(["Cell", "Metric", "Ratio"], rows) + [""]


def _failures(group):
    if not group.failures:
        return []
    return (
        ["### Runs that failed", ""]
        + table(["Cell", "Library", "Pair", "Status", "Message"], failure_rows(group))
        + [""]
    )
