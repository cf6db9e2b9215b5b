# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink dump: what goes over a connection, from a relay in between and from files of captured packets."""
import os
import re
import struct
import tempfile
import unittest

from zlink_cli import Command, TcpServer, run

CLIENT, SERVER = ("10.0.0.1", 40000), ("10.0.0.2", 5555)
SYN, ACK, FIN = 2, 16, 1


def greeting(mechanism=b"NULL"):
    return (b"\xff" + bytes(7) + b"\1\x7f\3\1" + mechanism).ljust(64, b"\0")


def ready(kind):
    body = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
    return bytes([4, len(body)]) + body


def packet(back, sequence, flags, payload=b""):
    """Ethernet, IPv4 and TCP."""
    (source, source_port), (target, target_port) = (SERVER, CLIENT) if back else (CLIENT, SERVER)
    tcp = struct.pack(">HHIIBBHHH", source_port, target_port, sequence, 0, 0x50, flags, 0, 0, 0) + payload
    addresses = bytes(int(part) for address in (source, target) for part in address.split("."))
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + addresses
    return bytes(12) + b"\x08\0" + ip + tcp


def session():
    """A PUSH that sends "hello" to a PULL; two segments come in the wrong order, and one twice."""
    push, pull = greeting() + ready(b"PUSH") + b"\0\5hello", greeting() + ready(b"PULL")
    return [packet(False, 99, SYN), packet(True, 499, SYN | ACK), packet(False, 100, ACK, push[:40]),
            packet(False, 180, ACK, push[80:]), packet(False, 140, ACK, push[40:80]),
            packet(False, 140, ACK, push[40:80]), packet(True, 500, ACK, pull),
            packet(False, 100 + len(push), FIN | ACK), packet(True, 500 + len(pull), FIN | ACK)]


def ws_session():
    """A client that asks for WebSocket, and sends "hi" in a masked frame."""
    ask = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: ZWS2.0\r\n\r\n"
    agree = b"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Protocol: ZWS2.0\r\n\r\n"
    frames = b"\x82\x81\1\2\3\4\1" + b"\x82\x83\1\2\3\4" + bytes([0 ^ 1, ord("h") ^ 2, ord("i") ^ 3])
    return [packet(False, 99, SYN), packet(True, 499, SYN | ACK), packet(False, 100, ACK, ask),
            packet(True, 500, ACK, agree), packet(False, 100 + len(ask), ACK, frames)]


def tls_session():
    """A ClientHello without extensions, and a record that is encrypted."""
    hello = b"\1\0\0\x26\3\3" + bytes(36)
    records = b"\x16\3\1" + struct.pack(">H", len(hello)) + hello + b"\x17\3\3\0\5abcde"
    return [packet(False, 99, SYN), packet(True, 499, SYN | ACK), packet(False, 100, ACK, records)]


def pcap(packets, link=1):
    file = struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, link)
    for number, octets in enumerate(packets):
        file += struct.pack("<IIII", 1_700_000_000, number * 1000, len(octets), len(octets)) + octets
    return file


def pcapng(packets):
    def block(kind, body):
        body = body.ljust((len(body) + 3) // 4 * 4, b"\0")
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    file = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)) + block(1, struct.pack("<HHI", 1, 0, 0))
    for number, octets in enumerate(packets):
        at = 1_700_000_000_000_000 + number * 1000
        file += block(6, struct.pack("<IIIII", 0, at >> 32, at & 0xffffffff, len(octets), len(octets)) + octets)
    return file


EXPECTED = """\
[0.000000 s] #1 -> 10.0.0.1:40000 connects to 10.0.0.2:5555
[0.006000 s] #1 -> greeting: ZMTP 3.1, mechanism 'NULL'
[0.006000 s] #1 <- greeting: ZMTP 3.1, mechanism 'NULL'
[0.006000 s] #1 <- READY: Socket-Type 'PULL'
[0.006000 s] #1 -> READY: Socket-Type 'PUSH'
[0.006000 s] #1 -> message frame, 5 octets: 'hello'
[0.007000 s] #1 -> ends the connection
[0.008000 s] #1 <- ends the connection
"""


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "some.pcap")

    def dump(self, octets, *options):
        with open(self.path, "wb") as file:
            file.write(octets)
        return run("dump", self.path, *options)

    def test_both_kinds_of_files(self):
        for octets in (pcap(session()), pcapng(session())):
            result = self.dump(octets)
            self.assertEqual((result.status, result.err), (0, ""))
            self.assertEqual(sorted(result.out.decode().splitlines()), sorted(EXPECTED.splitlines()))

    def test_standard_input(self):
        self.assertEqual(run("dump", "-", stdin=pcap(session())).status, 0)

    def test_ports(self):
        self.assertEqual(self.dump(pcap(session()), "--port", "5555").status, 0)
        result = self.dump(pcap(session()), "--port", "80")
        self.assertEqual((result.status, result.out), (1, b""))
        self.assertIn("no connection of TCP with port 80 in 9 packets", result.err)

    def test_web_socket_and_tls(self):
        self.assertEqual(self.dump(pcap(ws_session())).out.decode(), """\
[0.000000 s] #1 -> 10.0.0.1:40000 connects to 10.0.0.2:5555
[0.002000 s] #1 -> 'GET / HTTP/1.1': asks for WebSocket, sub-protocols 'ZWS2.0'
[0.003000 s] #1 <- 'HTTP/1.1 101 Switching Protocols': WebSocket, sub-protocol 'ZWS2.0'
[0.004000 s] #1 -> routing id ''
[0.004000 s] #1 -> message frame, 2 octets: 'hi'
""")
        self.assertEqual(self.dump(pcap(tls_session())).out.decode(), """\
[0.000000 s] #1 -> 10.0.0.1:40000 connects to 10.0.0.2:5555
[0.002000 s] #1 -> TLS handshake, 42 octets: ClientHello
[0.002000 s] #1 -> TLS application data, 5 octets, encrypted
""")

    def test_how_much_is_shown(self):
        self.assertIn(b"5 octets: 'he'...\n", self.dump(pcap(session()), "--show", "2").out)

    def test_files_that_are_wrong(self):
        whole = pcap(session())
        for octets, words in ((b"", "it is empty"), (b"GIF89a" + bytes(30), "it is not a capture of packets"),
                              (whole[:10], "it ends within its header"),
                              (whole[:-3], "it ends within a packet at octet .*; the capture was cut off there; the "
                                           "packets before it were read"),
                              (pcapng(session())[:-3], "it ends within a block at octet "),
                              (pcap([b"x"], link=250), "no connection of TCP in 1 packets")):
            result = self.dump(octets)
            self.assertEqual(result.status, 1)
            self.assertRegex(result.err, f"zlink: {self.path}: .*{words}")

    def test_what_the_capture_cut_off_is_told(self):
        short = session()
        file = pcap(short[:3]) + struct.pack("<IIII", 1_700_000_000, 9, 60, len(short[3])) + short[3][:60]
        result = self.dump(file)
        self.assertEqual(result.status, 0)
        self.assertIn(b"of a packet were not captured", result.out)


class Live(unittest.TestCase):
    def between(self, server):
        scheme = server.split(":")[0]
        return Command("dump", "--bind", f"{scheme}://127.0.0.1:*", "--to", server, "-n", "1")

    def test_a_connection_passes_and_is_shown(self):
        with Command("pull", "-b", "tcp://127.0.0.1:*", "-n", "2") as pull, self.between(pull.endpoint()) as dump:
            self.assertEqual(run("push", "-c", dump.endpoint(), "-m", "|", "one|two", "x" * 100000).status, 0)
            self.assertEqual(pull.result().out, b"one\ttwo\n" + b"x" * 100000 + b"\n")
            result = dump.result()
        self.assertEqual(result.status, 0)
        text = re.sub(r"(?m)^\[\d+\.\d{6} s\] #1 ", "", result.out.decode())
        self.assertRegex(text, r"^-> tcp://127\.0\.0\.1:\d+ connects to tcp://127\.0\.0\.1:\d+\n")
        for line in ("-> greeting: ZMTP 3.1, mechanism 'NULL'", "<- greeting: ZMTP 3.1, mechanism 'NULL'",
                     "<- READY: Socket-Type 'PULL'", "-> message frame, 3 octets: 'one', more follows",
                     "-> message frame, 3 octets: 'two'",
                     "-> message frame, 100000 octets: '" + "x" * 64 + "'...", "-> ends the connection"):
            self.assertIn("\n" + line, text)

    def test_over_ipc(self):
        with tempfile.TemporaryDirectory() as folder:
            there, here = f"ipc://{folder}/there", f"ipc://{folder}/here"
            with Command("rep", "-b", there, "-n", "1", "-v") as rep, \
                    Command("dump", "--bind", here, "--to", there, "-n", "1") as dump:
                rep.await_line("listening on")
                dump.await_line("listening on")
                self.assertEqual(run("req", "-c", here, "hello").out, b"hello\n")
                self.assertIn(b"message frame, 5 octets: 'hello'", dump.result().out)
                rep.result()
            self.assertFalse(os.path.exists(f"{folder}/here"))

    def test_over_web_socket(self):
        with Command("pull", "-b", "ws://127.0.0.1:*/feed", "-n", "2") as pull, self.between(pull.endpoint()) as dump:
            self.assertRegex(dump.endpoint(), r"^ws://127\.0\.0\.1:\d+$")
            self.assertEqual(run("push", "-c", dump.endpoint() + "/feed", "-m", "|", "one|two",
                                 "x" * 100000).status, 0)
            self.assertEqual(pull.result().out, b"one\ttwo\n" + b"x" * 100000 + b"\n")
            text = re.sub(r"(?m)^\[\d+\.\d{6} s\] #1 ", "", dump.result().out.decode())
        for line in ("-> 'GET /feed HTTP/1.1': asks for WebSocket, sub-protocols 'ZWS2.0/NULL,ZWS2.0'",
                     "<- 'HTTP/1.1 101 Switching Protocols': WebSocket, sub-protocol 'ZWS2.0/NULL'",
                     "<- READY: Socket-Type 'PULL'", "-> message frame, 3 octets: 'one', more follows",
                     "-> message frame, 3 octets: 'two'", "-> message frame, 100000 octets: '" + "x" * 64 + "'...",
                     "-> WebSocket close, code 1000"):
            self.assertIn("\n" + line, text)

    def test_what_is_not_zmtp_is_named(self):
        with TcpServer(b"HTTP/1.1 400 Bad Request\r\n\r\n", closes=True) as server:
            with self.between(server.endpoint) as dump:
                run("push", "-c", dump.endpoint(), "-t", "10s", "hello")
                text = dump.result().out.decode()
        self.assertIn("<- this is HTTP, not ZMTP ('HTTP/1.1 400 Bad Request')", text)

    def test_a_peer_that_is_not_there(self):
        with Command("pull", "-b", "tcp://127.0.0.1:*") as pull:
            nobody = pull.endpoint()
        with self.between(nobody) as dump:
            with Command("push", "-c", dump.endpoint(), "hello"):
                result = dump.result()
        self.assertEqual(result.status, 0)
        self.assertIn("<- cannot be connected to: Connection refused", result.out.decode())

    def test_a_signal_ends_it(self):
        with Command("dump", "--bind", "tcp://127.0.0.1:*", "--to", "tcp://127.0.0.1:9") as dump:
            dump.endpoint()
            dump.interrupt()
            self.assertEqual(dump.result().status, 0)


class Mistakes(unittest.TestCase):
    def check(self, status, text, *arguments):
        result = run("dump", *arguments)
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.err, r"^zlink: [^\n]*\n$")
        self.assertIn(text, result.err)

    def test_wrong_arguments(self):
        here, there = ["--bind", "tcp://127.0.0.1:*"], ["--to", "tcp://127.0.0.1:9"]
        self.check(2, "dump needs a capture FILE, or --bind")
        self.check(2, "not both", "some.pcap", *here)
        self.check(2, "needs both --bind", *here)
        self.check(2, "--port chooses among the connections of a file", *here, *there, "--port", "1")
        self.check(2, "--show takes a size", "some.pcap", "--show", "1M")
        self.check(2, "only tcp://, ws:// and ipc:// can be looked into", *here, "--to", "tls://127.0.0.1:9")
        self.check(2, "it has no port", "--bind", "tcp://127.0.0.1", *there)
        self.check(2, "it has no host or no port", *here, "--to", "tcp://*:5555")
        self.check(1, "No such file", "/no/such/file.pcap")
        with Command("pull", "-b", "tcp://127.0.0.1:*") as pull:
            self.check(1, "Address already in use", "--bind", pull.endpoint(), *there)


if __name__ == "__main__":
    unittest.main()
