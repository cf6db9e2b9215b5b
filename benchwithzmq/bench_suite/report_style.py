# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""How the plots look: colours of the libraries, fonts, axes of sizes, counts and times."""

import math

from matplotlib import rc_context
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from .report_metrics import size_text

INK = "#1f2937"
QUIET = "#6b7280"
GRID = "#e3e6eb"
GAP = "#f1f2f4"

# The better zlink, the bluer; the better libzmq, the more orange: the colours of their lines.
RATIO_COLOURS = LinearSegmentedColormap.from_list(
    "ratio",
    [
        (0.0, "#9c4a05"),
        (0.25, "#e08a2e"),
        (0.45, "#fae3c6"),
        (0.5, "#ffffff"),
        (0.55, "#d6e6f7"),
        (0.75, "#5b9bdb"),
        (1.0, "#0b4a94"),
    ],
)
RATIO_LIMIT = 3  # powers of two on both sides of 1 until the colour is full

_LINES = {
    "zlink": {"color": "#1769c4", "marker": "o", "linestyle": "-", "zorder": 5},
    "libzmq": {"color": "#d97a1c", "marker": "s", "linestyle": "-", "zorder": 4},
    "libzmq-again": {"color": "#d97a1c", "marker": "", "linestyle": ":", "zorder": 3},
    "nng": {"color": "#7c5cb8", "marker": "^", "linestyle": "-", "zorder": 3},
    "omq": {"color": "#2f8f6b", "marker": "v", "linestyle": "-", "zorder": 3},
    "floor": {"color": "#6b7280", "marker": ".", "linestyle": (0, (4, 2)), "zorder": 2},
}
_NAMES = {"floor": "raw floor", "omq": "OMQ"}
_OTHERS = ["#3a8fa3", "#b8476b", "#8a7a24"]

_SETTINGS = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#b6bcc6",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.axisbelow": True,
    "axes.grid": False,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "lines.linewidth": 1.9,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "zlink",
    "hatch.linewidth": 0.5,
}


def style():
    """A context in which figures are made and written."""
    return rc_context(_SETTINGS)


def line_style(lib, libs=()):
    if lib in _LINES:
        return _LINES[lib]
    others = sorted(set(libs) - set(_LINES))
    place = others.index(lib) if lib in others else 0
    return {"color": _OTHERS[place % len(_OTHERS)], "marker": "D", "linestyle": "-", "zorder": 3}


def line_name(lib):
    return _NAMES.get(lib, lib)


class SizeScale:
    """Where message sizes, or others that `text` writes, stand on an x axis: logarithmic, except that neighbours
    neither touch nor leave a wide gap.

    Where a gap is drawn shorter than it is, the axis is marked as broken.
    """

    _NARROW, _WIDE = 1.5, 2.5  # powers of two between neighbours

    def __init__(self, sizes, text=size_text, widest=_WIDE):
        self._text = text
        self._sizes = sorted(sizes)
        self._places, self._breaks = {}, []
        place = 0.0
        for number, size in enumerate(self._sizes):
            if number:
                gap = math.log2(max(size, 1) / max(self._sizes[number - 1], 1))
                shown = min(max(gap, self._NARROW), widest)
                if gap > widest + 0.01:
                    self._breaks.append(place + shown / 2)
                place += shown
            self._places[size] = place
        self._span = place

    def sizes(self):
        return self._sizes

    def place(self, size):
        return self._places[size]

    def labelled(self):
        """The sizes whose labels do not touch each other."""
        least = max(self._span / 8, self._NARROW) - 0.01
        shown = []
        for size in reversed(self._sizes):
            if not shown or self._places[shown[-1]] - self._places[size] >= least:
                shown.append(size)
        return shown[::-1]

    def draw(self, axis):
        shown = self.labelled()
        margin = max(0.9, self._span * 0.07)
        axis.set_xlim(-margin, self._span + margin)
        axis.set_xticks([self._places[size] for size in shown], [self._text(size).replace(" ", "\n") for size in shown])
        axis.grid(True, axis="x", color=GRID, linewidth=0.7)
        for place in self._breaks:
            for shift in (-0.07, 0.13):
                axis.plot(
                    [place + shift - 0.09, place + shift + 0.09],
                    [-0.022, 0.022],
                    color=QUIET,
                    linewidth=0.9,
                    transform=axis.get_xaxis_transform(),
                    clip_on=False,
                    zorder=20,
                )
            axis.plot(
                [place - 0.07, place + 0.13],
                [0, 0],
                color="white",
                linewidth=2,
                clip_on=False,
                zorder=19,
                transform=axis.get_xaxis_transform(),
            )


def value_axis(axis, low, high, text):
    """A logarithmic y axis from low to high, with labels at 1, or 1, 2 and 5, of each power of ten."""
    axis.set_yscale("log")
    axis.set_ylim(low, high)
    decades = math.log10(high / low)
    steps = (
        (1,) if decades > 2.6 else (1, 3) if decades > 1.7 else (1, 2, 5) if decades > 0.5 else (1, 1.5, 2, 3, 4, 5, 7)
    )
    axis.yaxis.set_major_locator(LogLocator(base=10, subs=steps, numticks=40))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.grid(True, axis="y", which="major", color=GRID, linewidth=0.7)
