# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Cells with a load as lines: what stands on the x axis, and what is the same all along a line."""

from .loads import LOADS, load_text
from .report_data import cell_text
from .report_metrics import METRICS, in_order, size_text

# Of each pattern, those that it has.
LOAD_METRICS = ["throughput", "cpu_ns_per_msg", "latency_p50_us", "latency_p99_us"]


def along_of(cell):
    """(the value on the x axis or None, what is the same along the line: the size and the rest of the load)."""
    along = LOADS[cell.pattern].along if cell.pattern in LOADS else None
    rest = tuple(pair for pair in cell.load if pair[0] != along)
    return dict(cell.load).get(along), (cell.size, rest)


def series_text(series, with_size=True):
    size, rest = series
    return ", ".join(filter(None, (size_text(size) if with_size else "", load_text(rest)))) or size_text(size)


def along_text(value):
    """32, 1k, 300k, 1M."""
    if not isinstance(value, int):
        return "" if value is None else str(value)
    for unit, name in ((1_000_000, "M"), (1000, "k")):
        if value >= unit and value % (unit // 10) == 0:
            return f"{value / unit:g}{name}"
    return str(value)


def load_lines(group, pattern, transport):
    """{series: {value on the x axis: cell}}, all in order."""
    lines = {}
    for cell in group.cells():
        if cell.load and (cell.pattern, cell.transport) == (pattern, transport):
            value, series = along_of(cell)
            lines.setdefault(series, {})[value] = cell
    return lines


def load_patterns(group):
    return in_order({cell.pattern for cell in group.cells() if cell.load}, group.patterns())


def load_tables(group, ratio_cell):
    """(heading, head, rows) with ratios of each metric: a row per line, a column per value on the x axis."""
    for pattern in load_patterns(group):
        for metric in LOAD_METRICS:
            rows, columns = [], set()
            for transport in group.transports():
                lines = load_lines(group, pattern, transport)
                columns.update(value for of in lines.values() for value in of)
                rows += [(f"{transport} {series_text(series)}", of) for series, of in lines.items()]
            if not any(group.ratio(cell, metric) for _, of in rows for cell in of.values()):
                continue
            ordered = sorted(columns, key=lambda value: (value is None, value))
            shown = [
                [name] + [ratio_cell(group.ratio(of[value], metric) if value in of else None) for value in ordered]
                for name, of in rows
            ]
            along = LOADS[pattern].along if pattern in LOADS else None
            head = [f"{along}:" if along else ""] + [along_text(value) or "ratio" for value in ordered]
            yield f"{pattern}, {METRICS[metric].title}: ratio", head, shown


def late_rows(group):
    """Cell, library and the share of the rate, of runs that did not keep theirs."""
    return [[cell_text(cell), lib, f"{share:.0%}"] for lib, cell, share in group.rates_not_kept()]
