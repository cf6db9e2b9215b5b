# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Bootstrap confidence interval of the ratio of two medians.

A bootstrap draws new samples, with replacement, from those measured, and looks at how far the figure of interest
spreads. For a median the spread need not be drawn at random: the chance of every outcome is a short formula. So the
interval is that of infinitely many resamples, the same at each call.
"""

import math


def median_distribution(values):
    """[(median, chance)] over all resamples of the values."""
    ordered = sorted(values)
    count = len(ordered)
    chances = {}
    for low, high, chance in _odd(count) if count % 2 else _even(count):
        if chance > 1e-9:
            median = (ordered[low] + ordered[high]) / 2
            chances[median] = chances.get(median, 0) + chance
    return sorted(chances.items())


def ratio_interval(numerator, denominator, confidence):
    """(low, high): the percentile interval of median(numerator) / median(denominator)."""
    outcomes = sorted(
        (top / bottom, chance * other)
        for top, chance in median_distribution(numerator)
        for bottom, other in median_distribution(denominator)
    )
    tail = (1 - confidence) / 2
    return _quantile(outcomes, tail), _quantile(outcomes[::-1], tail)


def _quantile(outcomes, chance):
    """The first outcome at which the chances add up to more than `chance`."""
    total = 0.0
    for value, part in outcomes:
        total += part
        if total > chance:
            return value
    return outcomes[-1][0]


def _odd(count):
    """(index, index, chance) of the middle one of `count` draws being the value at the index."""
    middle = count // 2
    for index in range(count):
        yield index, index, _at_least(count, middle + 1, (index + 1) / count) - _at_least(
            count, middle + 1, index / count
        )


def _even(count):
    """(index, index, chance) of the two middle ones of `count` draws being the values at these indices."""
    half = count // 2
    ways = math.comb(count, half)
    # Half of the draws at or below `low`, one of them there; the other half at or above `high`, one of them there.
    below = [((low + 1) / count) ** half - (low / count) ** half for low in range(count)]
    for low in range(count):
        for high in range(low + 1, count):
            yield low, high, ways * below[low] * below[count - 1 - high]
    for index in range(count):
        yield index, index, _both_middle(count, half, index)


def _both_middle(count, half, index):
    """The chance of fewer than `half` draws below the index and fewer than `half` above it."""
    below, here, above = index / count, 1 / count, (count - 1 - index) / count
    return sum(
        math.comb(count, under)
        * math.comb(count - under, over)
        * below**under
        * above**over
        * here ** (count - under - over)
        for under in range(half)
        for over in range(half)
    )


def _at_least(count, needed, chance):
    """The chance of `needed` or more successes in `count` draws."""
    return sum(
        math.comb(count, hits) * chance**hits * (1 - chance) ** (count - hits) for hits in range(needed, count + 1)
    )
