# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The heat maps of ratios: pattern by transport and size. Needs matplotlib."""

import math

from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .report_data import Cell
from .report_frame import LEAST_WIDTH, write_title
from .report_metrics import METRICS, TRANSPORTS, in_order, ratio_text, size_text
from .report_style import GAP, INK, QUIET, RATIO_COLOURS, RATIO_LIMIT


def heat_map(group, metric):
    """Ratios: a row per pattern, a block of columns per transport, a column per size."""
    ratios = dict(group.ratios(metric))
    cells = group.attempted(metric)
    patterns = in_order({cell.pattern for cell in cells}, group.patterns())
    transports = in_order({cell.transport for cell in cells}, TRANSPORTS)
    sizes = {
        transport: sorted({cell.size for cell in cells if cell.transport == transport}) for transport in transports
    }
    gap = 0.35
    width = sum(len(of) for of in sizes.values()) + gap * (len(transports) - 1)
    inch, left, right, top, bottom = 0.56, 1.85, 0.3, 1.2, 1.0
    row = 0.42
    figure_width = max(left + width * inch + right, LEAST_WIDTH)
    figure = Figure(figsize=(figure_width, top + len(patterns) * row + bottom))
    height = figure.get_figheight()
    axis = figure.add_axes(
        (left / figure_width, bottom / height, width * inch / figure_width, len(patterns) * row / height)
    )
    norm = Normalize(-RATIO_LIMIT, RATIO_LIMIT)
    start, ticks, labels = 0.0, [], []
    for transport in transports:
        for place, size in enumerate(sizes[transport]):
            ticks.append(start + place + 0.5)
            labels.append(size_text(size).replace(" ", "\n"))
            for number, pattern in enumerate(patterns):
                _heat_cell(axis, start + place, number, ratios.get(Cell(pattern, transport, size)), norm)
        axis.text(
            start + len(sizes[transport]) / 2,
            -0.22,
            transport,
            ha="center",
            va="bottom",
            fontsize=10,
            fontweight="bold",
        )
        start += len(sizes[transport]) + gap
    axis.set_xlim(0, width)
    axis.set_ylim(len(patterns), 0)
    axis.set_xticks(ticks, labels)
    axis.set_yticks([number + 0.5 for number in range(len(patterns))], patterns)
    axis.tick_params(length=0, pad=5)
    axis.tick_params(axis="y", labelsize=8.5)
    for spine in axis.spines.values():
        spine.set_visible(False)
    _colour_bar(
        figure, norm, left / figure_width, 0.27 / height, min(max(width * inch, 2.6), 3.6) / figure_width, 0.11 / height
    )
    write_title(figure, f"{METRICS[metric].title}: how many times better zlink is than libzmq", group.title())
    return figure


def _heat_cell(axis, x, y, ratio, norm):
    if ratio is None:
        axis.add_patch(Rectangle((x, y), 1, 1, facecolor=GAP, edgecolor="white", linewidth=1.5))
        axis.text(x + 0.5, y + 0.5, "–", ha="center", va="center", fontsize=8.5, color=QUIET)
        return
    red, green, blue, _ = colour = RATIO_COLOURS(norm(math.log2(ratio.median)))
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.56
    axis.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.5))
    if ratio.behind:
        axis.add_patch(Rectangle((x + 0.07, y + 0.09), 0.86, 0.82, fill=False, edgecolor="#7a1f1f", linewidth=1.3))
    axis.text(
        x + 0.5,
        y + 0.51,
        ("" if ratio.paired else "~") + ratio_text(ratio.median, ""),
        ha="center",
        va="center",
        fontsize=8.5,
        color="white" if dark else INK,
    )


def _colour_bar(figure, norm, x, y, width, height):
    axis = figure.add_axes((x, y, width, height))
    steps = 240
    edges = [-RATIO_LIMIT + 2 * RATIO_LIMIT * step / steps for step in range(steps + 1)]
    axis.pcolormesh(
        edges, [0, 1], [[(a + b) / 2 for a, b in zip(edges, edges[1:])]], cmap=RATIO_COLOURS, norm=norm, rasterized=True
    )
    powers = list(range(-RATIO_LIMIT, RATIO_LIMIT + 1))
    axis.set_xticks(powers, [f"1/{2 ** -power}" if power < 0 else f"{2 ** power}×" for power in powers])
    axis.set_yticks([])
    axis.tick_params(length=2, labelsize=7.5, pad=2)
    for spine in axis.spines.values():
        spine.set_visible(False)
    axis.text(-RATIO_LIMIT, 1.35, "libzmq better", ha="left", va="bottom", fontsize=7.5, color=QUIET)
    axis.text(RATIO_LIMIT, 1.35, "zlink better", ha="right", va="bottom", fontsize=7.5, color=QUIET)
