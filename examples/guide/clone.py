#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Clone: a table of keys and values that a server keeps and its clients have copies of (RFC 12/CHP).

    clone.py server SNAPSHOT PUBLISHER COLLECTOR
    clone.py watch SNAPSHOT PUBLISHER [SUBTREE]      prints the table, then each change
    clone.py set COLLECTOR KEY=VALUE..               an empty value deletes the key

The three arguments in capitals are endpoints of the server. A client asks for a snapshot, and then applies the changes
that are newer. A change is a message of five frames: key, number, UUID, properties, value. Of the protocol, UUIDs and
properties (a time to live) are left out.
"""
import sys

import zmq

HUGZ_MS = 1000


def change(key, number, value):
    return [key, number.to_bytes(8, "big"), b"", b"", value]


class Table:
    def __init__(self):
        self.entries = {}  # key: (value, number of the change that made it)

    def apply(self, key, value, number):
        if value:
            self.entries[key] = (value, number)
        else:
            self.entries.pop(key, None)


def server(context, snapshot_at, publisher_at, collector_at):
    """The publisher is an XPUB, which hears of subscriptions. After each it sends a HUGZ, so that the subscriber knows."""
    snapshot, publisher, collector = context.socket(zmq.ROUTER), context.socket(zmq.XPUB), context.socket(zmq.SUB)
    publisher.xpub_verbose = True
    collector.subscribe(b"")
    for socket, endpoint in ((snapshot, snapshot_at), (publisher, publisher_at), (collector, collector_at)):
        socket.bind(endpoint)
    poller = zmq.Poller()
    for socket in (snapshot, publisher, collector):
        poller.register(socket, zmq.POLLIN)

    table, number = Table(), 0
    while True:
        ready = dict(poller.poll(HUGZ_MS))
        if not ready:
            publisher.send_multipart(change(b"HUGZ", 0, b""))
        if snapshot in ready:
            client, *request = snapshot.recv_multipart()
            if len(request) == 2 and request[0] == b"ICANHAZ?":
                send_snapshot(snapshot, client, request[1], table)
        if publisher in ready:
            publisher.recv()
            publisher.send_multipart(change(b"HUGZ", 0, b""))
        if collector in ready:
            frames = collector.recv_multipart()
            if len(frames) == 5:
                number += 1
                table.apply(frames[0], frames[4], number)
                publisher.send_multipart(change(frames[0], number, frames[4]))


def send_snapshot(socket, client, subtree, table):
    newest = 0
    for key, (value, number) in table.entries.items():
        if key.startswith(subtree):
            socket.send_multipart([client, *change(key, number, value)])
            newest = max(newest, number)
    socket.send_multipart([client, *change(b"KTHXBAI", newest, subtree)])


def show(key, value):
    print(f"{key.decode()}={value.decode()}", flush=True)


def watch(context, snapshot_at, publisher_at, subtree=""):
    subscriber = context.socket(zmq.SUB)
    subscriber.subscribe(subtree)
    subscriber.subscribe("HUGZ")
    subscriber.connect(publisher_at)
    while subscriber.recv_multipart()[0] != b"HUGZ":  # from the first HUGZ on, no change is missed
        pass

    table = Table()
    with context.socket(zmq.DEALER) as snapshot:
        snapshot.connect(snapshot_at)
        snapshot.send_multipart([b"ICANHAZ?", subtree.encode()])
        while True:
            key, number, _, _, value = snapshot.recv_multipart()
            newest = int.from_bytes(number, "big")
            if key == b"KTHXBAI":
                break
            table.apply(key, value, newest)
            show(key, value)
    print(f"{len(table.entries)} keys", flush=True)

    while True:
        key, number, _, _, value = subscriber.recv_multipart()
        number = int.from_bytes(number, "big")
        if key != b"HUGZ" and number > newest:
            newest = number
            table.apply(key, value, number)
            show(key, value)


def assign(context, collector_at, *changes):
    """An XPUB, which hears of the server's subscription: what a PUB sends before that is lost."""
    with context.socket(zmq.XPUB) as publisher:
        publisher.rcvtimeo = publisher.linger = 5000
        publisher.connect(collector_at)
        publisher.recv()
        for text in changes:
            key, _, value = text.partition("=")
            publisher.send_multipart(change(key.encode(), 0, value.encode()))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    with zmq.Context() as the_context:
        {"server": server, "watch": watch, "set": assign}[sys.argv[1]](the_context, *sys.argv[2:])
