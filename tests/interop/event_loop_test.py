# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""asyncio on zlink, as Debian's python3-zmq drives it: ZMQ_FD is edge-triggered, so that one lost or missing edge hangs
a loop for good. The foreign peer is PyPI's pyzmq."""
import zlink_python

zlink_python.start()

import asyncio
import unittest

import zmq
import zmq.asyncio

COUNT = 5000


class EventLoopTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.peer = zlink_python.Peer()
        self.endpoints = zlink_python.Endpoints()
        self.context = zmq.asyncio.Context()

    def tearDown(self):
        self.context.destroy(linger=0)
        self.peer.close()
        self.endpoints.close()

    def open(self, socket_type, **options):
        socket = self.context.socket(socket_type)
        socket.linger = 0
        for option, value in options.items():
            socket.setsockopt(getattr(zmq, option), value)
        return socket

    def join_peer(self, socket, their_type, transport="tcp", **options):
        self.peer.open(their_type, **options)
        socket.bind(self.endpoints.wildcard(transport))
        self.peer.connect(socket.last_endpoint.decode())

    @staticmethod
    async def within(awaitable):
        return await asyncio.wait_for(awaitable, 4 * zlink_python.PATIENCE)

    async def send_seeded(self, socket, seed, count, sizes):
        for number in range(count):
            await self.within(socket.send_multipart(zlink_python.content(seed, number, sizes)))

    async def recv_seeded(self, socket, seed, count, sizes):
        for number in range(count):
            got = await self.within(socket.recv_multipart())
            self.assertEqual(zlink_python.content(seed, number, sizes), got, f"message {number}")

    async def test_thousands_of_messages_come_in(self):
        for transport in ("tcp", "ipc"):
            socket = self.open(zmq.PULL)
            self.join_peer(socket, "PUSH", transport)
            self.peer.start("send_seeded", 1, 0, COUNT, [40, 0])
            await self.recv_seeded(socket, 1, COUNT, [40, 0])
            self.peer.finish()
            socket.close()

    async def test_thousands_of_messages_go_out(self):
        for transport in ("tcp", "ipc"):
            socket = self.open(zmq.PUSH, SNDHWM=100)
            self.join_peer(socket, "PULL", transport, RCVHWM=100)
            self.peer.start("recv_seeded", 2, 0, COUNT, [1000])
            await self.send_seeded(socket, 2, COUNT, [1000])
            self.peer.finish()
            socket.close()

    async def test_both_directions_at_once(self):
        socket = self.open(zmq.DEALER, SNDHWM=100, RCVHWM=100)
        self.join_peer(socket, "DEALER", SNDHWM=100, RCVHWM=100)
        self.peer.start("echo", COUNT)
        await asyncio.gather(self.send_seeded(socket, 3, COUNT, [200, 5]), self.recv_seeded(socket, 3, COUNT, [200, 5]))
        self.peer.finish()

    async def test_request_and_reply_many_times(self):
        socket = self.open(zmq.REQ)
        self.join_peer(socket, "REP", "ipc")
        self.peer.start("echo", 2000)
        for number in range(2000):
            await self.within(socket.send(b"%d" % number))
            self.assertEqual(b"%d" % number, await self.within(socket.recv()))
        self.peer.finish()

    async def test_many_sockets_on_one_loop(self):
        async def client(endpoint, name):
            socket = self.open(zmq.REQ)
            socket.connect(endpoint)
            for number in range(100):
                await self.within(socket.send_multipart([name, b"%d" % number]))
                self.assertEqual([name, b"%d" % number], await self.within(socket.recv_multipart()))
            socket.close()

        async def server(socket):
            for _ in range(20 * 100):
                await self.within(socket.send_multipart(await self.within(socket.recv_multipart())))

        for endpoint in ("tcp://127.0.0.1:*", self.endpoints.wildcard("ipc"), "inproc://many"):
            socket = self.open(zmq.ROUTER)
            socket.bind(endpoint)
            where = socket.last_endpoint.decode()
            await asyncio.gather(server(socket), *(client(where, b"%d" % n) for n in range(20)))
            socket.close()

    async def test_poller(self):
        first, second = self.open(zmq.PULL), self.open(zmq.PULL)
        self.peer.open("PUSH", name="a")
        self.peer.open("PUSH", name="b")
        for socket, name in ((first, "a"), (second, "b")):
            socket.bind("tcp://127.0.0.1:*")
            self.peer.connect(socket.last_endpoint.decode(), name=name)
        poller = zmq.asyncio.Poller()
        poller.register(first, zmq.POLLIN)
        poller.register(second, zmq.POLLIN)
        self.assertEqual([], await poller.poll(20))
        for round_ in range(200):
            socket, name = ((first, "a"), (second, "b"))[round_ % 2]
            self.peer.post(str(round_), name=name)
            self.assertEqual([(socket, zmq.POLLIN)], await self.within(poller.poll(zlink_python.PATIENCE * 1000)))
            self.assertEqual(b"%d" % round_, await self.within(socket.recv()))

    async def test_a_cancelled_receive_leaves_the_next_message_alone(self):
        socket = self.open(zmq.PULL)
        self.join_peer(socket, "PUSH")
        for number in range(50):
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(socket.recv(), 0.002)
            self.peer.post(str(number))
            self.assertEqual(b"%d" % number, await self.within(socket.recv()))

    async def test_publishing_to_a_subscriber_that_comes_and_goes(self):
        socket = self.open(zmq.XPUB)
        self.join_peer(socket, "SUB")
        for number in range(50):
            self.peer.open("SUB", SUBSCRIBE=f"topic {number}")
            self.peer.connect(socket.last_endpoint.decode())
            self.assertEqual(b"\1topic %d" % number, await self.within(socket.recv()))
            await self.within(socket.send(b"topic %d" % number))
            self.assertEqual([f"topic {number}"], self.peer.take())
            self.peer.close_socket()
            self.assertEqual(b"\0topic %d" % number, await self.within(socket.recv()))

    async def test_the_descriptor_and_events_by_hand(self):
        """The documented way: when the descriptor is readable ask ZMQ_EVENTS, use the socket until it would block."""
        loop = asyncio.get_running_loop()
        context = zmq.Context()
        socket = context.socket(zmq.PULL)
        socket.linger = 0
        self.join_peer(socket, "PUSH")
        done = loop.create_future()
        received = []

        def on_edge():
            while socket.getsockopt(zmq.EVENTS) & zmq.POLLIN:
                received.append(socket.recv(zmq.DONTWAIT))
            if len(received) == COUNT and not done.done():
                done.set_result(None)

        loop.add_reader(socket.fd, on_edge)
        on_edge()
        self.peer.start("send_seeded", 4, 0, COUNT, [30])
        await self.within(done)
        self.peer.finish()
        self.assertEqual([zlink_python.content(4, n, [30])[0] for n in range(COUNT)], received)
        loop.remove_reader(socket.fd)
        socket.close()
        context.term()


if __name__ == "__main__":
    unittest.main(verbosity=2)
