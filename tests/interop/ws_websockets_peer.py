# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The foreign peer that is Python's websockets, with RFC 45 by its text on top. Reads calls and writes answers as JSON
lines; one connection at a time. Frames travel as base64."""
import base64
import json
import socket
import sys

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from zlink_python import PATIENCE

MORE, COMMAND = 1, 2


class LenientClient(ClientProtocol):
    """websockets' parsers want a sub-protocol to be a token, as RFC 6455 does; names of RFC 45 have a slash."""

    def process_subprotocol(self, headers):
        return headers.get("Sec-WebSocket-Protocol")


class LenientServer(ServerProtocol):
    def process_subprotocol(self, headers):
        offered = [name.strip() for name in headers["Sec-WebSocket-Protocol"].split(",")]
        return next(name for name in offered if name in self.available_subprotocols)


def ready(socket_type):
    name, value = b"Socket-Type", socket_type.encode()
    return b"\5READY" + bytes([len(name)]) + name + len(value).to_bytes(4, "big") + value


class Calls:
    def __init__(self):
        self.listener = None
        self.socket = None
        self.protocol = None
        self.come = []

    # --- connections
    # ------------------------------------------------------------------------------------------------------

    def connect(self, endpoint, subprotocol, lenient=True):
        host, port = endpoint.split("/")[2].split(":")
        self.begin(socket.create_connection((host, int(port)), PATIENCE),
                   (LenientClient if lenient else ClientProtocol)(
                       parse_uri(endpoint), subprotocols=None if lenient else [subprotocol], max_size=None))
        request = self.protocol.connect()
        if lenient:
            request.headers["Sec-WebSocket-Protocol"] = subprotocol
        self.protocol.send_request(request)
        self.flush()
        self.await_event(Response)
        if self.protocol.handshake_exc:
            raise self.protocol.handshake_exc
        return self.protocol.subprotocol

    def bind(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE)
        return "ws://{}:{}/path".format(*self.listener.getsockname())

    def accept(self, subprotocol, lenient=True):
        """The status of the answer, and the sub-protocol."""
        self.begin(self.listener.accept()[0],
                   (LenientServer if lenient else ServerProtocol)(subprotocols=[subprotocol], max_size=None))
        answer = self.protocol.accept(self.await_event(Request))
        self.protocol.send_response(answer)
        self.flush()
        return [answer.status_code, self.protocol.subprotocol]

    def begin(self, stream, protocol):
        self.end()
        stream.settimeout(PATIENCE)
        self.socket, self.protocol, self.come = stream, protocol, []

    def end(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def flush(self):
        for octets in self.protocol.data_to_send():
            if octets:
                self.socket.sendall(octets)
            else:
                self.socket.shutdown(socket.SHUT_WR)

    def read(self):
        """False: nothing comes any more."""
        try:
            octets = self.socket.recv(1 << 16)
        except ConnectionResetError:
            octets = b""
        if octets:
            self.protocol.receive_data(octets)
        else:
            self.protocol.receive_eof()
        self.come += self.protocol.events_received()
        try:
            self.flush()
        except OSError:
            pass
        return bool(octets)

    def await_event(self, kind):
        while True:
            while self.come:
                event = self.come.pop(0)
                if isinstance(event, kind):
                    return event
            if not self.read():
                raise EOFError(f"the peer has ended the connection: {self.protocol.close_exc}")

    # --- frames of WebSocket
    # ----------------------------------------------------------------------------------------------

    def await_message(self):
        message = b""
        while True:
            frame = self.await_event(Frame)
            if frame.opcode in (Opcode.BINARY, Opcode.CONT):
                message += frame.data
                if frame.fin:
                    return message

    def ping(self, text):
        """What the pong has."""
        self.protocol.send_ping(text.encode())
        self.flush()
        while (frame := self.await_event(Frame)).opcode != Opcode.PONG:
            pass
        return frame.data.decode()

    def send_text(self, text):
        self.protocol.send_text(text.encode())
        self.flush()

    def send_octets(self, hexadecimal):
        """Behind the back of websockets."""
        self.socket.sendall(bytes.fromhex(hexadecimal))

    def send_close(self, code, reason=""):
        self.protocol.send_close(code, reason)
        self.flush()

    def await_end(self):
        """The codes of the close frames that came and went, null where there was none."""
        while self.read():
            pass
        came, went = self.protocol.close_rcvd, self.protocol.close_sent
        self.end()
        return [came and came.code, went and went.code]

    # --- RFC 45
    # -----------------------------------------------------------------------------------------------------------

    def shake_hands(self, socket_type):
        """Without a mechanism: both send a routing id. With NULL: a READY each."""
        null = self.protocol.subprotocol == "ZWS2.0/NULL"
        self.protocol.send_binary(bytes([COMMAND]) + ready(socket_type) if null else b"\0")
        self.flush()
        answer = self.await_message()
        if (answer[:7] == b"\2\5READY") if null else (answer[:1] == b"\0"):
            return
        raise ValueError(f"no good answer: {answer!r}")

    def send(self, frames, piece=None):
        """`piece`: octets of a fragment, at most."""
        frames = [base64.b64decode(frame) for frame in frames]
        for number, frame in enumerate(frames):
            message = bytes([MORE if number + 1 < len(frames) else 0]) + frame
            if piece is None:
                self.protocol.send_binary(message)
            else:
                pieces = [message[at:at + piece] for at in range(0, len(message), piece)]
                self.protocol.send_binary(pieces[0], fin=len(pieces) == 1)
                for at in range(1, len(pieces)):
                    self.protocol.send_continuation(pieces[at], fin=at + 1 == len(pieces))
            self.flush()

    def receive(self):
        frames = []
        while True:
            message = self.await_message()
            if message[0] & COMMAND:
                raise ValueError(f"a command: {message!r}")
            frames.append(base64.b64encode(message[1:]).decode())
            if not message[0] & MORE:
                return frames


def main():
    calls = Calls()
    for line in sys.stdin:
        function, arguments, named = json.loads(line)
        try:
            answer = {"value": getattr(calls, function)(*arguments, **named)}
        except Exception as error:  # whatever it is, the test shall know
            answer = {"error": f"{function}: {type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
