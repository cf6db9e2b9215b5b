#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Runs programs that are not ours on libzmq and on zlink, in turn, and compares. --help tells the rest."""
import argparse
import importlib
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from stage import Failure, Stage

HERE = Path(__file__).resolve().parent
NAMES = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "stage"))
LIBRARIES = ("libzmq", "zlink")
HEADING = ("| program | version | what was done | libzmq | zlink | time on libzmq | on zlink | ratio |\n"
           "|---|---|---|---|---|---|---|---|")
EPILOG = f"""Programs: {', '.join(NAMES)}. Each is installed once into BUILD/programs (PyPI, the distribution's packages, which
are unpacked there), and its processes are looked at: they must have loaded the library in question. Programs of PyPI run
on the libzmq of pyzmq's wheel, the others on the distribution's. The times are of the work, without start and end; medians,
with the range. The ratio is the median of zlink's time by libzmq's in pairs. Status 0: the results are the same. 1: they
are not, or a program could not run. 2: wrong arguments."""


def arguments():
    parser = argparse.ArgumentParser(prog="tests/dropin/programs/run.py", description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which; default: all")
    parser.add_argument("--build", type=Path, default=HERE.parents[2] / "build", help="zlink's build directory")
    parser.add_argument("--pairs", type=int, default=5, help="runs on each library; default: %(default)s")
    given = parser.parse_args()
    for name in given.names:
        if name not in NAMES:
            parser.error(f"there is no program '{name}', but {', '.join(NAMES)}")
    if given.pairs < 1:
        parser.error("--pairs takes a whole number above zero")
    given.names = given.names or NAMES
    return given


def one_run(module, source, library, logs):
    with Stage(source, library, logs) as stage:
        try:
            outcome, seconds = module.run(stage)
            stage.note_libraries()
            stage.check_libraries()
        except (Failure, subprocess.SubprocessError, OSError, ValueError) as error:
            return f"failed: {type(error).__name__}: {error}", None
        return outcome, seconds


def time_text(times):
    if not times:
        return "-"
    return f"{statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f})"


def compare(name, build, pairs):
    """The row of a program, and whether it came out the same."""
    module = importlib.import_module(name)
    home = build / "programs" / name
    home.mkdir(parents=True, exist_ok=True)
    source = module.make(home, build)
    print(f"==> {name}: installing", flush=True)
    version = source.install()
    outcomes = {library: [] for library in LIBRARIES}
    times = {library: [] for library in LIBRARIES}
    ratios = []
    for pair in range(pairs):
        for library in LIBRARIES if pair % 2 == 0 else LIBRARIES[::-1]:
            outcome, seconds = one_run(module, source, library, home)
            print(f"    {library}: {outcome}" + (f", {seconds:.2f} s" if seconds is not None else ""), flush=True)
            outcomes[library].append(outcome)
            times[library].append(seconds)
        if None not in (times["libzmq"][-1], times["zlink"][-1]) and times["libzmq"][-1]:
            ratios.append(times["zlink"][-1] / times["libzmq"][-1])
    told = {library: " / ".join(dict.fromkeys(outcomes[library])) for library in LIBRARIES}
    same = len({*outcomes["libzmq"], *outcomes["zlink"]}) == 1 and not told["zlink"].startswith("failed")
    kept = {library: [seconds for seconds in times[library] if seconds is not None] for library in LIBRARIES}
    ratio = f"{statistics.median(ratios):.2f}" if ratios else "-"
    row = (f"| {name} | {version} | {module.WHAT} | {told['libzmq'][:200]} | {'the same' if same else told['zlink'][:200]} | "
           f"{time_text(kept['libzmq'])} | {time_text(kept['zlink'])} | {ratio} |")
    return row, same


def main():
    given = arguments()
    began = time.monotonic()
    rows, good = [HEADING], True
    for name in given.names:
        try:
            row, same = compare(name, given.build.resolve(), given.pairs)
        except (Failure, OSError, ValueError, subprocess.SubprocessError) as error:
            row, same = f"| {name} | could not run: {error} | | | | | | |", False
        rows.append(row)
        good = good and same
    print("\n" + "\n".join(rows))
    print(f"result: {'ok' if good else 'FAILED'} after {time.monotonic() - began:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
