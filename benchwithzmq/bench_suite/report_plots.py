"""The plots: values by message size, ratio heat maps, percentile curves. Needs matplotlib."""
import io
import math
import re
from collections import namedtuple

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .report_data import BASELINE_AGAIN, SUBJECT, Cell
from .report_markdown import summary_sizes
from .report_metrics import METRICS, PERCENTILES, in_order, ratio_text, size_text, value_text, TRANSPORTS
from .report_style import (GAP, GRID, INK, QUIET, RATIO_COLOURS, RATIO_LIMIT, SizeScale, line_name, line_style, style,
                           value_axis)

# name: of the PNG file; kind: which section of the page; draw(): the Figure.
Plot = namedtuple("Plot", "name kind title caption draw")

_COLUMNS = 3
_LEAST_WIDTH = 7.2  # inches; the titles need it
_WIDE = 9  # from here on there is room for the legend beside the title
_HEAT_METRICS = ["throughput", "latency_p50_us", "latency_p99_us", "cpu_ns_per_msg"]
_LINE_METRICS = ["throughput", "latency_p50_us", "cpu_ns_per_msg"]
_NAMES = {"throughput": "throughput", "latency_p50_us": "latency", "latency_p99_us": "latency-p99", "cpu_ns_per_msg": "cpu"}


def plots(group):
    """All plots for which the group has values."""
    for metric in _HEAT_METRICS:
        if group.ratios(metric):
            yield Plot(f"ratio-{_NAMES[metric]}", "ratio", f"{METRICS[metric].title}: zlink to libzmq",
                       "How many times better zlink is, median of the pairs. Blue: zlink is better, orange: libzmq is. "
                       "A frame marks cells whose whole range lies below parity; – is a missing result.",
                       lambda metric=metric: heat_map(group, metric))
    for metric in _LINE_METRICS:
        for transport in group.transports():
            if _lines_of(group, metric, transport):
                yield Plot(f"{_NAMES[metric]}-{transport}", _NAMES[metric], f"{METRICS[metric].title}, {transport}",
                           "Medians; the band spans all runs. The figures on top say how many times better zlink is than "
                           "libzmq. Both axes are logarithmic; // marks a gap between sizes that is cut short."
                           + (" Dotted: the kernel's part." if metric == "cpu_ns_per_msg" else ""),
                           lambda metric=metric, transport=transport: by_size(group, metric, transport))
    for transport in group.transports():
        if _percentile_rows(group, transport):
            yield Plot(f"percentiles-{transport}", "percentiles", f"Latency percentiles, {transport}",
                       "The share of messages that were faster, stretched towards the slowest; medians over the runs.",
                       lambda transport=transport: percentiles(group, transport))


def svg_text(plot, salt=""):
    """The plot as an <svg> element to stand in a page beside others. `salt` keeps its references apart from theirs."""
    with style(), rc_context({"svg.hashsalt": f"{salt}{plot.name}"}):
        stream = io.StringIO()
        FigureCanvasSVG(plot.draw()).print_svg(stream, metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg"):], flags=re.DOTALL)
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


def by_size(group, metric, transport):
    """A panel per pattern: medians of all libraries by message size, on logarithmic axes that all panels share."""
    lines = _lines_of(group, metric, transport)
    patterns = in_order({pattern for pattern, _ in lines}, group.patterns())
    libs = in_order({lib for _, lib in lines}, group.libs())
    scale = SizeScale({size for points in lines.values() for size, *_ in points})
    low, high = _limits([value for points in lines.values() for _, *values in points for value in values])
    figure, panels = _panels(patterns, 2.75)
    for number, (pattern, axis) in enumerate(zip(patterns, panels)):
        for lib in libs:
            points = lines.get((pattern, lib))
            if points:
                _draw_line(axis, scale, points, line_style(lib, libs))
        if metric == "cpu_ns_per_msg":
            _draw_kernel_part(group, axis, scale, pattern, transport, libs, low)
        # Room on top for the ratios.
        value_axis(axis, low, high * (high / low) ** 0.13, lambda value: value_text(metric, value))
        scale.draw(axis)
        axis.set_title(pattern, loc="left", pad=7)
        _label_outside(axis, number, len(patterns), "message size", METRICS[metric].axis)
        for size in scale.labelled():
            ratio = group.ratio(Cell(pattern, transport, size), metric)
            if ratio:
                axis.text(scale.place(size), 0.955, ratio_text(ratio.median), transform=axis.get_xaxis_transform(), ha="center",
                          va="center", fontsize=7, fontweight="bold",
                          color=line_style(SUBJECT if ratio.median >= 1 else "libzmq")["color"])
    _head(figure, f"{METRICS[metric].title} by message size, {transport}", group.title(), libs)
    return figure


def heat_map(group, metric):
    """Ratios: a row per pattern, a block of columns per transport, a column per size."""
    ratios = dict(group.ratios(metric))
    cells = group.attempted(metric)
    patterns = in_order({cell.pattern for cell in cells}, group.patterns())
    transports = in_order({cell.transport for cell in cells}, TRANSPORTS)
    sizes = {transport: sorted({cell.size for cell in cells if cell.transport == transport}) for transport in transports}
    gap = 0.35
    width = sum(len(of) for of in sizes.values()) + gap * (len(transports) - 1)
    inch, left, right, top, bottom = 0.56, 1.85, 0.3, 1.2, 1.0
    row = 0.42
    figure_width = max(left + width * inch + right, _LEAST_WIDTH)
    figure = Figure(figsize=(figure_width, top + len(patterns) * row + bottom))
    height = figure.get_figheight()
    axis = figure.add_axes((left / figure_width, bottom / height, width * inch / figure_width, len(patterns) * row / height))
    norm = Normalize(-RATIO_LIMIT, RATIO_LIMIT)
    start, ticks, labels = 0.0, [], []
    for transport in transports:
        for place, size in enumerate(sizes[transport]):
            ticks.append(start + place + 0.5)
            labels.append(size_text(size).replace(" ", "\n"))
            for number, pattern in enumerate(patterns):
                _heat_cell(axis, start + place, number, ratios.get(Cell(pattern, transport, size)), norm)
        axis.text(start + len(sizes[transport]) / 2, -0.22, transport, ha="center", va="bottom", fontsize=10,
                  fontweight="bold")
        start += len(sizes[transport]) + gap
    axis.set_xlim(0, width)
    axis.set_ylim(len(patterns), 0)
    axis.set_xticks(ticks, labels)
    axis.set_yticks([number + 0.5 for number in range(len(patterns))], patterns)
    axis.tick_params(length=0, pad=5)
    axis.tick_params(axis="y", labelsize=8.5)
    for spine in axis.spines.values():
        spine.set_visible(False)
    _colour_bar(figure, norm, left / figure_width, 0.27 / height, min(max(width * inch, 2.6), 3.6) / figure_width, 0.11 / height)
    _title(figure, f"{METRICS[metric].title}: how many times better zlink is than libzmq", group.title())
    return figure


def percentiles(group, transport):
    """A row per pattern, a column per size: latency by percentile, the axis stretched towards the slowest messages."""
    rows = _percentile_rows(group, transport)
    sizes = summary_sizes({cell.size for cell in group.cells() if cell.transport == transport
                           and any(_curve(group, lib, cell) for lib in group.libs())})
    libs = [lib for lib in group.libs() if lib != BASELINE_AGAIN
            and any(_curve(group, lib, Cell(pattern, transport, size)) for pattern in rows for size in sizes)]
    curves = {(pattern, size, lib): _curve(group, lib, Cell(pattern, transport, size))
              for pattern in rows for size in sizes for lib in libs}
    figure = Figure(figsize=(_width(len(sizes)), 2.0 * len(rows) + 1.45))
    axes = figure.subplots(len(rows), len(sizes), squeeze=False, sharex=True)
    for line, pattern in enumerate(rows):
        for column, size in enumerate(sizes):
            axis = axes[line][column]
            found = [(lib, curves[pattern, size, lib]) for lib in libs if curves[pattern, size, lib]]
            for lib, points in found:
                look = {**line_style(lib, libs), "markersize": 3.2}
                axis.plot([_stretched(share) for share, _ in points], [value for _, value in points], **look)
            column_values = [value for row in rows for lib in libs for _, value in curves[row, size, lib] or []]
            low, high = _limits(column_values)
            value_axis(axis, low, high, lambda value: value_text("latency_p50_us", value))
            _percentile_axis(axis)
            axis.set_title(f"{pattern}, {size_text(size)}", loc="left", pad=5, fontsize=9)
            if not found:
                _no_results(axis)
            if column == 0:
                axis.set_ylabel("one-way latency")
            if line == len(rows) - 1:
                axis.set_xlabel("percentile of messages")
    _fit(figure, 0.3)
    _head(figure, f"Latency percentiles, {transport}", group.title(), libs)
    return figure


# --- values by size -------------------------------------------------------------------------------------------------


def _lines_of(group, metric, transport):
    """(pattern, lib) -> [(size, median, least, greatest)], for those with values. Nothing is made up for a gap."""
    lines = {}
    for lib in group.libs():
        if lib == BASELINE_AGAIN:
            continue
        for cell in group.cells():
            values = group.values(lib, cell, metric) if cell.transport == transport else None
            if values:
                lines.setdefault((cell.pattern, lib), []).append(
                    (cell.size, group.median(lib, cell, metric), min(values), max(values)))
    with_libraries = {pattern for pattern, lib in lines if lib != "floor"}
    return {key: points for key, points in lines.items() if key[0] in with_libraries}


def _draw_line(axis, scale, points, look):
    """The line is broken where a size has no result."""
    known = {size: values for size, *values in points}
    nothing = (math.nan,) * 3
    places = [scale.place(size) for size in scale.sizes()]
    medians, lows, highs = zip(*(known.get(size, nothing) for size in scale.sizes()))
    axis.fill_between(places, lows, highs, color=look["color"], alpha=0.16, linewidth=0, zorder=look["zorder"] - 2)
    axis.plot(places, medians, markeredgecolor="white", markeredgewidth=0.6, **look)


def _draw_kernel_part(group, axis, scale, pattern, transport, libs, low):
    for lib in libs:
        look = line_style(lib, libs)
        values = [group.median(lib, Cell(pattern, transport, size), "cpu_system_ns_per_msg") for size in scale.sizes()]
        values = [value if value and value >= low else math.nan for value in values]
        if lib != "floor" and not all(map(math.isnan, values)):
            axis.plot([scale.place(size) for size in scale.sizes()], values, color=look["color"], linestyle=(0, (1, 1.6)),
                      linewidth=1.3, zorder=look["zorder"] - 1)


# --- heat map -------------------------------------------------------------------------------------------------------


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
    axis.text(x + 0.5, y + 0.51, ("" if ratio.paired else "~") + ratio_text(ratio.median, ""), ha="center", va="center",
              fontsize=8.5, color="white" if dark else INK)


def _colour_bar(figure, norm, x, y, width, height):
    axis = figure.add_axes((x, y, width, height))
    steps = 240
    edges = [-RATIO_LIMIT + 2 * RATIO_LIMIT * step / steps for step in range(steps + 1)]
    axis.pcolormesh(edges, [0, 1], [[(a + b) / 2 for a, b in zip(edges, edges[1:])]], cmap=RATIO_COLOURS, norm=norm,
                    rasterized=True)
    powers = list(range(-RATIO_LIMIT, RATIO_LIMIT + 1))
    axis.set_xticks(powers, [f"1/{2 ** -power}" if power < 0 else f"{2 ** power}×" for power in powers])
    axis.set_yticks([])
    axis.tick_params(length=2, labelsize=7.5, pad=2)
    for spine in axis.spines.values():
        spine.set_visible(False)
    axis.text(-RATIO_LIMIT, 1.35, "libzmq better", ha="left", va="bottom", fontsize=7.5, color=QUIET)
    axis.text(RATIO_LIMIT, 1.35, "zlink better", ha="right", va="bottom", fontsize=7.5, color=QUIET)


# --- percentiles ----------------------------------------------------------------------------------------------------


def _curve(group, lib, cell):
    """[(share of messages, median of that percentile)] or nothing unless there are at least three points."""
    points = [(share, group.median(lib, cell, f"latency_{step}_us")) for share, step in PERCENTILES]
    points = [(share, value) for share, value in points if value is not None]
    return points if len(points) >= 3 else []


def _percentile_rows(group, transport):
    cells = [cell for cell in group.cells() if cell.transport == transport]
    found = {cell.pattern for cell in cells for lib in group.libs() if lib not in ("floor", BASELINE_AGAIN)
             and _curve(group, lib, cell)}
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


# --- frame ----------------------------------------------------------------------------------------------------------


def _width(columns):
    return max(3.75 * columns + 0.55, _LEAST_WIDTH)


def _panels(patterns, height):
    columns = min(_COLUMNS, len(patterns))
    lines = math.ceil(len(patterns) / columns)
    figure = Figure(figsize=(_width(columns), height * lines + 1.45))
    axes = [axis for line in figure.subplots(lines, columns, squeeze=False) for axis in line]
    for axis in axes[len(patterns):]:
        axis.set_visible(False)
    _fit(figure)
    return figure, axes


def _fit(figure, between=0.42):
    """Leaves a strip of fixed height on top for title and legend."""
    width, height = figure.get_size_inches()
    strip = 1.15 if width >= _WIDE else 1.4
    figure.subplots_adjust(left=0.85 / width, right=1 - 0.2 / width, top=1 - strip / height, bottom=0.72 / height,
                           wspace=0.27, hspace=between)


def _label_outside(axis, number, count, below, beside):
    """Axis labels at the left and lower rim of the panels only."""
    if number % _COLUMNS == 0:
        axis.set_ylabel(beside)
    if number >= count - min(_COLUMNS, count):
        axis.set_xlabel(below)


def _title(figure, title, subtitle, beside=0.0):
    """The title, and a subtitle that is cut where it would leave the figure or reach what stands `beside`, in inches."""
    width, height = figure.get_size_inches()
    letters = int((width - beside - 0.4) / 0.078)
    if len(subtitle) > letters:
        subtitle = subtitle[:letters - 1].rstrip(" ,") + "…"
    figure.text(0.2 / width, 1 - 0.32 / height, title, fontsize=13, fontweight="bold", va="center")
    figure.text(0.2 / width, 1 - 0.58 / height, subtitle, fontsize=9, color=QUIET, va="center")


def _head(figure, title, subtitle, libs):
    width, height = figure.get_size_inches()
    handles = [Line2D([], [], label=line_name(lib), markeredgecolor="white", markeredgewidth=0.6, **line_style(lib, libs))
               for lib in libs]
    wide = width >= _WIDE
    _title(figure, title, subtitle, 1.15 * len(libs) if wide else 0)
    place, x, y = ("center right", 1, 0.42) if wide else ("center left", 0.06 / width, 0.9)
    figure.legend(handles=handles, loc=place, bbox_to_anchor=(x, 1 - y / height), ncols=len(handles), handlelength=1.9,
                  columnspacing=1.6)


def _no_results(axis):
    axis.text(0.5, 0.5, "no results", transform=axis.transAxes, ha="center", va="center", color=QUIET)


def _limits(values):
    """A little more than the values span."""
    low, high = min(values), max(values)
    room = max((high / low) ** 0.06, 1.15)
    return low / room, high * room
