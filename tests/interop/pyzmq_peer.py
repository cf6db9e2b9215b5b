# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The foreign peer: runs on PyPI's pyzmq, which brings libzmq 4.3.5. Reads calls and writes answers as JSON lines.

It holds any number of sockets by name; `s` unless told otherwise."""
import json
import sys

import zmq
import zmq.auth.thread
from zmq.utils.monitor import recv_monitor_message

import changing_subscriptions
import pyzmq_certificates
from zlink_python import PATIENCE, content, mapped_libraries


class Calls:
    def __init__(self):
        self.context = zmq.Context()
        self.sockets = {}
        self.monitors = {}
        self.auth = None
        self.certificates = None

    def authenticate(self, passwords):
        """Has an authenticator of pyzmq's, until the end."""
        self.auth = zmq.auth.thread.ThreadAuthenticator(self.context)
        self.auth.start()
        self.auth.configure_plain(domain="global", passwords=passwords)

    def admit(self, *keys):
        """Has an authenticator of pyzmq's that admits clients with these public keys of CURVE."""
        self.authenticate({})
        self.certificates = pyzmq_certificates.admit(self.auth, keys)

    def library(self):
        return [zmq.zmq_version(), sorted(mapped_libraries())]

    def open(self, socket_type, name="s", **options):
        """A socket; options by their pyzmq names, bytes as text."""
        if name in self.sockets:
            self.close_socket(name)
        self.sockets[name] = socket = self.context.socket(getattr(zmq, socket_type))
        socket.linger = 0
        socket.rcvtimeo = socket.sndtimeo = PATIENCE * 1000
        for option, value in options.items():
            socket.setsockopt(getattr(zmq, option), value.encode() if isinstance(value, str) else value)

    def close_socket(self, name="s"):
        if name in self.monitors:
            self.sockets[name].disable_monitor()
            del self.monitors[name]
        self.sockets.pop(name).close()

    def close_all(self):
        for name in list(self.sockets):
            self.close_socket(name)

    def bind(self, endpoint, name="s"):
        self.sockets[name].bind(endpoint)
        return self.sockets[name].last_endpoint.decode().rstrip("\0")

    def connect(self, endpoint, name="s"):
        self.sockets[name].connect(endpoint)

    def send_seeded(self, seed, first, count, sizes, envelope=(), name="s"):
        for number in range(first, first + count):
            self.sockets[name].send_multipart([e.encode() for e in envelope] + content(seed, number, sizes))

    def recv_seeded(self, seed, first, count, sizes, envelope=(), name="s"):
        for number in range(first, first + count):
            frames = self.sockets[name].recv_multipart()
            if frames != [e.encode() for e in envelope] + content(seed, number, sizes):
                raise ValueError(f"wrong content in place of message {number}: {[f[:20] for f in frames]}")

    def echo(self, count, name="s"):
        for _ in range(count):
            self.sockets[name].send_multipart(self.sockets[name].recv_multipart())

    def post(self, *frames, name="s"):
        self.sockets[name].send_multipart([f.encode("latin-1") for f in frames])

    def take(self, name="s"):
        return [f.decode("latin-1") for f in self.sockets[name].recv_multipart()]

    def publish_rounds(self, name="s"):
        changing_subscriptions.publish(self.sockets[name])

    def follow_subscriptions(self, seed, name="s"):
        changing_subscriptions.follow(self.sockets[name], seed)

    def readable(self, timeout_ms, name="s"):
        return bool(self.sockets[name].poll(timeout_ms))

    def monitor(self, name="s"):
        self.monitors[name] = self.sockets[name].get_monitor_socket()

    def await_event(self, event, name="s", timeout_ms=PATIENCE * 1000):
        """Whether this event comes within the time (for each that comes before)."""
        while self.monitors[name].poll(timeout_ms):
            if recv_monitor_message(self.monitors[name])["event"] == getattr(zmq, event):
                return True
        return False


def main():
    calls = Calls()
    for line in sys.stdin:
        function, arguments, named = json.loads(line)
        try:
            answer = {"value": getattr(calls, function)(*arguments, **named)}
        except Exception as error:  # whatever it is, the test shall know
            answer = {"error": f"{function}: {type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
    calls.close_all()
    if calls.auth:
        calls.auth.stop()
    calls.context.term()


if __name__ == "__main__":
    main()
