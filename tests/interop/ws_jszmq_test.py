# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""ws between zlink and jszmq, ZeroMQ in JavaScript as browsers use it, here on Node: it speaks ZWS2.0 without a
mechanism."""
import zlink_python

zlink_python.start()

import unittest

import zmq

import ws_case


class JszmqTest(ws_case.WsTest):
    PROGRAM = "jszmq_peer.js"

    def meet(self, ours, type_, **options):
        self.peer.open(type_, options)
        if type_ == "Sub":
            self.peer.subscribe("topic")
        ours.bind("ws://127.0.0.1:*/path")
        self.peer.connect(ours.last_endpoint.decode())
        return ours

    def test_push_and_pull(self):
        self.send_all(self.meet(self.open("PUSH"), "Pull"))
        self.receive_all(self.meet(self.open("PULL"), "Push"))

    def test_it_subscribes(self):
        ours = self.meet(self.open("XPUB"), "Sub")
        self.assertEqual(b"\1topic", ours.recv())
        ours.send_multipart([b"other", b"unheard"])
        self.send_all(ours, [b"topic"], [b"topic"])

    def test_it_publishes(self):
        ours = self.open("SUB")
        ours.subscribe(b"topic")
        self.meet(ours, "XPub")
        self.peer.start("receive")
        while not self.peer.answered(0.005):
            ours.poll(0)  # subscriptions go out from within a call
        self.assertEqual([b"\1topic"], ws_case.to_frames(self.peer.finish()))
        self.receive_all(ours, [b"topic"], [b"topic"])

    def test_it_requests(self):
        ours = self.meet(self.open("REP"), "Req")
        for content in self.messages("requests"):
            self.peer.post(*content)
            self.assertTrue(ours.recv_multipart() == content)
            ours.send_multipart(content)
            self.assertTrue(self.peer.take() == content)

    def test_it_answers(self):
        ours = self.meet(self.open("REQ"), "Rep", echo=True)
        for content in self.messages("requests"):
            ours.send_multipart(content)
            self.assertTrue(ours.recv_multipart() == content)

    def test_dealers_and_routers(self):
        dealer = self.meet(self.open("DEALER"), "Router", echo=True)
        for content in self.messages("requests"):
            dealer.send_multipart(content)
            self.assertTrue(dealer.recv_multipart() == content)
        router = self.meet(self.open("ROUTER"), "Dealer", echo=True)
        self.peer.post(b"here")
        name = router.recv_multipart()[0]
        for content in self.messages("requests"):
            router.send_multipart([name, *content])
            self.assertTrue(router.recv_multipart() == [name, *content])

    def test_it_binds(self):
        """It agrees to whatever a client names first, and speaks ZWS2.0: so that has to be what it sees first."""
        ours = self.open("PAIR")
        self.peer.open("Pair", {})
        endpoint = self.peer.bind("/path")
        with ws_case.rewriting_relay(endpoint, *ws_case.BARE_ALONE) as relayed:
            ours.connect(relayed)
            self.send_all(ours)
            self.receive_all(ours)

    def test_it_agrees_to_a_mechanism_that_it_does_not_have(self):
        ours = self.open("PAIR")
        events = ours.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL)
        self.peer.open("Pair", {})
        ours.connect(self.peer.bind("/path"))
        self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
        ours.disable_monitor()


if __name__ == "__main__":
    unittest.main()
