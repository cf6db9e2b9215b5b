# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""CURVE between zlink and PyPI's libzmq: traffic both ways, with and without pyzmq's authenticator on either side, and
keys that do not fit."""
import zlink_python

zlink_python.start()

import unittest

import zmq
from zmq.utils.monitor import recv_monitor_message

import pyzmq_case
import pyzmq_certificates

SIZES = [0, 1, 63, 64, 255, 256, 1000, 8192, 65536, 1 << 20, 16 << 20]
FAILED = zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_AUTH


class Keys:
    def __init__(self):
        self.public, self.secret = (key.decode() for key in zmq.curve_keypair())

    def as_server(self):
        return {"CURVE_SERVER": 1, "CURVE_SECRETKEY": self.secret, "ZAP_DOMAIN": "global"}

    def as_client(self, server):
        return {"CURVE_PUBLICKEY": self.public, "CURVE_SECRETKEY": self.secret, "CURVE_SERVERKEY": server.public}


class CurveTest(pyzmq_case.PyzmqTest):
    def setUp(self):
        super().setUp()
        self.server, self.client = Keys(), Keys()

    def open_here(self, socket_type, options):
        return self.open(socket_type, **{o: v.encode() if isinstance(v, str) else v for o, v in options.items()})

    def exchange(self, ours):
        """Messages of all sizes, of one frame and of several, there and back."""
        self.peer.start("echo", len(SIZES) + 1)
        for size in SIZES:
            content = zlink_python.content("curve", size, [size])
            ours.send_multipart(content)
            self.assertEqual(content, ours.recv_multipart())
        content = zlink_python.content("curve", 1, SIZES[:8])
        ours.send_multipart(content)
        self.assertEqual(content, ours.recv_multipart())
        self.peer.finish()

    def test_their_client(self):
        for transport in ("tcp", "ipc"):
            for asked in (False, True):
                with self.subTest(transport, asked=asked):
                    if asked and not self.auth:
                        self.authenticate()
                        self.certificates = pyzmq_certificates.admit(self.auth, [self.client.public])
                    ours = self.open_here("PAIR", self.server.as_server())
                    endpoint = self.bind(ours, transport)
                    self.peer.open("PAIR", **self.client.as_client(self.server))
                    self.peer.connect(endpoint)
                    self.exchange(ours)
                    ours.close()
            if self.auth:
                self.auth.stop()
                self.auth = None

    def test_their_server(self):
        for asked in (False, True):
            if asked:
                self.peer.admit(self.client.public)
            for transport in ("tcp", "ipc"):
                with self.subTest(transport, asked=asked):
                    self.peer.open("PAIR", **self.server.as_server())
                    endpoint = self.peer.bind(self.endpoints.wildcard(transport))
                    ours = self.open_here("PAIR", self.client.as_client(self.server))
                    ours.connect(endpoint)
                    self.exchange(ours)
                    ours.close()

    def test_their_client_that_is_not_admitted(self):
        self.authenticate()
        self.certificates = pyzmq_certificates.admit(self.auth, [self.client.public])
        ours = self.open_here("PULL", self.server.as_server())
        endpoint = self.bind(ours, "tcp")
        events = ours.get_monitor_socket(FAILED | zmq.EVENT_HANDSHAKE_SUCCEEDED)
        self.peer.open("PUSH", **Keys().as_client(self.server))
        self.peer.monitor()
        self.peer.connect(endpoint)
        self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
        event = recv_monitor_message(events)
        self.assertEqual((zmq.EVENT_HANDSHAKE_FAILED_AUTH, 400), (event["event"], event["value"]))
        self.assertTrue(self.peer.await_event("EVENT_HANDSHAKE_FAILED_AUTH"))
        ours.disable_monitor()

    def test_our_client_that_is_not_admitted(self):
        self.peer.admit(self.client.public)
        self.peer.open("PULL", **self.server.as_server())
        endpoint = self.peer.bind(self.endpoints.wildcard("tcp"))
        ours = self.open_here("PUSH", Keys().as_client(self.server))
        events = ours.get_monitor_socket(FAILED | zmq.EVENT_HANDSHAKE_SUCCEEDED)
        ours.connect(endpoint)
        self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
        self.assertEqual(zmq.EVENT_HANDSHAKE_FAILED_AUTH, recv_monitor_message(events)["event"])
        ours.disable_monitor()

    def test_the_key_of_another_server(self):
        ours = self.open_here("PULL", self.server.as_server())
        endpoint = self.bind(ours, "tcp")
        events = ours.get_monitor_socket(FAILED | zmq.EVENT_HANDSHAKE_SUCCEEDED)
        self.peer.open("PUSH", **self.client.as_client(Keys()))
        self.peer.connect(endpoint)
        self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
        event = recv_monitor_message(events)
        self.assertEqual(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL, event["event"])
        self.assertEqual(zmq.PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC, event["value"])
        ours.disable_monitor()


if __name__ == "__main__":
    unittest.main()
