#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Espresso: a proxy between publishers and subscribers, and a listener that sees all that passes.

    espresso.py [MESSAGES]

One process holds all of it: a publisher, a subscriber of "A", the proxy, and the listener, which prints. The proxy
copies each message of either direction to its capture socket: what is published, and who subscribes to what.
"""
import sys
import threading

import zmq


def publisher(context, messages):
    """Publishes A and B in turn. It waits for the subscription: no message goes out before there is a reader."""
    with context.socket(zmq.XPUB) as socket:
        socket.connect("inproc://publishers")
        socket.recv()
        for number in range(1, messages + 1):
            socket.send_string(f"A-{number}")
            socket.send_string(f"B-{number}")
        socket.recv()  # the subscriber has enough


def subscriber(context, messages):
    with context.socket(zmq.SUB) as socket:
        socket.connect("inproc://subscribers")
        socket.subscribe("A")
        for _ in range(messages):
            socket.recv()
        socket.unsubscribe("A")
        try:
            socket.recv()  # nothing comes any more: the context's end wakes it
        except zmq.ContextTerminated:
            pass


def proxy(context):
    with context.socket(zmq.XSUB) as front, context.socket(zmq.XPUB) as back, context.socket(zmq.PAIR) as capture:
        front.bind("inproc://publishers")
        back.bind("inproc://subscribers")
        capture.connect("inproc://listener")
        capture.linger = 0
        try:
            zmq.proxy(front, back, capture)
        except zmq.ContextTerminated:
            pass


def main(messages):
    context = zmq.Context()
    listener = context.socket(zmq.PAIR)
    listener.bind("inproc://listener")
    threads = [threading.Thread(target=proxy, args=(context,)),
               threading.Thread(target=publisher, args=(context, messages)),
               threading.Thread(target=subscriber, args=(context, messages))]
    for thread in threads:
        thread.start()

    seen = b""
    while not seen.startswith(b"\0"):
        seen = listener.recv()
        words = {0: "unsubscribe ", 1: "subscribe "}.get(seen[0])
        print(words + seen[1:].decode() if words else seen.decode(), flush=True)
    threads[1].join()  # the publisher ends by itself, the others with the context
    listener.close()
    context.term()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
