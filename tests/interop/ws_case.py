# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What tests of ws share whose peers run on Node, and what lies between. Import it behind zlink_python.start()."""
import base64
import contextlib
import socket
import threading

import pyzmq_case
import zlink_python

SIZES = [0, 1, 123, 124, 125, 126, 254, 255, 256, 8192, 65533, 65534, 65535, 65536, 1 << 20]
MULTIPART = [[8, 0], [0, 0, 0], [40, 255, 256, 8192, 0, 65536], [1 << 20, 1, 70000]]

# What clients without security offer, for rewriting_relay(): they are left with the second.
BARE_ALONE = b"ZWS2.0/NULL,ZWS2.0\r\n", b"            ZWS2.0\r\n"


def to_text(frames):
    return [base64.b64encode(frame).decode() for frame in frames]


def to_frames(texts):
    return [base64.b64decode(text) for text in texts]


class NodePeer(zlink_python.Peer):
    """See node/calls.js."""

    def __init__(self, program):
        super().__init__(f"node/{program}", "ZLINK_NODE")

    def post(self, *frames):
        self.send(to_text(frames))

    def take(self):
        return to_frames(self.receive())


class WsTest(pyzmq_case.PyzmqTest):
    PROGRAM = None

    def make_peer(self):
        return NodePeer(self.PROGRAM)

    def messages(self, seed):
        """Of every size, alone and in several frames."""
        for number, sizes in enumerate([[size] for size in SIZES] + MULTIPART):
            yield zlink_python.content(seed, number, sizes)

    def send_all(self, ours, our_envelope=(), their_envelope=()):
        for content in self.messages("there"):
            ours.send_multipart([*our_envelope, *content])
            self.assertTrue(self.peer.take() == [*their_envelope, *content], [len(frame) for frame in content])

    def receive_all(self, ours, our_envelope=(), their_envelope=()):
        for content in self.messages("back"):
            self.peer.post(*their_envelope, *content)
            self.assertTrue(ours.recv_multipart() == [*our_envelope, *content], [len(frame) for frame in content])


@contextlib.contextmanager
def rewriting_relay(endpoint, old, new):
    """An endpoint that leads to `endpoint`; in what a client sends first, `old` becomes `new`, which must have its
    length."""
    host, port = endpoint.split("/")[2].split(":")
    listener = socket.create_server(("127.0.0.1", 0))
    open_ = [listener]

    def pump(source, target, change):
        with contextlib.suppress(OSError):
            while octets := source.recv(65536):
                if change:
                    if old not in octets:
                        break
                    octets, change = octets.replace(old, new, 1), False
                target.sendall(octets)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                client = listener.accept()[0]
                server = socket.create_connection((host, int(port)))
                open_.extend((client, server))
                for pair in ((client, server, True), (server, client, False)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield endpoint.replace(f"{host}:{port}", "{}:{}".format(*listener.getsockname()))
    finally:
        for one in open_:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
