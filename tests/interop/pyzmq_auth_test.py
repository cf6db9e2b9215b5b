# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""pyzmq's authenticator (zmq.auth) unchanged: on zlink with clients of PyPI's libzmq, and on PyPI's libzmq with clients
of ours."""
import zlink_python

zlink_python.start()

import os
import unittest

import zmq
from zmq.utils.monitor import recv_monitor_message

import pyzmq_case

PASSWORDS = {"joe": "secret", "jim": "other"}


class AuthenticatorTest(pyzmq_case.PyzmqTest):
    def test_this_side_runs_on_zlink(self):
        ours = os.path.realpath(os.path.join(os.environ["ZLINK_LIB_DIR"], "libzmq.so.5"))
        self.assertEqual({ours}, {os.path.realpath(path) for path in zlink_python.mapped_libraries()})

    def test_passwords(self):
        self.authenticate()
        self.auth.configure_plain(domain="global", passwords=PASSWORDS)
        for transport in ("tcp", "ipc"):
            with self.subTest(transport):
                pull = self.open("PULL", PLAIN_SERVER=1, ZAP_DOMAIN=b"global")
                endpoint = self.bind(pull, transport)
                for user, password in PASSWORDS.items():
                    self.peer.open("PUSH", PLAIN_USERNAME=user, PLAIN_PASSWORD=password)
                    self.peer.connect(endpoint)
                    self.peer.post(user)
                    message = pull.recv(copy=False)
                    self.assertEqual((user.encode(), user), (message.bytes, message.get("User-Id")))
                events = pull.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_AUTH)
                for user, password in [("joe", "other"), ("nobody", "secret")]:
                    self.peer.open("PUSH", PLAIN_USERNAME=user, PLAIN_PASSWORD=password)
                    self.peer.monitor()
                    self.peer.connect(endpoint)
                    self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
                    self.assertEqual(400, recv_monitor_message(events)["value"])
                    self.assertTrue(self.peer.await_event("EVENT_DISCONNECTED"))
                self.assertFalse(pull.poll(0))
                pull.disable_monitor()
                pull.close()

    def test_addresses(self):
        self.authenticate()
        pull = self.open("PULL", ZAP_DOMAIN=b"global")
        endpoint = self.bind(pull, "tcp")
        self.auth.allow("127.0.0.1")
        self.peer.open("PUSH")
        self.peer.connect(endpoint)
        self.peer.post("hello")
        message = pull.recv(copy=False)
        self.assertEqual((b"hello", "anonymous"), (message.bytes, message.get("User-Id")))
        self.auth.stop()
        pull.close()

        self.authenticate()
        self.auth.deny("127.0.0.1")
        pull = self.open("PULL", ZAP_DOMAIN=b"global")
        endpoint = self.bind(pull, "tcp")
        self.peer.open("PUSH")
        self.peer.monitor()
        self.peer.connect(endpoint)
        self.assertTrue(self.peer.await_event("EVENT_HANDSHAKE_FAILED_AUTH"))
        self.assertFalse(pull.poll(0))

    def test_no_authenticator(self):
        pull = self.open("PULL", PLAIN_SERVER=1, ZAP_DOMAIN=b"global")
        endpoint = self.bind(pull, "tcp")
        events = pull.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_SUCCEEDED)
        self.peer.open("PUSH", PLAIN_USERNAME="joe", PLAIN_PASSWORD="secret")
        self.peer.connect(endpoint)
        self.assertEqual(zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL, recv_monitor_message(events)["event"])
        self.peer.close_all()
        self.authenticate()
        self.auth.configure_plain(domain="global", passwords=PASSWORDS)
        self.peer.open("PUSH", PLAIN_USERNAME="joe", PLAIN_PASSWORD="secret")
        self.peer.connect(endpoint)
        self.peer.post("hello")
        self.assertEqual(b"hello", pull.recv())
        pull.disable_monitor()

    def test_their_authenticator(self):
        self.peer.authenticate(PASSWORDS)
        for transport in ("tcp", "ipc"):
            with self.subTest(transport):
                self.peer.open("PULL", PLAIN_SERVER=1, ZAP_DOMAIN="global")
                endpoint = self.peer.bind(self.endpoints.wildcard(transport))
                push = self.open("PUSH", PLAIN_USERNAME=b"joe", PLAIN_PASSWORD=b"secret")
                push.connect(endpoint)
                push.send(b"hello")
                self.assertEqual(["hello"], self.peer.take())
                push.close()

                push = self.open("PUSH", PLAIN_USERNAME=b"joe", PLAIN_PASSWORD=b"wrong")
                events = push.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_AUTH)
                push.connect(endpoint)
                self.assertTrue(events.poll(zlink_python.PATIENCE * 1000))
                push.disable_monitor()
                push.close()


if __name__ == "__main__":
    unittest.main()
