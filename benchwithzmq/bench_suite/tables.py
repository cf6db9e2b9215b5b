# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The comparison as a table that a person reads at a glance. Diff is always better when it is above 0."""

from .loads import load_text
from .report_data import BASELINE, BASELINE_AGAIN, BUSY, SUBJECT, cell_of, cell_text
from .report_metrics import METRICS, MISSING, change_text, size_text, value_text
from .report_samples import leave_out_chance, samples_note, too_few_samples

ROWS = [
    ("throughput", "throughput"),
    ("mb_per_s", "data rate"),
    ("latency_p50_us", "latency p50"),
    ("latency_p99_us", "latency p99"),
    ("cpu_ns_per_msg", "CPU / message"),
]


def comparison_text(group):
    """All cells of a group."""
    leave_out_chance(group)
    libs = [BASELINE, SUBJECT] + [lib for lib in group.libs() if lib not in (BASELINE, SUBJECT, BASELINE_AGAIN)]
    lines = heading(group)
    for pattern in group.patterns():
        for transport in group.transports():
            cells = [cell for cell in group.cells() if (cell.pattern, cell.transport) == (pattern, transport)]
            if not cells:
                continue
            lines += ["", f"{pattern} over {transport}"]
            width = max(7, *(len(_label(cell)) for cell in cells))
            lines.append(_line("Size".rjust(width), "Metric", libs, "Diff", "range of the ratios"))
            for cell in cells:
                lines += _cell_lines(group, cell, libs, width)
    behind = [
        (cell, metric)
        for cell in group.cells()
        for metric, _ in ROWS
        if (ratio := group.ratio(cell, metric)) and ratio.behind and metric != "mb_per_s"
    ]
    lines.append("")
    if late := group.rates_not_kept():
        lines.append("Rates that were not kept, in the worst run:")
        lines += [f"  {cell_text(cell)}: {lib} {value_text('rate_share', share)}" for lib, cell, share in late] + [""]
    if behind:
        lines.append(f"Below parity in the whole range ({len(behind)}, marked <):")
        lines += [f"  {cell_text(cell)}: {METRICS[metric].title}" for cell, metric in behind]
    elif group.ratios("throughput"):
        lines.append("No cell lies below parity in its whole range.")
    return "\n".join(lines) + "\n"


def heading(group):
    environment = group.environments[0]
    lines = []
    noise = group.noise()
    if noise and noise[1] > BUSY:
        lines += [
            f"WARNING: this machine is busy. The noise floor is {noise[1] * 100:.0f} % (90th "
            f"percentile of libzmq against "
            "itself); small differences mean nothing.",
            "",
        ]
    lines.append(f"{libraries_text(environment)}, {group.title()}")
    cores = f"{environment['cores']} cores" if environment.get("cores") else None
    lines.append(", ".join(filter(None, (environment.get("cpu_model"), cores, environment.get("kernel")))))
    ratios = [ratio for metric, _ in ROWS for _, ratio in group.ratios(metric)]
    pairs = max((ratio.pairs for ratio in ratios), default=0)
    if pairs:
        lines.append(f"Medians of up to {pairs} paired runs; Diff: + is better, for latency and CPU, too.")
    if not all(ratio.paired for ratio in ratios):
        lines.append("~ marks ratios that are not of paired runs: libzmq's figures come from another time.")
    lines += [note] if (note := samples_note(group)) else []
    if noise:
        lines.append(f"Noise floor (libzmq against itself): {noise[0] * 100:.1f} %, 90th percentile "
                     f"{noise[1] * 100:.1f} %.")
    return lines


def libraries_text(environment):
    """The versions that were measured; one that is not known is not named."""
    found = [f"{lib} {environment[f'{lib}_version']}" for lib in (BASELINE, SUBJECT, "omq")
             if environment.get(f"{lib}_version")]
    return " and ".join(found) or "libraries of unknown versions"


def _label(cell):
    """What tells the cells of a pattern and transport apart."""
    return ", ".join(filter(None, (size_text(cell.size), load_text(cell.load))))


def _line(label, metric, values, change, spread, mark=""):
    columns = "".join(f" {value:>11}" for value in values)
    return f"{label}  {metric:<14}{columns} {change:>9}  {spread:<20}{mark}".rstrip()


def _cell_lines(group, cell, libs, width):
    lines = []
    first, nothing = _label(cell).rjust(width), " " * width
    for metric, title in ROWS:
        if metric == "mb_per_s" and cell.size < 4096:
            continue
        values = [group.median(lib, cell, metric) for lib in libs]
        if all(value is None and not too_few_samples(group, lib, cell, metric) for lib, value in zip(libs, values)):
            continue
        ratio = group.ratio(cell, metric)
        spread = f"{ratio.low:.2f} .. {ratio.median:.2f} .. {ratio.high:.2f}" if ratio else ""
        mark = ("" if ratio.paired else "~") + ("<" if ratio.behind else "") if ratio else ""
        change = change_text(ratio.median) if ratio else MISSING
        lines.append(_line(first, title, [value_text(metric, value) for value in values], change, spread, mark))
        first = nothing
    for run in group.failures:
        if cell_of(run) == cell:
            lines.append(f"{first}  {run['lib']} {run['status']}: {run['error']}")
            first = nothing
    return lines
