#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Runs test suites that are not ours on libzmq and on zlink, and tells where they differ. --help tells the rest."""
import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import compare
from cppzmq_suite import CppzmqSuite
from czmq_suite import CzmqSuite
from go_suite import GoSuite
from node_suite import NodeSuite
from pyzmq_suite import PyzmqSuite
from rust_suite import RustSuite
from steps import LIBRARIES, PYTHON, Failure, Places, execute, say, side_by_side

# A row for each suite: fetch its sources, build it against a library's prefix, run all or some of its tests.
SUITES = (PyzmqSuite, CzmqSuite, CppzmqSuite, GoSuite, RustSuite, NodeSuite)

SOURCE = Path(__file__).resolve().parents[2]
DEFAULT_TABLE = Path(__file__).resolve().parent / "differences.txt"
EPILOG = """Each suite is fetched (PyPI, the distribution's source packages, Go's modules, crates.io, npm), built and run
twice: against the distribution's libzmq, and against zlink as `cmake --install` installs it. pyzmq and CZMQ run side by
side, the others one after another. A test that comes out differently is repeated on both. The difference counts even if
it is not there again, unless libzmq is unsteady in the same runs, and zlink not clearly more often. Status 0: every
difference is in the table with its reason, and every line of the table is still needed. 1: not so, or the suites could
not run. 2: wrong arguments. Everything is written below BUILD/dropin, logs in BUILD/dropin/logs. ./build.sh dropin
installs what is needed (but go, cargo and npm), builds zlink and calls this."""


def count(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"takes a whole number above zero, not '{text}'")
    return int(text)


def arguments():
    parser = argparse.ArgumentParser(prog="tests/dropin/run.py", description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [suite.name for suite in SUITES]
    by_default = [suite.name for suite in SUITES if suite.by_default]
    parser.add_argument("suites", nargs="*", metavar="SUITE",
                        help=f"which to run: {', '.join(names)}; default: {', '.join(by_default)}")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--build", type=Path, default=SOURCE / "build", help="zlink's build directory; default: build")
    parser.add_argument("--table", type=Path, default=DEFAULT_TABLE, help="known differences; default: %(default)s")
    parser.add_argument("--jobs", type=count, default=os.cpu_count(), help="compile jobs; default: all cores")
    parser.add_argument("--limit", type=count, default=60, help="seconds for one test; default: %(default)s")
    parser.add_argument("--repeats", type=count, default=10,
                        help="how often differences are repeated; default: %(default)s")
    given = parser.parse_args()
    for name in given.suites:
        if name not in names:
            parser.error(f"there is no suite '{name}', but {', '.join(names)}")
    if given.all and given.suites:
        parser.error("--all, or the names of suites")
    given.suites = names if given.all else given.suites or by_default
    return given


def need_clients(suites):
    """The package managers and compilers that these suites are fetched and built with."""
    for suite in suites:
        for program, cure in suite.needs:
            if not shutil.which(program):
                raise Failure(f"{program} is missing, which the suite {suite.name} needs", cure)


def need(build):
    for program, package in (("cmake", "cmake"), ("ninja", "ninja-build"), ("g++", "g++"), ("apt-get", "apt"),
                             ("dpkg-source", "dpkg-dev"), ("pkg-config", "pkg-config")):
        if not shutil.which(program):
            raise Failure(f"{program} is missing", f"apt-get install {package}; ./build.sh dropin does so")
    asked = subprocess.run([PYTHON, "-c", "import sysconfig; print(sysconfig.get_paths()['include'])"],
                           capture_output=True, text=True)
    header = Path(asked.stdout.strip()) / "Python.h"
    if not header.exists():
        raise Failure(f"{header} is missing", "apt-get install python3-dev; ./build.sh dropin does so")
    if not (build / "lib" / "libzmq.so.5").exists():
        raise Failure(f"zlink is not built in {build}", "./build.sh build, or --build DIR")
    if not (build / "distribution" / "libzmq.so.5").exists() or not Path("/usr/include/zmq.h").exists():
        raise Failure("the distribution's libzmq is missing",
                      "apt-get install libzmq5 libzmq3-dev, then ./build.sh build")


def make_prefixes(places):
    """zlink as it is installed, and the distribution's libzmq alone in a place of the same form."""
    for library in LIBRARIES:
        shutil.rmtree(places.prefix(library), ignore_errors=True)
    execute(places, "install zlink", ["cmake", "--install", places.build, "--prefix", places.prefix("zlink")],
            "build what it installs first: ./build.sh dropin does so")
    for folder in ("include", "lib"):
        (places.prefix("libzmq") / folder).mkdir(parents=True)
    for name in ("zmq.h", "zmq_utils.h"):
        (places.prefix("libzmq") / "include" / name).symlink_to(f"/usr/include/{name}")
    library = (places.build / "distribution" / "libzmq.so.5").resolve()
    for name in ("libzmq.so", "libzmq.so.5"):
        (places.prefix("libzmq") / "lib" / name).symlink_to(library)
    if "zlink" in Path("/usr/include/zmq.h").read_text(errors="replace")[:500]:
        raise Failure("/usr/include/zmq.h is zlink's", "apt-get install --reinstall libzmq3-dev")


def run_on(suite, places, library, tests=None):
    results = suite.run(places, library, tests)
    if tests is None:
        words = [outcome.word for outcome in results.values()]
        say(f"{suite.name} on {library}: {words.count('passed')} passed, {words.count('failed')} failed, "
            f"{words.count('skipped')} skipped")
    return results


def run_on_both(suite, places, tests=None):
    if suite.side_by_side:
        return side_by_side(lambda library: run_on(suite, places, library, tests), LIBRARIES)
    return {library: run_on(suite, places, library, tests) for library in LIBRARIES}


def run_suite(suite, places):
    """Fetches, builds and runs one suite; its outcomes."""
    say(f"{suite.name}: fetching")
    suite.fetch(places)
    say(f"{suite.name}: building on {' and '.join(LIBRARIES)}")
    side_by_side(lambda library: suite.build(places, library), LIBRARIES)
    say(f"{suite.name}: running{', both libraries at once' if suite.side_by_side else ''}")
    outcomes = run_on_both(suite, places)
    passed = sum(outcome.word == "passed" for outcome in outcomes["libzmq"].values())
    if passed < suite.at_least:
        raise Failure(f"only {passed} tests of {suite.name} passed on libzmq, {suite.at_least} are expected",
                      f"look into {places.work}/logs for what is missing on this machine")
    return outcomes


def judge(suite, places, table, outcomes, repeats):
    """The verdict. Tests are repeated as they ran first, so that load that makes one library fail meets the other as
    well."""
    def again(tests):
        say(f"{suite.name}: {len(tests)} tests once more on both: "
            f"{', '.join(tests[:3])}{' ...' if len(tests) > 3 else ''}")
        return run_on_both(suite, places, tests)

    return compare.judge(suite.name, table, outcomes, again, repeats)


def print_verdict(suite, outcomes, verdict, table_path):
    def pair_text(pair):
        return "".join(f"\n        {library:7} {outcome}" for library, outcome in zip(LIBRARIES, pair))

    both = [test for test, outcome in outcomes["libzmq"].items()
            if outcome.word == "failed" and outcomes["zlink"].get(test, compare.ABSENT).word == "failed"]
    print(f"\n== {suite}: {len(verdict.listed)} known differences")
    for reason in dict.fromkeys(known.reason for _, known in verdict.listed.values()):
        tests = [test for test, (_, known) in verdict.listed.items() if known.reason == reason]
        print(f"   {len(tests):3} {reason}: {', '.join(tests[:2])}{' ...' if len(tests) > 2 else ''}")
    for test, pair in verdict.unsteady.items():
        print(f"   unsteady on libzmq, too, {verdict.rates[test]}: {test}{pair_text(pair)}")
    for test, (on_libzmq, _) in verdict.better.items():
        print(f"   fails on libzmq alone: {test}: {on_libzmq.note}")
    for test in both:
        print(f"   fails on both: {test}: {outcomes['libzmq'][test].note}")
    for test, pair in verdict.unlisted.items():
        print(f"   DIFFERENT, {verdict.rates[test]}: {test}{pair_text(pair)}")
    for known in verdict.stale:
        print(f"   NO LONGER DIFFERENT: {known.tests}\n        take its line out of {table_path}")
    return not verdict.unlisted and not verdict.stale


def main():
    given = arguments()
    started = time.monotonic()
    rows, good = [], True
    try:
        table = compare.read_table(given.table)
        places = Places(SOURCE, given.build.resolve(), given.build.resolve() / "dropin", given.jobs, given.limit)
        suites = [make() for make in SUITES if make.name in given.suites]
        need(places.build)
        need_clients(suites)
        make_prefixes(places)
        outcomes_of = side_by_side(lambda suite: run_suite(suite, places),
                                   [suite for suite in suites if suite.by_default])
        for suite in [suite for suite in suites if not suite.by_default]:
            outcomes_of[suite] = run_suite(suite, places)
        for suite in suites:
            outcomes = outcomes_of[suite]
            verdict = judge(suite, places, table, outcomes, given.repeats)
            fine = print_verdict(suite.name, outcomes, verdict, given.table)
            good = good and fine
            rows.append(compare.row(suite.name, outcomes, verdict))
    except (OSError, ValueError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    except Failure as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    print("\n" + "\n".join([compare.HEADING, *rows]))
    print(f"result: {'ok' if good else 'FAILED'} after {time.monotonic() - started:.0f} s; logs: {places.work}/logs")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
