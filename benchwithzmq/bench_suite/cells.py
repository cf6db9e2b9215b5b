# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Which cells are measured, and by which programs. Wrong names are answered in one line."""

import os
import re
from dataclasses import dataclass, replace

from .loads import APART, AXES, LOAD_SIZES, LOADS, ONE, loads_of
from .report_data import Cell
from .report_metrics import TRANSPORTS

# The patterns of ALL; the others are asked for by name, or together by EXTRA, and by LOADS those that have a load.
MAIN_PATTERNS = ["PAIR", "PUBSUB", "DEALER_DEALER", "DEALER_ROUTER", "ROUTER_ROUTER", "ROUTER_ROUTER_POLL"]
EXTRA_PATTERNS = ["PUSH_PULL", "REQ_REP", "FAN_OUT", "MANY_DEALERS", "PROXY", "PROXY_PUBSUB", "MULTIPART", "HANDSHAKES"]
# Socket types of the draft API, on a libzmq with drafts: together by DRAFTS. In SHARED_... four threads share the
# sending socket.
SHARED_PATTERNS = ["SHARED_CLIENT_SERVER", "SHARED_SCATTER_GATHER", "SHARED_CHANNEL", "SHARED_RADIO_DISH"]
DRAFT_PATTERNS = ["CLIENT_SERVER", "SCATTER_GATHER", "CHANNEL", "RADIO_DISH", *SHARED_PATTERNS, "RADIO_DISH_UDP"]
WITHOUT_LATENCY = {"HANDSHAKES", *SHARED_PATTERNS}
# Those that are not measured over all transports and at all sizes, unless that is asked for.
OWN_CELLS = ({"HANDSHAKES": ("tcp,ipc", LOAD_SIZES), "RADIO_DISH_UDP": ("udp", "64,256,1024")}
             | {name: (load.transports, LOAD_SIZES) for name, load in LOADS.items()})
DEFAULT_TRANSPORTS = "tcp,ipc,inproc"
DEFAULT_SIZES = "64,256,1024,65536,131072,262144"
DEFAULT_HOLD = 10
APIS = ["buffer", "msg"]
LARGEST_SIZE = 1 << 30
METRICS = ["throughput", "latency"]

# Environment variables of the library that are passed through and written down.
KNOB_PREFIXES = ("ZMQ_ASIO_", "ZLINK_")
KNOBS = {
    base + suffix
    for base in (
        "ZMQ_ASIO_IN_BATCH_SIZE",
        "ZMQ_ASIO_OUT_BATCH_SIZE",
        "ZMQ_ASIO_OUT_BATCH_SIZE_SMALL",
        "ZMQ_ASIO_OUT_WRITEV_THRESHOLD",
    )
    for suffix in ("", "_TCP", "_IPC", "_INPROC")
} | {"ZMQ_ASIO_TCP_MAX_TRANSFER", "ZLINK_CRYPTO_SIMD", "ZLINK_FENCES", "ZLINK_INLINE", "ZLINK_SPIN"}


# Of the command-line tool: no knobs, and nothing to write down.
TOOL_SECRETS = {"ZLINK_CURVE_SECRET", "ZLINK_PLAIN_PASSWORD"}


class UsageError(Exception):
    """What the user has to be told in one line; exit status 2."""


def patterns_of(text):
    """ "ALL", "EXTRA", "LOADS", "DRAFTS" or names separated by commas, in upper or lower case."""
    found = []
    every = [*MAIN_PATTERNS, *EXTRA_PATTERNS, *LOADS, *DRAFT_PATTERNS]
    for name in text.upper().replace("-", "_").split(","):
        if name == "ALL":
            found += MAIN_PATTERNS
        elif name == "EXTRA":
            found += EXTRA_PATTERNS
        elif name == "LOADS":
            found += LOADS
        elif name == "DRAFTS":
            found += DRAFT_PATTERNS
        elif name in every:
            found.append(name)
        else:
            raise UsageError(f"unknown pattern '{name}' (ALL EXTRA LOADS DRAFTS {' '.join(every)})")
    return list(dict.fromkeys(found))


def refuse_two_libzmqs(patterns, prefix):
    """The patterns of the draft API run on another libzmq than the others, unless one is named for all."""
    drafts = [name for name in patterns if name in DRAFT_PATTERNS]
    if drafts and len(drafts) < len(patterns) and not prefix:
        raise UsageError(
            f"{drafts[0]} is compared with a libzmq with drafts, the others with the system's: "
            f"measure them in a run of "
            "their own, or name one libzmq for all (--libzmq-prefix build/libzmq-draft)"
        )


def transports_of(text):
    found = [name.strip().lower() for name in text.split(",")]
    for name in found:
        if name not in TRANSPORTS:
            raise UsageError(f"unknown transport '{name}' ({' '.join(TRANSPORTS)})")
    return list(dict.fromkeys(found))


def encrypts(transport):
    """Whether it is one of curve+tcp and curve+ipc."""
    return transport.startswith("curve+")


def sizes_of(text):
    return list(dict.fromkeys(whole_number(part.strip(), "size", 1, LARGEST_SIZE) for part in text.split(",")))


def metrics_of(text):
    found = text.split(",")
    for name in found:
        if name not in METRICS:
            raise UsageError(f"unknown metric '{name}' ({' '.join(METRICS)})")
    return [name for name in METRICS if name in found]


def whole_number(text, what, least, most):
    # Digits only: int() takes " 5", "1_000" and "+5", too, which the library does not.
    value = int(text) if re.fullmatch("-?[0-9]{1,18}", text) else least - 1
    if not least <= value <= most:
        raise UsageError(f"{what} '{text}' is not a whole number from {least} to {most}")
    return value


def seconds_of(text, what):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0.01 <= value <= 3600:
        raise UsageError(f"{what} '{text}' is not a number of seconds from 0.01 to 3600")
    return value


def end_cores_of(text, there):
    if not text:
        return ()
    parts = text.split(",")
    if len(parts) != 2:
        raise UsageError(f"BENCH_END_CORES '{text}' is not two cores, such as 0,1")
    cores = tuple(whole_number(part, "BENCH_END_CORES", 0, 4095) for part in parts)
    for core in cores:
        if core not in there:
            raise UsageError(f"BENCH_END_CORES: there is no core {core} here (cores {there})")
    return cores


def add_load_options(parser):
    """One for each axis of a load; chosen_loads() reads them."""
    group = parser.add_argument_group("loads", "lists of values, for the patterns that have them")
    for axis in AXES.values():
        used = "; ".join(f"{name} {load.axes[axis.name]}" for name, load in LOADS.items() if axis.name in load.axes)
        group.add_argument(f"--{axis.option}", metavar=axis.metavar, help=f"{axis.title} ({used})")


def chosen_loads(options, patterns, settings):
    """The values that the command line names, by axis; every one has to be of use."""
    found = {}
    for axis in AXES.values():
        text = getattr(options, axis.option)
        if text is None:
            continue
        users = [name for name, load in LOADS.items() if axis.name in load.axes]
        if not set(users) & set(patterns):
            raise UsageError(f"--{axis.option} is for {', '.join(users)}, which is not measured: leave it out")
        try:
            found[axis.name] = axis.values_of(text)
        except ValueError as error:
            raise UsageError(error) from None
    if settings.processes and found.get("processes", [settings.processes]) != [settings.processes]:
        raise UsageError(f"--processes {options.processes} contradicts BENCH_TWO_PROCESS or "
                         f"BENCH_END_CORES: set one of them")
    return found


def refuse_counts(patterns, what):
    for name in patterns:
        if name in LOADS and LOADS[name].by_time:
            raise UsageError(f"{name} goes by time, and {what} counts messages: leave out one of them")


def all_cells(patterns, transports, sizes, loads=None, processes=None):
    """`transports` and `sizes` of None: each pattern's own. `loads`: values by axis (chosen_loads)."""
    found = []
    for pattern in patterns:
        own_transports, own_sizes = OWN_CELLS.get(pattern, (DEFAULT_TRANSPORTS, DEFAULT_SIZES))
        for transport in transports or transports_of(own_transports):
            if (transport == "udp") != (pattern == "RADIO_DISH_UDP"):
                raise UsageError(f"{pattern} is not measured over {transport} (udp is for "
                                 f"RADIO_DISH_UDP, which has no other)")
            for size in sizes or sizes_of(own_sizes):
                found += [
                    Cell(pattern, transport, size, load)
                    for load in loads_of(pattern, transport, loads or {}, processes)
                ]
    if not found:
        raise UsageError("inproc stays within one process: not with --processes apart")
    return found


@dataclass(frozen=True)
class Settings:
    """What holds for all cells of a run: the environment variables of the suite, read and checked once."""

    seconds: float
    msg_count: int
    io_threads: int
    hwm: int  # -1: the library's default
    two_process: bool  # tcp and ipc; end cores imply it
    processes: str | None  # what that leaves of a load's choice
    taskset_cpu: int  # -1: not pinned
    end_cores: tuple  # of the sending and the receiving end; empty: not pinned apart
    peers: int  # of FAN_OUT and MANY_DEALERS
    knobs: tuple
    api: str = "buffer"  # zmq_send and zmq_recv; msg: zmq_msg_send and zmq_msg_recv
    shared_core: bool = False  # pinned next to a busy process
    hold: float = DEFAULT_HOLD  # seconds that HIGHEST_RATE has to keep a rate

    @staticmethod
    def from_environment(variables=os.environ):
        def flag(name):
            return variables.get(name, "") not in ("", "0")

        cores = sorted(os.sched_getaffinity(0))
        cpu = -1
        end_cores = end_cores_of(variables.get("BENCH_END_CORES"), cores)
        if not flag("BENCH_NO_TASKSET") and not end_cores:
            cpu = min(1, cores[-1]) if 1 in cores else cores[-1]
            if variables.get("BENCH_TASKSET_CPU"):
                cpu = whole_number(variables["BENCH_TASKSET_CPU"], "BENCH_TASKSET_CPU", 0, 4095)
                if cpu not in cores:
                    raise UsageError(f"BENCH_TASKSET_CPU: there is no core {cpu} here (cores {cores})")
        api = variables.get("BENCH_API") or APIS[0]
        if api not in APIS:
            raise UsageError(f"BENCH_API '{api}' is neither buffer nor msg")
        shared_core = flag("BENCH_SHARED_CORE")
        if shared_core and cpu < 0:
            raise UsageError("--shared-core needs one core for all: not with BENCH_NO_TASKSET or BENCH_END_CORES")
        two_process = flag("BENCH_TWO_PROCESS") or bool(end_cores)
        processes = APART if two_process else ONE if variables.get("BENCH_TWO_PROCESS") == "0" else None
        knobs = {
            name: value
            for name, value in variables.items()
            if name.startswith(KNOB_PREFIXES) and name not in TOOL_SECRETS
        }
        for name, value in knobs.items():
            check_knob(name, value)
        return Settings(
            seconds=seconds_of(variables.get("BENCH_SECONDS") or "1", "BENCH_SECONDS"),
            msg_count=whole_number(variables.get("BENCH_MSG_COUNT") or "0", "BENCH_MSG_COUNT", 0, 10**12),
            io_threads=whole_number(variables.get("BENCH_IO_THREADS") or "1", "BENCH_IO_THREADS", 1, 64),
            hwm=whole_number(variables.get("BENCH_HWM") or "-1", "BENCH_HWM", -1, 2**31 - 1),
            two_process=two_process,
            processes=processes,
            taskset_cpu=cpu,
            end_cores=end_cores,
            peers=whole_number(variables.get("BENCH_PEERS") or "10", "BENCH_PEERS", 1, 10000),
            knobs=tuple(sorted(knobs.items())),
            api=api,
            shared_core=shared_core,
            hold=seconds_of(variables.get("BENCH_HOLD_SECONDS") or str(DEFAULT_HOLD), "BENCH_HOLD_SECONDS"),
        )

    def quick(self, pattern):
        """For a run that only tells what it runs on."""
        by_time = pattern in LOADS
        return replace(
            self, seconds=0.1 if by_time else 0.01, msg_count=0 if by_time else 100, two_process=False, peers=1,
            shared_core=False
        )

    @property
    def pinned(self):
        return self.taskset_cpu >= 0

    def variables(self):
        """For the programs."""
        found = {
            "BENCH_SECONDS": f"{self.seconds:g}",
            "BENCH_IO_THREADS": str(self.io_threads),
            "BENCH_PEERS": str(self.peers),
            **dict(self.knobs),
        }
        if self.hold != DEFAULT_HOLD:
            found["BENCH_HOLD_SECONDS"] = f"{self.hold:g}"
        if self.api != APIS[0]:
            found["BENCH_API"] = self.api
        if self.shared_core:
            found["BENCH_SHARED_CORE"] = "1"
        if self.msg_count:
            found["BENCH_MSG_COUNT"] = str(self.msg_count)
        if self.hwm >= 0:
            found["BENCH_HWM"] = str(self.hwm)
        if self.end_cores:  # two processes, too, unless it is inproc
            found["BENCH_END_CORES"] = ",".join(map(str, self.end_cores))
        elif self.two_process:
            found["BENCH_TWO_PROCESS"] = "1"
        return found

    def recorded(self):
        """For the result file."""
        return {
            "seconds": self.seconds,
            "msg_count": self.msg_count,
            "io_threads": self.io_threads,
            "pinned": self.pinned,
            "taskset_cpu": self.taskset_cpu if self.pinned else None,
            "end_cores": list(self.end_cores) or None,
            "api": self.api if self.api != APIS[0] else None,
            "shared_core": self.shared_core or None,
            "hwm": self.hwm if self.hwm >= 0 else 1000,
            "two_process": self.two_process,
            "peers": self.peers,
            "hold": self.hold if self.hold != DEFAULT_HOLD else None,
            "knobs": dict(self.knobs),
        }


def check_knob(name, value):
    if name not in KNOBS:
        raise UsageError(f"unknown knob '{name}' (build/bin/zlink env lists them)")
    if name.startswith("ZMQ_ASIO_"):
        whole_number(value, name, 1, 2**31 - 1)
    elif value not in ("0", "1"):
        raise UsageError(f"{name} '{value}' is neither 0 nor 1")
