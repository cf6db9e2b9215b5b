# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Runs a workload once on a library."""

import json
import os
from pathlib import Path

from bench_suite.cells import KNOB_PREFIXES, UsageError
from bench_suite.runner import PROGRAMS, library_dir, run_limited

from .space import arguments

GRACE = 5  # seconds beyond the program's own limit


class Programs:
    """The two sides: `zlink` and `libzmq`, or libzmq twice (`control`)."""

    def __init__(self, build_dir, libzmq_prefix=None, control=False):
        self.files = {side: Path(build_dir) / f"{PROGRAMS[side]}_explore" for side in ("zlink", "libzmq")}
        if control:
            self.files["zlink"] = self.files["libzmq"]
        self.libzmq_dir = library_dir(libzmq_prefix) if libzmq_prefix else None
        self.control = control
        for file in self.files.values():
            if not os.access(file, os.X_OK):
                raise UsageError(f"{file} is missing: ninja -C build {file.name} makes it "
                                 f"(--build-dir names another folder)")

    def environment(self, side):
        # Neither the caller's library path nor its knobs reach the programs by accident; zlink's knobs do if they are
        # set.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("BENCH_", "LD_LIBRARY_PATH"))}
        if side == "libzmq" or self.control:
            kept = {name: value for name, value in kept.items() if not name.startswith(KNOB_PREFIXES)}
            if self.libzmq_dir:
                kept["LD_LIBRARY_PATH"] = str(self.libzmq_dir)
        return kept

    def run(self, side, of):
        """What the program printed; "status" is ok, failed or timeout."""
        limit = of["limit_s"] + GRACE
        done = run_limited([str(self.files[side]), *arguments(of)], self.environment(side), limit)
        if done is None:
            return {"status": "timeout", "reason": f"was killed after {limit} s"}
        if done.returncode == 2:
            raise UsageError(f"{self.files[side].name}: {done.stderr.strip()}")
        try:
            return json.loads(done.stdout.splitlines()[0])
        except (IndexError, ValueError):
            said = done.stderr.strip().splitlines()
            return {"status": "failed", "reason": said[-1] if said else f"ended with status {done.returncode}"}

    def check(self, of):
        """Both sides once, with a small workload: (what zlink says, what libzmq says)."""
        said = [self.run(side, of) for side in ("zlink", "libzmq")]
        for side, run in zip(("zlink", "libzmq"), said):
            if run["status"] != "ok":
                raise UsageError(f"{self.files[side].name} does not work: {run['reason']}")
            expected = "libzmq" if self.control else side
            if run["library"] != expected:
                raise UsageError(f"{self.files[side].name} runs on {run['library']}, not on {expected}")
        return said
