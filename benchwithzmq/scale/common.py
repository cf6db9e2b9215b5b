"""What the drivers of scale/ share: where the libraries are, one-line errors, result lines, medians of ratios."""
import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

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


def system_library_dir():
    """Folder of the first libzmq.so.5 that the loader knows and that is not zlink."""
    listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    for line in listing.splitlines():
        if "libzmq.so.5 " in line and is_libzmq(file := line.split("=> ")[1]):
            return Path(file).parent
    return fail("no libzmq on this machine: apt-get install libzmq5, or choose --libraries zlink")


def is_libzmq(file):
    """Whether a library can be loaded and is not zlink; in a process of its own, which loads no other."""
    look = "import ctypes, sys; sys.exit(hasattr(ctypes.CDLL(sys.argv[1]), 'zlink_version'))"
    return subprocess.run([sys.executable, "-c", look, file], capture_output=True, check=False).returncode == 0


def add_library_options(parser):
    """The options about which libraries are compared, and how often."""
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build" / "bin", help="folder of the suite's programs")
    parser.add_argument("--libraries", nargs="+", choices=("libzmq", "zlink"), default=["libzmq", "zlink"])
    parser.add_argument("--pairs", type=count, default=5, help="runs of each library, in turn")


def library_dirs(options):
    """Library label to the folder of its libzmq.so.5."""
    dirs = {}
    for label in options.libraries:
        folder = system_library_dir() if label == "libzmq" else options.build_dir.resolve().parent / "lib"
        if not (folder / "libzmq.so.5").exists():
            fail(f"no libzmq.so.5 in {folder}: build it, or give --build-dir")
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
