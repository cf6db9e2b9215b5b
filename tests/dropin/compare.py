# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What became of each test on both libraries, and which differences are known with their reason."""
import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from steps import LIBRARIES


@dataclass(frozen=True)
class Outcome:
    """What became of a test. Two outcomes are the same if their words are."""

    word: str        # passed, failed or skipped; absent: there is no such test
    note: str = ""   # the reason in a line

    def __str__(self):
        return f"{self.word} ({self.note})" if self.note else self.word


ABSENT = Outcome("absent")


@dataclass(frozen=True)
class Known:
    """A line of the table of differences."""

    suite: str
    tests: str       # name of a test; * stands for anything
    always: bool     # False: seen at times, or with some versions of libzmq only
    reason: str

    def covers(self, suite, test):
        pattern = ".*".join(re.escape(part) for part in self.tests.split("*"))
        return suite == self.suite and re.fullmatch(pattern, test, re.DOTALL) is not None


def read_table(path):
    """The lines of a table of differences; ValueError names a line that is none."""
    table = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split(" | ", 3)]
        if len(cells) != 4 or not all(cells) or cells[2] not in ("always", "at times"):
            raise ValueError(f"{path}:{number}: not 'suite | test | always or at times | reason': {line}")
        table.append(Known(cells[0], cells[1], cells[2] == "always", cells[3]))
    return table


def differences(outcomes):
    """{test: (on libzmq, on zlink)} of the tests that came out differently; outcomes: {library: {test: Outcome}}."""
    found = {}
    for test in sorted({test for results in outcomes.values() for test in results}):
        pair = tuple(outcomes[library].get(test, ABSENT) for library in LIBRARIES)
        if pair[0].word != pair[1].word:
            found[test] = pair
    return found


@dataclass
class Verdict:
    """A suite's differences, sorted."""

    listed: dict     # {test: (pair, Known)}
    unlisted: dict   # {test: pair}: must not be
    unsteady: dict   # {test: pair}: libzmq is unsteady, too, at a like rate
    stale: list      # Known that always differ, and did not: must not be
    better: dict     # {test: pair}: failed on libzmq and passed on zlink
    rates: dict      # {test: Rates} of those in unlisted and unsteady


@dataclass(frozen=True)
class Rates:
    """How often a test did not come out as it mostly does on libzmq, the control."""

    control: int     # of so many runs on libzmq
    ours: int        # of so many on zlink
    runs: int        # on each of them

    def chance(self):
        """Of at least so many of all odd runs on zlink, were both libraries alike (Fisher's exact test, one-sided)."""
        odd = self.control + self.ours
        ways = sum(math.comb(self.runs, k) * math.comb(self.runs, odd - k)
                   for k in range(self.ours, min(odd, self.runs) + 1))
        return ways / math.comb(2 * self.runs, odd)

    def alike(self):
        """The control is unsteady, and zlink is not so clearly more often."""
        return self.control > 0 and self.chance() >= 0.05

    def settled(self):
        """A difference that further runs would hardly take back."""
        return self.chance() < 0.01

    def __str__(self):
        return f"in {self.ours} of {self.runs} runs on zlink, {self.control} of {self.runs} on libzmq"


def rates_of(pairs):
    """pairs: what each run of a test came to, on libzmq and on zlink."""
    usual = Counter(on_libzmq.word for on_libzmq, _ in pairs).most_common(1)[0][0]
    return Rates(sum(on_libzmq.word != usual for on_libzmq, _ in pairs),
                 sum(on_zlink.word != usual for _, on_zlink in pairs), len(pairs))


def judge(suite, table, outcomes, again, repeats):
    """again(tests) runs these tests once more, on both libraries, and returns outcomes. A difference that was seen once
    counts, unless libzmq is unsteady in the same runs, and zlink not clearly more often. A line of one that is always
    there is stale if it is there in no run. What fails on libzmq alone is told and no more."""
    verdict = Verdict({}, {}, {}, [], {}, {})
    suspects = {}  # {test: a pair for each run}
    for test, pair in differences(outcomes).items():
        known = next((entry for entry in table if entry.covers(suite, test)), None)
        if known:
            verdict.listed[test] = (pair, known)
        elif (pair[0].word, pair[1].word) == ("failed", "passed"):
            verdict.better[test] = pair
        else:
            suspects[test] = [pair]

    seen = {known for _, known in verdict.listed.values()}
    tests = {test for results in outcomes.values() for test in results}
    stale = {entry: {test for test in tests if entry.covers(suite, test)}
             for entry in table if entry.suite == suite and entry.always and entry not in seen}

    for _ in range(repeats):
        unsettled = {test for test, pairs in suspects.items() if not rates_of(pairs).settled()}
        wanted = unsettled.union(*stale.values())
        if not wanted:
            break
        repeated = again(sorted(wanted))
        for test in unsettled:
            suspects[test].append(tuple(repeated[library].get(test, ABSENT) for library in LIBRARIES))
        different = differences(repeated).keys()
        for entry in [entry for entry, its_tests in stale.items() if its_tests & different]:
            del stale[entry]

    for test, pairs in suspects.items():
        verdict.rates[test] = rates_of(pairs)
        (verdict.unsteady if verdict.rates[test].alike() else verdict.unlisted)[test] = pairs[0]
    verdict.stale = list(stale)
    return verdict


HEADING = f"{'suite':10} {'cases':>6} {'passed on libzmq':>17} {'passed on zlink':>16}   differences"


def row(suite, outcomes, verdict):
    """A suite's line of the table at the end."""
    cases = len({test for results in outcomes.values() for test in results})
    passed = [sum(outcome.word == "passed" for outcome in outcomes[library].values()) for library in LIBRARIES]
    kinds = ((verdict.unlisted, "NEW"), (verdict.listed, "known"), (verdict.unsteady, "unsteady on both"),
             (verdict.better, "on libzmq alone"))
    told = ", ".join(f"{len(found)} {kind}" for found, kind in kinds if found)
    return f"{suite:10} {cases:6} {passed[0]:17} {passed[1]:16}   {told or 'none'}"
