# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Jupyter: nbclient executes a notebook with a kernel of ipykernel."""
import json

from stage import Wheels

WHAT = "nbclient executes 40 cells: text, 2 MB of output, a picture's data, an error"
PROGRAM = r"""
import hashlib, json, sys, time
import nbformat, nbclient
new = nbformat.v4
cells = [f"x{n} = {n}; print('cell', {n})" for n in range(36)]
cells += ["print('y' * 2000000)", "from IPython.display import Image, display; display({'image/png': 'AAAA' * 20000}, raw=True)",
          "1 / 0", "sum(globals()[f'x{n}'] for n in range(36))"]
book = new.new_notebook(cells=[new.new_code_cell(text) for text in cells])
began = time.monotonic()
nbclient.NotebookClient(book, timeout=100, allow_errors=True, kernel_name='python3').execute()
told = []
for cell in book.cells:
    for output in cell.outputs:
        what = [output.output_type, output.get('text') or output.get('ename') or output.get('data')]
        if told and what[0] == told[-1][0] == 'stream' and told[-1][2] is cell:
            told[-1][1] += what[1]  # a stream's pieces are what time made of them
        else:
            told.append([*what, cell])
told = [what[:2] for what in told]
print(json.dumps([hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12], len(told), time.monotonic() - began]))
"""


def make(home, build):
    return Wheels(home, build, "ipykernel==7.4.0", "nbclient==0.11.0", "nbformat")


def run(stage):
    digest, outputs, seconds = json.loads(stage.watched(stage.source.python, "-c", PROGRAM).splitlines()[-1])
    return f"{outputs} outputs, {digest}", seconds
