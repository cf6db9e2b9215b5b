# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Socket types of the draft API between zlink and the package zeromq of npm, which is libzmq with its drafts. They are
CLIENT and SERVER, SCATTER and GATHER, RADIO and DISH. They are tested both ways, over tcp, ipc and ws, either side
binding."""
import base64
import contextlib
import itertools
import unittest

import draft_zlink
import zlink_python

SIZES = [0, 1, 254, 255, 256, 8192, 65536, 1 << 20]


class DraftNodeTest(unittest.TestCase):
    def setUp(self):
        self.peer = zlink_python.Peer("node/zeromq_peer.js", "ZLINK_NODE")
        self.endpoints = zlink_python.Endpoints()
        self.context = draft_zlink.Context()

    def tearDown(self):
        self.peer.close()
        self.endpoints.close()
        self.context.close()

    def post(self, body, address=None):
        self.peer.sendTo(base64.b64encode(body).decode(), address)

    def take(self):
        body, address = self.peer.receiveFrom()
        return base64.b64decode(body), address

    @contextlib.contextmanager
    def joined(self, our_kind, their_type, transport, we_bind):
        with contextlib.closing(draft_zlink.Socket(self.context, our_kind)) as ours:
            self.peer.open(their_type, {})
            endpoint = self.endpoints.wildcard(transport)
            if we_bind:
                self.peer.connect(ours.bind(endpoint))
            else:
                ours.connect(self.peer.bind(endpoint))
            yield ours

    def meet(self, our_kind, their_type, exchange):
        """Calls exchange(our socket) in each way that the two can be joined."""
        for transport, we_bind in itertools.product(("tcp", "ipc", "ws"), (True, False)):
            with self.subTest(transport=transport,
                              we_bind=we_bind), self.joined(our_kind, their_type, transport, we_bind) as ours:
                exchange(ours)

    @staticmethod
    def bodies():
        for number, size in enumerate(SIZES):
            yield zlink_python.content("draft", number, [size])[0]

    def test_the_peer_is_libzmq_with_drafts(self):
        version, drafts = self.peer.library()
        self.assertRegex(version, r"^4\.")
        self.assertTrue(drafts)

    def test_client_to_their_server(self):
        def exchange(ours):
            for body in self.bodies():
                ours.send(body)
                got, address = self.take()
                self.assertTrue(got == body, len(got))
                self.post(body, address)
                self.assertTrue(ours.receive() == (body, None))

        self.meet(draft_zlink.CLIENT, "Server", exchange)

    def test_server_to_their_client(self):
        def exchange(ours):
            for body in self.bodies():
                self.post(body)
                got, address = ours.receive()
                self.assertTrue(got == body, len(got))
                ours.send(body, address)
                self.assertTrue(self.take() == (body, None))

        self.meet(draft_zlink.SERVER, "Client", exchange)

    def test_scatter_to_their_gather(self):
        def exchange(ours):
            for body in self.bodies():
                ours.send(body)
                self.assertTrue(self.take() == (body, None))

        self.meet(draft_zlink.SCATTER, "Gather", exchange)

    def test_gather_from_their_scatter(self):
        def exchange(ours):
            for body in self.bodies():
                self.post(body)
                self.assertTrue(ours.receive() == (body, None))

        self.meet(draft_zlink.GATHER, "Scatter", exchange)

    def test_radio_to_their_dish(self):
        def exchange(ours):
            self.peer.join("group")
            self.peer.start("receiveFrom")
            while not self.peer.answered(0.005):
                ours.send(b"sync", "group")
            self.peer.finish()
            ours.send(b"ready", "group")
            while self.take()[0] != b"ready":
                pass
            for body in self.bodies():
                ours.send(body, "other")
                ours.send(body, "group")
                self.assertTrue(self.take() == (body, {"group": "group"}))

        self.meet(draft_zlink.RADIO, "Dish", exchange)

    def test_dish_from_their_radio(self):
        def exchange(ours):
            ours.join("group")
            while not ours.readable(5):
                self.post(b"sync", {"group": "group"})
            self.post(b"ready", {"group": "group"})
            while ours.receive()[0] != b"ready":
                pass
            for body in self.bodies():
                self.post(body, {"group": "other"})
                self.post(body, {"group": "group"})
                self.assertTrue(ours.receive() == (body, "group"))

        self.meet(draft_zlink.DISH, "Radio", exchange)


if __name__ == "__main__":
    unittest.main(verbosity=2)
