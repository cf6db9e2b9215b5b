# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A queue that is full to its high-water mark takes at most 5 % more memory than libzmq's. The same program runs on the
distribution's libzmq and with zlink in its place."""
import os
import socket
import subprocess
import unittest

import zlink_python

SIZES = [64, 1000, 9000, 16000, 20000, 24000, 31000, 33000, 100000]
OCTETS = 40_000_000  # in a queue: pages here and there shall not count
MOST = 100_000  # messages


class QueueMemoryTest(unittest.TestCase):
    def fill(self, environment, endpoint, size, hwm):
        """How many messages the queue took, and by how many KiB the process grew."""
        program = os.path.join(os.environ["ZLINK_TEST_BIN_DIR"], "full_queue_peer")
        done = subprocess.run([program, endpoint, str(size), str(hwm)], env=environment, capture_output=True, text=True,
                              timeout=zlink_python.PATIENCE, check=True)
        return tuple(map(int, done.stdout.split()))

    def compare(self, endpoint):
        theirs = zlink_python.foreign_environment()
        ours = dict(theirs, LD_LIBRARY_PATH=os.environ["ZLINK_LIB_DIR"])
        for size in SIZES:
            with self.subTest(size=size):
                hwm = min(OCTETS // size, MOST)
                count, libzmq = self.fill(theirs, endpoint, size, hwm)
                self.assertGreaterEqual(count, hwm)
                self.assertGreater(libzmq, hwm * size // 1024 * 9 // 10)
                our_count, zlink = self.fill(ours, endpoint, size, hwm)
                self.assertEqual(count, our_count)
                self.assertLessEqual(zlink, libzmq * 1.05)

    def test_inproc(self):
        self.compare("inproc://queue")

    def test_tcp_to_a_peer_that_does_not_answer(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.compare(f"tcp://127.0.0.1:{listener.getsockname()[1]}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
