"""The comparison as a table that a person reads at a glance. Diff is always better when it is above 0."""

from .report_data import BUSY
from .report_metrics import METRICS, MISSING, change_text, size_text, value_text

ROWS = [
    ("throughput", "throughput"),
    ("mb_per_s", "data rate"),
    ("latency_p50_us", "latency p50"),
    ("latency_p99_us", "latency p99"),
    ("cpu_ns_per_msg", "CPU / message"),
]
_COLUMNS = "{:>7}  {:<14} {:>11} {:>11} {:>9}  {:<20}{}"


def comparison_text(group, noise_was_measured=True):
    """All cells of a group."""
    lines = heading(group)
    for pattern in group.patterns():
        for transport in group.transports():
            cells = [cell for cell in group.cells() if (cell.pattern, cell.transport) == (pattern, transport)]
            if not cells:
                continue
            lines += ["", f"{pattern} over {transport}"]
            lines.append(_COLUMNS.format("Size", "Metric", "libzmq", "zlink", "Diff", "range of the ratios", "").rstrip())
            for cell in cells:
                lines += _cell_lines(group, cell)
    behind = [
        (cell, metric)
        for cell in group.cells()
        for metric, _ in ROWS
        if (ratio := group.ratio(cell, metric)) and ratio.behind and metric != "mb_per_s"
    ]
    lines.append("")
    if behind:
        lines.append(f"Below parity in the whole range ({len(behind)}, marked <):")
        lines += [f"  {c.pattern} {c.transport} {size_text(c.size)}: {METRICS[m].title}" for c, m in behind]
    elif group.ratios("throughput"):
        lines.append("No cell lies below parity in its whole range.")
    return "\n".join(lines) + "\n"


def heading(group):
    environment = group.environments[0]
    lines = []
    noise = group.noise()
    if noise and noise[1] > BUSY:
        lines += [
            f"WARNING: this machine is busy. The noise floor is {noise[1] * 100:.0f} % (90th percentile of libzmq against "
            "itself); small differences mean nothing.",
            "",
        ]
    lines.append(f"libzmq {environment.get('libzmq_version')} and zlink {environment.get('zlink_version')}, {group.title()}")
    lines.append(f"{environment.get('cpu_model')}, {environment.get('cores')} cores, {environment.get('kernel')}")
    pairs = max((r.pairs for _, r in group.ratios("throughput")), default=0)
    if pairs:
        lines.append(f"Medians of up to {pairs} paired runs; Diff: + is better, for latency and CPU, too.")
    if noise:
        lines.append(f"Noise floor (libzmq against itself): {noise[0] * 100:.1f} %, 90th percentile {noise[1] * 100:.1f} %.")
    return lines


def _cell_lines(group, cell):
    lines = []
    first = size_text(cell.size)
    for metric, title in ROWS:
        values = {lib: group.median(lib, cell, metric) for lib in ("libzmq", "zlink")}
        if metric == "mb_per_s" and cell.size < 4096:
            continue
        if all(value is None for value in values.values()):
            continue
        ratio = group.ratio(cell, metric)
        spread = f"{ratio.low:.2f} .. {ratio.median:.2f} .. {ratio.high:.2f}" if ratio else ""
        mark = "<" if ratio and ratio.behind else "" if not ratio or ratio.paired else "~"
        lines.append(
            _COLUMNS.format(
                first,
                title,
                value_text(metric, values["libzmq"]),
                value_text(metric, values["zlink"]),
                change_text(ratio.median) if ratio else MISSING,
                spread,
                mark,
            ).rstrip()
        )
        first = ""
    for run in group.failures:
        if (run["pattern"], run["transport"], run["size"]) == tuple(cell):
            lines.append(f"{first:>7}  {run['lib']} {run['status']}: {run['error']}")
            first = ""
    return lines
