#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Compares zlink with libzmq: the same programs on both, in turn, cell by cell."""

import os
import signal
import sys
import time
from pathlib import Path

from bench_suite import environment, omq
from bench_suite.cells import (
    APIS,
    DEFAULT_SIZES,
    METRICS,
    Settings,
    UsageError,
    add_load_options,
    all_cells,
    chosen_loads,
    encrypts,
    metrics_of,
    patterns_of,
    refuse_counts,
    refuse_two_libzmqs,
    seconds_of,
    sizes_of,
    transports_of,
    whole_number,
)
from bench_suite.loads import LOAD_SIZES, asked_of
from bench_suite.progress import Progress, cell_summary
from bench_suite.report_arguments import Parser
from bench_suite.report_data import Cell, cell_of, cell_text
from bench_suite.runner import Runner
from bench_suite.store import Results, cached_baseline, keep_earlier, write_atomically
from bench_suite.tables import comparison_text

SOURCE = Path(__file__).resolve().parents[1]
BASELINE_FILE = "libzmq-baseline.json"

EPILOG = """
Environment: BENCH_TRANSPORTS, BENCH_MSG_SIZES (as --transports, --sizes), BENCH_SECONDS (1 a run), BENCH_MSG_COUNT (0: by
time), BENCH_IO_THREADS (1), BENCH_HWM (the library's 1000; 0: unlimited), BENCH_NO_TASKSET=1 (not pinned),
BENCH_TASKSET_CPU (1, or the last core), BENCH_END_CORES=0,1 (sender and receiver on a core each, over tcp and ipc in a
process each), BENCH_TWO_PROCESS=1 (tcp and ipc alone; 0: loads, too, in one), BENCH_PEERS (10; of FAN_OUT and MANY_DEALERS), ZMQ_ASIO_* and
ZLINK_* (knobs of zlink).
Exit status: 0 all measured; 1 a program failed or hung (its cell is named); 2 bad usage; 3 --time-limit is over, go on with
--resume; 130 interrupted, likewise.
"""


def parse(arguments):
    parser = Parser(prog="run_comparison.py", description=__doc__, epilog=EPILOG)
    parser.add_argument("pattern", metavar="PATTERN",
                        help="ALL (the six main patterns), EXTRA, LOADS, DRAFTS, or names with commas between")
    parser.add_argument("--runs", default="5", metavar="N", help="pairs of runs for each cell (default 5)")
    parser.add_argument("--build-dir", default=SOURCE / "build" / "bin",
                        help="where the programs are (default build/bin)")
    parser.add_argument("--transports",
                        help="default tcp,ipc,inproc; also curve+tcp, curve+ipc: encrypted by "
                             "CURVE; tls, ws, wss, curve+ws")
    parser.add_argument("--sizes", help=f"octets, default {DEFAULT_SIZES}; of LOADS {LOAD_SIZES}")
    parser.add_argument("--seconds", help="of throughput for each run (BENCH_SECONDS)")
    parser.add_argument("--api", choices=APIS,
                        help="zmq_send and zmq_recv (buffer, the default), or zmq_msg_send and "
                             "zmq_msg_recv (BENCH_API)")
    parser.add_argument("--shared-core", action="store_true",
                        help="with a busy process on the same core (BENCH_SHARED_CORE=1)")
    parser.add_argument("--hold", help="seconds that a rate has to be kept for (HIGHEST_RATE; BENCH_HOLD_SECONDS, 10)")
    parser.add_argument("--metrics", help="throughput,latency or one of them")
    parser.add_argument("--noise", action="store_true", help="measure libzmq against itself, too: the noise floor")
    parser.add_argument("--peer", choices=["nng", "omq"],
                        help="a second yardstick: nng (PAIR, PUBSUB), or OMQ, a libzmq.so.5 in Rust, which cargo "
                             "builds once into build/omq (by the programs of libzmq)")
    parser.add_argument("--floor", action="store_true", help="measure raw sockets, too (latency floor)")
    parser.add_argument("--zlink-only", action="store_true",
                        help="measure zlink alone, compare with the cached baseline if there is one")
    parser.add_argument("--refresh-libzmq", action="store_true",
                        help="measure libzmq and keep it as the baseline for --zlink-only")
    parser.add_argument("--libzmq-prefix", metavar="DIR",
                        help="another libzmq: in DIR/lib or, as Debian's, DIR/lib/<triplet>")
    parser.add_argument("--output", metavar="FILE", help="write the table there, too")
    parser.add_argument("--json", metavar="FILE", help="result file, written after every run (needed for --resume)")
    parser.add_argument("--resume", action="store_true", help="go on with --json FILE where it was interrupted")
    parser.add_argument("--overwrite", action="store_true",
                        help="replace what an earlier run left in --json FILE and --output FILE")
    parser.add_argument("--time-limit", metavar="MINUTES", help="stop after the cell that is under way then")
    add_load_options(parser)
    return parser.parse_args(arguments)


class Comparison:
    def __init__(self, options, settings, variables):
        self.options = options
        self.settings = settings
        self.runs = whole_number(options.runs, "--runs", 1, 10000)
        self.limit = None
        if options.time_limit:
            self.limit = time.monotonic() + 60 * whole_number(options.time_limit, "--time-limit", 1, 100000)
        self.patterns = patterns_of(options.pattern)
        sizes = options.sizes or variables.get("BENCH_MSG_SIZES")
        self.cells = all_cells(
            self.patterns,
            self.transports(options.transports or variables.get("BENCH_TRANSPORTS")),
            sizes_of(sizes) if sizes else None,
            chosen_loads(options, self.patterns, settings),
            settings.processes,
        )
        if not options.zlink_only:
            refuse_two_libzmqs(self.patterns, options.libzmq_prefix)
        self.metrics = metrics_of(options.metrics or ",".join(METRICS))
        if settings.msg_count:
            refuse_counts(self.patterns, "BENCH_MSG_COUNT")
        if "HIGHEST_RATE" in self.patterns and "throughput" not in self.metrics:
            raise UsageError("HIGHEST_RATE is a throughput: not with --metrics latency alone")
        if options.zlink_only and (options.noise or options.refresh_libzmq):
            raise UsageError("--noise and --refresh-libzmq measure libzmq: not with --zlink-only")
        if options.resume and not options.json:
            raise UsageError("--resume needs --json FILE, the file to go on with")
        keep_earlier(options)
        self.baseline_file = (Path(options.json).parent if options.json else SOURCE / "build") / BASELINE_FILE
        self.libs = ["zlink"] if options.zlink_only else ["libzmq", "zlink"]
        if options.noise and not options.zlink_only:
            self.libs.append("libzmq-again")
        if options.peer:
            self.libs.append(options.peer)
        self.omq_dir = omq.library_dir() if options.peer == "omq" else None
        self.runner = Runner(options.build_dir, settings, options.libzmq_prefix, omq_dir=self.omq_dir)
        self.asked = asked_of(self.patterns[0])
        self.without_curve = []  # libraries, once they have been asked
        self.runner.check(self.libs, dict.fromkeys([*self.patterns, self.asked]))
        if options.floor:
            self.runner.check(["floor"], ["PAIR"])

    def transports(self, named):
        """None: each pattern's own."""
        apart = self.settings.two_process and not self.settings.end_cores
        if named:
            found = transports_of(named)
            if apart and "inproc" in found:
                raise UsageError("inproc stays within one process: not with BENCH_TWO_PROCESS=1")
            return found
        if not apart:
            return None
        print("inproc is left out: it stays within one process (BENCH_TWO_PROCESS=1).", file=sys.stderr)
        return transports_of("tcp,ipc")

    def ask(self, lib):
        """(version, file) of the library that these programs run on, asked of one of them: a tiny run."""
        asker = Runner(self.options.build_dir, self.settings.quick(self.asked), self.options.libzmq_prefix, limit=30,
                       omq_dir=self.omq_dir)
        outcome = asker.run(lib, Cell(self.asked, "inproc", 64))
        if outcome.status != "ok":
            raise UsageError(f"the programs of {lib} do not work: {outcome.error}")
        told = outcome.info
        if told.get("curve") == "0":
            self.without_curve.append(lib)
        file = told.get("library_file")
        known = str(Path(file).resolve()) if file else None
        if lib == "zlink":
            if "zlink_version" not in told:
                raise UsageError(f"the programs of zlink run on {file}, not on zlink: build them again")
            return told["zlink_version"], known
        if lib == "omq":
            if not known or Path(known).parent != self.omq_dir.resolve():
                raise UsageError(f"the programs run on {file}, not on the library in {self.omq_dir}")
            return omq.VERSION, known
        if "zlink_version" in told:
            raise UsageError(f"the programs of libzmq run on zlink ({file}): name libzmq, as by --libzmq-prefix /usr")
        if asker.libzmq_dir and not (file and Path(file).parent.resolve() == asker.libzmq_dir):
            raise UsageError(f"the programs of libzmq run on {file}: what is in {asker.libzmq_dir} does not fit them")
        return told.get("library_version"), known

    def libraries(self):
        """What the environment of a result file says of them; of libzmq, too, if a baseline is to be compared with
        it."""
        found = dict.fromkeys(("libzmq_version", "libzmq_file"))
        there = os.access(self.runner.program("libzmq", self.asked), os.X_OK)
        if "libzmq" in self.libs or there and self.baseline_file.exists():
            found["libzmq_version"], found["libzmq_file"] = self.ask("libzmq")
        found["zlink_version"], found["zlink_file"] = self.ask("zlink")
        if self.omq_dir:
            found["omq_version"], found["omq_file"] = self.ask("omq")
        return found

    def leave_out_curve(self):
        """Cells that a library cannot take part in are left out, and that is said."""
        if not self.without_curve or not any(encrypts(cell.transport) for cell in self.cells):
            return
        self.cells = [cell for cell in self.cells if not encrypts(cell.transport)]
        said = f"{' and '.join(self.without_curve)} was built without CURVE: curve+tcp and curve+ipc are left out"
        if not self.cells:
            raise UsageError(f"{said}, and nothing else was asked for")
        print(f"{said}.", file=sys.stderr)

    def plan(self):
        """(block, cell, pair, position, lib) in the order of measuring.

        A block is a cell of the matrix: the libraries in turn, every other pair the other way round. The floor knows no
        pattern, so it belongs to the first block of its transport and size.
        """
        floors = set()
        for block in self.cells:
            of_nng = block.pattern in ("PAIR", "PUBSUB") and not encrypts(block.transport)
            libs = [lib for lib in self.libs if lib != "nng" or of_nng]
            floor = block._replace(pattern="FLOOR")
            has_floor = not block.load and not encrypts(block.transport)
            if self.options.floor and has_floor and floor not in floors:
                floors.add(floor)
                libs.append("floor")
            for pair in range(self.runs):
                for position, lib in enumerate(libs if pair % 2 == 0 else reversed(libs)):
                    yield block, floor if lib == "floor" else block, pair, position, lib

    def measure(self, results):
        """True: all of it. False: the time is over."""
        todo = [step for step in self.plan() if not results.has(step[4], step[1], step[2])]
        with Progress(len(todo)) as progress:
            for number, (block, cell, pair, position, lib) in enumerate(todo):
                if number and self.limit and todo[number - 1][0] != block and time.monotonic() > self.limit:
                    progress.say("The time is over; --resume goes on.")
                    return False
                progress.begin(lib, cell)
                outcome = self.runner.run(lib, cell, ",".join(self.metrics))
                results.add(lib, cell, pair, position, outcome)
                progress.end(lib, cell, outcome)
                if number + 1 == len(todo) or todo[number + 1][0] != block:
                    progress.cell_done(block, cell_summary(results.group(), block))
        return True


def main(arguments):
    options = parse(arguments)
    variables = dict(os.environ)
    if options.seconds:
        seconds_of(options.seconds, "--seconds")
        variables["BENCH_SECONDS"] = options.seconds
    if options.api:
        variables["BENCH_API"] = options.api
    if options.shared_core:
        variables["BENCH_SHARED_CORE"] = "1"
    if options.hold:
        seconds_of(options.hold, "--hold")
        variables["BENCH_HOLD_SECONDS"] = options.hold
    settings = Settings.from_environment(variables)
    comparison = Comparison(options, settings, variables)
    recorded = {**settings.recorded(), "metrics": comparison.metrics, "runs": comparison.runs}
    programs = [comparison.runner.program("zlink", pattern) for pattern in comparison.patterns]
    where = environment.describe(options.build_dir, **comparison.libraries(), programs=programs)
    comparison.leave_out_curve()
    baseline_file = comparison.baseline_file
    baseline = None
    if options.zlink_only and baseline_file.exists():
        baseline, then = cached_baseline(baseline_file, where, recorded, comparison.cells)
        where.update({name: then.get(name) for name in ("libzmq_version", "libzmq_file")})
    results = Results(options.json, where, recorded)
    if options.resume:
        kept = results.resume()
        if kept:
            print(f"Going on with {options.json}: {kept} runs are there.", file=sys.stderr)
    if baseline:
        results.adopt(baseline)
        print(f"Compared with libzmq as it was measured at {then.get('date') or 'another time'} ({baseline_file}).",
              file=sys.stderr)
    elif options.zlink_only:
        print("No baseline of libzmq is kept (--refresh-libzmq makes one): zlink alone.", file=sys.stderr)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    status = 0
    try:
        if not comparison.measure(results):
            status = 3
    except KeyboardInterrupt:
        print("\nInterrupted.", "--resume goes on." if options.json else "", file=sys.stderr)
        status = 130
    text = comparison_text(results.group())
    print(text, end="")
    if options.output:
        write_atomically(options.output, text)
    if options.refresh_libzmq and status == 0:
        results.path = baseline_file
        results.save()
    failed = results.group().failures
    if failed:
        print(f"{len(failed)} runs failed:", file=sys.stderr)
        for run in failed:
            print(f"  {cell_text(cell_of(run))}: {run['lib']}: {run['error']}", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as error:
        print(f"run_comparison.py: {error}", file=sys.stderr)
        sys.exit(2)
