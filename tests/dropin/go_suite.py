# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Go's github.com/pebbe/zmq4, from the proxy of Go modules."""
import json
import os
import subprocess
import threading

import outputs
from program_suite import ProgramSuite, listing, must_load
from steps import Failure, execute

MODULE = "github.com/pebbe/zmq4@v1.4.0"


class GoSuite(ProgramSuite):
    name = "go"
    what = MODULE
    at_least = 19
    side_by_side = False  # its tests bind to fixed ports
    needs = (("go", "apt-get install golang-go"), ("gcc", "apt-get install gcc"))

    def __init__(self):
        self._building = threading.Lock()  # what the first one compiles, the second one finds

    def fetch(self, places):
        asked = subprocess.run(["go", "mod", "download", "-json", MODULE], cwd=places.work, capture_output=True,
                               text=True, env={**os.environ, "GO111MODULE": "on"}, timeout=300)
        told = json.loads(asked.stdout) if asked.stdout.startswith("{") else {}
        if not told.get("Dir"):
            raise Failure(f"go cannot fetch {MODULE}: {told.get('Error') or asked.stderr.strip()}",
                          "look at the network and at `go env GOPROXY`")
        self._source = told["Dir"]

    def build(self, places, library):
        folder, prefix = self.folder(places, library), places.prefix(library)
        packages = places.folder("run", "go", library, "pkgconfig")
        (packages / "libzmq.pc").write_text(f"Name: libzmq\nDescription: {library}\nVersion: 4.3.4\n"
                                            f"Cflags: -I{prefix}/include\nLibs: -L{prefix}/lib -lzmq\n")
        execute(places, f"copy zmq4 for {library}",
                ["sh", "-c", 'rm -rf "$2" && cp -R "$1" "$2" && chmod -R u+w "$2"', "sh", self._source,
                 folder / "source"], f"remove {folder}")
        with self._building:
            execute(places, f"build zmq4 on {library}",
                    ["go", "test", "-c", "-p", str(places.jobs), "-o", folder / "tests"],
                    "apt-get install golang-go gcc pkg-config", cwd=folder / "source", timeout=1200,
                    env={"PKG_CONFIG_LIBDIR": str(packages), "CGO_ENABLED": "1"})
        must_load(places, library, folder / "tests")

    def cases(self, places, library):
        program = self.folder(places, library) / "tests"
        names = outputs.go_tests(listing(places, library, [program, "-test.list", "."]))
        return {name: [program, "-test.v", "-test.run", f"^{name}$"] for name in names}

    def outcome(self, status, text):
        return outputs.go_outcome(status, text)
