# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Curves of cost and latency against load: a panel for each line of cells. Needs matplotlib."""

import math

from .loads import AXES, LOADS
from .report_by_size import draw_dotted, draw_line, write_ratio
from .report_data import BASELINE_AGAIN
from .report_frame import label_outside, limits, panels, write_head
from .report_loads import along_text, load_lines, load_patterns, series_text
from .report_metrics import METRICS, value_text
from .report_style import SizeScale, line_style, value_axis

# What a figure shows: the metric of the solid line, that of the dotted one, and what they are called.
CURVES = [
    ("throughput", None, "throughput"),
    ("cpu_ns_per_msg", None, "CPU"),
    ("latency_p50_us", "latency_p99_us", "latency"),
]


def curves(group):
    """(pattern, transport, metric, dotted metric, name) of every figure for which the group has values."""
    for pattern in load_patterns(group):
        if pattern not in LOADS or not LOADS[pattern].along:
            continue
        for metric, dotted, name in CURVES:
            for transport in group.transports():
                if _values(group, load_lines(group, pattern, transport), metric):
                    yield pattern, transport, metric, dotted, name


def against_load(group, pattern, transport, metric, dotted):
    lines = load_lines(group, pattern, transport)
    libs = [lib for lib in group.libs() if lib != BASELINE_AGAIN and _values(group, lines, metric, [lib])]
    scale = SizeScale({value for of in lines.values() for value in of}, along_text, math.log2(10))
    low, high = limits(_values(group, lines, metric, libs) + (_values(group, lines, dotted, libs) if dotted else []))
    figure, axes = panels(list(lines), 2.75)
    late = {(lib, cell) for lib, cell, _ in group.rates_not_kept()}
    sizes = {size for size, _ in lines}
    for number, ((series, cells), axis) in enumerate(zip(lines.items(), axes)):
        for lib in libs:
            look = line_style(lib, libs)
            points = [
                (value, group.median(lib, cell, metric), *_span(group.values(lib, cell, metric)))
                for value, cell in cells.items()
                if group.values(lib, cell, metric)
            ]
            if points:
                draw_line(axis, scale, points, look)
            if dotted:
                _draw_dotted(group, axis, scale, cells, lib, dotted, look)
            _mark(axis, scale, [point for point in points if (lib, cells[point[0]]) in late], look)
        value_axis(axis, low, high * (high / low) ** 0.13, lambda value: value_text(metric, value))
        scale.draw(axis)
        axis.set_title(series_text(series, with_size=len(sizes) > 1), loc="left", pad=7, fontsize=9)
        label_outside(axis, number, len(lines), AXES[LOADS[pattern].along].title, _axis_name(pattern, metric))
        _write_ratios(group, axis, scale, cells, metric)
    title = f"{pattern}: {METRICS[metric].title}{' (dotted: p99)' if dotted else ''} against load, {transport}"
    if len(sizes) == 1:
        title += f", {series_text((*sizes, ()))}"
    write_head(figure, title, group.title(), libs)
    return figure


def _values(group, lines, metric, libs=None):
    found = [lib for lib in group.libs() if lib != BASELINE_AGAIN] if libs is None else libs
    return [v for of in lines.values() for cell in of.values() for lib in found
            for v in group.values(lib, cell, metric)]


def _span(values):
    return min(values), max(values)


def _axis_name(pattern, metric):
    of = LOADS[pattern]
    if metric == "throughput":
        return of.counted
    return of.timed if metric.startswith("latency") else METRICS[metric].axis


def _draw_dotted(group, axis, scale, cells, lib, metric, look):
    values = {value: group.median(lib, cell, metric) or math.nan for value, cell in cells.items()}
    draw_dotted(axis, scale, [values.get(value, math.nan) for value in scale.sizes()], look)


def _mark(axis, scale, points, look):
    """Crosses on points that are not what they seem: the rate was not kept."""
    axis.plot(
        [scale.place(value) for value, *_ in points],
        [median for _, median, *_ in points],
        linestyle="",
        marker="x",
        markersize=10,
        markeredgewidth=1.8,
        color=look["color"],
        zorder=look["zorder"] + 5,
    )


def _write_ratios(group, axis, scale, cells, metric):
    for value in scale.labelled():
        ratio = group.ratio(cells[value], metric) if value in cells else None
        if ratio:
            write_ratio(axis, scale.place(value), ratio.median)
