"""Result files: written after every run, so that an interrupted matrix is gone on with."""

import json
import os
from pathlib import Path

from .cells import UsageError
from .environment import now
from .report_data import Cell, Group, ReportError, load_file

# A baseline measured on another day counts only if all of these are the same.
BASELINE_ENVIRONMENT = ("host", "cpu_model", "kernel", "libzmq_version")
# What may differ between an interrupted run and its resumption.
_NOT_COMPARED = {"runs"}


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
        differing = [
            name
            for name in mine["settings"]
            if name not in _NOT_COMPARED and old["settings"].get(name) != mine["settings"][name]
        ]
        differing += [
            name
            for name in (*BASELINE_ENVIRONMENT, "zlink_version", "git_commit")
            if old["environment"].get(name) != mine["environment"].get(name)
        ]
        if differing:
            raise UsageError(f"cannot resume {self.path}: {', '.join(differing)} differ; name another --json file")
        mine["runs"] = [run for run in old["runs"] if run["status"] == "ok"]
        mine["environment"]["date"] = old["environment"].get("date")
        return len(mine["runs"])

    def has(self, lib, cell, pair):
        return any(
            run["lib"] == lib and run["pair"] == pair and _cell_of(run) == cell and run["status"] == "ok"
            for run in self.document["runs"]
        )

    def add(self, lib, cell, pair, position, outcome):
        self.document["runs"].append(
            {
                "pattern": cell.pattern,
                "transport": cell.transport,
                "size": cell.size,
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
        """Runs of a cached baseline."""
        self.document["runs"] += runs

    def save(self):
        if self.path:
            write_atomically(self.path, json.dumps(self.document, indent=1) + "\n")

    def group(self):
        found = Group(self.document["environment"], self.document["settings"])
        found.add(str(self.path or "results"), self.document)
        return found

    def failures(self):
        return [run for run in self.document["runs"] if run["status"] != "ok"]


def cached_baseline(path, environment, settings, cells):
    """libzmq's runs of these cells from an earlier result file; refused if anything that matters was different then."""
    try:
        old = load_file(path)
    except ReportError as error:
        raise UsageError(f"no baseline: {error}") from None
    for name in BASELINE_ENVIRONMENT:
        if name != "libzmq_version" and old["environment"].get(name) != environment.get(name):
            raise UsageError(f"{path} is no baseline for this machine: {name} was {old['environment'].get(name)!r}")
    for name, value in settings.items():
        if name not in _NOT_COMPARED and name != "knobs" and old["settings"].get(name) != value:
            raise UsageError(f"{path} is no baseline for these settings: {name} was {old['settings'].get(name)!r}")
    if environment.get("libzmq_version") not in (None, old["environment"].get("libzmq_version")):
        raise UsageError(f"{path} is no baseline: it is of libzmq {old['environment'].get('libzmq_version')}")
    wanted = set(cells)
    runs = [r for r in old["runs"] if r["lib"] == "libzmq" and r["status"] == "ok" and _cell_of(r) in wanted]
    if not runs:
        raise UsageError(f"{path} has no results of libzmq for these cells")
    # Of another day, so they make no pairs with what is measured now.
    return [dict(run, pair=f"cached {run.get('pair')}") for run in runs], old["environment"]


def write_atomically(path, text):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def _cell_of(run):
    return Cell(run["pattern"], run["transport"], run["size"])
