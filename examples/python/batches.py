# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Many messages a call from Python: zlink_send_many() and zlink_recv_many() on sockets of pyzmq, through ctypes.

Copy the class Batches into a program of your own. This program compares it with zmq.asyncio: it sends messages of 64 B
from a PUSH to a PULL, both on one loop, first one by one and then in batches. Run:

    LD_LIBRARY_PATH=build/lib /usr/bin/python3 examples/python/batches.py [COUNT [ENDPOINT]]

pyzmq has to run on zlink, as the distribution's does with this LD_LIBRARY_PATH. A wheel from PyPI has a libzmq of its
own.
"""
import asyncio
import ctypes
import sys
import time

import zmq
import zmq.asyncio


class Message(ctypes.Structure):
    """zmq_msg_t: 64 octets, aligned like a pointer."""

    _fields_ = [("octets", ctypes.c_uint64 * 8)]


LIBRARY = ctypes.CDLL("libzmq.so.5", use_errno=True)
POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
for name, result, arguments in (
    ("zmq_msg_init", ctypes.c_int, [POINTER]),
    ("zmq_msg_init_buffer", ctypes.c_int, [POINTER, ctypes.c_char_p, SIZE]),
    ("zmq_msg_close", ctypes.c_int, [POINTER]),
    ("zmq_msg_data", POINTER, [POINTER]),
    ("zmq_msg_size", SIZE, [POINTER]),
    ("zmq_msg_more", ctypes.c_int, [POINTER]),
    ("zlink_send_many", ctypes.c_int, [POINTER, POINTER, SIZE, ctypes.c_int]),
    ("zlink_recv_many", ctypes.c_int, [POINTER, POINTER, ctypes.POINTER(SIZE), ctypes.c_int]),
):
    function = getattr(LIBRARY, name)
    function.restype, function.argtypes = result, arguments


class Batches:
    """Sends and receives many messages a call, on a socket of pyzmq. Used by the thread that has the socket."""

    def __init__(self, socket, room=256):
        self.socket = socket
        self.handle = socket.underlying
        self.room = room
        self.messages = (Message * room)()
        first = ctypes.addressof(self.messages)
        self.places = [first + i * ctypes.sizeof(Message) for i in range(room)]
        for place in self.places:
            LIBRARY.zmq_msg_init(place)

    def close(self):
        for place in self.places:
            LIBRARY.zmq_msg_close(place)
        self.places = []

    def send(self, messages, flags=0):
        """Sends bytes, each of them a message of one part. Returns how many went, which are `room` at most."""
        count = min(len(messages), self.room)
        for place, content in zip(self.places, messages):
            LIBRARY.zmq_msg_close(place)
            LIBRARY.zmq_msg_init_buffer(place, content, len(content))
        sent = LIBRARY.zlink_send_many(self.handle, self.messages, count, flags)
        return self.outcome(sent)

    def receive(self, flags=0):
        """Returns the messages that are there, each as a list of its parts. None: there is none, with zmq.DONTWAIT."""
        count = SIZE(self.room)
        received = self.outcome(LIBRARY.zlink_recv_many(self.handle, self.messages, ctypes.byref(count), flags))
        data, size, octets = LIBRARY.zmq_msg_data, LIBRARY.zmq_msg_size, ctypes.string_at
        parts = [octets(data(place), size(place)) for place in self.places[: count.value]] if received else []
        if received == len(parts):
            return [[part] for part in parts]
        messages = [[]]
        for place, part in zip(self.places, parts):
            messages[-1].append(part)
            if not LIBRARY.zmq_msg_more(place):
                messages.append([])
        return messages[:-1]

    async def send_all(self, messages):
        """As send(), without a limit, and waits for room."""
        at = 0
        while at < len(messages):
            sent = self.send(messages[at:at + self.room], zmq.DONTWAIT)
            at += sent
            if sent == 0:
                await self.news()

    async def receive_some(self):
        """As receive(), and waits for a message."""
        while True:
            messages = self.receive(zmq.DONTWAIT)
            if messages:
                return messages
            await self.news()

    async def news(self):
        """Something has changed since the last call that found nothing to do."""
        loop, descriptor = asyncio.get_running_loop(), self.socket.getsockopt(zmq.FD)
        changed = loop.create_future()
        loop.add_reader(descriptor, lambda: changed.done() or changed.set_result(None))
        try:
            await changed
        finally:
            loop.remove_reader(descriptor)

    @staticmethod
    def outcome(result):
        if result >= 0:
            return result
        error = zmq.error.ZMQError(ctypes.get_errno())
        if error.errno == zmq.EAGAIN:
            return 0
        raise error


async def one_by_one(push, pull, count, content):
    async def send():
        for _ in range(count):
            await push.send(content)

    async def receive():
        for _ in range(count):
            await pull.recv()

    await asyncio.gather(send(), receive())


async def in_batches(push, pull, count, content):
    sender, receiver = Batches(push), Batches(pull)

    async def receive():
        left = count
        while left > 0:
            left -= len(await receiver.receive_some())

    await asyncio.gather(sender.send_all([content] * count), receive())
    sender.close()
    receiver.close()


def rate(context, endpoint, exchange, count):
    """Messages a second."""
    with context.socket(zmq.PULL) as pull, context.socket(zmq.PUSH) as push:
        pull.bind(endpoint)
        push.connect(pull.getsockopt_string(zmq.LAST_ENDPOINT))
        begun = time.perf_counter()
        asyncio.run(exchange(push, pull, count, b"x" * 64))
        return count / (time.perf_counter() - begun)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    endpoint = sys.argv[2] if len(sys.argv) > 2 else "tcp://127.0.0.1:*"
    with zmq.asyncio.Context() as context:
        single = rate(context, endpoint, one_by_one, count)
    with zmq.Context() as context:
        batches = rate(context, endpoint, in_batches, count)
    print(f"zmq.asyncio: {single:,.0f} messages a second")
    print(f"batches: {batches:,.0f} messages a second, {batches / single:.1f} times as many")


if __name__ == "__main__":
    main()
