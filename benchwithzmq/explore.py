#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Draws workloads at random, runs each on zlink and on libzmq in turn, and tells what is confirmed behind."""

import json
import random
import signal
import sys
import time
from pathlib import Path

from bench_suite import environment
from bench_suite.cells import UsageError, whole_number
from bench_suite.report_arguments import Parser
from bench_suite.store import write_atomically
from explorer import judge, report, space
from explorer.runs import Programs

SOURCE = Path(__file__).resolve().parents[1]

EPILOG = """
Each workload runs twice on both libraries. What looks bad is measured again, in pairs that know nothing of the first; only what these
confirm is told. explorer/judge.py says what counts, explorer/space.py what is drawn. A workload is named by its seed and its number,
SEED:INDEX. The same seed draws the same workloads on every machine and in every version with the same space.

--control measures libzmq against itself: what it confirms is the rate of false alarms (about 1 of 100 workloads).
Knobs of zlink (ZLINK_*) in the environment reach zlink alone.
Exit status: 0 nothing is confirmed behind; 1 something is; 2 bad usage; 130 interrupted, after the report of what was done.
"""


def parse(arguments):
    parser = Parser(prog="explore.py", description=__doc__, epilog=EPILOG)
    parser.add_argument("--minutes",
                        help="how long to explore (default 5); the workload that is under way then is finished")
    parser.add_argument("--workloads", metavar="N", help="stop after so many, however long they take")
    parser.add_argument("--seed", help="what is drawn (default: another one each time, which is told)")
    parser.add_argument("--first", metavar="INDEX", default="0",
                        help="begin with this workload of the seed (default 0)")
    parser.add_argument("--repeat", metavar="SEED[:INDEX]",
                        help="that one workload alone, nine pairs, with every run shown (INDEX: 0)")
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[],
                        help="with --repeat: change the workload")
    parser.add_argument("--show", action="store_true",
                        help="print the workloads, and run nothing (with --workloads or --repeat)")
    parser.add_argument("--report", metavar="FILE",
                        help="write a page of Markdown, and FILE with .jsonl at its end: the raw results")
    parser.add_argument("--merge", metavar="RAW", action="append", default=[],
                        help="add the raw results of an earlier exploration")
    parser.add_argument("--build-dir", default=SOURCE / "build" / "bin",
                        help="where the programs are (default build/bin)")
    parser.add_argument("--libzmq-prefix", metavar="DIR",
                        help="another libzmq: in DIR/lib or, as Debian's, DIR/lib/<triplet>")
    parser.add_argument("--control", action="store_true",
                        help="libzmq on both sides: how often noise alone is confirmed")
    options = parser.parse_args(arguments)
    if options.repeat and (options.report or options.merge or options.seed):
        raise UsageError("--repeat runs one workload: not with --seed, --report or --merge")
    if options.set and not options.repeat:
        raise UsageError("--set changes the workload of --repeat")
    return options


def minutes_of(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= 100_000:
        raise UsageError(f"--minutes {text} is not a time")
    return value


class Exploration:
    def __init__(self, options):
        self.options = options
        self.programs = Programs(options.build_dir, options.libzmq_prefix, options.control)
        self.seed = (whole_number(options.seed, "--seed", 0, 10**18) if options.seed
                     else random.SystemRandom().randrange(10**6))
        self.records = []
        small = space.draw(0, 0) | {"warm_ms": 1, "measure_ms": 20}
        zlink, libzmq = self.programs.check(small)
        self.poller = bool(zlink["poller"] and libzmq["poller"])

    def measure_pair(self, of, chance):
        """Both libraries, in an order that chance decides."""
        sides = ["zlink", "libzmq"]
        chance.shuffle(sides)
        runs = {side: self.programs.run(side, of) for side in sides}
        return runs["zlink"], runs["libzmq"]

    def explore(self, until, most, first):
        index = first
        while (most is None or index < first + most) and (until is None or time.monotonic() < until):
            name = f"{self.seed}:{index}"
            of = space.draw(self.seed, index, self.poller)
            order = random.Random(f"order {name}")
            left = f"{max(0, until - time.monotonic()) / 60:.1f} min left" if until else f"{index - first + 1} of {most}"
            say(f"\r\033[K{name} ({left})  {space.text(of)[:100]}", transient=True)
            found = judge.verdict(of, lambda: self.measure_pair(of, order))
            self.records.append({"id": name, "workload": of, **found})
            say(f"{name}  {line_of(self.records[-1])}")
            index += 1


def line_of(record):
    """A workload's result, in a line."""
    ratios = " ".join(f"{name} {value:.2f}" for name, value in record["ratios"].items()
                      if name != "finished" or value < 1)
    mark = "BEHIND " if record["behind"] else ""
    if not record["ratios"]:
        ratios = "not comparable: " + str(record["pairs"][-1]["libzmq"].get("reason"))
    return f"{mark}{ratios}  {space.text(record['workload'])}"


def say(text, transient=False):
    terminal = sys.stderr.isatty()
    if transient and not terminal:
        return
    print(text if not terminal or transient else f"\r\033[K{text}", end="" if transient else "\n", file=sys.stderr,
          flush=True)


def workload_of(exploration_or_poller, options):
    seed, _, index = options.repeat.partition(":")
    of = space.draw(whole_number(seed, "--repeat", 0, 10**18), whole_number(index or "0", "--repeat", 0, 10**9),
                    exploration_or_poller)
    for change in options.set:
        name, _, value = change.partition("=")
        of[name] = int(value) if value.lstrip("-").isdigit() and name != "sizes" else value
    return of


def repeat(exploration, options):
    """One workload, in nine pairs. Exit status 1 if it is behind."""
    of = workload_of(exploration.poller, options)
    print(space.text(of))
    print(" ".join(space.arguments(of)))
    chance = random.Random(time.monotonic())
    pairs = []
    for number in range(judge.FRESH_PAIRS + judge.MORE_PAIRS):
        zlink, libzmq = exploration.measure_pair(of, chance)
        pairs.append(judge.ratios(of, zlink, libzmq))
        for side, run in (("zlink", zlink), ("libzmq", libzmq)):
            figures = {name: run[name] for name in ("throughput", "cpu_ns", "p50_us", "p99_us", "samples", "backlog",
                                                    "sent", "received") if name in run}
            shown = " ".join(f"{name} {value:g}" for name, value in figures.items())
            print(f"{number + 1} {side:<7} {shown or run['reason']}")
        print("  ratios  " + " ".join(f"{name} {value:.2f}" for name, value in pairs[-1].items()), flush=True)
    behind = judge.confirmed(pairs, judge.MEASURES)
    for name, values in judge.gather(pairs).items():
        values = sorted(values)
        mark = "BEHIND" if name in behind else ""
        print(f"{name:<11} median {values[len(values) // 2]:.2f}, {values[0]:.2f} to {values[-1]:.2f}, chance {judge.chance_of(values):.3f} {mark}".rstrip())
    return 1 if behind else 0


def describe(options):
    try:
        return environment.describe(options.build_dir, None, None)
    except OSError:
        return {}


def write_report(options, records, seeds):
    header = {"environment": describe(options), "seeds": seeds, "control": options.control}
    path = Path(options.report)
    raw = path.with_suffix(".jsonl")
    report.write_raw(raw, records, header)
    write_atomically(path, report.markdown(records, header, raw.name))


def show(options):
    if options.repeat:
        print(json.dumps(workload_of(False, options)))
        return
    first = whole_number(options.first, "--first", 0, 10**9)
    for index in range(first, first + whole_number(options.workloads or "10", "--workloads", 1, 10**6)):
        of = space.draw(whole_number(options.seed or "0", "--seed", 0, 10**18), index)
        print(f"{options.seed or 0}:{index}  {space.text(of)}")


def main(arguments):
    options = parse(arguments)
    if options.show:
        show(options)
        return 0
    exploration = Exploration(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.repeat:
        return repeat(exploration, options)
    most = whole_number(options.workloads, "--workloads", 1, 10**6) if options.workloads else None
    minutes = minutes_of(options.minutes) if options.minutes else None if most else 5
    earlier, seeds = [], []
    for path in options.merge:
        records, header = report.read_raw(path)
        earlier += records
        seeds += header["seeds"]
    say(f"Seed {exploration.seed}.")
    status = 0
    try:
        until = time.monotonic() + 60 * minutes if minutes else None
        exploration.explore(until, most, whole_number(options.first, "--first", 0, 10**9))
    except KeyboardInterrupt:
        say("Interrupted.")
        status = 130
    records = earlier + exploration.records
    print(report.console(records), end="")
    if options.report and records:
        write_report(options, records, [*seeds, exploration.seed])
    return status or (1 if report.behind_of(records) else 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as error:
        print(f"explore.py: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
