# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""salt: a master and a minion, jobs by the command salt."""
import json
import time

from stage import Failure, Wheels, free_port

WHAT = "a master and a minion; 6 jobs by `salt '*'`: test.ping, cmd.run, 1 MB of output"

# Its source package on PyPI names none of what it needs, unless it is built with settings of its own.
PACKAGES = ("salt==3007.14", "distro", "looseversion", "packaging<25", "pyyaml", "jinja2", "msgpack==1.1.2", "jmespath",
            "requests", "certifi", "cryptography", "pyopenssl", "python-gnupg", "psutil", "croniter", "setproctitle",
            "timelib", "aiohttp", "urllib3", "networkx", "tornado", "pyzmq==27.3.0", "backports.ssl_match_hostname")


def make(home, build):
    return Wheels(home, build, *PACKAGES)


def run(stage):
    publish, answer = free_port(), free_port()
    for name, more in (("master", f"interface: 127.0.0.1\nauto_accept: true\nworker_threads: 2\n"
                                  f"publish_port: {publish}\nret_port: {answer}\n"),
                       ("minion", f"master: 127.0.0.1\nmaster_port: {answer}\nid: one\npublish_port: {publish}\n"
                                  "acceptance_wait_time: 1\n")):
        folder = stage.folder / name
        folder.mkdir()
        (folder / name).write_text(f"user: root\nroot_dir: {folder}\nlog_level: warning\n{more}")
    for name in ("master", "minion"):
        stage.start(stage.source.bin / f"salt-{name}", "-c", stage.folder / name, name=name)
    salt = [stage.source.bin / "salt", "-c", stage.folder / "master", "--out", "json", "--static", "-t", "60", "one"]

    def job(*words):
        try:
            return json.loads(stage.call(*salt, *words)).get("one")
        except (Failure, ValueError):
            return None

    stage.until(lambda: job("test.ping"), "the minion's first answer", 150)
    stage.note_libraries()
    began = time.monotonic()
    told = [job("test.ping"), job("cmd.run", "echo hello"), (job("test.arg_type", "1", "x=2") or {}).get("args"),
            len(job("cmd.run", "head -c 1000000 /dev/zero | tr '\\0' z") or ""), job("test.ping"),
            job("test.echo", "end")]
    seconds = time.monotonic() - began
    return json.dumps(told), seconds
