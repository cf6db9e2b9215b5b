# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Reads result files and answers what the reports ask of them: values, medians and ratios of a cell.

A file holds runs of one configuration (environment and settings). Files of the same configuration are slices of one
matrix and become one Group. A file with other settings, another version or another machine starts a group of its own.
"""

import gzip
import json
import math
import statistics
import zlib
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path

from .loads import load_of, load_order, load_text
from .report_metrics import METRICS, PATTERNS, TRANSPORTS, in_order, size_text

SCHEMA = 1
BASELINE = "libzmq"
SUBJECT = "zlink"
BASELINE_AGAIN = "libzmq-again"
# A noise floor above this makes the figures doubtful, and the reports say so at the top.
BUSY = 0.15

# `load`: (name, value) pairs, see loads.py; none for most patterns.
Cell = namedtuple("Cell", "pattern transport size load", defaults=((),))
# Settings that say how long was measured, not what: slices may differ in them.
_AMOUNTS = {"runs", "metrics", "patterns", "transports", "sizes", "noise", "output", "json", "resume"}
# What makes two files comparable as one matrix; the date and the like may differ.
IDENTITY = (
    "host",
    "cpu_model",
    "kernel",
    "compiler",
    "build_flags",
    "libzmq_version",
    "libzmq_file",
    "zlink_version",
    "git_commit",
    "git_dirty",
    "congestion_control",
)
# Of all else that is measured, a zero is a missing value.
_MAY_BE_ZERO = {"cpu_system_ns_per_msg", "cpu_user_ns_per_msg", "system_share", "rate_kept", "timer_ns_per_msg"}


def cell_of(run):
    return Cell(run["pattern"], run["transport"], run["size"], load_of(run))


def cell_text(cell):
    """ "CONVERSATION tcp 64 B, 16 DEALERs, 32 in flight"."""
    return ", ".join(filter(None, (f"{cell.pattern} {cell.transport} {size_text(cell.size)}", load_text(cell.load))))


def sorted_cells(cells):
    """In the order of the tables."""
    patterns = in_order({cell.pattern for cell in cells}, PATTERNS)
    transports = in_order({cell.transport for cell in cells}, TRANSPORTS)
    places = lambda cell: (patterns.index(cell.pattern), transports.index(cell.transport))  # noqa: E731
    return sorted(cells, key=lambda cell: (*places(cell), cell.size, load_order(cell.load)))


class ReportError(Exception):
    """What the user has to be told in one line."""


@dataclass(frozen=True)
class Ratio:
    """How much better one library is in a cell: the median over pairs of runs, and the least and the best pair.

    Where the runs were not made in pairs (a cached baseline), it is the ratio of the medians, and the range that of the
    extremes.
    """

    median: float
    low: float
    high: float
    pairs: int
    paired: bool

    @property
    def behind(self):
        """Even the best pair lies below parity."""
        return self.high < 1


def load_file(path):
    """The document of a result file (.json or .json.gz), checked as far as the reports rely on it."""
    try:
        octets = Path(path).read_bytes()
        document = json.loads((gzip.decompress(octets) if str(path).endswith(".gz") else octets).decode("utf-8"))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReportError(f"{path}: is not a whole gzip file: {error}") from None
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ReportError(f"{path}: is not JSON: not a text file") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise ReportError(f"{path}: is not JSON: {error}") from None
    if not isinstance(document, dict) or "schema" not in document:
        raise ReportError(f'{path}: is not a result file: it has no "schema"')
    if document["schema"] != SCHEMA:
        raise ReportError(f"{path}: has schema {document['schema']!r}, this program reads {SCHEMA}")
    for name, kind in (("environment", dict), ("settings", dict), ("runs", list)):
        if not isinstance(document.get(name), kind):
            raise ReportError(f'{path}: is not a result file: "{name}" is missing or not a {kind.__name__}')
    for number, run in enumerate(document["runs"]):
        problem = _problem_of(run)
        if problem:
            raise ReportError(f"{path}: runs[{number}]: {problem}")
    return document


def _problem_of(run):
    if not isinstance(run, dict):
        return "is not an object"
    for name, kind in (("pattern", str), ("transport", str), ("size", int), ("lib", str), ("status", str)):
        if not isinstance(run.get(name), kind) or isinstance(run.get(name), bool):
            return f'"{name}" is missing or not a {kind.__name__}'
    if run["size"] < 0:
        return f"\"size\" is negative: {run['size']}"
    load = run.get("load") or {}
    if not isinstance(load, dict) or not all(type(value) in (int, str) for value in load.values()):
        return '"load" is not an object of numbers and words'
    metrics = run.get("metrics")
    if metrics is None and run["status"] != "ok":
        return None
    if not isinstance(metrics, dict):
        return '"metrics" is missing or no object'
    for name, value in metrics.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            return f'metric "{name}" is not a number: {value!r}'
    return None


def _run_key(run):
    return cell_of(run), run["lib"], run.get("pair")


class Group:
    """The runs of one configuration."""

    def __init__(self, environment, settings):
        self.settings = settings
        self.environments = [environment]
        self.paths = []
        self.failures = []  # runs that are not "ok" and were not made good later
        self._values = {}  # (lib, cell, metric) -> {(file, pair): value}

    def add(self, path, document):
        """Takes the runs of one more file. A repeated run of a pair replaces the earlier one."""
        number = len(self.paths)
        self.paths.append(path)
        done = {_run_key(run) for run in document["runs"] if run["status"] == "ok" and "pair" in run}
        for index, run in enumerate(document["runs"]):
            if run["status"] != "ok":
                if _run_key(run) not in done:
                    self.failures.append(run)
                continue
            cell = cell_of(run)
            key = (number, run["pair"] if "pair" in run else f"run {index}")
            for metric, value in run["metrics"].items():
                if value is not None and math.isfinite(value) and (value > 0 or value == 0 and metric in _MAY_BE_ZERO):
                    self._values.setdefault((run["lib"], cell, metric), {})[key] = value

    def libs(self):
        return in_order({lib for lib, _, _ in self._values}, [BASELINE, SUBJECT, "nng", "omq", "floor"])

    def cells(self):
        """All cells that were measured or tried, in the order of the tables."""
        found = {cell for lib, cell, _ in self._values if lib != "floor" or cell.pattern != "FLOOR"}
        found |= {cell_of(run) for run in self.failures if run["lib"] != "floor"}
        return sorted_cells(found)

    def patterns(self):
        return in_order({cell.pattern for cell in self.cells()}, PATTERNS)

    def transports(self):
        return in_order({cell.transport for cell in self.cells()}, TRANSPORTS)

    def sizes(self):
        return sorted({cell.size for cell in self.cells()})

    def by_pair(self, lib, cell, metric):
        """The values of a cell by the pair they were measured in."""
        values = self._values.get((lib, cell, metric))
        if values is None and lib == "floor":
            # The raw programs know no patterns: what was measured once is the floor of all of them.
            values = self._values.get((lib, cell._replace(pattern="FLOOR"), metric))
        return values or {}

    def values(self, lib, cell, metric):
        return list(self.by_pair(lib, cell, metric).values())

    def median(self, lib, cell, metric):
        values = self.values(lib, cell, metric)
        return statistics.median(values) if values else None

    def leave_out(self, condition):
        """Figures for which condition(lib, cell, metric) holds are missing from now on."""
        for key in [key for key in self._values if condition(*key)]:
            self._values[key] = {}

    def rates_not_kept(self):
        """[(lib, cell, share of the rate in the worst run)] of the runs that were to keep a rate and did not."""
        tried = ((lib, cell) for cell in self.cells() for lib in self.libs())
        return [
            (lib, cell, min(self.values(lib, cell, "rate_share")))
            for lib, cell in tried
            if 0 in self.values(lib, cell, "rate_kept")
        ]

    def has(self, lib, metric):
        return any(key[0] == lib and key[2] == metric for key in self._values)

    def ratio(self, cell, metric, lib=SUBJECT, over=BASELINE):
        """How much better `lib` is than `over`; None unless both have values."""
        better = METRICS[metric].improvement
        new, old = (
            {pair: value for pair, value in self.by_pair(which, cell, metric).items() if value > 0}
            for which in (lib, over)
        )
        if not new or not old:
            return None
        both = [better(new[pair], old[pair]) for pair in new if pair in old]
        if both:
            return Ratio(statistics.median(both), min(both), max(both), len(both), True)
        ends = [
            better(a, b) for a in (min(new.values()), max(new.values())) for b in (min(old.values()), max(old.values()))
        ]
        centre = better(statistics.median(new.values()), statistics.median(old.values()))
        return Ratio(centre, min(ends), max(ends), min(len(new), len(old)), False)

    def ratios(self, metric, pattern=None):
        """The cells of a metric that have a ratio, with it: all, or those of a pattern."""
        pairs = ((cell, self.ratio(cell, metric)) for cell in self.cells() if pattern in (None, cell.pattern))
        return [(cell, ratio) for cell, ratio in pairs if ratio is not None]

    def plain_ratios(self, metric):
        """Those of the cells without a load."""
        return [(cell, ratio) for cell, ratio in self.ratios(metric) if not cell.load]

    def attempted(self, metric):
        """The cells that tables of ratios have to show: with a value of either library, or a failed run of one. Those
        with a load have tables of their own."""
        cells = {cell for lib, cell, name in self._values if name == metric and lib in (BASELINE, SUBJECT)}
        cells |= {cell_of(run) for run in self.failures if run["lib"] in (BASELINE, SUBJECT)}
        return {cell for cell in cells if not cell.load}

    def noise(self, metric="throughput"):
        """The noise floor: by how much libzmq differs from itself from run to run. (median, 90th percentile) of all
        pairs, or None where it was not measured. Where the rate was given, it is that of the CPU time."""
        found = []
        for cell in self.cells():
            of = metric if self.by_pair(BASELINE, cell, metric) else "cpu_ns_per_msg"
            first, again = (self.by_pair(lib, cell, of) for lib in (BASELINE, BASELINE_AGAIN))
            found += [abs(again[pair] / first[pair] - 1) for pair in again if pair in first]
        if not found:
            return None
        found.sort()
        return statistics.median(found), found[min(len(found) - 1, math.ceil(0.9 * len(found)) - 1)]

    def title(self):
        """The settings that matter, in a line."""
        of = self.settings
        parts = []
        if of.get("end_cores"):
            parts.append("ends pinned to cores {} and {}".format(*of["end_cores"]))
        elif "pinned" in of:
            core = of.get("taskset_cpu")
            parts.append(
                "not pinned" if not of["pinned"] else "pinned to one core" if core is None else f"pinned to core {core}"
            )
        if of.get("shared_core"):
            parts.append("beside a busy process")
        if of.get("api") == "msg":
            parts.append("zmq_msg_send and zmq_msg_recv")
        if of.get("io_threads") is not None:
            parts.append(f"{of['io_threads']} I/O thread{'s' if of['io_threads'] != 1 else ''}")
        if of.get("two_process"):
            parts.append("two processes")
        if of.get("hwm") is not None:
            parts.append("unlimited queues" if of["hwm"] == 0 else f"high-water mark {of['hwm']}")
        parts += [f"{name}={value}" for name, value in sorted((of.get("knobs") or {}).items())]
        return ", ".join(parts) or "default settings"


def load_groups(paths):
    """The files as groups, in the order in which they were named."""
    groups = {}
    for path in paths:
        document = load_file(path)
        key = _identity(document)
        if key in groups:
            groups[key].environments.append(document["environment"])
        else:
            groups[key] = Group(document["environment"], document["settings"])
        groups[key].add(path, document)
    return list(groups.values())


def _identity(document):
    # Null is the same as not written, as by earlier versions.
    settings = {name: v for name, v in document["settings"].items() if name not in _AMOUNTS and v is not None}
    return json.dumps([settings, [document["environment"].get(name) for name in IDENTITY]], sort_keys=True)


def group_titles(groups):
    """A title for each group that tells it from the others."""
    titles = [group.title() for group in groups]
    for name, word in (
        ("git_commit", "commit"),
        ("zlink_version", "zlink"),
        ("libzmq_version", "libzmq"),
        ("host", "on"),
        ("compiler", "with"),
        ("seconds", "seconds a run"),
        ("msg_count", "messages a run"),
    ):
        if len(set(titles)) == len(titles):
            break
        found = [group.environments[0].get(name, group.settings.get(name)) for group in groups]
        if len(set(found)) > 1:
            titles = [f"{title}, {_worded(name, word, value)}" for title, value in zip(titles, found)]
    if len(set(titles)) != len(titles):
        titles = [f"{title}, {Path(group.paths[0]).name}" for title, group in zip(titles, groups)]
    return titles


def _worded(name, word, value):
    if value is None:
        return f"{word} not known" if name != "libzmq_version" else "without libzmq"
    return f"{word} {str(value)[:10] if name == 'git_commit' else value}"
