# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The page of examples/browser in a headless Chromium, against its server on zlink: subscribes, requests and answers, as read from the
page itself. Run by `./build.sh browser`, which says where things are; leaves a picture of the page."""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

from websockets.sync.client import connect

PATIENCE = 60  # seconds
WANTED = {"subscribed": "time: ", "requested": "the server says: welcome", "answered": "the server asked: zlink"}
SERVER_SAYS = ["subscribed: time", "request: hello from the page", "answer: zlink is 5 letters long"]


class Browser:
    """Chromium by its remote debugging (its own protocol, over WebSocket)."""

    def __init__(self, program, folder, page):
        how = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=800,500",
               "--remote-debugging-port=0", f"--user-data-dir={folder}"]
        self.process = subprocess.Popen([program, *how, page], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = pathlib.Path(folder, "DevToolsActivePort")
        port = until(lambda: port_file.exists() and port_file.read_text().splitlines()[0])
        pages = until(lambda: [one for one in self.get(port, "list") if one["type"] == "page"])
        self.connections = contextlib.ExitStack()
        self.connection = self.connections.enter_context(
            connect(pages[0]["webSocketDebuggerUrl"], max_size=None, open_timeout=PATIENCE))
        self.number = 0

    @staticmethod
    def get(port, what):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/json/{what}") as answer:
            return json.load(answer)
        return []

    def call(self, method, **parameters):
        self.number += 1
        self.connection.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.connection.recv(timeout=PATIENCE))
            if answer.get("id") == self.number:
                return answer["result"]

    def text_of(self, id_):
        found = self.call("Runtime.evaluate", expression=f"document.getElementById('{id_}')?.textContent")
        return found["result"].get("value") or ""

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def close(self):
        self.connections.close()
        self.process.terminate()
        self.process.wait(PATIENCE)


def until(question):
    """The answer, once it is no longer empty."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := question()):
        if time.monotonic() > deadline:
            raise TimeoutError("waited too long")
        time.sleep(0.05)  # the browser does not tell when the page changes
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--page", required=True, help="index.html, with bundle.js beside it")
    parser.add_argument("--server", required=True, help="the program made of server.c")
    parser.add_argument("--picture", required=True, help="where a picture of the page goes")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = subprocess.Popen([arguments.server], stdout=subprocess.PIPE, text=True)
        browser = Browser(arguments.chromium, folder, pathlib.Path(arguments.page).resolve().as_uri())
        try:
            for id_, begins in WANTED.items():
                text = until(lambda: (got := browser.text_of(id_)).startswith(begins) and got)
                print(f"the page, {id_}: {text}")
            pathlib.Path(arguments.picture).write_bytes(browser.picture())
            said = server.communicate(timeout=PATIENCE)[0]
        finally:
            browser.close()
            server.kill()
    print(said, end="")
    missing = [line for line in SERVER_SAYS if line not in said]
    for line in missing:
        print(f"the server does not say: {line}", file=sys.stderr)
    print(f"picture: {os.path.abspath(arguments.picture)}")
    return 1 if missing or server.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
