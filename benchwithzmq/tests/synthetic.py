# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Result files made up for the tests of the reports: plausible figures, repeatable."""

import json
import random

PATTERNS = ["PAIR", "PUBSUB", "DEALER_DEALER", "DEALER_ROUTER", "ROUTER_ROUTER", "ROUTER_ROUTER_POLL"]
TRANSPORTS = ["tcp", "ipc", "inproc"]
SIZES = [64, 256, 1024, 65536, 131072, 262144]

_PER_MESSAGE_NS = {"tcp": 220, "ipc": 200, "inproc": 110}
_PER_BYTE_NS = {"tcp": 0.45, "ipc": 0.44, "inproc": 0.09}
_GAIN = {64: 5.6, 256: 4.2, 1024: 3.1, 65536: 1.6, 131072: 1.3, 262144: 1.2}
_LATENCY_US = {"tcp": 7.2, "ipc": 6.1, "inproc": 1.7}
_TAIL = {
    "p10": 0.9,
    "p25": 0.95,
    "p50": 1,
    "p75": 1.08,
    "p90": 1.3,
    "p95": 1.7,
    "p99": 3.1,
    "p99_9": 9,
    "p99_99": 26,
    "max": 90,
}


def result_file(
    patterns=PATTERNS,
    transports=TRANSPORTS,
    sizes=SIZES,
    pairs=5,
    libs=("libzmq", "zlink"),
    seed=1,
    zlink_speed=1.0,
    noise=0.03,
    settings=None,
    environment=None,
    samples=None,
    load=None,
):
    """A result document. `zlink_speed` scales zlink's speed; `noise` is the spread from run to run. `samples` are those
    of the latencies, if the programs tell; `load` is that of all cells."""
    draw = random.Random(seed)
    runs = []
    for number, pattern in enumerate(patterns):
        for transport in transports:
            for size in sizes:
                for pair in range(pairs):
                    for position, lib in enumerate(libs):
                        slow = {"zlink": 1 / zlink_speed}.get(lib, 1.0) * (1 + 0.12 * number) * draw.gauss(1, noise)
                        runs.append(
                            {
                                "pattern": pattern,
                                "transport": transport,
                                "size": size,
                                "pair": pair,
                                "position": position,
                                "lib": lib,
                                **({"load": load} if load else {}),
                                "status": "ok",
                                "error": None,
                                "elapsed": 1.6,
                                "at": "2025-03-01T12:00:00+00:00",
                                "metrics": _metrics(lib, transport, size, slow, samples),
                            }
                        )
    return {
        "schema": 1,
        "tool": "run_comparison",
        "environment": {
            "host": "bench",
            "cpu_model": "Example CPU 3.0 GHz",
            "cores": 2,
            "kernel": "Linux 6.1.0",
            "compiler": "g++ 12.2.0",
            "build_flags": "-O3 -DNDEBUG",
            "libzmq_version": "4.3.4",
            "zlink_version": "0.1.0",
            "git_commit": "0123456789abcdef0123",
            "git_dirty": False,
            "date": "2025-03-01T12:00:00+00:00",
            "congestion_control": "cubic",
            **(environment or {}),
        },
        "settings": {
            "seconds": 1,
            "msg_count": None,
            "io_threads": 1,
            "pinned": True,
            "taskset_cpu": 1,
            "hwm": None,
            "two_process": False,
            "knobs": {},
            "runs": pairs,
            **(settings or {}),
        },
        "runs": runs,
    }


def write_result_file(path, **options):
    """Writes a result_file(**options) and returns its path as a string."""
    path.write_text(json.dumps(result_file(**options)), encoding="utf-8")
    return str(path)


def _metrics(lib, transport, size, slow, samples):
    gain = {"zlink": _gain(size), "nng": 0.35, "floor": 9.0}.get(lib, 1.0)
    nanoseconds = (_PER_MESSAGE_NS.get(transport, 300) + _PER_BYTE_NS.get(transport, 0.5) * size) * slow / gain
    quick = {"zlink": 2.3 if size <= 1024 else 1.5, "nng": 0.6, "floor": 3.0}.get(lib, 1.0)
    latency = (_LATENCY_US.get(transport, 9) + size * 0.00015) * slow / quick
    metrics = {
        "throughput": 1e9 / nanoseconds,
        "mb_per_s": 1e3 * size / nanoseconds,
        "cpu_ns_per_msg": nanoseconds,
        "cpu_user_ns_per_msg": nanoseconds * 0.4,
        "cpu_system_ns_per_msg": nanoseconds * 0.6,
        "system_share": 0.6,
        "peak_rss_kb": 9000 + size / 4,
        "latency_mean_us": latency * 1.1,
    }
    metrics.update({f"latency_{step}_us": latency * factor for step, factor in _TAIL.items()})
    if samples:
        metrics["latency_samples"] = samples
    return metrics


def _gain(size):
    nearest = min(_GAIN, key=lambda known: abs(known - size))
    return _GAIN[nearest]
