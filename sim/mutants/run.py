#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Shows that simulated runs find planted defects: sim/mutants/*.patch, each a defect that someone could make.

    run.py [--minutes N] [--build DIR] [NAME...]

For each patch: applies it to a copy of the sources, builds zlink-sim, and runs random seeds of the workload that the
patch names until one fails, for at most N minutes (default 10). Prints a line for each. Exit status 1 if one was not
found.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def copy_sources(to):
    """The files that Git knows of or would add, those alone that differ."""
    names = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    for name in names:
        source, target = ROOT / name, to / name
        if not source.is_file():
            continue
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def build(tree):
    wrapper = os.environ.get("ZLINK_BUILD_WRAPPER", "").split()
    run(*wrapper, "cmake", "--build", "build-sim", "--target", "zlink-sim", cwd=tree)


def find(tree, patch, minutes):
    """What zlink-sim said, or None; and the seconds that it took."""
    workload = re.search(r"^workload: (\S+)$", patch.read_text(), re.M)[1]
    began = time.monotonic()
    done = subprocess.run([tree / "build-sim/bin/zlink-sim", "--workload", workload, "--minutes", str(minutes),
                           "--patience", "60"], capture_output=True, text=True)
    return (done.stderr if done.returncode == 1 else None), time.monotonic() - began, workload


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--build", type=Path, default=ROOT / "build-mutants")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    patches = sorted(p for p in HERE.glob("*.patch") if not options.names or p.stem in options.names)
    tree = options.build.resolve()
    copy_sources(tree)
    run("cmake", "--preset", "sim", cwd=tree)
    missed = 0
    for patch in patches:
        run("patch", "-p1", "-i", patch, cwd=tree)
        try:
            build(tree)
            said, took, workload = find(tree, patch, options.minutes)
        finally:
            run("patch", "-p1", "-R", "-i", patch, cwd=tree)
        if said is None:
            missed += 1
            print(f"{patch.stem:28} {workload:12} NOT FOUND in {took:.0f} s", flush=True)
            continue
        first = next((line for line in said.splitlines() if line.startswith(("seed ", "zlink: "))), "?")
        print(f"{patch.stem:28} {workload:12} {took:6.1f} s  {first}", flush=True)
    print(f"{len(patches)} planted defects, {len(patches) - missed} found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
