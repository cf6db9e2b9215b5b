# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""GNU Radio: two flow graphs in two processes, joined by its zeromq blocks, for each pair of these in turn."""
import json
import time

from stage import Debs, free_port

NUMBERS, MESSAGES = 32000000, 200
WHAT = f"{NUMBERS:,} numbers by each of PUSH, REP and PUB blocks, {MESSAGES} messages by each of theirs"
GRAPH = r"""
import json, sys, time
import numpy
import pmt
from gnuradio import blocks, gr, zeromq
role, kind, endpoint, count, file = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
sinks = {"PUSH": "push", "REP": "rep", "PUB": "pub"}
sources = {"PUSH": "pull", "REP": "req", "PUB": "sub"}
top = gr.top_block()
note = pmt.to_pmt({"text": "x" * 100})
if role == "sends" and kind.endswith("messages"):
    sink = getattr(zeromq, sinks[kind.split()[0]] + "_msg_sink")(endpoint, 100, True)
    strobe = blocks.message_strobe(note, 2)
    top.msg_connect(strobe, "strobe", sink, "in")
elif role == "sends":
    last = ("", False) if kind == "PUB" else ()  # no number is dropped
    sink = getattr(zeromq, sinks[kind] + "_sink")(gr.sizeof_int, 1, endpoint, 100, False, -1, *last)
    top.connect(blocks.vector_source_i(range(1000), True), sink)
if role == "sends":
    top.start()
    time.sleep(1000)
began = time.monotonic()
if kind.endswith("messages"):
    source = getattr(zeromq, sources[kind.split()[0]] + "_msg_source")(endpoint, 100, False)
    kept = blocks.message_debug()
    top.msg_connect(source, "out", kept, "store")
    top.start()
    while kept.num_messages() < count:
        time.sleep(0.01)
    good = all(pmt.equal(kept.get_message(n), note) for n in range(count))
    seconds = time.monotonic() - began
    top.stop()
else:
    source = getattr(zeromq, sources[kind] + "_source")(gr.sizeof_int, 1, endpoint, 100, False, -1)
    top.connect(source, blocks.head(gr.sizeof_int, count), blocks.file_sink(gr.sizeof_int, file))
    top.run()
    seconds = time.monotonic() - began
    numbers = numpy.fromfile(file, dtype=numpy.int32)
    good = len(numbers) == count and numpy.array_equal(numbers, (numbers[0] + numpy.arange(count)) % 1000)
print(json.dumps([bool(good), seconds]))
"""


def make(home, build):
    return Debs(home, build, "gnuradio")


def run(stage):
    stage.environment["PYTHONPATH"] = f"{stage.source.root}/usr/lib/python3/dist-packages"
    stage.environment["GR_CONF_CONTROLPORT_ON"] = "False"
    told, total = [], 0.0
    for kind in ("PUSH", "REP", "PUB", "PUSH messages", "REP messages", "PUB messages"):
        count = MESSAGES if "messages" in kind else NUMBERS
        words = [kind, f"tcp://127.0.0.1:{free_port()}", count, stage.folder / "numbers"]
        sender = stage.start("/usr/bin/python3", "-c", GRAPH, "sends", *words, name="sender")
        time.sleep(1)
        answer = stage.watched("/usr/bin/python3", "-c", GRAPH, "receives", *words)
        sender.kill()
        sender.wait()
        good, seconds = json.loads(answer.splitlines()[-1])
        told.append(f"{kind} {'all in order' if good else 'not those'}")
        if count == NUMBERS:
            total += seconds
            print(f"      {kind}: {seconds:.2f} s", flush=True)
    return ", ".join(told), total
