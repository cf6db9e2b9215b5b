#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Binary Star: two servers, of which one serves and the other one waits to take over.

    binary_star.py primary FRONTEND OWN PEER        FRONTEND: for clients; OWN, PEER: where each tells its state
    binary_star.py backup FRONTEND OWN PEER
    binary_star.py client PRIMARY BACKUP [REQUESTS] PRIMARY, BACKUP: their FRONTENDs

The servers tell each other their state by PUB and SUB. The passive one takes over if two things hold: the other one is
silent, and a client asks. A client asks the other server when it has no answer. So if only the wire between the servers
is cut, the passive one is not asked. If both are active nevertheless, both end: a person has to decide.
"""
import sys
import time

import zmq

HEARTBEAT_S = 0.5
SILENCE_S = 2 * HEARTBEAT_S
PATIENCE_MS, TRIES = 2000, 6

PRIMARY, BACKUP = "primary", "backup"  # started, and has not heard of the other one
ACTIVE, PASSIVE = "active", "passive"

AFTER_PEER = {  # (own state, state of the other one): next state; otherwise it stays
    (PRIMARY, BACKUP): ACTIVE,
    (PRIMARY, ACTIVE): PASSIVE,
    (BACKUP, ACTIVE): PASSIVE,
    (PASSIVE, PRIMARY): ACTIVE,  # the other one has been started again
    (PASSIVE, BACKUP): ACTIVE,
}


def after_request(own, peer_is_silent):
    """A backup that has never heard of the primary may be the one that is cut off."""
    return ACTIVE if peer_is_silent and own != BACKUP else own


def server(context, name, frontend, own_at, peer_at):
    clients, teller, peer = context.socket(zmq.ROUTER), context.socket(zmq.PUB), context.socket(zmq.SUB)
    clients.bind(frontend)
    teller.bind(own_at)
    peer.subscribe("")
    peer.connect(peer_at)
    poller = zmq.Poller()
    poller.register(clients, zmq.POLLIN)
    poller.register(peer, zmq.POLLIN)

    state = name
    next_heartbeat, peer_silent_at = time.monotonic(), time.monotonic() + SILENCE_S
    while True:
        before = state
        if time.monotonic() >= next_heartbeat:
            teller.send_string(state)
            next_heartbeat = time.monotonic() + HEARTBEAT_S
        ready = dict(poller.poll(max(0, int((next_heartbeat - time.monotonic()) * 1000) + 1)))
        if peer in ready:
            told = peer.recv_string()
            if told == state:
                sys.exit(f"both servers are {state}")
            state = AFTER_PEER.get((state, told), state)
            peer_silent_at = time.monotonic() + SILENCE_S
        if clients in ready:
            client_address, _, text = clients.recv_multipart()
            state = after_request(state, time.monotonic() >= peer_silent_at)
            if state == ACTIVE:
                clients.send_multipart([client_address, b"", f"{name}: answer to ".encode() + text])
        if state != before:
            print(state, flush=True)
            next_heartbeat = time.monotonic()  # the other one is told at once


def client(context, endpoints, requests):
    at, socket = 0, None
    for number in range(1, requests + 1):
        for _ in range(TRIES):
            if not socket:
                socket = context.socket(zmq.REQ)
                socket.linger = 0
                socket.rcvtimeo = PATIENCE_MS
                socket.connect(endpoints[at])
            socket.send_string(f"request {number}")
            try:
                print(socket.recv_string(), flush=True)
                break
            except zmq.Again:
                socket.close()
                socket = None
                at = 1 - at
        else:
            sys.exit("neither server answers")
    if socket:
        socket.close()


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    with zmq.Context() as the_context:
        if sys.argv[1] == "client":
            client(the_context, sys.argv[2:4], int(sys.argv[4]) if len(sys.argv) > 4 else 3)
        elif sys.argv[1] in (PRIMARY, BACKUP):
            server(the_context, *sys.argv[1:5])
        else:
            sys.exit(__doc__)
