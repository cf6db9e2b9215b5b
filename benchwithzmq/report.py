#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Turns result files of run_comparison.py into a report: Markdown tables, one HTML page, pictures for documents."""

import os
import re
import sys
from pathlib import Path

from bench_suite.report_arguments import Parser
from bench_suite.report_data import ReportError, group_titles, load_groups
from bench_suite.report_markdown import markdown_report, summary
from bench_suite.report_samples import leave_out_chance

# How the names of pictures end (the names of plots, in bench_suite/report_plots.py).
_PICTURE = re.compile(r"(^|-)(ratio-(throughput|latency|latency-p99|cpu)|(throughput|latency|cpu|percentiles)-[a-z0-9]+)\.png$")
_VENV = Path(__file__).resolve().parent.parent / "build" / "venv"

_DESCRIPTION = """\
Turns one or more result files of run_comparison.py into a report. Files of the same machine, versions and settings are
slices of one matrix; others become sections of their own. Without an option that names an output, FILE.md and FILE.html
are written beside the first result file. The page and the pictures need matplotlib (benchwithzmq/requirements.txt)."""


def main(arguments=None):
    options = _parse(arguments)
    try:
        groups = load_groups(options.files)
        if not any(group.cells() for group in groups):
            raise ReportError(f"{options.files[0]}: holds no result to report")
        for group in groups:
            leave_out_chance(group)
        _write_all(options, groups)
    except ReportError as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"report.py: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


def _parse(arguments):
    parser = Parser(description=_DESCRIPTION)
    parser.add_argument("files", nargs="+", metavar="FILE", help="result file (.json or .json.gz)")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown (- for standard output)")
    parser.add_argument("--html", metavar="FILE", help="write one self-contained page with all plots and tables")
    parser.add_argument("--png-dir", metavar="DIR", help="write each plot as a PNG into DIR")
    parser.add_argument("--summary", metavar="FILE", help="write the short table for a README (- for standard output)")
    parser.add_argument(
        "--title", default="zlink compared with libzmq", help="title of the report (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    if not (options.markdown or options.html or options.png_dir or options.summary):
        stem = Path(options.files[0].removesuffix(".gz")).with_suffix("")
        options.markdown, options.html = f"{stem}.md", f"{stem}.html"
    return options


def _write_all(options, groups):
    if options.markdown:
        _write(options.markdown, markdown_report(groups, options.title))
    if options.summary:
        _write(options.summary, summary(groups))
    if options.html or options.png_dir:
        _need_matplotlib()
    if options.html:
        from bench_suite.report_html import html_page

        _write(options.html, html_page(groups, options.title, _Progress("page").step))
    if options.png_dir:
        _write_pictures(Path(options.png_dir), groups)


def _write_pictures(folder, groups):
    from bench_suite.report_plots import plots, write_png

    prefixes = [_file_name(title) + "-" if len(groups) > 1 else "" for title in group_titles(groups)]
    pictures = {f"{prefix}{plot.name}.png": plot for group, prefix in zip(groups, prefixes) for plot in plots(group)}
    older = sorted(path.name for path in folder.glob("*.png") if path.name not in pictures
                   and _PICTURE.search(path.name))
    if older:
        raise ReportError(
            f"{folder} holds {older[0]} of an earlier report, which this one would not replace: "
            "remove its pictures, or name another directory"
        )
    folder.mkdir(parents=True, exist_ok=True)
    show = _Progress("picture").step
    for name, plot in pictures.items():
        show(plot.title)
        write_png(plot, folder / name)
    _say(f"wrote {len(pictures)} pictures to {folder}")


def _file_name(title):
    """ "pinned to core 1, 2 I/O threads" -> "pinned-to-core-1-2-io-threads"."""
    words = "".join(letter if letter.isalnum() else " " for letter in title.lower().replace("i/o", "io")).split()
    return "-".join(words)


def _need_matplotlib():
    """Goes on under the interpreter of build/venv where this one has no matplotlib and that one may."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        interpreter = _VENV / "bin" / "python"
        if Path(sys.prefix).resolve() != _VENV.resolve() and interpreter.exists():
            sys.stdout.flush()
            os.execv(interpreter, [str(interpreter), *sys.orig_argv[1:]])
        raise ReportError(
            "the page and the pictures need matplotlib: pip install -r benchwithzmq/requirements.txt; "
            "--markdown and --summary do without"
        ) from None


def _write(name, text):
    if name == "-":
        sys.stdout.write(text)
        return
    Path(name).write_text(text, encoding="utf-8")
    _say(f"wrote {name}")


def _say(text):
    print(text, file=sys.stderr)


class _Progress:
    """What is being drawn, in one line of a terminal that is wiped at the end."""

    def __init__(self, what):
        self._what = what
        self._count = 0

    def step(self, title):
        self._count += 1
        if sys.stderr.isatty():
            print(f"\r\033[K{self._what}: plot {self._count}, {title} ...\r", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
