# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Shows how far long work is: a line per cell, and below it a bar on a terminal (of rich, if it is there)."""

import sys
import time

from .report_data import cell_text
from .report_metrics import value_text


class Progress:
    """`total` runs are to come. Use as a context manager."""

    def __init__(self, total, stream=sys.stderr):
        self.total = total
        self.done = 0
        self.stream = stream
        self.start = time.monotonic()
        self.bar = None
        self.task = None

    def __enter__(self):
        if self.stream.isatty():
            try:
                from rich.console import Console
                from rich.progress import BarColumn, Progress as Bar, TextColumn, TimeRemainingColumn

                self.bar = Bar(
                    TextColumn("{task.description}"),
                    BarColumn(),
                    TextColumn("{task.completed}/{task.total}"),
                    TimeRemainingColumn(),
                    TextColumn("left"),
                    console=Console(file=self.stream),
                )
                self.bar.start()
                self.task = self.bar.add_task("starting", total=self.total)
            except ImportError:
                pass
        return self

    def __exit__(self, *_):
        if self.bar:
            self.bar.stop()
        elif self.stream.isatty():
            print("\r\033[K", end="", file=self.stream, flush=True)

    def begin(self, lib, cell):
        text = f"{cell_text(cell)}: {lib}"
        if self.bar:
            self.bar.update(self.task, description=text)
        elif self.stream.isatty():
            print(f"\r\033[K{self.done}/{self.total}  {text}  {self._left()}", end="", file=self.stream, flush=True)

    def end(self, lib, cell, outcome):
        self.done += 1
        if self.bar:
            self.bar.update(self.task, completed=self.done)
        if outcome.status != "ok":
            self.say(f"{cell_text(cell)}: {lib}: {outcome.error}")
        elif outcome.metrics.get("rate_kept") == 0:
            self.say(f"{cell_text(cell)}: {lib}: the rate was not kept ({outcome.metrics['rate_share']:.0%} of it)")

    def cell_done(self, cell, summary):
        """After all runs of a cell."""
        # A terminal shows the time that is left below.
        left = "" if self.stream.isatty() else f"  {self._left()}"
        self.say(f"[{self.done}/{self.total}] {cell_text(cell)}: {summary}{left}")

    def say(self, text):
        """A line that stays, above the bar."""
        if self.bar:
            self.bar.console.print(text, highlight=False, markup=False, soft_wrap=True)
        else:
            print(("\r\033[K" if self.stream.isatty() else "") + text, file=self.stream, flush=True)

    def _left(self):
        if not self.done:
            return ""
        seconds = (time.monotonic() - self.start) / self.done * (self.total - self.done)
        return f"({int(seconds // 60)} min {int(seconds % 60):02d} s left)"


def cell_summary(group, cell):
    """The rates of a cell in a few words; where the rate is given, the CPU time of a message."""
    parts = []
    metric = "throughput" if any(group.median(lib, cell, "throughput") for lib in group.libs()) else "cpu_ns_per_msg"
    for lib in ("floor",) if cell.pattern == "FLOOR" else ("libzmq", "zlink", "nng", "omq"):
        value = group.median(lib, cell, metric)
        if value is not None:
            parts.append(f"{lib} {value_text(metric, value)}" + (" of CPU" if metric == "cpu_ns_per_msg" else ""))
    ratio = group.ratio(cell, metric)
    if ratio:
        parts.append(f"{ratio.median:.2f}x")
    return ", ".join(parts) or "no results"
