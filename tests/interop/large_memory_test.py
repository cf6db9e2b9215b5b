# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A large message is held once on its way: sender and receiver take at most 1.1 times its size, besides the program's
own buffer. Each is a process of its own, whose peak of resident memory (VmHWM) is compared before and after."""
import subprocess
import sys
import tempfile
import unittest

SIZE = (64 << 20) + 4096  # a buffer that doubles would be held twice near its end
ALLOWED = SIZE * 11 // 10
LIMIT = 60  # seconds for one process

PEER = r"""
import ctypes, os, sys
role, endpoint, size = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
zmq = ctypes.CDLL(os.path.join(os.environ["ZLINK_LIB_DIR"], "libzmq.so.5"), use_errno=True)
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = zmq.zmq_msg_data.restype = ctypes.c_void_p
zmq.zmq_msg_size.restype = ctypes.c_size_t
PAIR, LAST_ENDPOINT = 0, 32

def check(status):
    if status < 0:
        raise OSError(ctypes.get_errno(), "zmq")
    return status

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) << 10

context = ctypes.c_void_p(zmq.zmq_ctx_new())
socket = ctypes.c_void_p(zmq.zmq_socket(context, PAIR))
message = ctypes.create_string_buffer(64)
if role.startswith("send"):
    check(zmq.zmq_connect(socket, endpoint))
    own = ctypes.create_string_buffer(size)
    ctypes.memset(own, 7, size)
    check(zmq.zmq_recv(socket, message, 64, 0))
    before = peak()
    if role == "send":
        check(zmq.zmq_send(socket, own, ctypes.c_size_t(size), 0))
    else:
        check(zmq.zmq_msg_init_data(message, own, ctypes.c_size_t(size), None, None))
        check(zmq.zmq_msg_send(message, socket, 0))
    check(zmq.zmq_recv(socket, message, 64, 0))
else:
    check(zmq.zmq_bind(socket, endpoint))
    length = ctypes.c_size_t(64)
    check(zmq.zmq_getsockopt(socket, LAST_ENDPOINT, message, ctypes.byref(length)))
    print(message.value.decode(), flush=True)
    check(zmq.zmq_send(socket, b"ready", ctypes.c_size_t(5), 0))
    before = peak()
    check(zmq.zmq_msg_init(message))
    check(zmq.zmq_msg_recv(message, socket, 0))
    data = ctypes.c_void_p(zmq.zmq_msg_data(message))
    assert zmq.zmq_msg_size(message) == size
    assert ctypes.string_at(data, 1000) == ctypes.string_at(data.value + size - 1000, 1000) == b"\7" * 1000
    check(zmq.zmq_send(socket, b"done", ctypes.c_size_t(4), 0))
print(peak() - before, flush=True)
check(zmq.zmq_close(socket))
check(zmq.zmq_ctx_term(context))
"""


def peer(role, endpoint):
    return subprocess.Popen([sys.executable, "-c", PEER, role, endpoint, str(SIZE)], stdout=subprocess.PIPE, text=True)


class LargeMemoryTest(unittest.TestCase):
    def measure(self, endpoint, sending):
        """By how many octets the receiver and the sender have grown."""
        receiver = peer("receive", endpoint)
        sender = peer(sending, receiver.stdout.readline().strip())
        grown = []
        for process in (receiver, sender):
            out, _ = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 0)
            grown.append(int(out))
        return grown

    def check(self, endpoint):
        for sending, allowed in (("send", ALLOWED), ("send message", SIZE // 10)):
            with self.subTest(sending=sending):
                receiver, sender = self.measure(endpoint, sending)
                print(f"{endpoint} {sending}: receiver {receiver / SIZE:.2f}, sender "
                      f"{sender / SIZE:.2f} of the message")
                self.assertGreater(receiver, SIZE * 9 // 10)
                self.assertLessEqual(receiver, ALLOWED)
                self.assertLessEqual(sender, allowed)

    def test_tcp(self):
        self.check("tcp://127.0.0.1:*")

    def test_ipc(self):
        with tempfile.TemporaryDirectory(prefix="zlink-") as folder:
            self.check(f"ipc://{folder}/s")


if __name__ == "__main__":
    unittest.main(verbosity=2)
