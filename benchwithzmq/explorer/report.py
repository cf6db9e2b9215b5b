# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What an exploration found: as text, as a page of Markdown, and as a file with a line of JSON for each workload."""

import json
import math

from .judge import MEASURES, middle
from .space import text

EDGES = (0.5, 0.8, 0.95, 1.05, 1.25, 2.0, 4.0)
NAMES = {"throughput": "throughput", "cpu": "CPU a message", "p50": "p50", "p99": "p99", "kept": "kept messages",
         "finished": "finished"}


def column(ratio):
    """The number of the column of the histogram that a ratio belongs to."""
    return sum(ratio >= edge for edge in EDGES)


def headings():
    return [f"< {EDGES[0]:g}", *(f"{low:g} to {high:g}" for low, high in zip(EDGES, EDGES[1:])), f">= {EDGES[-1]:g}"]


def distribution(records):
    """{measure: (count, geometric mean, lowest, counts by column)} over workloads."""
    found = {}
    for name in MEASURES:
        values = [record["ratios"][name] for record in records if name in record["ratios"]]
        if not values:
            continue
        counts = [0] * (len(EDGES) + 1)
        for value in values:
            counts[column(value)] += 1
        positive = [value for value in values if value > 0]
        found[name] = (len(values), middle(positive) if positive else 0.0, min(values), counts)
    return found


def worst_of(record):
    """The lowest ratio of a record that is confirmed behind."""
    return min(median for median, _ in record["behind"].values())


def behind_of(records):
    """Records with something confirmed behind, worst first."""
    return sorted((record for record in records if record["behind"]), key=worst_of)


def measures_text(record):
    return ", ".join(f"{NAMES[name]} {median:.2f}"
                     for name, (median, _) in sorted(record["behind"].items(), key=lambda item: item[1]))


def summary(records):
    """Counts of workloads: ahead (all ratios at least 1.05 or level, one ahead), level, confirmed behind, not
    comparable."""
    counts = {"ahead": 0, "level": 0, "confirmed behind": 0, "not comparable": 0}
    for record in records:
        ratios = {name: value for name, value in record["ratios"].items() if name not in ("finished", "kept")}
        if record["behind"]:
            counts["confirmed behind"] += 1
        elif not record["ratios"]:
            counts["not comparable"] += 1
        elif ratios and middle([max(value, 1e-6) for value in ratios.values()]) >= 1.05:
            counts["ahead"] += 1
        else:
            counts["level"] += 1
    return counts


def overall(records):
    """The geometric mean over all workloads of the mean of each one's measures (failures apart)."""
    logs = []
    for record in records:
        values = [value for name, value in record["ratios"].items() if name not in ("finished", "kept") and value > 0]
        if values:
            logs.append(math.log(middle(values)))
    return math.exp(sum(logs) / len(logs)) if logs else None


def console(records):
    lines = [", ".join(f"{count} {name}" for name, count in summary(records).items())
             + f" of {len(records)} workloads."]
    mean = overall(records)
    if mean:
        lines.append(f"Geometric mean of all measures: {mean:.2f}.")
    for name, (count, mean, least, counts) in distribution(records).items():
        row = ", ".join(f"{heading}: {count_}" for heading, count_ in zip(headings(), counts) if count_)
        lines.append(f"  {NAMES[name]:<14} {count:4d} workloads, geometric mean {mean:.2f}, lowest {least:.2f} ({row})")
    for record in behind_of(records):
        lines += [f"{measures_text(record)}  --repeat {record['id']}", f"    {text(record['workload'])}"]
    if not behind_of(records):
        lines.append("Nothing is confirmed behind.")
    return "\n".join(lines) + "\n"


def markdown(records, header, raw_name):
    environment = header["environment"]
    seeds = ", ".join(str(seed) for seed in header["seeds"])
    lines = [
        "# Workloads drawn at random",
        "",
        f"{len(records)} workloads that [explore.py](../../benchwithzmq/README.md#the-explorer) drew, each on zlink "
        f"and on libzmq in turn. "
        "Ratios are above 1 where zlink is better.",
        "",
        f"Commit {str(environment.get('git_commit') or 'unknown')[:12]}, {environment.get('date')}, "
        f"{environment.get('cpu_model')} with "
        f"{environment.get('cores')} cores, {environment.get('kernel')}. Seeds: {seeds}. Raw results: "
        f"[{raw_name}]({raw_name}).",
        "",
        "## Confirmed behind",
        "",
    ]
    behind = behind_of(records)
    if behind:
        lines += ["Worst first; nine fresh pairs each.", "", "| measures | workload | repeat |", "|---|---|---|"]
        lines += [f"| {measures_text(record)} | {text(record['workload'])} | `--repeat {record['id']}` |"
                  for record in behind]
    else:
        lines.append("Nothing.")
    counts = summary(records)
    lines += ["", "## Distribution", "", ", ".join(f"{count} {name}" for name, count in counts.items()) + "."]
    mean = overall(records)
    if mean:
        lines.append(f"Geometric mean over all workloads, of the mean of each one's measures: {mean:.2f}.")
    lines += ["", "How many workloads have a ratio of:", ""]
    lines.append("| | workloads | geometric mean | lowest | " + " | ".join(headings()) + " |")
    lines.append("|---|---:|---:|---:|" + "---:|" * len(headings()))
    for name, (count, mean, least, counts_) in distribution(records).items():
        lines.append(f"| {NAMES[name]} | {count} | {mean:.2f} | {least:.2f} | "
                     + " | ".join(str(n) if n else "" for n in counts_) + " |")
    lines += [
        "",
        "A ratio below 0.95 in this table that is not listed above was not confirmed: with two pairs of "
        "short runs noise alone puts "
        "ratios there. What counts, and how it is confirmed, stands in `benchwithzmq/explorer/judge.py`.",
        "",
    ]
    return "\n".join(lines)


def write_raw(path, records, header):
    """A line for the header, and one for each workload."""
    with open(path, "w", encoding="utf-8") as file:
        for line in ({"explorer": 1, **header}, *records):
            file.write(json.dumps(line) + "\n")


def read_raw(path):
    """(records, header) of a file that write_raw() wrote."""
    with open(path, encoding="utf-8") as file:
        header, *records = (json.loads(line) for line in file if line.strip())
    return records, header
