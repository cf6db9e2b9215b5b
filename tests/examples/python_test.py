# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The programs of examples/python run. Their class Batches is a way to zlink_send_many() and zlink_recv_many()."""
import os
import subprocess
import unittest

PYTHON = os.environ["ZLINK_PYTHON"]
FOLDER = os.path.join(os.environ["ZLINK_SOURCE_DIR"], "examples", "python")
ENVIRONMENT = dict(os.environ, LD_LIBRARY_PATH=os.environ["ZLINK_LIB_DIR"], PYTHONPATH=FOLDER)
LIMIT = 60  # seconds: a hang becomes a failure

USE = """
import zmq
from batches import Batches

with zmq.Context() as context, context.socket(zmq.PULL) as pull, context.socket(zmq.PUSH) as push:
    pull.bind("inproc://batches")
    push.connect("inproc://batches")
    sender, receiver = Batches(push), Batches(pull, 4)
    assert receiver.receive(zmq.DONTWAIT) == []
    assert sender.send([b"a", b"", b"c" * 1000]) == 3
    push.send_multipart([b"d", b"e"])
    assert receiver.receive() == [[b"a"], [b""], [b"c" * 1000]]
    assert sender.send([b"f\\0g"]) == 1
    assert receiver.receive() == [[b"d", b"e"], [b"f\\0g"]]
    push.send_multipart([b"h"] * 5)
    try:
        receiver.receive()
    except zmq.ZMQError as error:
        print(error.errno)
    sender.close()
    receiver.close()
"""


class Python(unittest.TestCase):
    def run_python(self, *arguments):
        done = subprocess.run([PYTHON, *arguments], env=ENVIRONMENT, capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_batches_and_single_messages_all_arrive(self):
        for endpoint in ("inproc://batches", "tcp://127.0.0.1:*", "ipc://*"):
            with self.subTest(endpoint):
                single, batches = self.run_python(os.path.join(FOLDER, "batches.py"), "5000", endpoint)
                self.assertIn("messages a second", single)
                self.assertIn("messages a second", batches)

    def test_batches_have_whole_messages(self):
        self.assertEqual(self.run_python("-c", USE), [str(90)])

    def test_a_loop_is_called_for_each_message(self):
        for endpoint in ("inproc://messages", "tcp://127.0.0.1:*", "ipc://*"):
            with self.subTest(endpoint):
                said = self.run_python(os.path.join(FOLDER, "add_reader.py"), "500", endpoint)
                self.assertEqual(said, ["500 messages received"])


if __name__ == "__main__":
    unittest.main()
