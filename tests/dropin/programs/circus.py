# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""circus: circusd with a watcher of four processes, which circusctl's client commands; its statistics are published."""
import json

from stage import Wheels, free_port

WHAT = "a watcher of 2 processes; 31 commands (incr, decr, status, list, restart), its events by SUB"
ASK = r"""
import json, sys, time
import zmq
from circus.client import CircusClient
endpoint, events = sys.argv[1:]
client = CircusClient(endpoint=endpoint, timeout=60)
sub = zmq.Context.instance().socket(zmq.SUB)
sub.subscribe(b'watcher.')
sub.connect(events)
while client.send_message('status', name='sleeper').get('status') != 'active' or \
        client.send_message('numprocesses', name='sleeper').get('numprocesses') != 2:
    time.sleep(0.1)
time.sleep(1)  # circusd refuses commands while it starts
began = time.monotonic()
count = []
for n in range(6):
    count.append(client.send_message('incr', name='sleeper', waiting=True)['numprocesses'])
    client.send_message('status')
    count.append(client.send_message('decr', name='sleeper', waiting=True)['numprocesses'])
    count.append(len(client.send_message('list', name='sleeper')['pids']))
    client.send_message('numwatchers')
client.send_message('restart', name='sleeper', waiting=True)
topics = set()
while sub.poll(1000):
    topics.add(sub.recv_multipart()[0].decode())
seconds = time.monotonic() - began - 1
state = client.send_message('status', name='sleeper')['status']
client.send_message('quit')
print(json.dumps([count, state, sorted(topics), seconds]))
"""


def make(home, build):
    return Wheels(home, build, "circus==0.19.0")


def run(stage):
    control, events = free_port(), free_port()
    settings = stage.folder / "circus.ini"
    settings.write_text(f"""[circus]
endpoint = tcp://127.0.0.1:{control}
pubsub_endpoint = tcp://127.0.0.1:{events}
[watcher:sleeper]
cmd = sleep 1000
numprocesses = 2
graceful_timeout = 1
""")
    process = stage.start(stage.source.bin / "circusd", settings, name="circusd")
    told = stage.watched(stage.source.python, "-c", ASK, f"tcp://127.0.0.1:{control}", f"tcp://127.0.0.1:{events}")
    counts, state, topics, seconds = json.loads(told.splitlines()[-1])
    status = process.wait(30)
    return f"processes {counts}, {state}, {len(topics)} kinds of events, end {status}", seconds
