# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Patterns that have a load: messages in flight, a rate, clients. A cell of theirs has one besides its transport and
size."""

import itertools
import re
from dataclasses import dataclass

from .report_metrics import in_order

ONE, APART = "one", "apart"


@dataclass(frozen=True)
class Axis:
    """One quantity of a load. `variable` tells the programs, `option` names the command line's list of values."""

    name: str
    variable: str
    option: str
    title: str
    least: int = 1
    most: int = 10000
    words: tuple = ()  # the values, where they are not numbers
    metavar: str = "N,.."

    def values_of(self, text):
        found = []
        for part in text.split(","):
            word = part.strip().lower().replace("-", "_")
            if self.words:
                good = word in self.words
                wanted = f"none of {', '.join(self.words)}"
            else:
                good = bool(re.fullmatch("[0-9]{1,18}", word)) and self.least <= int(word) <= self.most
                wanted = f"not a whole number from {self.least} to {self.most}"
            if not good:
                raise ValueError(f"--{self.option} '{part}' is {wanted}")
            found.append(word if self.words else int(word))
        return list(dict.fromkeys(found))

    def environment(self, value):
        """For a program."""
        if self.words:
            value = self.words.index(value)
        return {self.variable: str(value)}


AXES = {
    axis.name: axis
    for axis in (
        Axis("dealers", "BENCH_PEERS", "dealers", "DEALERs"),
        Axis("window", "BENCH_WINDOW", "windows", "messages in flight, each DEALER"),
        Axis("clients", "BENCH_PEERS", "clients", "REQ clients"),
        Axis("workers", "BENCH_WORKERS", "workers", "REP workers", most=1000),
        Axis("way", "BENCH_ECHO", "ways", "one way, or there and back", words=("one_way", "echo"),
             metavar="one_way,echo"),
        Axis("rate", "BENCH_RATE", "rates", "messages a second", most=100_000_000),
        Axis("processes", "BENCH_TWO_PROCESS", "processes", "processes", words=(ONE, APART), metavar="one,apart"),
    )
}


@dataclass(frozen=True)
class LoadPattern:
    """What makes up a load, with the values measured unless others are named. `along` is the x axis of its curves."""

    axes: dict
    along: str | None
    timed: str  # what its latency is of; none: it has no latency
    counted: str = ""  # what its throughput counts
    transports: str = "tcp,ipc,inproc"
    by_time: bool = False  # and not by a number of messages
    asked: str | None = None  # the pattern whose program tells of the library in its stead, quickly


LOADS = {
    "CONVERSATION": LoadPattern(
        {"dealers": "2,16,64", "window": "1,4,32,256", "processes": ONE}, "window", "round trip",
        "round trips per second"
    ),
    "FIXED_RATE": LoadPattern(
        {"way": "one_way,echo", "rate": "1000,10000,100000,300000,1000000", "processes": APART},
        "rate",
        "time since it was due",
        transports="tcp,ipc",
        by_time=True,
    ),
    "HIGHEST_RATE": LoadPattern(
        {"way": "one_way,echo", "processes": APART}, None, "", transports="tcp,ipc", by_time=True, asked="FIXED_RATE"
    ),
    "BROKER": LoadPattern(
        {"clients": "1,10,100,1000", "workers": "4", "processes": f"{ONE},{APART}"},
        "clients",
        "request with its reply",
        "requests per second",
        transports="tcp,ipc",
        by_time=True,
    ),
}
LOAD_SIZES = "64"


def asked_of(pattern):
    """The pattern whose program tells what library it runs on, in a run that takes no time."""
    if pattern == "HANDSHAKES":
        return "PAIR"  # over inproc there are none
    if pattern == "RADIO_DISH_UDP":
        return "RADIO_DISH"
    return pattern in LOADS and LOADS[pattern].asked or pattern


def loads_of(pattern, transport, chosen, processes=None):
    """The loads of a pattern's cells: every combination of the values in `chosen` (by axis) or of those it has itself.

    () for a pattern without a load. `processes` ONE or APART leaves no choice; inproc knows one process alone.
    """
    if pattern not in LOADS:
        return [()]
    axes = LOADS[pattern].axes
    values = {name: chosen.get(name) or AXES[name].values_of(text) for name, text in axes.items()}
    if transport == "inproc":
        values["processes"] = [ONE] if ONE in values["processes"] or "processes" not in chosen else []
    elif processes:
        values["processes"] = [processes]
    return [tuple(zip(axes, combination)) for combination in itertools.product(*values.values())]


def load_of(run):
    """The load of a run in a result file."""
    load = run.get("load") or {}
    return tuple((name, load[name]) for name in in_order(load, list(AXES)))


def load_order(load):
    """A key to sort loads by: numbers by size, words as their axis has them."""
    order = list(AXES)
    return [(order.index(name) if name in order else len(order), _place(name, value)) for name, value in load]


def _place(name, value):
    if isinstance(value, int):
        return value, ""
    words = AXES[name].words if name in AXES else ()
    return words.index(value) if value in words else len(words), value


def load_text(load):
    """ "16 DEALERs, 32 in flight", "echo, 100,000 /s, apart"."""
    of = dict(load)
    parts = []
    if "dealers" in of:
        parts.append(f"{of['dealers']} DEALER{'s' if of['dealers'] != 1 else ''}")
    if "window" in of:
        parts.append(f"{of['window']} in flight")
    for name, one in (("clients", "client"), ("workers", "worker")):
        if name in of:
            parts.append(f"{of[name]} {one}{'s' if of[name] != 1 else ''}")
    if "way" in of:
        parts.append(str(of["way"]).replace("_", " "))
    if "rate" in of:
        parts.append(f"{of['rate']:,} /s")
    if of.get("processes") == APART:
        parts.append("apart")
    known = {"dealers", "window", "clients", "workers", "way", "rate", "processes"}
    parts += [f"{name} {value}" for name, value in of.items() if name not in known]
    return ", ".join(parts)


def load_environment(load):
    """The variables that tell a program its load."""
    found = {}
    for name, value in load:
        found |= AXES[name].environment(value)
    return found
