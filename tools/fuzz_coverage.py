#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Tells how many lines of the protocol's folders the seeds of the fuzz targets reach (docs/fuzzing.md).

    fuzz_coverage.py [--build build-fuzz] [--least 95] [--lines] [--also DIR]

Runs each target of the build on its seeds alone (fuzz/corpus/NAME) and prints a row for each of src/zmtp, src/wire,
src/zws and src/socks. --lines prints the lines that no seed reaches, and --also takes further inputs, from DIR/NAME,
such as build-fuzz/corpus. Exit status 1 if a target fails on a seed, or a folder has less than --least percent.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src/zmtp", "src/wire", "src/zws", "src/socks")


def run_target(target, seeds, profile):
    """Its output if it fails."""
    done = subprocess.run([target, "-runs=0", *seeds], env={**os.environ, "LLVM_PROFILE_FILE": str(profile)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.stdout if done.returncode else ""


def missed_lines(file):
    """Numbers of the lines of a file that code is on and no run has met, from the segments of llvm-cov's report."""
    missed, met = set(), set()
    segments = file["segments"]
    for (line, column, count, counted, entry, gap), after in zip(segments, segments[1:] + [[10**9] + [0] * 5]):
        if not counted or gap:
            continue
        for each in range(line, min(after[0], line + 10000) + 1):
            if each == after[0] and after[1] <= 1:
                continue
            (met if count else missed).add(each)
    return sorted(missed - met)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build-fuzz", help="where the targets have been built")
    parser.add_argument("--least", type=float, default=95, help="percent of the lines of each folder")
    parser.add_argument("--lines", action="store_true", help="print the lines that are not reached")
    parser.add_argument("--also", help="a folder with further inputs")
    args = parser.parse_args()

    os.chdir(ROOT)
    targets = sorted(Path(args.build, "bin").glob("*_fuzz"))
    if not targets:
        sys.exit(f"fuzz_coverage.py: no targets in {args.build}/bin: ./build.sh fuzz builds them")
    failed = False
    with tempfile.TemporaryDirectory(prefix="zlink-coverage-") as scratch:
        def run(target):
            name = target.name.removesuffix("_fuzz")
            places = [Path("fuzz/corpus", name)] + ([Path(args.also, name)] if args.also else [])
            return run_target(target, [p for p in places if p.is_dir()], Path(scratch, name + ".profraw"))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for target, output in zip(targets, pool.map(run, targets)):
                if output:
                    failed = True
                    print(f"{target.name} fails on a seed:\n{output[-3000:]}")
        profile = Path(scratch, "all.profdata")
        subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", profile, *Path(scratch).glob("*.profraw")],
                       check=True)
        objects = [part for target in targets[1:] for part in ("-object", target)]
        detail = [] if args.lines else ["-summary-only"]
        report = subprocess.run(["llvm-cov", "export", *detail, f"-instr-profile={profile}", targets[0], *objects,
                                 *FOLDERS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    files = json.loads(report)["data"][0]["files"]

    print("| folder | lines | reached | |\n|---|---:|---:|---:|")
    for folder in FOLDERS:
        own = [f for f in files if f["filename"].startswith(str(ROOT / folder) + "/")]
        lines = sum(f["summary"]["lines"]["count"] for f in own)
        met = sum(f["summary"]["lines"]["covered"] for f in own)
        percent = 100 * met / lines if lines else 0
        print(f"| `{folder}` | {lines} | {met} | {percent:.1f} % |")
        failed = failed or percent < args.least
    if args.lines:
        for file in files:
            missed = missed_lines(file)
            if missed:
                print(f"\n{os.path.relpath(file['filename'])}")
                text = Path(file["filename"]).read_text(encoding="utf-8").splitlines()
                for number in missed:
                    print(f"{number:5} {text[number - 1] if number <= len(text) else ''}")
    if failed:
        print(f"fuzz_coverage.py: a folder has less than {args.least:g} %, or a target failed", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
