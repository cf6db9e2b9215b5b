# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""rsyslog: lines from a file go by omczmq to another rsyslogd's imczmq, with CURVE."""
import os
import time

from stage import Debs, TRIPLET, free_port

WHAT = "20,000 lines from one rsyslogd's omczmq to another's imczmq, CURVE"
LINES = 20000
KEYS = """
import ctypes, sys
lib = ctypes.CDLL("libzmq.so.5")
for _ in range(2):
    public, secret = ctypes.create_string_buffer(41), ctypes.create_string_buffer(41)
    if lib.zmq_curve_keypair(public, secret) != 0:
        sys.exit("no CURVE")
    print(public.value.decode(), secret.value.decode())
"""


def make(home, build):
    return Debs(home, build, "rsyslog", "rsyslog-czmq")


def write_key(path, public, secret=None):
    path.write_text(f'metadata\ncurve\n    public-key = "{public}"\n' +
                    (f'    secret-key = "{secret}"\n' if secret else ""))


def run(stage):
    folder, port = stage.folder, free_port()
    keys = [line.split() for line in stage.call("/usr/bin/python3", "-c", KEYS).splitlines()]
    (folder / "clients").mkdir()
    write_key(folder / "server.key", *keys[0])
    write_key(folder / "server.pub", keys[0][0])
    write_key(folder / "client.key", *keys[1])
    write_key(folder / "clients" / "client.pub", keys[1][0])
    modules = f"{stage.source.root}/usr/lib/{TRIPLET}/rsyslog"
    template = 'template(name="plain" type="string" string="%rawmsg%\\n")\n'
    as_it_is = 'template(name="plain" type="string" string="%msg%")\n'
    (folder / "receiver.conf").write_text(f"""global(workDirectory="{folder}")
module(load="imczmq" authType="CURVESERVER" serverCertPath="{folder}/server.key" clientCertPath="{folder}/clients"
       authenticator="on")
{template}
input(type="imczmq" endpoints="@tcp://127.0.0.1:{port}" sockType="PULL" ruleset="store")
ruleset(name="store") {{ action(type="omfile" file="{folder}/received" template="plain") }}
""")
    (folder / "sender.conf").write_text(f"""global(workDirectory="{folder}")
module(load="imfile" mode="polling" pollingInterval="1")
module(load="omczmq" authType="CURVECLIENT" serverCertPath="{folder}/server.pub" clientCertPath="{folder}/client.key")
{as_it_is}
input(type="imfile" file="{folder}/sent" tag="t" ruleset="forward" readMode="0")
ruleset(name="forward") {{ action(type="omczmq" endpoints=">tcp://127.0.0.1:{port}" sockType="PUSH" template="plain"
                                  sendTimeout="10000" sendHWM="100000") }}
""")
    for name in ("receiver", "sender"):
        stage.start(f"{stage.source.root}/usr/sbin/rsyslogd", "-n", "-f", folder / f"{name}.conf", "-i",
                    folder / f"{name}.pid", "-M", modules, name=name)
    time.sleep(2)
    lines = [f"line {number} {'x' * (number % 200)}" for number in range(LINES)]
    began = time.monotonic()
    (folder / "sending").write_text("\n".join(lines) + "\n")
    os.rename(folder / "sending", folder / "sent")
    received = folder / "received"
    stage.until(lambda: received.exists() and received.read_bytes().count(b"\n") >= LINES, f"the last of {LINES} lines", 60)
    seconds = time.monotonic() - began
    stage.note_libraries()
    text = [line.strip() for line in received.read_text().splitlines()]
    return f"{len(text)} lines, {'all in order' if text == [line.strip() for line in lines] else 'not those'}", seconds
