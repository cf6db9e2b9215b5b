# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Traffic under which subscriptions come and go. The ends are an XPUB that tells in each round whose subscriptions it
knows, and a SUB that holds this against what it gets. Either may run on either library."""
import json
import random

import zmq

SUBSCRIPTIONS = ["a", "ab", "b", "c", "cd"]
TOPICS = ["a", "abc", "b", "ca", "cd", "d"]
CHANGES = 400
PACE = 50  # high-water mark: the publisher stays at most so far ahead


def hear(socket, known):
    """Takes in the subscriptions that have arrived; those it was about."""
    changed = set()
    while True:
        try:
            message = socket.recv(zmq.DONTWAIT).decode("latin-1")
        except zmq.Again:
            return changed
        (known.add if message[0] == "\1" else known.discard)(message[1:])
        changed.add(message[1:])


def publish(socket, rounds=200000):
    """Rounds of one message per topic, closed by one with the subscriptions that held throughout and those that may
    have held. They go on until somebody subscribes to `stop`."""
    known = set()
    for number in range(rounds):
        hear(socket, known)
        before = set(known)
        if "stop" in known:
            socket.send_multipart([b"round", b"end"])
            return
        for topic in TOPICS:
            socket.send_multipart([topic.encode(), str(number).encode()])
        changed = hear(socket, known)
        certain, possible = sorted(before - changed), sorted(before | changed)
        socket.send_multipart([b"round", str(number).encode(), json.dumps([certain, possible]).encode()])
    raise AssertionError("nobody told the publisher to stop")


def matching(subscriptions):
    return [topic for topic in TOPICS if any(topic.startswith(s) for s in subscriptions)]


def next_round(socket):
    """What comes before the end of a round, and the end."""
    got = []
    while True:
        frames = [f.decode() for f in socket.recv_multipart()]
        if frames[0] == "round":
            return got, int(frames[1]), *map(set, json.loads(frames[2]))
        got.append(frames)


def follow(socket, seed):
    """Changes subscriptions (which count) after each round, and gets what it should in all of them."""
    choose = random.Random(seed)
    held = dict.fromkeys(SUBSCRIPTIONS, 0)
    socket.subscribe(b"round")
    expected = next_round(socket)[1] + 1
    heard = changes = 0
    while True:
        got, number, certain, possible = next_round(socket)
        ours = {s for s, count in held.items() if count}
        topics = [topic for topic, _ in got]
        what = f"round {number}: {got}, ours {ours}, publisher's {certain} to {possible}"
        assert number == expected, what
        assert all(n == str(number) for _, n in got), what
        assert topics == [t for t in TOPICS if t in topics], what  # in order, none twice
        assert set(matching(certain & ours)) <= set(topics) <= set(matching(possible)) & set(matching(ours)), what
        expected += 1
        heard += len(got)
        if changes < CHANGES:
            changes += 1
            subscription = choose.choice(SUBSCRIPTIONS)
            if held[subscription] and choose.random() < 0.6:
                held[subscription] -= 1
                socket.unsubscribe(subscription.encode())
            elif held[subscription] < 2:
                held[subscription] += 1
                socket.subscribe(subscription.encode())
        elif certain - {"round"} == possible - {"round"} == ours:
            assert topics == matching(ours), what
            break
    assert heard, "no message but the ends of rounds"
    socket.subscribe(b"stop")
    while socket.recv_multipart() != [b"round", b"end"]:
        pass  # the publisher may be waiting for room
