# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What the drivers of scale/ share: where the libraries are, one-line errors, result lines, medians of ratios."""
import argparse
import os
import statistics
import sys
from pathlib import Path

# Where the build has the libraries (the distribution's: cmake/distribution_libzmq.cmake).
FOLDERS = {"libzmq": "distribution", "zlink": "lib"}
ROOT = Path(__file__).resolve().parents[2]


def fail(text, status=1):
    """Ends the program with one line on stderr."""
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr)
    sys.exit(status)


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that answers bad input with one line and exit status 2."""

    def error(self, message):
        fail(message, 2)


def positive(text):
    """Type of arguments that are numbers above zero."""
    value = float(text)
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return value


def count(text):
    """Type of arguments that are whole numbers above zero."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above zero")
    return value


def add_library_options(parser):
    """The options about which libraries are compared, and how often."""
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build" / "bin", help="folder of the suite's programs")
    parser.add_argument("--libraries", nargs="+", choices=("libzmq", "zlink"), default=["libzmq", "zlink"])
    parser.add_argument("--pairs", type=count, default=5, help="runs of each library, in turn")


def library_dirs(options):
    """Library label to the folder of its libzmq.so.5."""
    dirs = {}
    for label in options.libraries:
        folder = options.build_dir.resolve().parent / FOLDERS[label]
        if not (folder / "libzmq.so.5").exists():
            libzmq = "apt-get install libzmq5, then " if label == "libzmq" else ""
            fail(f"no libzmq.so.5 in {folder}: {libzmq}./build.sh bench, or give --build-dir")
        dirs[label] = folder
    return dirs


def environment_for(folder):
    """This process's environment with the library of that folder first."""
    return dict(os.environ, LD_LIBRARY_PATH=str(folder))


def print_results(label, pattern, transport, size, metrics):
    """RESULT lines as the programs print them."""
    for metric, value in metrics.items():
        print(f"RESULT,{label},{pattern},{transport},{size},{metric},{value:.6g}", flush=True)


def print_ratios(name, runs):
    """Median, minimum and maximum of zlink to libzmq; `runs` has a dict of metrics for each run of each label."""
    if set(runs) != {"libzmq", "zlink"}:
        return
    for metric in runs["zlink"][0]:
        ratios = [ours[metric] / theirs[metric] for ours, theirs in zip(runs["zlink"], runs["libzmq"])]
        print(f"RATIO,{name},{metric},{statistics.median(ratios):.3f},{min(ratios):.3f},{max(ratios):.3f}", flush=True)
