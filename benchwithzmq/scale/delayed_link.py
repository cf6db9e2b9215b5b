#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Throughput over a link with delay: the two ends are in two network namespaces made for it, 50 ms apart each way.

The delay is netem's (tc on a veth pair), or, on kernels without it, that of a tun device at each end with this program
between them. Needs root. Prints RESULT lines for each run and RATIO lines (metric, median, minimum, maximum of zlink to
libzmq).
"""
import atexit
import collections
import fcntl
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import time

import common

PATTERN = "SCALE_LINK"
ADDRESSES = ("10.231.77.1", "10.231.77.2")
PORT = 15577
MTU = 9000
QUEUE = 100000  # packets; a full queue would drop some and measure that
PROGRAMS = {"libzmq": "scale_std_zmq_link", "zlink": "scale_zlink_link"}


def command(*words, check=True):
    """Runs a command; a failure ends the program with the command's own words."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        common.fail(f"{' '.join(words)}: {' '.join(done.stderr.split()) or 'failed'}")
    return done


def leave_no_mounts():
    """Starts this program again with mounts of its own: `ip netns` mounts /run/netns and what lies in it, for good."""
    if os.environ.get("DELAYED_LINK_MOUNTS") == "own":
        return
    if not shutil.which("unshare"):
        common.fail("unshare is missing: apt-get install util-linux")
    apart = ["unshare", "--mount", "--propagation", "private", "sh", "-c",
             'mount -t tmpfs tmpfs /run && exec "$@"', "sh"]
    command(*apart, "true")
    os.environ["DELAYED_LINK_MOUNTS"] = "own"
    os.execvp(apart[0], [*apart, sys.executable, *sys.argv])


class Link:
    """Two namespaces and what lies between them; removed when the program ends."""

    def __init__(self, delay_ms, means):
        self.names = [f"benchwithzmq{i}-{os.getpid()}" for i in (0, 1)]
        self.devices = [f"bw{i}-{os.getpid() % 1000000}" for i in (0, 1)]
        self.delay = delay_ms / 1000
        self.wire = None
        atexit.register(self.remove)
        for name in self.names:
            command("ip", "netns", "add", name)
        if means == "netem" or (means == "auto" and self.have_netem()):
            self.means = "netem"
            self.make_veth(delay_ms)
        else:
            self.means = "tun"
            self.make_tun()
        self.check(delay_ms)

    def inside(self, end, *words):
        """The command line that runs these words in the namespace of that end."""
        return ["ip", "netns", "exec", self.names[end], *words]

    def have_netem(self):
        return command(*self.inside(0, "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"),
                       check=False).returncode == 0

    def make_veth(self, delay_ms):
        command("ip", "link", "add", self.devices[0], "netns", self.names[0], "mtu", str(MTU), "type", "veth", "peer",
                "name", self.devices[1], "netns", self.names[1], "mtu", str(MTU))
        for end in (0, 1):
            self.bring_up(end)
            done = command(*self.inside(end, "tc", "qdisc", "add", "dev", self.devices[end], "root", "netem", "delay",
                                        f"{delay_ms:g}ms", "limit", str(QUEUE)), check=False)
            if done.returncode != 0:
                common.fail("this kernel has no netem (sch_netem): use --delay-by tun")

    def make_tun(self):
        ends = []
        for end in (0, 1):
            try:
                descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            except OSError as error:
                common.fail(f"neither netem nor /dev/net/tun ({error.strerror}) to delay packets with")
            tun_set_iff, tun, no_packet_info = 0x400454CA, 0x0001, 0x1000
            fcntl.ioctl(descriptor, tun_set_iff,
                        struct.pack("16sH22x", self.devices[end].encode(), tun | no_packet_info))
            command("ip", "link", "set", self.devices[end], "netns", self.names[end], "mtu", str(MTU), "txqueuelen",
                    str(QUEUE))
            self.bring_up(end)
            ends.append(descriptor)
        until_closed, self.wire_control = os.pipe()
        self.wire = os.fork()
        if self.wire == 0:
            os.close(self.wire_control)
            be_wire(ends, until_closed, self.delay)
        for descriptor in (*ends, until_closed):
            os.close(descriptor)

    def bring_up(self, end):
        command(*self.inside(end, "ip", "address", "add", f"{ADDRESSES[end]}/30", "dev", self.devices[end]))
        command(*self.inside(end, "ip", "link", "set", self.devices[end], "up"))
        command(*self.inside(end, "ip", "link", "set", "lo", "up"))

    def check(self, delay_ms):
        """Connects once, which takes a round trip."""
        script = ("import socket, sys, time\n"
                  f"start = time.monotonic()\n"
                  "try:\n"
                  f"    socket.create_connection(('{ADDRESSES[1]}', {PORT}), timeout=10)\n"
                  "except ConnectionRefusedError:\n"
                  "    print(time.monotonic() - start)\n")
        done = command(*self.inside(0, sys.executable, "-c", script), check=False)
        if done.returncode != 0 or not done.stdout:
            common.fail(f"nothing gets through the link of {self.means}")
        round_trip = 1000 * float(done.stdout)
        if round_trip < 1.9 * delay_ms:
            common.fail(f"a round trip on the link takes {round_trip:.1f} ms, not {2 * delay_ms:g} ms")
        print(f"INFO,delayed_by,{self.means}\nINFO,round_trip_ms,{round_trip:.1f}", flush=True)

    def remove(self):
        if self.wire:
            os.close(self.wire_control)
            os.waitpid(self.wire, 0)
            self.wire = None
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def be_wire(ends, until_closed, delay):
    """Takes packets from each end to the other, so much later, while this process's parent lives. Does not return."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    queues = {ends[0]: collections.deque(), ends[1]: collections.deque()}
    others = {ends[0]: ends[1], ends[1]: ends[0]}
    while True:
        dues = [queue[0][0] for queue in queues.values() if queue]
        timeout = max(min(dues) - time.monotonic(), 0) if dues else None
        readable, _, _ = select.select([*ends, until_closed], [], [], timeout)
        if until_closed in readable:
            os._exit(0)
        for end in readable:
            for _ in range(64):
                try:
                    packet = os.read(end, MTU + 64)
                except BlockingIOError:
                    break
                queues[end].append((time.monotonic() + delay, packet))
        now = time.monotonic()
        for end, queue in queues.items():
            while queue and queue[0][0] <= now:
                try:
                    os.write(others[end], queue.popleft()[1])
                except OSError:
                    pass  # a full or vanished device: a packet is lost, as on other links


def measure(link, label, program, folder, size, seconds):
    """One run; returns its metrics."""
    endpoint = f"tcp://{ADDRESSES[1]}:{PORT}"
    env = dict(common.environment_for(folder), BENCH_SECONDS=str(seconds))
    limit = 60 + 3 * seconds
    with subprocess.Popen(link.inside(1, program, label, "receive", endpoint, str(size)), env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as receiver:
        with subprocess.Popen(link.inside(0, program, label, "send", endpoint, str(size)), env=env, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as sender:
            try:
                out, errors = receiver.communicate(timeout=limit)
                _, sender_errors = sender.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                receiver.kill()
                sender.kill()
                common.fail(f"{label}, {size} octets: hung", 3)
    for end, text in ((receiver, errors), (sender, sender_errors)):
        if end.returncode != 0:
            common.fail(f"{label}, {size} octets: {text.strip() or 'ended by signal'}", max(end.returncode, 1))
    print("\n".join(line for line in out.splitlines() if line.startswith("RESULT")), flush=True)
    return {metric: float(value) for metric, value in re.findall(r"^RESULT,.*,(\w+),([\d.]+)$", out, re.M)}


def main():
    parser = common.Parser(description=__doc__.splitlines()[0])
    common.add_library_options(parser)
    parser.set_defaults(pairs=3)
    parser.add_argument("--sizes", nargs="+", type=common.count, default=[64, 65536])
    parser.add_argument("--seconds", type=common.positive, default=6.0, help="of sending; a quarter is warm-up")
    parser.add_argument("--delay-ms", type=common.positive, default=50.0, help="each way")
    parser.add_argument("--delay-by", choices=("auto", "netem", "tun"), default="auto")
    options = parser.parse_args()
    dirs = common.library_dirs(options)
    for label in dirs:
        if not (options.build_dir / PROGRAMS[label]).exists():
            common.fail(f"no {PROGRAMS[label]} in {options.build_dir}: build it, or give --build-dir")
    if not shutil.which("ip"):
        common.fail("ip is missing: apt-get install iproute2")
    if os.geteuid() != 0:
        common.fail("needs root to make network namespaces: sudo, or a container with CAP_NET_ADMIN and CAP_SYS_ADMIN")
    leave_no_mounts()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    link = Link(options.delay_ms, options.delay_by)
    for size in options.sizes:
        runs = {label: [] for label in dirs}
        for _ in range(options.pairs):
            for label, folder in dirs.items():
                program = str((options.build_dir / PROGRAMS[label]).resolve())
                runs[label].append(measure(link, label, program, folder, size, options.seconds))
        common.print_ratios(f"{PATTERN},{size}", runs)


if __name__ == "__main__":
    sys.exit(main())
