# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What tests share that hold sockets of zlink, by Debian's python3-zmq, against a peer on PyPI's. Import it behind
zlink_python.start()."""
import unittest

import zmq
import zmq.auth.thread

import zlink_python


class PyzmqTest(unittest.TestCase):
    def make_peer(self):
        return zlink_python.Peer()

    def setUp(self):
        self.peer = self.make_peer()
        self.endpoints = zlink_python.Endpoints()
        self.context = zmq.Context()
        self.auth = None

    def tearDown(self):
        if self.auth:
            self.auth.stop()
        self.context.destroy(linger=0)
        self.peer.close()
        self.endpoints.close()

    def authenticate(self):
        self.auth = zmq.auth.thread.ThreadAuthenticator(self.context)
        self.auth.start()

    def open(self, socket_type, **options):
        socket = self.context.socket(getattr(zmq, socket_type))
        socket.linger = 0
        socket.rcvtimeo = socket.sndtimeo = zlink_python.PATIENCE * 1000
        for option, value in options.items():
            socket.setsockopt(getattr(zmq, option), value)
        return socket

    def bind(self, socket, transport):
        socket.bind(self.endpoints.wildcard(transport))
        return socket.last_endpoint.decode().rstrip("\0")
