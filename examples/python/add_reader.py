# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A socket of pyzmq in an asyncio loop without zmq.asyncio: ZLINK_FD is readable while there is a message to receive.

The loop calls back for each message, as it does for any descriptor; nobody asks for ZMQ_EVENTS. This program counts the
messages of a thread that sends them. Run:

    LD_LIBRARY_PATH=build/lib /usr/bin/python3 examples/python/add_reader.py [COUNT [ENDPOINT]]

pyzmq has to run on zlink, as the distribution's does with this LD_LIBRARY_PATH.
"""
import asyncio
import sys
import threading

import zmq

ZLINK_FD = 7402  # zlink.h


async def count_messages(pull, wanted):
    loop = asyncio.get_running_loop()
    all_received = loop.create_future()
    received = 0

    def receive():
        nonlocal received
        try:
            pull.recv(zmq.DONTWAIT)
        except zmq.Again:  # the descriptor told of something else, a new peer for example
            return
        received += 1
        if received == wanted:
            all_received.set_result(received)

    descriptor = pull.getsockopt(ZLINK_FD)
    loop.add_reader(descriptor, receive)
    try:
        return await all_received
    finally:
        loop.remove_reader(descriptor)  # before the socket closes it


def send(context, endpoint, count):
    with context.socket(zmq.PUSH) as push:
        push.connect(endpoint)
        for i in range(count):
            push.send(b"message %d" % i)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    endpoint = sys.argv[2] if len(sys.argv) > 2 else "tcp://127.0.0.1:*"
    with zmq.Context() as context, context.socket(zmq.PULL) as pull:
        pull.bind(endpoint)
        bound = pull.getsockopt_string(zmq.LAST_ENDPOINT)
        sender = threading.Thread(target=send, args=(context, bound, count))
        sender.start()
        print(asyncio.run(count_messages(pull, count)), "messages received")
        sender.join()


if __name__ == "__main__":
    main()
