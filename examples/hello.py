# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# A word from one socket to another, over tcp or the endpoint given. Run:
#     LD_LIBRARY_PATH=build/lib /usr/bin/python3 examples/hello.py
import sys
import zmq

endpoint = sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5555"
with zmq.Context() as context, context.socket(zmq.REP) as server, context.socket(zmq.REQ) as client:
    server.bind(endpoint)
    client.connect(endpoint)
    client.send_string("hello")
    print(server.recv_string())
