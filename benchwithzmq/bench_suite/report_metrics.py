# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What the reports know of the metrics: their titles, units and direction; and how numbers and sizes are written."""

from dataclasses import dataclass

PATTERNS = [
    "PAIR",
    "PUBSUB",
    "DEALER_DEALER",
    "DEALER_ROUTER",
    "ROUTER_ROUTER",
    "ROUTER_ROUTER_POLL",
    "PUSH_PULL",
    "REQ_REP",
    "FAN_OUT",
    "MANY_DEALERS",
    "PROXY",
    "PROXY_PUBSUB",
    "MULTIPART",
    "HANDSHAKES",
    "CONVERSATION",
    "FIXED_RATE",
    "HIGHEST_RATE",
    "BROKER",
    "CLIENT_SERVER",
    "SCATTER_GATHER",
    "CHANNEL",
    "RADIO_DISH",
    "SHARED_CLIENT_SERVER",
    "SHARED_SCATTER_GATHER",
    "SHARED_CHANNEL",
    "SHARED_RADIO_DISH",
    "RADIO_DISH_UDP",
]
TRANSPORTS = ["tcp", "ipc", "inproc", "curve+tcp", "curve+ipc", "tls", "ws", "wss", "curve+ws", "udp"]
MISSING = "–"


@dataclass(frozen=True)
class Metric:
    """A measured quantity. `scale` turns the value of the result file into the unit of the axis."""

    name: str
    title: str
    axis: str
    higher_is_better: bool = False

    def improvement(self, new, old):
        """Above 1 where `new` is the better of two values."""
        return new / old if self.higher_is_better else old / new


def _metrics():
    yield Metric("throughput", "Throughput", "messages per second", True)
    yield Metric("mb_per_s", "Data rate", "MB/s", True)
    for name, title in (
        ("cpu_ns_per_msg", "CPU per message"),
        ("cpu_user_ns_per_msg", "CPU per message, user"),
        ("cpu_system_ns_per_msg", "CPU per message, system"),
    ):
        yield Metric(name, title, "CPU time per message")
    yield Metric("system_share", "Share of system time", "share of system time")
    yield Metric("rate_share", "Share of the rate that was kept", "share of the rate", True)
    yield Metric("timer_ns_per_msg", "CPU per message, sender's timer", "CPU time per message")
    yield Metric("peak_rss_kb", "Peak memory", "peak resident memory (KB)")
    yield Metric("latency_mean_us", "Latency, mean", "one-way latency")
    for _, step in PERCENTILES:
        yield Metric(f"latency_{step}_us", f"Latency {step.replace('_', '.')}", "one-way latency")
    yield Metric("latency_max_us", "Latency, max", "one-way latency")
    yield Metric("one_thread_latency_p50_us", "Latency p50, one thread", "one-way latency")


# The percentiles a program prints, as a share of the messages and as they stand in the metric's name.
PERCENTILES = [
    (0.10, "p10"),
    (0.25, "p25"),
    (0.50, "p50"),
    (0.75, "p75"),
    (0.90, "p90"),
    (0.95, "p95"),
    (0.99, "p99"),
    (0.999, "p99_9"),
    (0.9999, "p99_99"),
]
METRICS = {metric.name: metric for metric in _metrics()}
# Those that tables show and versions are compared by.
MAIN_METRICS = ["throughput", "latency_p50_us", "latency_p99_us", "cpu_ns_per_msg"]


def in_order(names, order):
    """The names sorted as in `order`, those it does not know last."""
    known = {name: place for place, name in enumerate(order)}
    return sorted(names, key=lambda name: (known.get(name, len(known)), name))


def size_text(size):
    """64 -> "64 B", 65536 -> "64 KB"."""
    for unit, name in ((1 << 20, "MB"), (1 << 10, "KB")):
        if size >= unit:
            return f"{_short(size / unit)} {name}"
    return f"{size} B"


def ratio_text(ratio, sign="×"):
    """A ratio with as many digits as can be read at a glance: 0.87×, 1.15×, 5.1×, 12×."""
    if ratio is None:
        return MISSING
    return f"{ratio:.{2 if ratio < 1.995 else 1 if ratio < 9.95 else 0}f}{sign}"


def change_text(ratio):
    """A ratio as a signed percentage, above 0 being better."""
    return MISSING if ratio is None else f"{(ratio - 1) * 100:+.{0 if abs(ratio - 1) >= 0.0995 else 1}f} %"


def value_text(metric, value):
    """A value with its unit: 3.44 M/s, 7.3 µs, 245 ns."""
    if value is None:
        return MISSING
    if metric == "throughput":
        return _scaled(value, ((1e6, " M/s"), (1e3, " k/s"), (1, " /s")))
    if metric == "mb_per_s":
        return _scaled(value, ((1e3, " GB/s"), (1, " MB/s")))
    if metric.endswith("_us"):
        return _scaled(value, ((1e6, " s"), (1e3, " ms"), (1, " µs"), (1e-3, " ns")))
    if "_ns_per_" in metric:
        return _scaled(value, ((1e6, " ms"), (1e3, " µs"), (1, " ns")))
    if metric in ("system_share", "rate_share"):
        return f"{value * 100:.0f} %"
    if metric.endswith("_kb"):
        return _scaled(value, ((1024, " MB"), (1, " KB")))
    return _short(value)


def _scaled(value, units):
    for factor, unit in units:
        if value >= factor * 0.9995:
            return _short(value / factor) + unit
    factor, unit = units[-1]
    return _short(value / factor) + unit


def _short(value):
    """Three significant digits, no trailing zeros for whole numbers."""
    if value == int(value) and value < 10000:
        return str(int(value))
    return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f}"
