# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Compares two versions of zlink cell by cell: how the medians changed, how sure that is, and a verdict."""

import statistics
from dataclasses import dataclass

from .report_bootstrap import ratio_interval
from .report_data import BASELINE, SUBJECT, Cell, ReportError, cell_of, sorted_cells
from .report_metrics import METRICS

REGRESSION = "regression"
IMPROVEMENT = "improvement"
SAME = "same"
TOO_FEW = "too few runs"  # to tell a change from chance
LOST = "lost"  # the old version had results, the new one failed

# With two runs a side there is nothing to judge by. With three or four the interval cannot reach beyond the extremes.
# One comparison of equals in ten would then be called a change. So the samples have to lie well apart as well (one in a
# hundred, by simulation with spreads of 2 to 10 %). From five runs on the interval alone errs as seldom.
LEAST_RUNS = 3
ENOUGH_RUNS = 5


@dataclass(frozen=True)
class Change:
    """What became of a metric in a cell. `ratio` above 1 is better; old and new are medians."""

    cell: Cell
    metric: str
    old: float
    new: float | None
    ratio: float | None
    low: float | None
    high: float | None
    verdict: str


def compare(old, new, metrics, lib=SUBJECT, relative=False, confidence=0.99, threshold=0.03):
    """The changes of all cells that both groups have, and the cells that `new` failed in.

    A change counts where the whole confidence interval lies beyond 1 and the medians differ by the threshold or more.
    With `relative` the figures compared are the ratios to libzmq in the same pair. That cancels what differs between
    the days or machines of the two files.
    """
    changes = []
    for metric in metrics:
        for cell in _cells(old, new):
            before, after = (_samples(group, cell, metric, lib, relative) for group in (old, new))
            if before and after:
                changes.append(_change(cell, metric, before, after, relative, confidence, threshold))
            elif before and _failed(new, cell, lib):
                changes.append(Change(cell, metric, statistics.median(before), None, None, None, None, LOST))
    if not any(change.new is not None for change in changes):
        raise ReportError(f"no cell with {lib} in both files" + (" and libzmq beside it" if relative else ""))
    return changes


def _cells(old, new):
    return sorted_cells(set(old.cells()) | set(new.cells()))


def _samples(group, cell, metric, lib, relative):
    values = group.by_pair(lib, cell, metric)
    if not relative:
        return [value for value in values.values() if value > 0]
    base = group.by_pair(BASELINE, cell, metric)
    return [
        METRICS[metric].improvement(values[pair], base[pair])
        for pair in values
        if base.get(pair, 0) > 0 and values[pair] > 0
    ]


def _change(cell, metric, before, after, relative, confidence, threshold):
    old, new = statistics.median(before), statistics.median(after)
    rising = relative or METRICS[metric].higher_is_better
    top, bottom = (after, before) if rising else (before, after)
    low, high = ratio_interval(top, bottom, confidence)
    ratio = new / old if rising else old / new
    runs = min(len(before), len(after))
    if high < 1 and ratio <= 1 / (1 + threshold):
        verdict = REGRESSION
    elif low > 1 and ratio >= 1 + threshold:
        verdict = IMPROVEMENT
    else:
        verdict = SAME
    if runs < LEAST_RUNS or runs < ENOUGH_RUNS and verdict != SAME and not _far_apart(before, after):
        verdict = TOO_FEW
    return Change(cell, metric, old, new, ratio, low, high, verdict)


def _far_apart(first, second):
    """The ranges of the samples lie further apart than either is wide, as factors."""
    gap = max(min(first) / max(second), min(second) / max(first))
    return gap > max(max(first) / min(first), max(second) / min(second))


def _failed(group, cell, lib):
    return any((cell_of(run), run["lib"]) == (cell, lib) for run in group.failures)
