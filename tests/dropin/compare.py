# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What became of each test on both libraries, and which differences are known with their reason."""
import re
from dataclasses import dataclass
from pathlib import Path


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
        pair = tuple(outcomes[library].get(test, ABSENT) for library in ("libzmq", "zlink"))
        if pair[0].word != pair[1].word:
            found[test] = pair
    return found


@dataclass
class Verdict:
    """A suite's differences, sorted."""

    listed: dict     # {test: (pair, Known)}
    unlisted: dict   # {test: pair}: must not be
    unsteady: dict   # {test: pair}: not seen again when repeated
    stale: list      # Known that always differ, and did not: must not be
    better: dict     # {test: pair}: failed on libzmq and passed on zlink


def judge(suite, table, outcomes, again, repeats):
    """again(tests) runs these tests once more, on both libraries, and returns outcomes. A difference counts when it is
    there in the first run and in each repetition; so does its absence where it is listed as one that is always there. What
    fails on libzmq alone is told and no more."""
    verdict = Verdict({}, {}, {}, [], {})
    suspects = {}
    for test, pair in differences(outcomes).items():
        known = next((entry for entry in table if entry.covers(suite, test)), None)
        if known:
            verdict.listed[test] = (pair, known)
        elif (pair[0].word, pair[1].word) == ("failed", "passed"):
            verdict.better[test] = pair
        else:
            suspects[test] = pair

    seen = {known for _, known in verdict.listed.values()}
    tests = {test for results in outcomes.values() for test in results}
    stale = {entry: {test for test in tests if entry.covers(suite, test)}
             for entry in table if entry.suite == suite and entry.always and entry not in seen}

    for _ in range(repeats):
        wanted = set(suspects).union(*stale.values())
        if not wanted:
            break
        repeated = differences(again(sorted(wanted)))
        for test in [test for test in suspects if test not in repeated]:
            verdict.unsteady[test] = suspects.pop(test)
        for entry in [entry for entry, its_tests in stale.items() if its_tests & repeated.keys()]:
            del stale[entry]

    verdict.unlisted = suspects
    verdict.stale = list(stale)
    return verdict
