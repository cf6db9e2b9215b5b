# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What counts, and when it is no accident.

Measures of a pair, each as a ratio that is above 1 where zlink is better:

- throughput: of floods and windows. Of an open loop, too, if a library does not keep the rate. That is so if more than
  2 % of the messages are still due at the end, those of 20 ms or a burst.
- cpu: nanoseconds of all processes for each message, without the workload's own computing. A message counts half where
  it is sent and half where it arrives. The reason: queues of a slow receiver may fill up before the window or in it.
  Not of an open loop that one library alone keeps, nor of fewer than 20 messages.
- p50, p99: time from when a message was due (a window's: from when it was sent) to its arrival, or to its answer's. Of
  open loops that zlink or both keep, of windows, and of floods that compute before each message and whose queue stays
  short. A flood's own latency is the depth of its queue, which the mark sets. p50 needs 20 messages in each run, p99
  1,000: with fewer its last ten are too few. Differences below 1 µs are none. If a window has several messages under
  way, a peer that is answered sooner sends more. So short times are counted more often. If a library serves a few peers
  again and again, its median is short while all others wait. The mean by Little's law, which is the number of messages
  under way divided by the rate, counts those too. If zlink has the higher rate, a percentile of zlink that is within
  the mean of libzmq is level.
- kept: the share of messages that was not lost, where a publisher in an open loop may lose some.
- finished: a run of zlink that fails or hangs counts 0 next to one of libzmq that ends well.

Stages: two pairs. What is below 0.95 by the geometric mean of both is *suspected*. It is measured anew in pairs that
know nothing of the first two. These are five, and four more unless the median of the five is at least 0.97. *Confirmed
behind* is a measure whose median of the nine is below 0.95, with at least eight of them below 1. By accident that
happens to one of fifty measures that are equal (sign test, 0.0195) if it was suspected. It happens to fewer, as the
median has to be low, too.
"""

import math
import statistics

BEHIND = 0.95
CLEARED = 0.97
FIRST_PAIRS = 2
FRESH_PAIRS = 5
MORE_PAIRS = 4
LEAST_FOR_CPU = 20
LEAST_FOR_P50 = 20
LEAST_FOR_P99 = 1000
LEAST_DIFFERENCE_US = 1.0
MEASURES = ("throughput", "cpu", "p50", "p99", "kept", "finished")


def kept_rate(of, run):
    """Whether an open loop was kept."""
    per_message = run["due"] / max(of["rate"] * run["seconds"], 1e-9)  # deliveries
    slack = max(0.02 * run["due"], 0.02 * of["rate"] * per_message, (2 * of["burst"] + 2) * per_message)
    return run["backlog"] <= slack


def short_queue(run):
    return run["backlog"] <= max(0.02 * run["messages"], 16)


def _latency(ours, theirs):
    if abs(ours - theirs) < LEAST_DIFFERENCE_US:
        return 1.0
    return theirs / max(ours, 1e-3)


def _mean_us(run):
    """Of the time under way, by Little's law; messages that were not answered in the time of the run count, too."""
    return run["backlog"] / run["throughput"] * 1e6 if run["throughput"] > 0 else math.inf


def _percentile(name, of, zlink, libzmq):
    ratio = _latency(zlink[name], libzmq[name])
    several = of["load"] == "window" and min(zlink["backlog"], libzmq["backlog"]) > 1
    if ratio < 1 and several and zlink["throughput"] >= libzmq["throughput"]:
        ratio = max(ratio, min(1.0, _latency(zlink[name], _mean_us(libzmq))))
    return ratio


def ratios(of, zlink, libzmq):
    """The measures of one pair of runs that count, by name. Empty if libzmq did not finish."""
    if libzmq["status"] != "ok":
        return {}
    if zlink["status"] != "ok":
        return {"finished": 0.0}
    found = {"finished": 1.0}
    opened = of["load"] == "open"
    kept = [opened and kept_rate(of, run) for run in (zlink, libzmq)]
    enough = min(zlink["messages"], libzmq["messages"])
    if enough > 0 and not all(kept):
        found["throughput"] = zlink["throughput"] / libzmq["throughput"]
    elif enough == 0 and libzmq["messages"] >= LEAST_FOR_CPU:
        found["throughput"] = 0.0
    if enough >= LEAST_FOR_CPU and kept[0] == kept[1] and zlink["cpu_ns"] > 0 and libzmq["cpu_ns"] > 0:
        found["cpu"] = libzmq["cpu_ns"] / zlink["cpu_ns"]
    timed = min(zlink["samples"], libzmq["samples"])
    told = (kept[0] if opened
            else of["load"] == "window" or of.get("think_us") and short_queue(zlink) and short_queue(libzmq))
    if told and timed >= LEAST_FOR_P50:
        found["p50"] = _percentile("p50_us", of, zlink, libzmq)
    if told and timed >= LEAST_FOR_P99:
        found["p99"] = _percentile("p99_us", of, zlink, libzmq)
    if opened and zlink["sent"] and libzmq["sent"] and libzmq["received"]:
        found["kept"] = (zlink["received"] / zlink["sent"]) / (libzmq["received"] / libzmq["sent"])
    return found


def gather(pairs):
    """{measure: [ratio, ..]} over pairs, of measures that count in more than half of them."""
    found = {name: [pair[name] for pair in pairs if name in pair] for name in MEASURES}
    return {name: values for name, values in found.items() if len(values) > len(pairs) / 2}


def middle(values):
    """Geometric mean; 0 if one is 0."""
    return 0.0 if min(values) <= 0 else math.exp(statistics.fmean(math.log(value) for value in values))


def suspected(pairs):
    """Names of measures that look bad after the first pairs."""
    return [name for name, values in gather(pairs).items() if middle(values) < BEHIND]


def undecided(pairs, names):
    """Of `names`, those that fresh pairs have not cleared."""
    values = gather(pairs)
    return [name for name in names if name in values and statistics.median(values[name]) < CLEARED]


def chance_of(values):
    """Probability of at least so many ratios below 1 if both libraries were equal (one-sided sign test; ties count
    half)."""
    count = len(values)
    below = int(sum(1.0 if value < 1 else 0.5 if value == 1 else 0.0 for value in values))
    return sum(math.comb(count, k) for k in range(below, count + 1)) / 2**count


def confirmed(pairs, names):
    """{measure: (median, p)} of `names` that fresh pairs confirm to be behind."""
    found = {}
    for name, values in gather(pairs).items():
        if name in names and statistics.median(values) < BEHIND and chance_of(values) < 0.03:
            found[name] = (statistics.median(values), chance_of(values))
    return found


def verdict(of, measure_pair, say=lambda text: None):
    """Measures a workload until it is judged. `measure_pair()` returns (zlink's run, libzmq's run).

    Returns {"pairs": first runs, "fresh": further runs, "ratios": {measure: ratio}, "behind": {measure: [median, p]}}.
    """

    def some(count, into):
        for _ in range(count):
            zlink, libzmq = measure_pair()
            into.append({"zlink": zlink, "libzmq": libzmq, "ratios": ratios(of, zlink, libzmq)})

    first, fresh, behind = [], [], {}
    some(FIRST_PAIRS, first)
    names = suspected([pair["ratios"] for pair in first])
    if names:
        say(f"suspected: {', '.join(names)}")
        some(FRESH_PAIRS, fresh)
        names = undecided([pair["ratios"] for pair in fresh], names)
    if names:
        some(MORE_PAIRS, fresh)
        behind = confirmed([pair["ratios"] for pair in fresh], names)
    # The fresh pairs tell more than those that raised the suspicion, and they were not chosen.
    values = gather([pair["ratios"] for pair in fresh or first])
    shown = {name: statistics.median(ratio) if fresh else middle(ratio) for name, ratio in values.items()}
    return {"pairs": first, "fresh": fresh, "ratios": shown, "behind": behind}
