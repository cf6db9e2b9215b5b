# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The plots of latency percentiles: a panel per pattern and size. Needs matplotlib."""

import math

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .report_data import BASELINE_AGAIN, Cell
from .report_frame import figure_width, fit, limits, no_results, write_head
from .report_markdown import summary_sizes
from .report_metrics import PERCENTILES, in_order, size_text, value_text
from .report_samples import samples_note
from .report_style import GRID, line_style, value_axis


def percentiles(group, transport):
    """A row per pattern, a column per size: latency by percentile, the axis stretched towards the slowest messages."""
    rows = percentile_rows(group, transport)
    sizes = summary_sizes(
        {
            cell.size
            for cell in group.cells()
            if cell.transport == transport and not cell.load and any(_curve(group, lib, cell) for lib in group.libs())
        }
    )
    libs = [
        lib
        for lib in group.libs()
        if lib != BASELINE_AGAIN
        and any(_curve(group, lib, Cell(pattern, transport, size)) for pattern in rows for size in sizes)
    ]
    curves = {
        (pattern, size, lib): _curve(group, lib, Cell(pattern, transport, size))
        for pattern in rows
        for size in sizes
        for lib in libs
    }
    figure = Figure(figsize=(figure_width(len(sizes)), 2.0 * len(rows) + 1.45))
    axes = figure.subplots(len(rows), len(sizes), squeeze=False, sharex=True)
    for line, pattern in enumerate(rows):
        for column, size in enumerate(sizes):
            axis = axes[line][column]
            found = [(lib, curves[pattern, size, lib]) for lib in libs if curves[pattern, size, lib]]
            for lib, points in found:
                look = {**line_style(lib, libs), "markersize": 3.2}
                axis.plot([_stretched(share) for share, _ in points], [value for _, value in points], **look)
            column_values = [value for row in rows for lib in libs for _, value in curves[row, size, lib] or []]
            low, high = limits(column_values)
            value_axis(axis, low, high, lambda value: value_text("latency_p50_us", value))
            _percentile_axis(axis)
            axis.set_title(f"{pattern}, {size_text(size)}", loc="left", pad=5, fontsize=9)
            if not found:
                no_results(axis)
            if column == 0:
                axis.set_ylabel("one-way latency")
            if line == len(rows) - 1:
                axis.set_xlabel("percentile of messages")
    fit(figure, 0.3)
    cut = samples_note(group, [f"latency_{step}_us" for _, step in PERCENTILES])
    subtitle = group.title() + ("; none with fewer than 10 samples beyond it" if cut else "")
    write_head(figure, f"Latency percentiles, {transport}", subtitle, libs)
    return figure


def _curve(group, lib, cell):
    """[(share of messages, median of that percentile)] or nothing unless there are at least three points."""
    points = [(share, group.median(lib, cell, f"latency_{step}_us")) for share, step in PERCENTILES]
    points = [(share, value) for share, value in points if value is not None]
    return points if len(points) >= 3 else []


def percentile_rows(group, transport):
    cells = [cell for cell in group.cells() if cell.transport == transport and not cell.load]
    found = {
        cell.pattern
        for cell in cells
        for lib in group.libs()
        if lib not in ("floor", BASELINE_AGAIN) and _curve(group, lib, cell)
    }
    return in_order(found, group.patterns())


def _stretched(share):
    """Nines on a line: 0.9 -> 1, 0.99 -> 2, 0.999 -> 3."""
    return -math.log10(1 - share)


def _percentile_axis(axis):
    shown = [0.5, 0.9, 0.99, 0.999, 0.9999]
    axis.set_xlim(-0.08, 4.25)
    axis.xaxis.set_major_locator(FixedLocator([_stretched(share) for share in shown]))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda place, _: f"p{100 * (1 - 10 ** -place):.6g}"))
    axis.grid(True, axis="x", color=GRID, linewidth=0.7)
