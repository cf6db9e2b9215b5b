# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""monerod: its RPC over ZeroMQ, and the blocks that it publishes, on a chain of its own without peers."""
import json
import subprocess
import time
import urllib.request

from stage import BY_C_API, Debs, free_port, listens

WHAT = "200 requests by REQ; 30 blocks made, each published by PUB"
ASK = BY_C_API + """
import json, sys
socket = open_socket(int(sys.argv[1]))
room = ctypes.create_string_buffer(100000)
if sys.argv[1] == "3":
    lib.zmq_connect(socket, sys.argv[2].encode())
    good = 0
    for number in range(200):
        text = json.dumps({"jsonrpc": "2.0", "id": str(number), "method": "get_height", "params": {}}).encode()
        lib.zmq_send(socket, text, ctypes.c_size_t(len(text)), 0)
        size = lib.zmq_recv(socket, room, ctypes.c_size_t(99999), 0)
        good += size > 0 and json.loads(room.raw[:size])["result"]["height"] > 0
    print(good)
else:
    lib.zmq_setsockopt(socket, 6, b"json-minimal-chain_main", ctypes.c_size_t(23))
    lib.zmq_connect(socket, sys.argv[2].encode())
    print("ready", flush=True)
    heights = []
    while not heights or heights[-1] < 30:
        size = lib.zmq_recv(socket, room, ctypes.c_size_t(99999), 0)
        if size < 0:
            break
        heights.append(json.loads(room.raw[:size].split(b":", 1)[1])["first_height"])
    print(heights == list(range(1, 31)) or heights)
"""
ADDRESS = "42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm"


def make(home, build):
    return Debs(home, build, "monero")


def run(stage):
    rpc, http, publish = free_port(), free_port(), free_port()
    stage.start("monerod", "--regtest", "--offline", "--fixed-difficulty", 1, "--data-dir", stage.folder / "data",
                "--non-interactive", "--zmq-rpc-bind-port", rpc, "--rpc-bind-port", http, "--zmq-pub",
                f"tcp://127.0.0.1:{publish}", "--log-level", 0, name="monerod")
    stage.until(lambda: listens(http), "monerod", 60)
    stage.note_libraries()
    began = time.monotonic()
    answered = stage.call("/usr/bin/python3", "-c", ASK, 3, f"tcp://127.0.0.1:{rpc}").strip()
    blocks = stage.folder / "blocks"
    with open(blocks, "w", encoding="utf-8") as output:
        subscriber = subprocess.Popen(["/usr/bin/python3", "-c", ASK, "2", f"tcp://127.0.0.1:{publish}"],
                                      env=stage.environment, stdout=output, cwd=stage.folder)
    stage.until(lambda: "ready" in blocks.read_text(), "the subscriber")
    time.sleep(0.5)
    for _ in range(30):
        body = json.dumps({"jsonrpc": "2.0", "id": "0", "method": "generateblocks",
                           "params": {"amount_of_blocks": 1, "wallet_address": ADDRESS}}).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{http}/json_rpc", body, timeout=60) as answer:
            told = json.load(answer)
        if "error" in told:
            return f"failed: {told['error']}", 0
    subscriber.wait(60)
    seconds = time.monotonic() - began - 0.5
    return f"{answered} answers, blocks in order: {blocks.read_text().split()[-1]}", seconds
