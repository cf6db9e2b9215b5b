# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink's draft API for scripts: Debian's python3-zmq was built without."""
import ctypes
import os

import zlink_python

SERVER, CLIENT, RADIO, DISH, GATHER, SCATTER = 12, 13, 14, 15, 16, 17
LAST_ENDPOINT, RCVTIMEO, SNDTIMEO, LINGER = 32, 27, 28, 17
POLLIN = 1

_lib = ctypes.CDLL(os.path.join(os.environ["ZLINK_LIB_DIR"], "libzmq.so.5"), use_errno=True)
for _name in ("zmq_ctx_new", "zmq_socket", "zmq_msg_data"):
    getattr(_lib, _name).restype = ctypes.c_void_p
_lib.zmq_msg_group.restype = ctypes.c_char_p
_lib.zmq_msg_routing_id.restype = ctypes.c_uint32
_lib.zmq_msg_size.restype = ctypes.c_size_t


class _Message(ctypes.Structure):
    _fields_ = [("octets", ctypes.c_uint64 * 8)]


class _PollItem(ctypes.Structure):
    _fields_ = [("socket", ctypes.c_void_p), ("fd", ctypes.c_int), ("events", ctypes.c_short),
                ("revents", ctypes.c_short)]


def _check(result):
    if result == -1:
        raise OSError(_lib.zmq_errno(), os.strerror(_lib.zmq_errno()))
    return result


class Context:
    def __init__(self):
        self.handle = ctypes.c_void_p(_lib.zmq_ctx_new())

    def close(self):
        _check(_lib.zmq_ctx_term(self.handle))


class Socket:
    """Messages are (body, address): a routing id, a group, or None."""

    def __init__(self, context, kind):
        self.kind = kind
        self.handle = ctypes.c_void_p(_lib.zmq_socket(context.handle, kind))
        if not self.handle:
            raise OSError(_lib.zmq_errno(), os.strerror(_lib.zmq_errno()))
        for option, value in ((RCVTIMEO, zlink_python.PATIENCE * 1000), (SNDTIMEO, zlink_python.PATIENCE * 1000),
                              (LINGER, 0)):
            number = ctypes.c_int(value)
            _check(_lib.zmq_setsockopt(self.handle, option, ctypes.byref(number),
                                       ctypes.c_size_t(ctypes.sizeof(number))))

    def close(self):
        _check(_lib.zmq_close(self.handle))

    def bind(self, endpoint):
        _check(_lib.zmq_bind(self.handle, endpoint.encode()))
        room = ctypes.create_string_buffer(256)
        size = ctypes.c_size_t(len(room))
        _check(_lib.zmq_getsockopt(self.handle, LAST_ENDPOINT, room, ctypes.byref(size)))
        return room.value.decode()

    def connect(self, endpoint):
        _check(_lib.zmq_connect(self.handle, endpoint.encode()))

    def join(self, group):
        _check(_lib.zmq_join(self.handle, group.encode()))

    def readable(self, milliseconds):
        item = _PollItem(self.handle, 0, POLLIN, 0)
        return _check(_lib.zmq_poll(ctypes.byref(item), 1, ctypes.c_long(milliseconds))) == 1

    def send(self, body, address=None):
        message = _Message()
        _check(_lib.zmq_msg_init_buffer(ctypes.byref(message), body, ctypes.c_size_t(len(body))))
        if self.kind == SERVER:
            _check(_lib.zmq_msg_set_routing_id(ctypes.byref(message), ctypes.c_uint32(address)))
        elif self.kind == RADIO:
            _check(_lib.zmq_msg_set_group(ctypes.byref(message), address.encode()))
        if _lib.zmq_msg_send(ctypes.byref(message), self.handle, 0) == -1:
            error = _lib.zmq_errno()
            _lib.zmq_msg_close(ctypes.byref(message))
            raise OSError(error, os.strerror(error))

    def receive(self):
        message = _Message()
        _lib.zmq_msg_init(ctypes.byref(message))
        try:
            _check(_lib.zmq_msg_recv(ctypes.byref(message), self.handle, 0))
            body = ctypes.string_at(_lib.zmq_msg_data(ctypes.byref(message)), _lib.zmq_msg_size(ctypes.byref(message)))
            if self.kind == SERVER:
                return body, _lib.zmq_msg_routing_id(ctypes.byref(message))
            return body, _lib.zmq_msg_group(ctypes.byref(message)).decode() if self.kind == DISH else None
        finally:
            _lib.zmq_msg_close(ctypes.byref(message))
