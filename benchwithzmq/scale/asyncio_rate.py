#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""An asyncio program under both libraries: turns of a ping-pong, and messages of a stream, a second.

pyzmq drives asyncio by ZMQ_FD and ZMQ_EVENTS, which makes it a program that knows nothing of the library under it. It
runs in a process of its own for each library, chosen by LD_LIBRARY_PATH, in turn. Prints RESULT lines for each run and
RATIO lines (metric, median, minimum, maximum of zlink to libzmq).
"""
import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import common

PATTERN = "SCALE_ASYNCIO"
STREAM_WINDOW = 500  # messages that may be on their way


async def turns(context, zmq, seconds, size):
    """Ping-pong between two tasks of one loop; returns turns a second."""
    near, far = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    near.connect(f"tcp://127.0.0.1:{far.bind_to_random_port('tcp://127.0.0.1')}")

    async def echo():
        while True:
            message = await far.recv()
            await far.send(message)
            if len(message) != size:
                return

    echoing = asyncio.create_task(echo())
    done = 0
    start = counted_from = None
    until = time.monotonic() + 1.1 * seconds
    while (now := time.monotonic()) < until:
        if start is None and now > until - seconds:
            start, counted_from = now, done
        message = done.to_bytes(8, "little").ljust(size, b"x")
        await near.send(message)
        if await asyncio.wait_for(near.recv(), 10) != message:
            raise RuntimeError(f"turn {done} brought back something else")
        done += 1
    rate = (done - counted_from) / (time.monotonic() - start)
    await near.send(b"")
    await echoing
    near.close(0)
    far.close(0)
    return rate


async def stream(context, zmq, seconds, size):
    """PUSH to PULL; returns messages a second."""
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.connect(f"tcp://127.0.0.1:{pull.bind_to_random_port('tcp://127.0.0.1')}")
    room = asyncio.Semaphore(STREAM_WINDOW)
    until = time.monotonic() + seconds
    sent = 0

    async def send():
        nonlocal sent
        while time.monotonic() < until:
            await room.acquire()
            await push.send(sent.to_bytes(8, "little").ljust(size, b"x"))
            sent += 1
        await push.send(b"")

    sending = asyncio.create_task(send())
    start = time.monotonic()
    received = 0
    while message := await asyncio.wait_for(pull.recv(), 10):
        if message != received.to_bytes(8, "little").ljust(size, b"x"):
            raise RuntimeError(f"message {received} came as something else")
        received += 1
        room.release()
    rate = received / (time.monotonic() - start)
    await sending
    if received != sent:
        raise RuntimeError(f"{sent} messages were sent, {received} came")
    push.close(0)
    pull.close(0)
    return rate


def child(seconds, size, folder):
    """One run under the library of that folder; prints its metrics as JSON."""
    try:
        import zmq
        import zmq.asyncio
    except ImportError as error:
        common.fail(f"pyzmq is missing ({error}): apt-get install python3-zmq")
    loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libzmq" in line}
    if not any(Path(file).resolve() == Path(folder, "libzmq.so.5").resolve() for file in loaded):
        common.fail(f"pyzmq has loaded {', '.join(loaded)}, not the libzmq of {folder}: use the "
                    f"distribution's python3-zmq")
    context = zmq.asyncio.Context()
    context.linger = 0
    try:
        metrics = {"turns_per_s": asyncio.run(turns(context, zmq, seconds, size)),
                   "stream_msg_per_s": asyncio.run(stream(context, zmq, seconds, size))}
    except (RuntimeError, zmq.ZMQError) as error:
        common.fail(str(error))
    except asyncio.TimeoutError:
        common.fail("no message came for 10 s", 3)
    context.term()
    print(json.dumps(metrics))


def main():
    parser = common.Parser(description=__doc__.splitlines()[0])
    common.add_library_options(parser)
    parser.add_argument("--seconds", type=common.positive, default=1.0, help="of each measurement")
    parser.add_argument("--size", type=common.count, default=64, help="octets of a message, at least 8")
    parser.add_argument("--python", default="/usr/bin/python3", help="interpreter that has the distribution's pyzmq")
    parser.add_argument("--child", help=common.argparse.SUPPRESS)
    options = parser.parse_args()
    if options.size < 8:
        parser.error("--size must be at least 8")
    if options.child:
        child(options.seconds, options.size, options.child)
        return
    dirs = common.library_dirs(options)
    runs = {label: [] for label in dirs}
    for _ in range(options.pairs):
        for label, folder in dirs.items():
            command = [options.python, __file__, "--child", str(folder), "--seconds", str(options.seconds), "--size",
                       str(options.size)]
            try:
                done = subprocess.run(command, env=common.environment_for(folder), capture_output=True, text=True,
                                      timeout=60 + 4 * options.seconds, check=False)
            except FileNotFoundError:
                common.fail(f"no interpreter {options.python}: give --python")
            except subprocess.TimeoutExpired:
                common.fail(f"{label}: hung", 3)
            if done.returncode != 0:
                lines = done.stderr.strip().splitlines()
                common.fail(f"{label}: {lines[-1] if lines else 'ended by signal'}", max(done.returncode, 1))
            runs[label].append(json.loads(done.stdout))
            common.print_results(label, PATTERN, "tcp", options.size, runs[label][-1])
    common.print_ratios(PATTERN, runs)


if __name__ == "__main__":
    sys.exit(main())
