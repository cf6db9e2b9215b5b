#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A broker of services by the Majordomo Protocol (RFC 7/MDP), with a worker and a client.

    majordomo.py broker ENDPOINT
    majordomo.py worker ENDPOINT SERVICE NAME
    majordomo.py client ENDPOINT SERVICE TEXT..

Workers register for a service. The broker gives a request to the worker that has been idle longest. If a worker goes
away with a request, another one gets that request. Broker and workers know of each other's end by heartbeats.
"""
import sys
import time

import zmq

CLIENT, WORKER = b"MDPC01", b"MDPW01"
READY, REQUEST, REPLY, HEARTBEAT, DISCONNECT = b"\1", b"\2", b"\3", b"\4", b"\5"
HEARTBEAT_S = 0.5
SILENCE_S = 4 * HEARTBEAT_S
REQUEST_S = 60
PATIENCE_MS = 10000


def milliseconds_until(moment):
    return max(0, int((moment - time.monotonic()) * 1000) + 1)


class Worker:
    """A worker as the broker sees it."""

    def __init__(self, service):
        self.service, self.request = service, None
        self.heard()

    def heard(self):
        self.expires = time.monotonic() + SILENCE_S


class Broker:
    def __init__(self, context, endpoint):
        self.socket = context.socket(zmq.ROUTER)
        self.socket.bind(endpoint)
        self.workers = {}   # by address; the one that has been idle longest comes first
        self.requests = []  # (service, client, body, expires); the oldest comes first

    def run(self):
        next_heartbeat = 0
        while True:
            now = time.monotonic()
            for address in [a for a, worker in self.workers.items() if worker.expires <= now]:
                self.remove(address)
            self.requests = [request for request in self.requests if request[3] > now]
            if now >= next_heartbeat:
                for address in self.workers:
                    self.tell(address, HEARTBEAT)
                next_heartbeat = now + HEARTBEAT_S
            self.dispatch()
            if self.socket.poll(milliseconds_until(next_heartbeat)):
                self.take(self.socket.recv_multipart())

    def take(self, frames):
        if len(frames) > 4 and frames[2] == CLIENT:
            self.requests.append((frames[3], frames[0], frames[4:], time.monotonic() + REQUEST_S))
        elif len(frames) > 3 and frames[2] == WORKER:
            self.on_worker(frames[0], frames[3], frames[4:])

    def on_worker(self, address, command, rest):
        worker = self.workers.get(address)
        if command == READY and len(rest) == 1 and not worker:
            self.workers[address] = Worker(rest[0])
        elif command == REPLY and len(rest) > 2 and worker and worker.request:
            client, _, *body = rest
            self.socket.send_multipart([client, b"", CLIENT, worker.service, *body])
            del self.workers[address]  # to the end of the line
            self.workers[address] = Worker(worker.service)
        elif command == HEARTBEAT and worker:
            worker.heard()
        else:  # DISCONNECT, and what is not expected
            self.remove(address)
            if command != DISCONNECT:
                self.tell(address, DISCONNECT)

    def tell(self, address, command, *rest):
        self.socket.send_multipart([address, b"", WORKER, command, *rest])

    def remove(self, address):
        """Its request goes to another worker."""
        worker = self.workers.pop(address, None)
        if worker and worker.request:
            self.requests.append(worker.request)

    def dispatch(self):
        """Gives requests to idle workers of their service."""
        for request in list(self.requests):
            service, client, body, _ = request
            for address, worker in self.workers.items():
                if worker.service == service and not worker.request:
                    worker.request = request
                    self.requests.remove(request)
                    self.tell(address, REQUEST, client, b"", *body)
                    break


def broker(context, endpoint):
    Broker(context, endpoint).run()


def serve(socket, name):
    """Serves until the broker is silent, or sends DISCONNECT."""
    broker_expires = time.monotonic() + SILENCE_S
    next_heartbeat = time.monotonic() + HEARTBEAT_S
    while time.monotonic() < broker_expires:
        if socket.poll(milliseconds_until(next_heartbeat)):
            _, _, command, *rest = socket.recv_multipart()
            broker_expires = time.monotonic() + SILENCE_S
            if command == DISCONNECT:
                return
            if command == REQUEST:
                client_address, _, text = rest
                socket.send_multipart([b"", WORKER, REPLY, client_address, b"", name.encode() + b" did " + text])
        if time.monotonic() >= next_heartbeat:
            socket.send_multipart([b"", WORKER, HEARTBEAT])
            next_heartbeat = time.monotonic() + HEARTBEAT_S


def worker(context, endpoint, service, name):
    while True:  # the protocol wants a new socket for each registration
        with context.socket(zmq.DEALER) as socket:
            socket.linger = 0
            socket.connect(endpoint)
            socket.send_multipart([b"", WORKER, READY, service.encode()])
            serve(socket, name)
        print("registering again", flush=True)


def client(context, endpoint, service, *texts):
    with context.socket(zmq.REQ) as socket:
        socket.linger = 0
        socket.rcvtimeo = PATIENCE_MS
        socket.connect(endpoint)
        for text in texts:
            socket.send_multipart([CLIENT, service.encode(), text.encode()])
            try:
                print(socket.recv_multipart()[2].decode(), flush=True)
            except zmq.Again:
                sys.exit(f"no answer to {text}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with zmq.Context() as the_context:
        {"broker": broker, "worker": worker, "client": client}[sys.argv[1]](the_context, *sys.argv[2:])
