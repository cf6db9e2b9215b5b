# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""ipyparallel: a hub, schedulers and two engines."""
import json

from stage import Wheels

WHAT = "2 engines: 200 calls by a balanced view, 8 MB to each and back"
PROGRAM = r"""
import json, time
import ipyparallel as ipp
with ipp.Cluster(n=2, log_level=40) as client:
    began = time.monotonic()
    squares = client.load_balanced_view().map_sync(lambda x: x * x, range(200))
    direct = client[:]
    direct['data'] = b'z' * 8000000
    back = direct['data']
    pids = len(set(direct.apply_sync(__import__('os').getpid)))
    print(json.dumps([sum(squares), [len(one) for one in back], pids, time.monotonic() - began]))
"""


def make(home, build):
    return Wheels(home, build, "ipyparallel==9.2.0")


def run(stage):
    total, sizes, engines, seconds = json.loads(stage.watched(stage.source.python, "-c", PROGRAM).splitlines()[-1])
    return f"sum {total}, {sizes} octets, {engines} engines", seconds
