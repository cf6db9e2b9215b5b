# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The space of workloads: draw(seed, index) gives always the same one.

A workload is a dictionary of the arguments of comp_*_explore (programs/explore/workload.hpp says what each means). The
numbers of peers and the sizes lie around the edges of zlink's rules: its inline connections, topics, buckets and
thresholds.
"""

import random

# Around what rules of zlink count: 4, 5, 16, 32 and 64 of something, and crowds.
PEERS = (1, 2, 3, 4, 5, 6, 8, 16, 17, 32, 33, 63, 64, 65, 100, 200)
FEW_PEERS = (1, 2, 3, 4, 5, 6, 8, 16, 17)
EDGES = (1, 8, 16, 31, 32, 33, 64, 127, 128, 255, 256, 500, 1000, 1087, 1088, 1089, 2000, 4096, 8191, 8192, 8193, 16383,
         16384, 16385,
         32767, 32768, 32769, 65536, 131072, 262144, 1048576)
RATES = (10, 30, 100, 300, 1000, 3000, 10_000, 20_000, 50_000, 75_000, 100_000)
WINDOWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
BURSTS = (2, 8, 32, 64, 128)
SPANS = (20, 50, 200, 500, 2000)  # µs of computing for a message

# What lies on the way at most: in queues at their marks, and in a second of an open loop.
MOST_QUEUED = 96 << 20
MOST_A_SECOND = 300 << 20

# (weight, front, back, echo, shape, proxy); one: a peer on each side, in: many fronts, out: many backs, both: through a
# proxy.
TOPOLOGIES = (
    (2, "PUSH", "PULL", 0, "one", "none"),
    (2, "PUSH", "PULL", 0, "in", "none"),
    (2, "PUSH", "PULL", 0, "out", "none"),
    (1, "PUSH", "PULL", 0, "both", "streamer"),
    (2, "DEALER", "DEALER", 0, "one", "none"),
    (1, "DEALER", "DEALER", 0, "in", "none"),
    (1, "DEALER", "DEALER", 0, "out", "none"),
    (1, "PAIR", "PAIR", 0, "one", "none"),
    (3, "DEALER", "ROUTER", 0, "in", "none"),
    (2, "ROUTER", "DEALER", 0, "out", "none"),
    (1, "PUB", "SUB", 0, "one", "none"),
    (5, "PUB", "SUB", 0, "out", "none"),
    (1, "PUB", "SUB", 0, "in", "none"),
    (1, "XPUB", "XSUB", 0, "out", "none"),
    (1, "XPUB", "SUB", 0, "out", "none"),
    (1, "PUB", "SUB", 0, "both", "forwarder"),
    (1, "PAIR", "PAIR", 1, "one", "none"),
    (1, "DEALER", "DEALER", 1, "one", "none"),
    (6, "DEALER", "ROUTER", 1, "in", "none"),
    (2, "DEALER", "REP", 1, "in", "none"),
    (2, "REQ", "REP", 1, "in", "none"),
    (2, "REQ", "ROUTER", 1, "in", "none"),
    (2, "ROUTER", "ROUTER", 1, "in", "none"),
    (2, "ROUTER", "DEALER", 1, "out", "none"),
    (3, "REQ", "REP", 1, "both", "queue"),
    (1, "REQ", "DEALER", 1, "both", "queue"),
    (1, "DEALER", "DEALER", 1, "both", "queue"),
)


def draw(seed, index, poller=False):
    """Workload number `index` of this seed. `poller`: both libraries have zmq_poller."""
    chance = random.Random(f"explorer {seed} {index}")
    of = {"seed": chance.randrange(1 << 30)}
    _topology(of, chance)
    _place(of, chance)
    _messages(of, chance)
    _load(of, chance)
    _calls(of, chance, poller)
    _options(of, chance)
    _bound(of)
    _times(of)
    return {name: value for name, value in of.items() if value is not None}


def _topology(of, chance):
    _, of["front"], of["back"], of["echo"], shape, of["proxy"] = chance.choices(TOPOLOGIES,
                                                                                [row[0] for row in TOPOLOGIES])[0]
    of["fronts"] = chance.choice(PEERS) if shape in ("in", "both") else 1
    of["backs"] = chance.choice(FEW_PEERS if shape == "both" else PEERS) if shape in ("out", "both") else 1
    if shape != "both":
        of["spokes_bind"] = int(chance.random() < 0.2)
    if of["front"] in ("PUB", "XPUB"):
        of["no_drop"] = int(chance.random() < 0.6)
        of["topics"] = chance.choice((0, 0, 0, 1, 2, 4, 15, 16, 17, 40))


def _place(of, chance):
    of["transport"] = chance.choice(("tcp", "tcp", "ipc", "inproc"))
    of["processes"] = 2 if of["transport"] != "inproc" and chance.random() < 0.4 else 1
    of["io_threads"] = chance.choice((1, 1, 1, 2, 3, 4))
    of["cores"] = chance.choice(("one", "any", "any") + (("apart",) if of["processes"] == 2 else ()))
    of["stranger"] = int(chance.random() < 0.12)
    for side in ("front", "back"):
        of[f"{side}_threads"] = of[f"{side}s"] if of[f"{side}s"] <= 65 and chance.random() < 0.35 else 1


def _messages(of, chance):
    of["parts"] = chance.choice((1, 1, 1, 1, 2, 3, 4))
    least = of["parts"] * (16 if of.get("topics") else 8 if of["front"] in ("PUB", "XPUB") else 1)
    kind = chance.random()
    if kind < 0.12:
        low, high = chance.choice(((33_000, 65_536), (1, 1088), (8000, 17_000), (64, 4096), (1, 262_144)))
        of["sizes"] = f"{max(low, least)}-{high}"
        return
    small = [size for size in EDGES if size <= 1089]
    sizes = [chance.choice(small if chance.random() < 0.55 else EDGES)
             for _ in range(1 if kind < 0.8 else chance.randint(2, 5))]
    of["sizes"] = ",".join(str(max(size, least)) for size in sizes)


def _load(of, chance):
    kind = chance.random()
    if kind < 0.45:
        of["load"] = "open"
        of["rate"] = chance.choice(RATES)
        of["burst"] = chance.choice(BURSTS) if chance.random() < 0.35 else 1
    elif of["echo"]:
        of["load"] = "window"
        of["window"] = 1 if of["front"] == "REQ" else chance.choice(WINDOWS)
    else:
        of["load"] = "flood"
    if chance.random() < 0.2:
        of["think_us"] = chance.choice(SPANS)
    if chance.random() < 0.2:
        of["work_us"] = chance.choice(SPANS)
    elif chance.random() < 0.1:
        of["nap_every"] = chance.choice((1, 10, 100))
        of["nap_us"] = chance.choice((100, 500, 2000))
    if (of.get("work_us") or of.get("nap_every")) and of["backs"] > 1:
        of["slow_first"] = int(chance.random() < 0.5)
    of["take"] = chance.choice((1, 4, 64, 64))


def _calls(of, chance, poller):
    of["api"] = chance.choice(("buffer", "buffer", "message", "data"))
    ways = ["poll", "poll", "descriptor"] + (["poller"] if poller else [])
    receives = of["back_threads"] == of["backs"]
    if of["echo"]:
        receives = (receives and of["front_threads"] == of["fronts"] and of["load"] == "window"
                    and of["front"] != "ROUTER")
    of["wait"] = chance.choice(ways + ["receive"] * 3 if receives else ways)
    of["guest"] = chance.choice(("none", "none", "none", "descriptor", "socket")) if of["wait"] != "receive" else "none"


def _options(of, chance):
    if chance.random() < 0.4:
        of["send_mark"] = chance.choice((1, 10, 100, 1000, 0))
        of["receive_mark"] = of["send_mark"] if chance.random() < 0.7 else chance.choice((10, 100, 1000, 0))
    if chance.random() < 0.15:
        of["send_buffer"] = chance.choice((8192, 65_536, 1 << 20))
    if chance.random() < 0.15:
        of["receive_buffer"] = chance.choice((8192, 65_536, 1 << 20))
    # Megabytes through 8 KB take seconds on any library.
    for name in ("send_buffer", "receive_buffer"):
        if of.get(name) == 8192 and largest(of) > 16_385:
            of[name] = 65_536


def largest(of):
    """The largest size of a workload's messages."""
    return max(int(size) for size in of["sizes"].replace("-", ",").split(","))


def mean_size(of):
    """The mean size, over what is drawn."""
    sizes = [int(size) for size in of["sizes"].replace("-", ",").split(",")]
    return sum(sizes) / len(sizes)


def _mark(value):
    return {None: 1000, 0: float("inf")}.get(value, value)


def _bound(of):
    """Keeps memory and rates within what a small machine has, and out of loads that no library survives."""
    connections = max(of["fronts"], of["backs"]) * (2 if of["proxy"] != "none" else 1)
    # A broker's ROUTER drops answers for which there is no room.
    if of["proxy"] == "queue" and min(_mark(of.get("send_mark")), _mark(of.get("receive_mark"))) < 100:
        of["send_mark"] = of["receive_mark"] = 100
    if of["load"] == "flood" or of["load"] == "open" and not of["echo"]:
        for name in ("send_mark", "receive_mark"):
            if of.get(name) == 0:
                of[name] = None
            fits = max(1, int(MOST_QUEUED / 2 / connections / mean_size(of)))
            if _mark(of.get(name)) > fits:
                of[name] = max(fits, 10) if fits < 1000 else None
    else:
        lanes = max(of["fronts"], of["backs"]) if of["front"] == "ROUTER" else of["fronts"]
        while of.get("window", 1) > 1 and of["window"] * lanes * mean_size(of) > MOST_QUEUED / 3:
            of["window"] //= 2
    if of["load"] == "window":
        # More in flight than the mark. Answers are dropped by a broker, a ROUTER has no POLLOUT of one peer, and a
        # thread that waits in a receive has no sender.
        mark = min(_mark(of.get("send_mark")), _mark(of.get("receive_mark")))
        careful = of["proxy"] != "none" or of["front"] == "ROUTER" or of["wait"] == "receive"
        if careful and of["window"] > mark:
            of["window"] = mark
    elif of["load"] == "open":
        if of["echo"] and (of["proxy"] != "none" or of["front"] == "ROUTER"):
            of["send_mark"] = of["receive_mark"] = None
        copies = of["backs"] if of["front"] in ("PUB", "XPUB") else 1
        while of["rate"] * copies * mean_size(of) * (2 if of["echo"] else 1) > MOST_A_SECOND and of["rate"] > 10:
            of["rate"] = max(10, of["rate"] // 3)
        # A window of a second has at least ten bursts.
        while of["burst"] > 1 and of["rate"] < 10 * of["burst"]:
            of["burst"] //= 2
        # Beyond some 100,000 deliveries a second the harness itself is what is measured.
        while of["rate"] * copies > 200_000:
            of["rate"] = max(10, of["rate"] // 3)
        # Computing takes at most half of a core.
        for name, threads in (("think_us", of["front_threads"]), ("work_us", of["back_threads"])):
            each = of["rate"] * (copies if name == "work_us" else 1)
            if of.get(name) and of[name] * each > 400_000 * min(threads, 1 if of["cores"] == "one" else 2):
                of[name] = None
        if of.get("nap_every") and of["nap_us"] / of["nap_every"] * of["rate"] * copies / of["back_threads"] > 500_000:
            of["nap_every"] = of["nap_us"] = None


def _fill_ms(of):
    """How long senders take to fill the queues of a flood whose receivers are slow, about."""
    queued = (_mark(of.get("send_mark")) + _mark(of.get("receive_mark"))) * max(of["fronts"], of["backs"])
    each_us = (of.get("think_us") or 0) + 3 + mean_size(of) / 1000
    return queued * each_us / 1000 / of["front_threads"]


def _times(of):
    """A window has 200 messages of an open loop, if that takes no more than a second; 0.3 s are the rule."""
    of["warm_ms"] = 100
    if of["load"] == "flood":
        of["warm_ms"] = int(min(1000, max(100, 2 * _fill_ms(of))))
    of["measure_ms"] = 300
    if of["load"] == "open":
        of["measure_ms"] = int(min(1000, max(300, 200_000 / of["rate"])))
    of["limit_s"] = 12


def arguments(of):
    """What comp_*_explore is given."""
    return [f"{name}={value}" for name, value in of.items()]


def text(of):
    """A workload in a line that a reader can take in."""
    count = {"front": f"{of['fronts']} {of['front']}" if of["fronts"] > 1 else of["front"],
             "back": f"{of['backs']} {of['back']}" if of["backs"] > 1 else of["back"]}
    between = {"none": "", "queue": " by a broker", "streamer": " by a streamer",
               "forwarder": " by a forwarder"}[of["proxy"]]
    words = [f"{count['front']} {'and back from' if of['echo'] else 'to'} {count['back']}{between}", of["transport"]]
    words.append(f"{of['sizes']} B" + (f" in {of['parts']} parts" if of["parts"] > 1 else ""))
    if of["load"] == "open":
        words.append(f"{of['rate']:,}/s" + (f" in bursts of {of['burst']}" if of["burst"] > 1 else ""))
    else:
        words.append(f"{of['window']} in flight" if of["load"] == "window" else "flood")
    for name, say in (("think_us", "{} µs before each"), ("work_us", "{} µs of work each"),
                      ("nap_every", "a nap each {}"),
                      ("topics", "{} topics"), ("send_mark", "SNDHWM {}"), ("receive_mark", "RCVHWM {}"),
                      ("send_buffer", "SNDBUF {}"), ("receive_buffer", "RCVBUF {}")):
        if of.get(name) is not None and (of[name] or name.endswith("mark")):
            words.append(say.format(of[name]) + (f" of {of['nap_us']} µs" if name == "nap_every" else ""))
    for name, say in (("slow_first", "the first one slow"), ("no_drop", "NODROP"), ("spokes_bind", "the many bind"),
                      ("stranger", "a busy stranger")):
        if of.get(name):
            words.append(say)
    words.append({"poll": "zmq_poll", "descriptor": "epoll on ZMQ_FD", "receive": "zmq_recv",
                  "poller": "zmq_poller"}[of["wait"]])
    if of["guest"] != "none":
        words[-1] += f" beside another {of['guest']}"
    if of["api"] != "buffer":
        words.append({"message": "zmq_msg_*", "data": "zmq_msg_init_data"}[of["api"]])
    threads = [f"{side} threads" for side in ("front", "back") if of[f"{side}_threads"] > 1]
    words += threads
    if of["take"] < 64 and of["wait"] != "receive":
        words.append(f"{of['take']} a turn")
    words.append({1: "one process", 2: "two processes"}[of["processes"]])
    words.append({"one": "one core", "any": "both cores", "apart": "a core each"}[of["cores"]])
    if of["io_threads"] > 1:
        words.append(f"{of['io_threads']} I/O threads")
    return ", ".join(words)
