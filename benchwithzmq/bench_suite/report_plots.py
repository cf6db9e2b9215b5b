# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""All plots of a group, and how they are written: as SVG for a page, as PNG files. Needs matplotlib."""

import io
import re
from collections import namedtuple

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG

from .report_by_size import by_size, lines_of
from .report_curves import against_load, curves
from .report_heat_map import heat_map
from .report_metrics import METRICS
from .report_percentiles import percentile_rows, percentiles
from .report_style import style

# name: of the PNG file; kind: which section of the page; draw(): the Figure.
Plot = namedtuple("Plot", "name kind title caption draw")

_HEAT_METRICS = ["throughput", "latency_p50_us", "latency_p99_us", "cpu_ns_per_msg"]
_LINE_METRICS = ["throughput", "latency_p50_us", "cpu_ns_per_msg"]
_NAMES = {
    "throughput": "throughput",
    "latency_p50_us": "latency",
    "latency_p99_us": "latency-p99",
    "cpu_ns_per_msg": "cpu",
}


def plots(group):
    """All plots for which the group has values."""
    for metric in _HEAT_METRICS:
        if group.plain_ratios(metric):
            yield Plot(
                f"ratio-{_NAMES[metric]}",
                "ratio",
                f"{METRICS[metric].title}: zlink to libzmq",
                "How many times better zlink is, median of the pairs. Blue: zlink is better, orange: libzmq is. "
                "A frame marks cells whose whole range lies below parity; – is a missing result.",
                lambda metric=metric: heat_map(group, metric),
            )
    for metric in _LINE_METRICS:
        for transport in group.transports():
            if lines_of(group, metric, transport):
                yield Plot(
                    f"{_NAMES[metric]}-{transport}",
                    _NAMES[metric],
                    f"{METRICS[metric].title}, {transport}",
                    "Medians; the band spans all runs. The figures on top say how many times better zlink is than "
                    "libzmq. Both axes are logarithmic; // marks a gap between sizes that is cut short."
                    + (" Dotted: the kernel's part." if metric == "cpu_ns_per_msg" else ""),
                    lambda metric=metric, transport=transport: by_size(group, metric, transport),
                )
    for pattern, transport, metric, dotted, name in curves(group):
        yield Plot(
            f"load-{pattern.lower().replace('_', '-')}-{name.lower()}-{transport}",
            "load",
            f"{pattern}: {name} against load, {transport}",
            "Medians; the band spans all runs. The figures on top say how many times better zlink is "
            "than libzmq. Both axes are "
            "logarithmic." + (" Solid: p50, dotted: p99." if dotted else "") + _crosses(group, pattern),
            lambda figure=(pattern, transport, metric, dotted): against_load(group, *figure),
        )
    for transport in group.transports():
        if percentile_rows(group, transport):
            yield Plot(
                f"percentiles-{transport}",
                "percentiles",
                f"Latency percentiles, {transport}",
                "The share of messages that were faster, stretched towards the slowest; medians over the runs.",
                lambda transport=transport: percentiles(group, transport),
            )


def _crosses(group, pattern):
    late = any(cell.pattern == pattern for _, cell, _ in group.rates_not_kept())
    return " A cross marks a rate that was not kept in some run." if late else ""


def svg_text(plot, salt=""):
    """The plot as an <svg> element to stand in a page next to others. `salt` keeps its references apart from theirs."""
    with style(), rc_context({"svg.hashsalt": f"{salt}{plot.name}"}):
        stream = io.StringIO()
        FigureCanvasSVG(plot.draw()).print_svg(stream, metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    # A third of the size: no names of groups, which nobody refers to, and no digits that nobody sees.
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)
    text = re.sub(r' transform="rotate\(-0 [^)]*\)"', "", text)
    text = re.sub(r"\s*\n\s*", "\n", text)
    # Verdana is what DejaVu Sans was modelled on: where a reader lacks the one, text keeps its width.
    return text.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")


def write_png(plot, path, dpi=150):
    with style():
        FigureCanvasAgg(plot.draw()).figure.savefig(path, dpi=dpi, metadata={"Software": None})
