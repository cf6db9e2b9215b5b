# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The plots of a value by message size: a panel per pattern, both axes logarithmic. Needs matplotlib."""

import math

from .report_data import BASELINE, BASELINE_AGAIN, SUBJECT, Cell
from .report_frame import label_outside, limits, panels, write_head
from .report_metrics import METRICS, in_order, ratio_text, value_text
from .report_style import SizeScale, line_style, value_axis


def by_size(group, metric, transport):
    """A panel per pattern: medians of all libraries by message size, on logarithmic axes that all panels share."""
    lines = lines_of(group, metric, transport)
    patterns = in_order({pattern for pattern, _ in lines}, group.patterns())
    libs = in_order({lib for _, lib in lines}, group.libs())
    scale = SizeScale({size for points in lines.values() for size, *_ in points})
    low, high = limits([value for points in lines.values() for _, *values in points for value in values])
    figure, axes = panels(patterns, 2.75)
    for number, (pattern, axis) in enumerate(zip(patterns, axes)):
        for lib in libs:
            points = lines.get((pattern, lib))
            if points:
                draw_line(axis, scale, points, line_style(lib, libs))
        if metric == "cpu_ns_per_msg":
            _draw_kernel_part(group, axis, scale, pattern, transport, libs, low)
        # Room on top for the ratios.
        value_axis(axis, low, high * (high / low) ** 0.13, lambda value: value_text(metric, value))
        scale.draw(axis)
        axis.set_title(pattern, loc="left", pad=7)
        label_outside(axis, number, len(patterns), "message size", METRICS[metric].axis)
        for size in scale.labelled():
            ratio = group.ratio(Cell(pattern, transport, size), metric)
            if ratio:
                write_ratio(axis, scale.place(size), ratio.median)
    write_head(figure, f"{METRICS[metric].title} by message size, {transport}", group.title(), libs)
    return figure


def lines_of(group, metric, transport):
    """(pattern, lib) -> [(size, median, least, greatest)], for those with values. Nothing is made up for a gap."""
    lines = {}
    for lib in group.libs():
        if lib == BASELINE_AGAIN:
            continue
        for cell in group.cells():
            values = group.values(lib, cell, metric) if cell.transport == transport and not cell.load else None
            if values:
                lines.setdefault((cell.pattern, lib), []).append(
                    (cell.size, group.median(lib, cell, metric), min(values), max(values))
                )
    with_libraries = {pattern for pattern, lib in lines if lib != "floor"}
    return {key: points for key, points in lines.items() if key[0] in with_libraries}


def draw_line(axis, scale, points, look):
    """The line is broken where a size has no result."""
    known = {size: values for size, *values in points}
    nothing = (math.nan,) * 3
    places = [scale.place(size) for size in scale.sizes()]
    medians, lows, highs = zip(*(known.get(size, nothing) for size in scale.sizes()))
    axis.fill_between(places, lows, highs, color=look["color"], alpha=0.16, linewidth=0, zorder=look["zorder"] - 2)
    axis.plot(places, medians, markeredgecolor="white", markeredgewidth=0.6, **look)


def draw_dotted(axis, scale, values, look):
    """A value for each place of the scale; the line is broken where it is not a number."""
    axis.plot(
        [scale.place(place) for place in scale.sizes()],
        values,
        color=look["color"],
        linestyle=(0, (1, 1.6)),
        linewidth=1.3,
        zorder=look["zorder"] - 1,
    )


def write_ratio(axis, place, ratio):
    """On top of the panel, in the color of the library that it is in favour of."""
    axis.text(
        place,
        0.955,
        ratio_text(ratio),
        transform=axis.get_xaxis_transform(),
        ha="center",
        va="center",
        fontsize=7,
        fontweight="bold",
        color=line_style(SUBJECT if ratio >= 1 else BASELINE)["color"],
    )


def _draw_kernel_part(group, axis, scale, pattern, transport, libs, low):
    for lib in libs:
        look = line_style(lib, libs)
        values = [group.median(lib, Cell(pattern, transport, size), "cpu_system_ns_per_msg") for size in scale.sizes()]
        values = [value if value and value >= low else math.nan for value in values]
        if lib != "floor" and not all(map(math.isnan, values)):
            draw_dotted(axis, scale, values, look)
