# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Result files: written after every run, so that an interrupted matrix is gone on with."""

import json
import os
from pathlib import Path

from .cells import UsageError
from .environment import now
from .report_data import BASELINE, IDENTITY, Group, ReportError, cell_of, load_file

# Measured on another day, a baseline counts only if all is the same but what is zlink's.
_ZLINKS = {"zlink_version", "git_commit", "git_dirty"}
_BASELINE_ENVIRONMENT = tuple(name for name in IDENTITY if name not in _ZLINKS)


def keep_earlier(options):
    """Refuses to put results in the place of an earlier run's, unless --overwrite asks for that (or --resume goes
    on)."""
    resume = getattr(options, "resume", False)
    if resume and options.overwrite:
        raise UsageError("--resume goes on with a run, --overwrite begins anew: not both")
    if resume or options.overwrite:
        return
    for name in ("json", "output"):
        path = getattr(options, name, None)
        if path and Path(path).is_file():
            going_on = "--resume goes on with it, " if name == "json" else ""
            raise UsageError(
                f"{path} holds the results of an earlier run: {going_on}--overwrite replaces it, another "
                f"--{name} FILE keeps both"
            )


class Results:
    def __init__(self, path, environment, settings):
        self.path = Path(path) if path else None
        self.document = {
            "schema": 1,
            "tool": "run_comparison",
            "environment": environment,
            "settings": settings,
            "runs": [],
        }

    def resume(self):
        """Takes over what an earlier run of the same machine, versions and settings has left, if anything."""
        if not self.path or not self.path.exists():
            return 0
        try:
            old = load_file(self.path)
        except ReportError as error:
            raise UsageError(f"cannot resume: {error}") from None
        mine = self.document
        differing = _differing(old["settings"], mine["settings"], besides={"runs"})
        differing += [name for name in IDENTITY if old["environment"].get(name) != mine["environment"].get(name)]
        if differing:
            raise UsageError(f"cannot resume {self.path}: {', '.join(differing)} differ; name another --json file")
        mine["runs"] = [run for run in old["runs"] if run["status"] == "ok"]
        mine["environment"]["date"] = old["environment"].get("date")
        return len(mine["runs"])

    def has(self, lib, cell, pair):
        return any(
            run["lib"] == lib and run["pair"] == pair and cell_of(run) == cell and run["status"] == "ok"
            for run in self.document["runs"]
        )

    def add(self, lib, cell, pair, position, outcome):
        self.document["runs"].append(
            {
                "pattern": cell.pattern,
                "transport": cell.transport,
                "size": cell.size,
                **({"load": dict(cell.load)} if cell.load else {}),
                "pair": pair,
                "position": position,
                "lib": lib,
                "status": outcome.status,
                "error": outcome.error,
                "elapsed": outcome.elapsed,
                "at": now(),
                "metrics": outcome.metrics,
            }
        )
        self.save()

    def adopt(self, runs):
        """Runs of a cached baseline, for the cells that have no run of libzmq yet."""
        there = {cell_of(run) for run in self.document["runs"] if run["lib"] == BASELINE}
        self.document["runs"] += [run for run in runs if cell_of(run) not in there]

    def save(self):
        if self.path:
            write_atomically(self.path, json.dumps(self.document, indent=1) + "\n")

    def group(self):
        found = Group(self.document["environment"], self.document["settings"])
        found.add(str(self.path or "results"), self.document)
        return found


def cached_baseline(path, environment, settings, cells):
    """libzmq's runs of these cells from an earlier result file; refused if anything that matters was different then."""
    try:
        old = load_file(path)
    except ReportError as error:
        raise UsageError(f"no baseline: {error}") from None
    cure = "(--refresh-libzmq makes another)"
    for name in _BASELINE_ENVIRONMENT:
        before, unknown = old["environment"].get(name), name.startswith("libzmq") and environment.get(name) is None
        if before != environment.get(name) and not unknown:
            raise UsageError(f"{path} is not a baseline: {name} was {before!r} {cure}")
    # libzmq knows no knobs, and a metric that was not measured is missing.
    for name in _differing(old["settings"], settings, besides={"runs", "knobs", "metrics"}):
        raise UsageError(f"{path} is not a baseline: {name} was {old['settings'].get(name)!r} {cure}")
    wanted = set(cells)
    runs = [r for r in old["runs"] if r["lib"] == BASELINE and r["status"] == "ok" and cell_of(r) in wanted]
    if not runs:
        raise UsageError(f"{path} has no results of libzmq for these cells")
    # Of another day, so they make no pairs with what is measured now.
    return [dict(run, pair=f"cached {run.get('pair')}") for run in runs], old["environment"]


def write_atomically(path, text):
    path = Path(path)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")  # a device or a pipe
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def _differing(old, new, besides):
    """Names of settings that differ; null is the same as not written."""
    return [name for name in sorted(old.keys() | new.keys()) if name not in besides and old.get(name) != new.get(name)]
