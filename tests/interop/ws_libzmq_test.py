# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""ws between zlink and libzmq with its drafts, as the package zeromq of npm has it. The tests have patterns and sizes,
either side binding, with each mechanism that RFC 45 names and with none. Our side is Debian's python3-zmq on zlink."""
import zlink_python

zlink_python.start()

import itertools
import unittest

import zmq

import ws_case

ANYWHERE = "ws://127.0.0.1:*/path"  # libzmq takes all up to the last slash for the address

# (our type, theirs, our envelope, theirs, which side sends)
PAIRINGS = [
    ("PUSH", "Pull", [], [], "we"),
    ("PULL", "Push", [], [], "they"),
    ("PUB", "Subscriber", [b"topic"], [b"topic"], "we"),
    ("SUB", "Publisher", [b"topic"], [b"topic"], "they"),
    ("DEALER", "Router", [], [b"zlink"], "both"),
    ("ROUTER", "Dealer", [b"theirs"], [], "both"),
    ("REQ", "Reply", [], [], "both"),
    ("REP", "Request", [], [], "both"),
    ("PAIR", "Pair", [], [], "both"),
]
NAMED = {"DEALER", "ROUTER", "REQ", "REP", "PAIR"}


class LibzmqTest(ws_case.WsTest):
    PROGRAM = "zeromq_peer.js"

    def meet(self, pairing, we_bind, ours_options=None, theirs_options=None, join=ANYWHERE):
        """Our socket, joined to theirs, with a first message through where it could get lost."""
        our_type, their_type = pairing[:2]
        ours = self.open(our_type, SNDHWM=0, RCVHWM=0, **({"ROUTING_ID": b"zlink"} if our_type in NAMED else {}),
                         **(ours_options or {}))
        theirs = {"routingId": "theirs"} if their_type == "Dealer" else {}
        self.peer.open(their_type, **theirs, **(theirs_options or {}))
        if our_type == "SUB":
            ours.subscribe(b"")
        elif their_type == "Subscriber":
            self.peer.subscribe("")
        if we_bind:
            ours.bind(join)
            self.peer.connect(ours.last_endpoint.decode())
        else:
            ours.connect(self.peer.bind(join))
        self.synchronise(ours, our_type)
        return ours

    def synchronise(self, ours, our_type):
        if our_type == "SUB":
            while not ours.poll(5):
                self.peer.post(b"sync")
            self.peer.post(b"ready")
            while ours.recv() != b"ready":
                pass
        elif our_type == "PUB":
            self.peer.start("receive")
            while not self.peer.answered(0.005):
                ours.send(b"sync")
            self.peer.finish()
            ours.send(b"ready")
            while self.peer.take() != [b"ready"]:
                pass

    def exchange(self, ours, pairing):
        envelopes, senders = pairing[2:4], pairing[4]
        if pairing[0] == "REP":
            for content in self.messages("turns"):
                self.peer.post(*content)
                self.assertTrue(ours.recv_multipart() == content)
                ours.send_multipart(content)
                self.assertTrue(self.peer.take() == content)
        elif pairing[0] == "REQ":
            for content in self.messages("turns"):
                ours.send_multipart(content)
                self.assertTrue(self.peer.take() == content)
                self.peer.post(*content)
                self.assertTrue(ours.recv_multipart() == content)
        else:
            if senders != "they":
                self.send_all(ours, *envelopes)
            if senders != "we":
                self.receive_all(ours, *envelopes)

    def test_it_is_libzmq_with_drafts(self):
        self.assertEqual(["4.3.5", True], self.peer.library())

    def test_every_pattern(self):
        for pairing, we_bind in itertools.product(PAIRINGS, (True, False)):
            with self.subTest(ours=pairing[0], we_bind=we_bind):
                ours = self.meet(pairing, we_bind)
                if pairing[0] == "ROUTER":  # whose peer is not known before it has come
                    self.peer.post(b"here")
                    ours.recv_multipart()
                elif pairing[1] == "Router":
                    ours.send(b"here")
                    self.peer.take()
                self.exchange(ours, pairing)
                ours.close()

    def test_many_small_ones_there_and_back(self):
        ours = self.meet(PAIRINGS[-1], True)
        self.peer.start("echo", 3000)
        for number in range(3000):
            ours.send_multipart([b"%d" % number, b"x" * (number % 200)])
        for number in range(3000):
            self.assertEqual([b"%d" % number, b"x" * (number % 200)], ours.recv_multipart())
        self.peer.finish()

    def test_without_a_mechanism(self):
        """Bare ZWS2.0: both offer it as their second choice, so the first is taken away on the way."""
        for we_bind in (True, False):
            with self.subTest(we_bind=we_bind):
                ours = self.open("PAIR")
                self.peer.open("Pair")
                if we_bind:
                    ours.bind(ANYWHERE)
                    endpoint = ours.last_endpoint.decode()
                else:
                    endpoint = self.peer.bind(ANYWHERE)
                with ws_case.rewriting_relay(endpoint, *ws_case.BARE_ALONE) as relayed:
                    self.peer.connect(relayed) if we_bind else ours.connect(relayed)
                    self.send_all(ours)
                    self.receive_all(ours)
                ours.close()

    def test_plain(self):
        self.authenticate()
        self.auth.configure_plain(domain="*", passwords={"user": "secret"})
        self.peer.admit("user", "secret")
        server = {"PLAIN_SERVER": 1}, {"plainServer": True}
        client = ({"PLAIN_USERNAME": b"user", "PLAIN_PASSWORD": b"secret"},
                  {"plainUsername": "user", "plainPassword": "secret"})
        for we_bind in (True, False):
            with self.subTest(we_bind=we_bind):
                ours, theirs = (server[0], client[1]) if we_bind else (client[0], server[1])
                pair = self.meet(PAIRINGS[-1], we_bind, ours, theirs)
                self.send_all(pair)
                self.receive_all(pair)
                pair.close()

    def test_curve(self):
        (public, secret), (our_public, our_secret) = zmq.curve_keypair(), zmq.curve_keypair()
        server = {"CURVE_SERVER": 1, "CURVE_SECRETKEY": secret}, {"curveServer": True,
                                                                  "curveSecretKey": secret.decode()}
        client = ({"CURVE_PUBLICKEY": our_public, "CURVE_SECRETKEY": our_secret, "CURVE_SERVERKEY": public},
                  {"curvePublicKey": our_public.decode(), "curveSecretKey": our_secret.decode(),
                   "curveServerKey": public.decode()})
        for we_bind in (True, False):
            with self.subTest(we_bind=we_bind):
                ours, theirs = (server[0], client[1]) if we_bind else (client[0], server[1])
                pair = self.meet(PAIRINGS[-1], we_bind, ours, theirs)
                self.send_all(pair)
                self.receive_all(pair)
                pair.close()

    def test_mechanisms_that_differ_do_not_meet(self):
        ours = self.open("PAIR", PLAIN_SERVER=1)
        events = ours.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL)
        ours.bind(ANYWHERE)
        self.peer.open("Pair")
        self.peer.connect(ours.last_endpoint.decode())
        self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
        ours.disable_monitor()

    def test_one_of_both_goes_and_comes_back(self):
        ours = self.open("PAIR")
        ours.bind(ANYWHERE)
        endpoint = ours.last_endpoint.decode()
        for round_ in (b"first", b"second", b"third"):
            self.peer.open("Pair")
            self.peer.connect(endpoint)
            self.peer.post(round_)
            self.assertEqual(round_, ours.recv())
            events = ours.get_monitor_socket(zmq.EVENT_DISCONNECTED)
            self.peer.start("close")
            self.peer.finish()
            self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
            ours.disable_monitor()


if __name__ == "__main__":
    unittest.main()
