"""The findings of a group in sentences: who is ahead, by how much, where not; and the warnings that belong on top."""

import statistics

from .report_data import BASELINE, BUSY, SUBJECT, cell_text
from .report_metrics import METRICS, ratio_text


def warnings(group):
    """What a reader must know before the figures."""
    found = []
    noise = group.noise()
    if noise and noise[1] > BUSY:
        found.append(
            f"The machine was busy: the noise floor is {noise[1] * 100:.0f} %, so small differences mean nothing."
        )
    failed = len(group.failures)
    if failed:
        found.append(f"{failed} run{'s' if failed > 1 else ''} failed; their results are missing in the tables.")
    if not group.ratios("throughput") and not group.ratios("latency_p50_us"):
        have = [lib for lib in (BASELINE, SUBJECT) if lib in group.libs()]
        found.append("There is nothing to compare: " + (f"only {have[0]} has results." if have else "no run was good."))
    elif any(not ratio.paired for metric in ("throughput", "latency_p50_us") for _, ratio in group.ratios(metric)):
        found.append("Some ratios (marked ~) are not of runs made in pairs: libzmq's figures come from another time.")
    return found


def findings(group):
    """A sentence for each main metric, and one on the noise."""
    found = []
    for metric in ("throughput", "latency_p50_us", "latency_p99_us", "cpu_ns_per_msg"):
        ratios = group.ratios(metric)
        if ratios:
            found.append(_finding(METRICS[metric], ratios))
    noise = group.noise()
    if noise:
        found.append(
            f"Noise floor: throughput of libzmq against itself differs by {noise[0] * 100:.1f} % in the median "
            f"and by {noise[1] * 100:.1f} % at the 90th percentile."
        )
    return found


def behind(group, metrics):
    """The (metric, cell, ratio) whose whole range lies below parity."""
    return [(metric, cell, ratio) for metric in metrics for cell, ratio in group.ratios(metric) if ratio.behind]


def _finding(metric, ratios):
    medians = [ratio.median for _, ratio in ratios]
    cell, worst = min(ratios, key=lambda item: item[1].median)
    ahead = sum(median > 1 for median in medians)
    where = "every cell" if ahead == len(medians) else f"{ahead} of {len(medians)} cells"
    text = (
        f"{metric.title}: zlink is better in {where}, {ratio_text(statistics.geometric_mean(medians))} "
        f"on average (geometric mean); the least is {ratio_text(worst.median)} in {cell_text(cell)}"
    )
    count = sum(ratio.behind for _, ratio in ratios)
    return text + (f"; below parity in every pair: {count} cell{'s' if count != 1 else ''}." if count else ".")
