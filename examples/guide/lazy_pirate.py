#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Lazy Pirate: a client that has its answer, or knows after a while that there is none.

    lazy_pirate.py server ENDPOINT [LOST]       answers requests, except the first LOST ones
    lazy_pirate.py client ENDPOINT [REQUESTS]

A REQ that waits for a lost answer cannot send again. So the client closes it, and asks again on a new one.
"""
import sys

import zmq

PATIENCE_MS, TRIES = 1000, 3


class Client:
    def __init__(self, context, endpoint):
        self.context, self.endpoint = context, endpoint
        self.open()

    def open(self):
        self.socket = self.context.socket(zmq.REQ)
        self.socket.linger = 0
        self.socket.rcvtimeo = PATIENCE_MS
        self.socket.connect(self.endpoint)

    def ask(self, request):
        """The answer, or None if there is none."""
        for attempt in range(1, TRIES + 1):
            self.socket.send_string(request)
            try:
                return self.socket.recv_string()
            except zmq.Again:
                print(f"no answer to {request}, attempt {attempt} of {TRIES}", flush=True)
                self.socket.close()
                self.open()
        return None


def client(context, endpoint, requests=3):
    asking = Client(context, endpoint)
    for number in range(1, requests + 1):
        answer = asking.ask(f"request {number}")
        if answer is None:
            print("the server seems to be away", flush=True)
            return 1
        print(answer, flush=True)
    return 0


def server(context, endpoint, lost=0):
    """A ROUTER can leave a request without an answer; a REP could not go on after that."""
    socket = context.socket(zmq.ROUTER)
    socket.bind(endpoint)
    while True:
        who, _, text = socket.recv_multipart()
        if lost > 0:
            lost -= 1
            print(f"lost: {text.decode()}", flush=True)
        else:
            socket.send_multipart([who, b"", b"answer to " + text])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    role = {"server": server, "client": client}[sys.argv[1]]
    with zmq.Context() as the_context:
        result = role(the_context, sys.argv[2], *map(int, sys.argv[3:4]))
        the_context.destroy(linger=0)
    sys.exit(result)
