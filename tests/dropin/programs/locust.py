# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""locust: a master and two workers, which load a web server of ours."""
import re
import time

from stage import Failure, Wheels, free_port

WHAT = "a master and 2 workers, 20 users for 15 s against a web server"
LOAD = """
from locust import HttpUser, constant_pacing, task


class User(HttpUser):
    wait_time = constant_pacing(0.5)

    @task
    def ask(self):
        self.client.get("/")
"""


def make(home, build):
    return Wheels(home, build, "locust==2.47.0")


def run(stage):
    web, port = free_port(), free_port()
    (stage.folder / "load.py").write_text(LOAD)
    (stage.folder / "index.html").write_text("hello")
    stage.start(stage.source.python, "-m", "http.server", web, "--bind", "127.0.0.1", name="web")
    tool = [stage.source.bin / "locust", "-f", "load.py"]
    workers = [stage.start(*tool, "--worker", "--master-port", port, name=f"worker{n}") for n in range(2)]
    report = stage.logs / f"master.{stage.library}.log"
    report.unlink(missing_ok=True)
    began = time.monotonic()
    master = stage.start(*tool, "--master", "--master-bind-port", port, "--expect-workers", 2, "--headless", "-u", 20,
                         "-r", 20, "-t", "15s", "--host", f"http://127.0.0.1:{web}", name="master")
    while master.poll() is None:
        stage.note_libraries()
        time.sleep(0.5)
        if time.monotonic() - began > 120:
            raise Failure("the master does not end")
    seconds = time.monotonic() - began
    ends = [worker.wait(30) for worker in workers]
    found = re.findall(r"Aggregated\s+(\d+)\s+(\d+)\(", report.read_text())  # the last is of the whole run
    requests, failed = map(int, found[-1]) if found else (0, 0)
    enough = "requests made" if requests > 20 else f"only {requests} requests"
    return f"{enough}, {failed} failed, ends {[master.returncode, *ends]}", seconds
