# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""ws between zlink and Python's websockets with RFC 45 on top, see ws_websockets_peer.py: messages, fragments, pings
and closes, either side the server. Our side is Debian's python3-zmq on zlink."""
import zlink_python

zlink_python.start()

import unittest

import zmq

import ws_case

EACH = [(protocol, we_bind) for protocol in ("ZWS2.0", "ZWS2.0/NULL") for we_bind in (True, False)]


class WebsocketsTest(ws_case.WsTest):
    def make_peer(self):
        peer = zlink_python.Peer("ws_websockets_peer.py")
        peer.post = lambda *frames, **how: peer.send(ws_case.to_text(frames), **how)
        peer.take = lambda: ws_case.to_frames(peer.receive())
        return peer

    def meet(self, protocol, we_bind, type_="PAIR", their_type="PAIR"):
        ours = self.open(type_)
        if we_bind:
            ours.bind("ws://127.0.0.1:*/path")
            self.assertEqual(protocol, self.peer.connect(ours.last_endpoint.decode(), protocol))
        else:
            ours.connect(self.peer.bind())
            self.assertEqual([101, protocol], self.peer.accept(protocol))
        self.peer.shake_hands(their_type)
        return ours

    def test_messages_of_every_size(self):
        for case in EACH:
            with self.subTest(case):
                ours = self.meet(*case)
                self.send_all(ours)
                self.receive_all(ours)
                ours.close()

    def test_fragments(self):
        for case in EACH:
            with self.subTest(case):
                ours = self.meet(*case)
                for size, piece in ((0, 1), (10, 1), (200, 126), (70000, 1000), (1 << 20, 70000)):
                    content = zlink_python.content("pieces", size, [size, 3])
                    self.peer.post(*content, piece=piece)
                    self.assertTrue(ours.recv_multipart() == content, size)
                ours.close()

    def test_pings(self):
        for case in EACH:
            with self.subTest(case):
                ours = self.meet(*case)
                self.assertEqual("who is there?", self.peer.ping("who is there?"))
                ours.close()

    def test_it_requests_and_it_answers(self):
        for type_, their_type in (("REP", "REQ"), ("REQ", "REP")):
            ours = self.meet("ZWS2.0/NULL", True, type_, their_type)
            if type_ == "REP":
                self.peer.post(b"", b"question")
                self.assertEqual(b"question", ours.recv())
                ours.send(b"answer")
                self.assertEqual([b"", b"answer"], self.peer.take())
            else:
                ours.send(b"question")
                self.assertEqual([b"", b"question"], self.peer.take())
                self.peer.post(b"", b"answer")
                self.assertEqual(b"answer", ours.recv())

    def test_it_subscribes(self):
        ours = self.meet("ZWS2.0/NULL", True, "XPUB", "SUB")
        self.peer.post(b"\1topic")
        self.assertEqual(b"\1topic", ours.recv())
        ours.send_multipart([b"topic", b"news"])
        self.assertEqual([b"topic", b"news"], self.peer.take())

    def test_it_takes_no_names_with_a_slash_by_itself(self):
        """RFC 6455 wants a sub-protocol to be a token, which has no slash; RFC 45 has. So this server refuses the
        request."""
        ours = self.open("PAIR")
        events = ours.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL)
        ours.connect(self.peer.bind())
        self.assertEqual([400, None], self.peer.accept("ZWS2.0", lenient=False))
        self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
        ours.disable_monitor()

    def test_its_own_client(self):
        ours = self.open("PAIR")
        ours.bind("ws://127.0.0.1:*/path")
        self.assertEqual("ZWS2.0", self.peer.connect(ours.last_endpoint.decode(), "ZWS2.0", lenient=False))
        self.peer.shake_hands("PAIR")
        self.send_all(ours)
        self.receive_all(ours)

    def test_its_close_is_answered(self):
        for case in EACH:
            with self.subTest(case):
                ours = self.meet(*case)
                self.peer.post(b"last")
                self.peer.send_close(1001, "going away")
                self.assertEqual([1001, 1001], self.peer.await_end())
                self.assertEqual(b"last", ours.recv())
                ours.close()

    def test_ours_is_clean(self):
        """Whatever ends our side: the socket's close, with time to send what waits or without, or disconnect."""
        for case in EACH:
            with self.subTest(case):
                for linger in (0, -1):
                    ours = self.meet(*case)
                    self.peer.ping("there?")
                    ours.linger = linger
                    ours.send(b"last")
                    self.assertEqual([b"last"], self.peer.take())
                    ours.close()
                    self.assertEqual([1000, 1000], self.peer.await_end())
                ours = self.meet(*case)
                endpoint = ours.last_endpoint.decode()
                self.peer.ping("there?")
                if not case[1]:
                    ours.disconnect(endpoint)
                    self.assertEqual([1000, 1000], self.peer.await_end())
                ours.close()

    def test_mistakes_are_told(self):
        for case in EACH:
            with self.subTest(case):
                for mistake, code in ((lambda: self.peer.send_text("text"), 1003),
                                      (lambda: self.peer.send_octets("c280"), 1002),
                                      (lambda: self.peer.send_octets("8200" if case[1] else "828000000000"), 1002)):
                    ours = self.meet(*case)
                    events = ours.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL)
                    mistake()
                    self.assertEqual([code, code], self.peer.await_end())
                    self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
                    ours.disable_monitor()
                    ours.close()

    def test_what_is_too_big_is_told(self):
        ours = self.open("PAIR", MAXMSGSIZE=1000)
        ours.bind("ws://127.0.0.1:*")
        self.peer.connect(ours.last_endpoint.decode(), "ZWS2.0")
        self.peer.shake_hands("PAIR")
        self.peer.post(b"x" * 1001)
        self.assertEqual([1009, 1009], self.peer.await_end())


if __name__ == "__main__":
    unittest.main()
