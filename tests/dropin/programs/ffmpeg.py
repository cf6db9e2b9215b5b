# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""ffmpeg: its filter zmq is asked to change another filter."""
import time

from stage import BY_C_API, Debs, free_port

WHAT = "the filter zmq: 300 commands by REQ to hue and to a filter that is not there"
ASK = BY_C_API + """
import sys
socket = open_socket(3)
lib.zmq_connect(socket, sys.argv[1].encode())
answers = {}
for number in range(300):
    text = f"Parsed_hue_1 b {number % 10}" if number % 3 else "none b 1"
    lib.zmq_send(socket, text.encode(), ctypes.c_size_t(len(text)), 0)
    room = ctypes.create_string_buffer(500)
    if lib.zmq_recv(socket, room, ctypes.c_size_t(499), 0) < 0:
        sys.exit(f"no answer to {text}")
    answer = " ".join(room.value.decode().split())
    answers[answer] = answers.get(answer, 0) + 1
print(sorted(answers.items()))
"""


def make(home, build):
    return Debs(home, build, "ffmpeg")


def run(stage):
    port = free_port()
    stage.start("ffmpeg", "-v", "warning", "-re", "-f", "lavfi", "-i", "testsrc=size=64x64:rate=100", "-vf",
                f"zmq=bind_address=tcp\\\\\\://127.0.0.1\\\\\\:{port},hue=b=0", "-t", "120", "-f", "null", "-", name="ffmpeg")
    began = time.monotonic()
    told = stage.call("/usr/bin/python3", "-c", ASK, f"tcp://127.0.0.1:{port}", limit=60)
    return told.strip(), time.monotonic() - began
