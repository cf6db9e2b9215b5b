#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""docs/man/options.toml against the library: the options, their defaults and ranges, and the types that take them."""
import ctypes
import errno
import os
import re
import sys
import unittest
from pathlib import Path

SOURCE_DIR = Path(os.environ["ZLINK_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE_DIR / "tools"))
from manual.pages import manual  # noqa: E402

LIBRARY = Path(os.environ["ZLINK_LIB_DIR"]) / "libzmq.so.5"
TYPES = ("PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB", "STREAM",
         "SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER", "DGRAM", "PEER", "CHANNEL")
SIZES = {"int": 4, "bool": 4, "pid_t": 4, "uid_t": 4, "gid_t": 4, "int64_t": 8, "uint64_t": 8}
INT_MAX = 2**31 - 1
# Names in the parts of the header about options that are values, or options of contexts.
# Or of transports and mechanisms that are not there.
NO_OPTIONS = re.compile(r"ZMQ_(NULL|PLAIN|CURVE|BLOCKY|GROUP_MAX_LENGTH|RECONNECT_STOP_.+|NOTIFY_.*|ZERO_COPY_RECV|"
                        r"GSSAPI|GSSAPI_.*|VMCI_.*|NORM_.*)|"
                        r"ZLINK_MAX_QUEUED_BYTES")  # of contexts
OWN_NUMBERS = range(7000, 8000)  # of the options in zlink.h
# What a value would do to the socket, or what is set otherwise.
ONE_WAY = {"ZLINK_SHARED"}
BY_THE_SOCKET = {"ZMQ_LINGER": {"SUB": 0, "XSUB": 0, "DISH": 0}}


def options_of_headers(book):
    """Constants that the headers describe as options of sockets, without older names of the same number."""
    stable, draft = (book.root / "include" / "zmq.h").read_text().split("#ifdef ZMQ_BUILD_DRAFT_API")
    parts = [stable.partition("* Options of zmq_setsockopt()")[2].partition("zmq_socket(void*")[0],
             draft.partition("/* Socket options. */")[2].partition("zmq_ctx_set_ext(")[0]]
    pattern = r"^#define ((?:ZMQ|ZLINK)_\w+)(?:[ \t]|\\\n)+\d+\b"
    names = {name for part in parts for name in re.findall(pattern, part, re.MULTILINE)}
    own = re.findall(pattern, book.api.text["zlink.h"], re.MULTILINE)
    names |= {name for name in own if book.api.constants()[name] in OWN_NUMBERS}
    return {name for name in names if not NO_OPTIONS.fullmatch(name)}


def options_of_tables(root):
    """Names in the tables of the library, which are rows of src/."""
    names = set()
    for path in [*(root / "src/socket").glob("options*.cpp"), *(root / "src/transport").glob("*/*_options.cpp")]:
        for table in re.findall(r"constexpr (?:option_)?row \w*table\[\] = \{(.*?)^\};", path.read_text(),
                                re.MULTILINE | re.DOTALL):
            names |= set(re.findall(r"\(((?:ZMQ|ZLINK)_\w+)", table)) | set(re.findall(r"\{(ZMQ_\w+),", table))
    return names


class library:
    """The few calls that are needed, and sockets of every type."""

    def __init__(self, book):
        self.calls = ctypes.CDLL(str(LIBRARY), use_errno=True)
        for name in ("zmq_ctx_new", "zmq_socket"):
            getattr(self.calls, name).restype = ctypes.c_void_p
        self.numbers = book.api.constants()
        self.context = ctypes.c_void_p(self.calls.zmq_ctx_new())

    def end(self):
        self.calls.zmq_ctx_term(self.context)

    def has(self, capability):
        return self.calls.zmq_has(capability.encode()) == 1

    def socket(self, kind):
        return ctypes.c_void_p(self.calls.zmq_socket(self.context, self.numbers[f"ZMQ_{kind}"]))

    def close(self, socket):
        self.calls.zmq_close(socket)

    def get(self, socket, option, room):
        """The bytes of its value, or an errno."""
        value, size = ctypes.create_string_buffer(max(room, 1)), ctypes.c_size_t(room)
        if self.calls.zmq_getsockopt(socket, self.numbers[option], value, ctypes.byref(size)) != 0:
            return ctypes.get_errno()
        return value.raw[:size.value]

    def set(self, socket, option, value):
        """0, or an errno."""
        result = self.calls.zmq_setsockopt(socket, self.numbers[option], value, ctypes.c_size_t(len(value or b"")))
        return 0 if result == 0 else ctypes.get_errno()


def number(value, size=4):
    return value.to_bytes(size, "little", signed=value < 0)


class options_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.book = manual(SOURCE_DIR)
        cls.library = library(cls.book)
        cls.options = [each for each in cls.book.options
                       if "needs" not in each or cls.library.has(each["needs"])]

    @classmethod
    def tearDownClass(cls):
        cls.library.end()

    def with_sockets(self, types=TYPES):
        for kind in types:
            socket = self.library.socket(kind)
            try:
                yield kind, socket
            finally:
                self.library.close(socket)

    def test_every_option_of_the_headers_has_an_entry(self):
        named = {each["name"] for each in self.book.options}
        wanted = options_of_headers(self.book)
        self.assertGreater(len(wanted), 90)
        self.assertEqual(set(), wanted - named, "add these to docs/man/options.toml")
        self.assertEqual(set(), named - wanted, "the headers have no such options")

    def test_every_option_of_the_librarys_tables_has_an_entry(self):
        wanted = options_of_tables(SOURCE_DIR)
        self.assertGreater(len(wanted), 80)
        self.assertEqual(set(), wanted - {each["name"] for each in self.book.options},
                         "add these to docs/man/options.toml")

    def test_each_entry_has_what_the_pages_show(self):
        for each in self.book.options:
            with self.subTest(each["name"]):
                self.assertIn(each["access"], ("r", "w", "rw"))
                self.assertRegex(each["text"], r"^\S(.|\n)*[.)]$")
                self.assertLessEqual({*each.get("sockets", [])}, {*TYPES})
                self.assertIn(each["type"], {*SIZES, "text", "binary", "key"})

    def test_defaults_are_those_of_new_sockets(self):
        for kind, socket in self.with_sockets():
            for each in self.options:
                name, size = each["name"], SIZES.get(each["type"])
                if "r" not in each["access"] or "default" not in each:
                    continue
                with self.subTest(name, type=kind):
                    if name == "ZMQ_TOPICS_COUNT" and kind not in each["sockets"]:
                        continue
                    shared = ctypes.c_int.from_buffer_copy(self.library.get(socket, "ZMQ_THREAD_SAFE", 4)).value
                    wanted = BY_THE_SOCKET.get(name, {}).get(kind, each["default"])
                    if name == "ZLINK_SHARED":
                        wanted = shared
                    if each["type"] == "key":
                        self.assertEqual(bytes(32), self.library.get(socket, name, 32))
                    elif size is None:
                        self.assertEqual(wanted.encode(), self.library.get(socket, name, 256).rstrip(b"\0"))
                    else:
                        self.assertEqual(number(wanted, size), self.library.get(socket, name, size))

    def test_what_can_only_be_set_cannot_be_read(self):
        for _, socket in self.with_sockets(("ROUTER", "XPUB")):
            for each in self.options:
                if each["access"] == "w":
                    with self.subTest(each["name"]):
                        for room in (4, 256):
                            self.assertEqual(errno.EINVAL, self.library.get(socket, each["name"], room))

    def test_what_can_only_be_read_cannot_be_set(self):
        for _, socket in self.with_sockets(("ROUTER", "XPUB")):
            for each in self.options:
                if each["access"] == "r":
                    with self.subTest(each["name"]):
                        self.assertEqual(errno.EINVAL, self.library.set(socket, each["name"], number(1)))

    def test_ranges_end_where_they_say(self):
        for each in self.options:
            if each["type"] not in ("int", "bool") or "w" not in each["access"] or each["name"] in ONE_WAY:
                continue
            types = each.get("sockets", TYPES)
            least, most = each.get("least", -INT_MAX - 1), each.get("most", INT_MAX)
            for kind, socket in self.with_sockets(types):
                with self.subTest(each["name"], type=kind):
                    for value in (least, most):
                        self.assertEqual(0, self.library.set(socket, each["name"], number(value)), value)
                    for value in (least - 1, most + 1):
                        if -INT_MAX - 1 <= value <= INT_MAX:
                            self.assertEqual(errno.EINVAL, self.library.set(socket, each["name"], number(value)), value)
                    for wrong in (b"", b"123", b"12345"):
                        self.assertEqual(errno.EINVAL, self.library.set(socket, each["name"], wrong))

    def test_the_types_that_take_an_option_are_those_it_names(self):
        for kind, socket in self.with_sockets():
            for each in self.options:
                if "w" not in each["access"] or each["name"] in ONE_WAY:
                    continue
                value = {"text": b"X-a:b" if each["name"] == "ZMQ_METADATA" else b"127.0.0.1", "binary": b"x",
                         "key": bytes(32)}.get(each["type"])
                if value is None:
                    value = number(max(each.get("least", 0), 0), SIZES[each["type"]])
                with self.subTest(each["name"], type=kind):
                    wanted = 0 if kind in each.get("sockets", TYPES) else errno.EINVAL
                    self.assertEqual(wanted, self.library.set(socket, each["name"], value))

    def test_lengths_of_texts_end_where_they_say(self):
        for each in self.options:
            limit = re.match(r"(?:(\d+) to |up to )(\d+) bytes", each.get("range", ""))
            if not limit or each["name"] in ("ZMQ_TCP_ACCEPT_FILTER",):
                continue
            for kind, socket in self.with_sockets(("DEALER",)):
                with self.subTest(each["name"]):
                    self.assertEqual(0, self.library.set(socket, each["name"], b"x" * int(limit[2])))
                    self.assertEqual(errno.EINVAL, self.library.set(socket, each["name"], b"x" * (int(limit[2]) + 1)))
                    if limit[1]:
                        self.assertEqual(errno.EINVAL, self.library.set(socket, each["name"], b""))


if __name__ == "__main__":
    unittest.main()
