# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The report as one HTML page that needs no other file. Needs matplotlib."""

import html
import statistics

from .report_data import cell_text, group_titles
from .report_environment import environment_rows
from .report_loads import late_rows, load_tables
from .report_markdown import LATE_HEAD, RATIO_NOTE, detail_tables, failure_rows, ratio_cell, yardstick_rows
from .report_metrics import MAIN_METRICS, METRICS, ratio_text
from .report_plots import plots, svg_text
from .report_samples import samples_note
from .report_summary import behind, sections, warnings

_SECTIONS = [
    ("ratio", "Ratios"),
    ("throughput", "Throughput"),
    ("latency", "Latency"),
    ("cpu", "CPU per message"),
    ("percentiles", "Latency percentiles"),
    ("load", "Under load"),
]

_STYLE = """
:root { --ink: #1f2937; --quiet: #6b7280; --line: #e3e6eb; --zlink: #1769c4; --libzmq: #c76a10; }
* { box-sizing: border-box; }
body { margin: 0; background: #f5f6f8; color: var(--ink); 
    font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Verdana, sans-serif; }
main, header > div { max-width: 1240px; margin: 0 auto; padding: 0 24px; }
header { background: #fff; border-bottom: 1px solid var(--line); padding: 28px 0 14px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 21px; margin: 44px 0 12px; padding-top: 6px; }
h2::first-letter, nav a::first-letter { text-transform: uppercase; }
h3 { font-size: 16px; margin: 30px 0 10px; }
p { margin: 8px 0; max-width: 90ch; }
.quiet, figcaption { color: var(--quiet); }
nav { display: flex; flex-wrap: wrap; gap: 4px 20px; margin-top: 12px; font-size: 14px; }
nav a { color: var(--zlink); text-decoration: none; }
nav a:hover { text-decoration: underline; }
.card, figure { background: #fff; border: 1px solid var(--line); border-radius: 8px; }
.card { padding: 14px 18px; margin: 12px 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(215px, 1fr)); gap: 12px; }
.tiles .card { margin: 0; }
.tiles strong { display: block; font-size: 27px; line-height: 1.25; color: var(--zlink); }
.tiles strong.less { color: var(--libzmq); }
.tiles span { color: var(--quiet); font-size: 13px; }
.warning { border-left: 5px solid var(--libzmq); font-weight: 600; }
.facts { columns: 2 420px; column-gap: 40px; margin: 0; font-size: 14px; }
.facts div { display: grid; grid-template-columns: 175px 1fr; gap: 12px; padding: 1px 0; break-inside: avoid; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 12px 0; padding: 8px 10px 10px; overflow-x: auto; }
figure svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
figcaption { font-size: 13px; padding: 4px 8px 0; }
details { background: #fff; border: 1px solid var(--line); border-radius: 8px; margin: 8px 0; }
summary { cursor: pointer; padding: 9px 16px; font-weight: 600; }
.scroll { overflow-x: auto; padding: 0 16px 12px; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; }
th { white-space: normal; }
th, td { padding: 4px 10px; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child, table.text th, table.text td { text-align: left; }
table.text td:last-child { white-space: normal; }
thead th { color: var(--quiet); font-weight: 600; border-bottom: 1px solid #b6bcc6; vertical-align: bottom; }
tbody tr:hover { background: #f5f8fc; }
.behind { color: #9c1c1c; font-weight: 600; }
@media print { body { background: #fff; } figure { break-inside: avoid; } }
"""


def html_page(groups, title, progress=lambda text: None):
    """The page. Calls progress(name of plot) before each of the plots, which take the time."""
    titles = group_titles(groups)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body>",
        f"<header><div><h1>{_text(title)}</h1>{_subtitle(groups)}",
        _navigation(groups, titles),
        "</div></header><main>",
        '<h2 id="environment">Environment</h2>',
        '<div class="card"><dl class="facts">',
    ]
    parts += [f"<div><dt>{_text(label)}</dt><dd>{_text(text)}</dd></div>" for label, text in environment_rows(groups)]
    parts += ["</dl></div>", f'<p class="quiet">{_text(RATIO_NOTE)}</p>']
    for number, (group, heading) in enumerate(zip(groups, titles)):
        parts += _group(group, heading, number, progress)
    parts.append("</main></body></html>")
    return "\n".join(parts) + "\n"


def _group(group, heading, number, progress):
    yield f'<h2 id="g{number}">{_text(heading)}</h2>'
    for text in warnings(group):
        yield f'<div class="card warning">{_text(text)}</div>'
    if note := samples_note(group):
        yield f'<p class="quiet">{_text(note)}</p>'
    yield f'<div class="tiles">{"".join(_tiles(group))}</div>'
    drawn = list(plots(group))
    for kind, section in _SECTIONS:
        of_kind = [plot for plot in drawn if plot.kind.split("-")[0] == kind]
        if of_kind:
            yield f'<h3 id="g{number}-{kind}">{_text(section)}</h3>'
        for plot in of_kind:
            progress(plot.title)
            yield (
                f'<figure role="img" aria-label="{_text(plot.title)}">{svg_text(plot, f"g{number}")}'
                f"<figcaption>{_text(plot.caption)}</figcaption></figure>"
            )
    yield f'<h3 id="g{number}-tables">Tables</h3>'
    for heading, head, rows in load_tables(group, ratio_cell):
        yield _details(heading, _table(head, rows))
    if rows := late_rows(group):
        yield _details(f"Rates that were not kept ({len(rows)})", _table(LATE_HEAD, rows, "text"), True)
    for pattern, head, rows in detail_tables(group):
        yield _details(pattern, _table(head, rows))
    for lib, head, rows in yardstick_rows(group):
        yield _details(f"Beside {lib}", _table(head, rows))
    below = behind(group, MAIN_METRICS)
    if below:
        rows = [[cell_text(cell), METRICS[metric].title, ratio_cell(ratio)] for metric, cell, ratio in below]
        yield _details(f"Cells below parity in every pair ({len(rows)})", _table(["Cell", "Metric", "Ratio"], rows))
    if group.failures:
        rows = failure_rows(group)
        yield _details(
            f"Runs that failed ({len(rows)})",
            _table(["Cell", "Library", "Pair", "Status", "Message"], rows, "text"),
            True,
        )


def _tiles(group):
    """The main figures: a card per metric, and one for the noise."""
    for heading, metric, ratios in sections(group):
        medians = [ratio.median for _, ratio in ratios]
        mean = statistics.geometric_mean(medians)
        least = min(ratios, key=lambda item: item[1].median)
        ahead = sum(median > 1 for median in medians)
        count = sum(ratio.behind for _, ratio in ratios)
        yield (
            f'<div class="card">{_text(heading + METRICS[metric].title)}<strong{"" if mean >= 1 else " class=less"}>'
            f"{ratio_text(mean)}</strong><span>geometric mean; better in {ahead} of "
            f"{len(medians)} cells<br>least: {ratio_text(least[1].median)}, {_text(cell_text(least[0]))}"
            + (f"<br>below parity in every pair: {count}" if count else "")
            + "</span></div>"
        )
    noise = group.noise()
    if noise:
        yield (
            f'<div class="card">Noise floor<strong>{noise[0] * 100:.1f} %</strong>'
            f"<span>libzmq against itself, median<br>90th percentile: {noise[1] * 100:.1f} %</span></div>"
        )


def _subtitle(groups):
    facts = dict(environment_rows(groups))
    told = [f"{name} {facts[name]}" for name in ("zlink", "libzmq") if name in facts]
    told += [facts[name] for name in ("CPU", "Date") if name in facts]
    return f'<div class="quiet">{_text(" · ".join(told))}</div>'


def _navigation(groups, titles):
    links = ['<a href="#environment">Environment</a>']
    links += [f'<a href="#g{number}">{_text(title)}</a>' for number, title in enumerate(titles)]
    if len(groups) == 1:
        kinds = {plot.kind for plot in plots(groups[0])}
        links += [f'<a href="#g0-{kind}">{_text(section)}</a>' for kind, section in _SECTIONS if kind in kinds]
        links.append('<a href="#g0-tables">Tables</a>')
    return f"<nav>{''.join(links)}</nav>"


def _details(heading, table, is_open=False):
    start = "<details open>" if is_open else "<details>"
    return f'{start}<summary>{_text(heading)}</summary><div class="scroll">{table}</div></details>'


def _table(head, rows, kind=""):
    lines = [
        f'<table{f" class={kind}" if kind else ""}><thead><tr>'
        + "".join(f"<th>{_text(item)}</th>" for item in head)
        + "</tr></thead><tbody>"
    ]
    for row in rows:
        lines.append(
            "<tr>"
            + "".join(f'<td{" class=behind" if "▼" in item else ""}>{_text(item)}</td>' for item in row)
            + "</tr>"
        )
    return "\n".join(lines) + "</tbody></table>"


def _text(text):
    return html.escape(str(text))
