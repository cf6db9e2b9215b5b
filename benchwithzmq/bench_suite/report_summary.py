# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The findings of a group in sentences: which library is ahead, by how much, where not. Also the warnings that belong
on top."""

import statistics

from .report_data import BASELINE, BUSY, SUBJECT, cell_text
from .report_loads import load_patterns
from .report_metrics import MAIN_METRICS, METRICS, ratio_text


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
    late = group.rates_not_kept()
    if late:
        cells = "cell" if len(late) == 1 else "cells"
        found.append(f"A rate was not kept in some run of {len(late)} {cells}: their latency and CPU time say little.")
    if not group.ratios("throughput") and not group.ratios("latency_p50_us"):
        have = [lib for lib in (BASELINE, SUBJECT) if lib in group.libs()]
        found.append("There is nothing to compare: " + (f"only {have[0]} has results." if have else "no run was good."))
    elif any(not ratio.paired for metric in ("throughput", "latency_p50_us") for _, ratio in group.ratios(metric)):
        found.append("Some ratios (marked ~) are not of runs made in pairs: libzmq's figures come from another time.")
    return found


def sections(group):
    """(heading, metric, ratios) of what is summed up by itself: patterns without a load together, others one by one."""
    for pattern in [None, *load_patterns(group)]:
        for metric in MAIN_METRICS:
            ratios = group.plain_ratios(metric) if pattern is None else group.ratios(metric, pattern)
            if ratios:
                yield (f"{pattern}: " if pattern else ""), metric, ratios


def findings(group):
    """A sentence for each main metric, and one on the noise."""
    found = []
    for heading, metric, ratios in sections(group):
        found.append(_finding(heading + METRICS[metric].title, ratios))
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


def _finding(title, ratios):
    medians = [ratio.median for _, ratio in ratios]
    cell, worst = min(ratios, key=lambda item: item[1].median)
    ahead = sum(median > 1 for median in medians)
    where = "every cell" if ahead == len(medians) else f"{ahead} of {len(medians)} cells"
    text = (
        f"{title}: zlink is better in {where}, {ratio_text(statistics.geometric_mean(medians))} "
        f"on average (geometric mean); the least is {ratio_text(worst.median)} in {cell_text(cell)}"
    )
    count = sum(ratio.behind for _, ratio in ratios)
    return text + (f"; below parity in every pair: {count} cell{'s' if count != 1 else ''}." if count else ".")
