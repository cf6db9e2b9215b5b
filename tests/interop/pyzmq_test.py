# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Interop with PyPI's pyzmq, which brings libzmq 4.3.5 of its own: every pattern, both transports, either end binding.
Our side is Debian's python3-zmq on zlink."""
import zlink_python

zlink_python.start()

import itertools
import os
import time
import unittest

import zmq

import changing_subscriptions

# (our type, theirs, our envelope, their envelope, which side can send: "we", "they" or "both", which side begins)
PAIRINGS = [
    ("PAIR", "PAIR", [], [], "both", "we"),
    ("PUB", "SUB", ["topic"], ["topic"], "we", "we"),
    ("SUB", "PUB", ["topic"], ["topic"], "they", "they"),
    ("XPUB", "SUB", ["topic"], ["topic"], "we", "we"),
    ("SUB", "XPUB", ["topic"], ["topic"], "they", "they"),
    ("REQ", "REP", [], [], "both", "we"),
    ("REP", "REQ", [], [], "both", "they"),
    ("REQ", "ROUTER", [], ["zlink", ""], "both", "we"),
    ("ROUTER", "REQ", ["pypi", ""], [], "both", "they"),
    ("DEALER", "ROUTER", [], ["zlink"], "both", "we"),
    ("ROUTER", "DEALER", ["pypi"], [], "both", "they"),
    ("DEALER", "REP", [""], [], "both", "we"),
    ("REP", "DEALER", [], [""], "both", "they"),
    ("PUSH", "PULL", [], [], "we", "we"),
    ("PULL", "PUSH", [], [], "they", "they"),
]
SIZES = [0, 1, 40, 255, 256, 8191, 8192, 65536, 1 << 20]
MULTIPART = [[8, 0], [0, 0, 0], [40, 255, 256, 8191, 8192, 0, 65536], [1 << 20, 1, 70000]]
MANY = 3000


class PatternTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.peer = zlink_python.Peer()
        cls.endpoints = zlink_python.Endpoints()
        cls.context = zmq.Context()

    @classmethod
    def tearDownClass(cls):
        cls.context.destroy(linger=0)
        cls.peer.close()
        cls.endpoints.close()

    def test_each_side_runs_on_its_own_library(self):
        version, libraries = self.peer.library()
        self.assertEqual("4.3.5", version)
        ours = os.path.realpath(os.path.join(os.environ["ZLINK_LIB_DIR"], "libzmq.so.5"))
        self.assertEqual({ours}, {os.path.realpath(path) for path in zlink_python.mapped_libraries()})
        self.assertNotIn(ours, [os.path.realpath(path) for path in libraries])

    def open(self, name, **options):
        socket = self.context.socket(getattr(zmq, name))
        socket.linger = 0
        socket.rcvtimeo = socket.sndtimeo = zlink_python.PATIENCE * 1000
        for option, value in options.items():
            socket.setsockopt(getattr(zmq, option), value)
        self.addCleanup(socket.close)
        return socket

    def meet(self, pairing, transport, we_bind):
        """Our socket, joined to the peer's, with a first message through where it could get lost."""
        ours, theirs = pairing[:2]
        named = {"PAIR", "REQ", "REP", "DEALER", "ROUTER"}
        socket = self.open(ours, SNDHWM=0, RCVHWM=0, **({"ROUTING_ID": b"zlink"} if ours in named else {}))
        self.peer.open(theirs, SNDHWM=0, RCVHWM=0, **({"ROUTING_ID": "pypi"} if theirs in named else {}),
                       **({"SUBSCRIBE": ""} if theirs == "SUB" else {}))
        if ours == "SUB":
            socket.subscribe(b"")
        if we_bind:
            socket.bind(self.endpoints.wildcard(transport))
            self.peer.connect(socket.last_endpoint.decode())
        else:
            socket.connect(self.peer.bind(self.endpoints.wildcard(transport)))
        if theirs == "SUB":
            while not self.peer.readable(5):
                socket.send(b"sync")
            socket.send(b"ready")
            while self.peer.take() != ["ready"]:
                pass
        elif ours == "SUB":
            while not socket.poll(5):
                self.peer.post("sync")
            self.peer.post("ready")
            while socket.recv() != b"ready":
                pass
        return socket

    def send(self, socket, pairing, number, count, sizes):
        self.peer.start("recv_seeded", 1, number, count, sizes, pairing[3])
        envelope = [e.encode() for e in pairing[2]]
        for n in range(number, number + count):
            socket.send_multipart(envelope + zlink_python.content(1, n, sizes))
        self.peer.finish()

    def receive(self, socket, pairing, number, count, sizes):
        self.peer.start("send_seeded", 2, number, count, sizes, pairing[3])
        envelope = [e.encode() for e in pairing[2]]
        for n in range(number, number + count):
            got = socket.recv_multipart()
            wanted = envelope + zlink_python.content(2, n, sizes)
            self.assertTrue(got == wanted, f"message {n}: {[g[:20] for g in got]}")
        self.peer.finish()

    def exchange(self, socket, pairing, number, count, sizes):
        """Messages each way, as far as the pattern goes."""
        senders, first = pairing[4:]
        if first == "they" and senders != "we":
            self.receive(socket, pairing, number, count, sizes)
        if senders != "they":
            self.send(socket, pairing, number, count, sizes)
        if first == "we" and senders != "we":
            self.receive(socket, pairing, number, count, sizes)

    def test_every_pattern(self):
        for pairing, transport, we_bind in itertools.product(PAIRINGS, ("tcp", "ipc"), (True, False)):
            with self.subTest(ours=pairing[0], theirs=pairing[1], transport=transport, we_bind=we_bind):
                socket = self.meet(pairing, transport, we_bind)
                for number, sizes in enumerate([[size] for size in SIZES] + MULTIPART):
                    self.exchange(socket, pairing, number, 1, sizes)
                if {"REQ", "REP"} & set(pairing[:2]):
                    for number in range(100, 150):
                        self.exchange(socket, pairing, number, 1, [number])
                else:
                    self.exchange(socket, pairing, 100, MANY if we_bind else 100, [40])
                socket.close()

    def test_messages_of_16_megabytes(self):
        for pairing in (PAIRINGS[0], ("DEALER", "ROUTER", [], ["zlink"], "both", "we")):
            for transport in ("tcp", "ipc"):
                socket = self.meet(pairing, transport, True)
                self.exchange(socket, pairing, 1, 2, [16 << 20, 5])
                socket.close()

    def test_router_to_router(self):
        ours = self.open("ROUTER", ROUTING_ID=b"zlink", ROUTER_MANDATORY=1)
        self.peer.open("ROUTER", ROUTING_ID="pypi", ROUTER_MANDATORY=1)
        ours.bind("tcp://127.0.0.1:*")
        self.peer.connect(ours.last_endpoint.decode())
        for _ in range(1000):
            try:
                ours.send_multipart([b"pypi", b"hello"])
                break
            except zmq.ZMQError as error:
                self.assertEqual(zmq.EHOSTUNREACH, error.errno)
                ours.poll(10)
        self.assertEqual(["zlink", "hello"], self.peer.take())
        self.exchange(ours, ("ROUTER", "ROUTER", ["pypi"], ["zlink"], "both", "we"), 0, MANY, [30, 0])

    def test_stream_to_stream(self):
        ours = self.open("STREAM")
        self.peer.open("STREAM")
        ours.bind("tcp://127.0.0.1:*")
        self.peer.connect(ours.last_endpoint.decode())
        their_id = ours.recv_multipart()[0]
        our_id, announcement = self.peer.take()
        self.assertEqual("", announcement)
        ours.send_multipart([their_id, b"to pypi"])
        self.assertEqual([our_id, "to pypi"], self.peer.take())
        self.peer.post(our_id, "to zlink")
        self.assertEqual(b"to zlink", ours.recv_multipart()[1])

    def test_subscriptions_reach_our_xpub_and_theirs(self):
        ours = self.open("XPUB")
        self.peer.open("SUB", SUBSCRIBE="a")
        ours.bind("tcp://127.0.0.1:*")
        self.peer.connect(ours.last_endpoint.decode())
        self.assertEqual(b"\1a", ours.recv())
        self.peer.close_socket()
        self.assertEqual(b"\0a", ours.recv())

        self.peer.open("XPUB")
        ours = self.open("SUB")
        ours.subscribe(b"b")
        ours.connect(self.peer.bind("tcp://127.0.0.1:*"))
        self.assertEqual(["\1b"], self.peer.take())
        ours.unsubscribe(b"b")
        self.assertEqual(["\0b"], self.peer.take())

    def test_subscriptions_change_under_our_traffic(self):
        for transport in ("tcp", "ipc"):
            ours = self.open("XPUB", XPUB_NODROP=1, SNDHWM=changing_subscriptions.PACE)
            self.peer.open("SUB", RCVHWM=changing_subscriptions.PACE)
            ours.bind(self.endpoints.wildcard(transport))
            self.peer.connect(ours.last_endpoint.decode())
            self.peer.start("follow_subscriptions", 1)
            changing_subscriptions.publish(ours)
            self.peer.finish()
            ours.close()

    def test_subscriptions_change_under_their_traffic(self):
        for transport in ("tcp", "ipc"):
            self.peer.open("XPUB", XPUB_NODROP=1, SNDHWM=changing_subscriptions.PACE)
            ours = self.open("SUB", RCVHWM=changing_subscriptions.PACE)
            ours.connect(self.peer.bind(self.endpoints.wildcard(transport)))
            self.peer.start("publish_rounds")
            changing_subscriptions.follow(ours, 2)
            self.peer.finish()
            ours.close()

    def bind_again(self, endpoint):
        """libzmq closes a listener some time after its socket, so the address may be in use for a moment."""
        deadline = time.monotonic() + zlink_python.PATIENCE
        while True:
            try:
                return self.peer.bind(endpoint)
            except AssertionError as failure:
                if "in use" not in str(failure) or time.monotonic() > deadline:
                    raise

    def test_their_publisher_restarts(self):
        self.peer.open("XPUB")
        endpoint = self.peer.bind("tcp://127.0.0.1:*")
        ours = self.open("SUB")
        ours.subscribe(b"topic")
        ours.connect(endpoint)
        for round_ in range(3):
            self.peer.start("take")
            ours.poll(300)  # subscriptions go out again from within a call of the socket's thread
            self.assertEqual(["\1topic"], self.peer.finish())
            self.peer.post(f"topic {round_}")
            self.assertEqual(f"topic {round_}".encode(), ours.recv())
            self.peer.close_socket()
            self.peer.open("XPUB")
            self.bind_again(endpoint)

    def test_messages_queued_while_they_are_down(self):
        self.peer.open("PULL")
        endpoint = self.peer.bind("tcp://127.0.0.1:*")
        ours = self.open("PUSH")
        events = ours.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        ours.connect(endpoint)
        pairing = PAIRINGS[13]
        self.send(ours, pairing, 0, 10, [100])
        self.peer.close_socket()
        self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
        for n in range(500):
            ours.send_multipart(zlink_python.content(1, n, [20, 9000]), zmq.DONTWAIT)
        self.peer.open("PULL")
        self.bind_again(endpoint)
        self.peer.recv_seeded(1, 0, 500, [20, 9000])
        ours.disable_monitor()


if __name__ == "__main__":
    unittest.main(verbosity=2)
