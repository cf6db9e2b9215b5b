# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What the figures have in common: a grid of panels, title, subtitle, legend."""

import math

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .report_style import QUIET, line_name, line_style

COLUMNS = 3
LEAST_WIDTH = 7.2  # inches; the titles need it
WIDE = 9  # from here on there is room for the legend next to the title


def figure_width(columns):
    return max(3.75 * columns + 0.55, LEAST_WIDTH)


def panels(patterns, height):
    columns = min(COLUMNS, len(patterns))
    lines = math.ceil(len(patterns) / columns)
    figure = Figure(figsize=(figure_width(columns), height * lines + 1.45))
    axes = [axis for line in figure.subplots(lines, columns, squeeze=False) for axis in line]
    for axis in axes[len(patterns) :]:
        axis.set_visible(False)
    fit(figure)
    return figure, axes


def fit(figure, between=0.42):
    """Leaves a strip of fixed height on top for title and legend."""
    width, height = figure.get_size_inches()
    strip = 1.15 if width >= WIDE else 1.4
    figure.subplots_adjust(
        left=0.85 / width,
        right=1 - 0.2 / width,
        top=1 - strip / height,
        bottom=0.72 / height,
        wspace=0.27,
        hspace=between,
    )


def label_outside(axis, number, count, below, beside):
    """Axis labels at the left and lower rim of the panels only."""
    if number % COLUMNS == 0:
        axis.set_ylabel(beside)
    if number >= count - min(COLUMNS, count):
        axis.set_xlabel(below)


def write_title(figure, title, subtitle, beside=0.0):
    """The title, and a subtitle that is cut where it would leave the figure or reach what stands `beside` (inches)."""
    width, height = figure.get_size_inches()
    letters = int((width - beside - 0.4) / 0.078)
    if len(subtitle) > letters:
        subtitle = subtitle[: letters - 1].rstrip(" ,") + "…"
    figure.text(0.2 / width, 1 - 0.32 / height, title, fontsize=13, fontweight="bold", va="center")
    figure.text(0.2 / width, 1 - 0.58 / height, subtitle, fontsize=9, color=QUIET, va="center")


def write_head(figure, title, subtitle, libs):
    width, height = figure.get_size_inches()
    handles = [
        Line2D([], [], label=line_name(lib), markeredgecolor="white", markeredgewidth=0.6, **line_style(lib, libs))
        for lib in libs
    ]
    wide = width >= WIDE
    write_title(figure, title, subtitle, 1.15 * len(libs) if wide else 0)
    place, x, y = ("center right", 1, 0.42) if wide else ("center left", 0.06 / width, 0.9)
    figure.legend(
        handles=handles,
        loc=place,
        bbox_to_anchor=(x, 1 - y / height),
        ncols=len(handles),
        handlelength=1.9,
        columnspacing=1.6,
    )


def no_results(axis):
    axis.text(0.5, 0.5, "no results", transform=axis.transAxes, ha="center", va="center", color=QUIET)


def limits(values):
    """A little more than the values span."""
    low, high = min(values), max(values)
    room = max((high / low) ** 0.06, 1.15)
    return low / room, high * room
