# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Rust's crate zmq, from crates.io: its tests, linked by cargo's override of a `links` key."""
import json
import re
import shutil
import subprocess
import threading
from pathlib import Path

import outputs
from program_suite import ProgramSuite, listing, must_load
from steps import Failure, execute

CRATE, VERSION = "zmq", "0.10.0"
OTHERS = ("compile-tests",)  # of the compiler's messages


class RustSuite(ProgramSuite):
    name = "rust"
    what = f"{CRATE} {VERSION}"
    at_least = 80
    needs = (("cargo", "https://rustup.rs, or apt-get install cargo"), ("rustc", "https://rustup.rs"))

    def __init__(self):
        self._building = threading.Lock()
        self._programs = {}  # {name: path}
        self._failure = None

    def fetch(self, places):
        none = places.folder("sources", "rust", "none")
        (none / "src").mkdir(exist_ok=True)
        (none / "src" / "lib.rs").write_text("")
        (none / "Cargo.toml").write_text('[package]\nname = "none"\nversion = "0.0.0"\nedition = "2021"\n'
                                         f'[dependencies]\n{CRATE} = "={VERSION}"\n[workspace]\n')
        asked = subprocess.run(["cargo", "metadata", "--quiet", "--format-version", "1"], cwd=none, capture_output=True,
                               text=True, timeout=300)
        if asked.returncode != 0:
            raise Failure(f"cargo cannot fetch {CRATE} {VERSION}: {outputs.last_line(asked.stderr, asked.returncode)}",
                          "look at the network and at cargo's configuration")
        crate = next(Path(package["manifest_path"]).parent for package in json.loads(asked.stdout)["packages"]
                     if package["name"] == CRATE)
        self._source = places.folder("run", "rust") / "source"
        shutil.rmtree(self._source, ignore_errors=True)
        shutil.copytree(crate, self._source)
        (self._source / "Cargo.lock").unlink(missing_ok=True)  # of crates that new compilers refuse
        with (self._source / "Cargo.toml").open("a") as manifest:
            manifest.write("\n[workspace]\n")

    def build(self, places, library):
        # The crate has the declarations of the C API in itself: programs that are linked to libzmq run on both.
        with self._building:
            if self._failure:  # not a second time, for the other library
                raise self._failure
            try:
                if not self._programs:
                    self._build(places)
            except Failure as failure:
                self._failure = failure
                raise
        for name, program in self._programs.items():
            if name != CRATE:
                must_load(places, library, program)

    def _build(self, places):
        host = re.search(r"^host: (.*)$", subprocess.run(["rustc", "-vV"], capture_output=True, text=True).stdout,
                         re.MULTILINE)[1]
        target, key, title = places.folder("run", "rust", "target"), f"target.{host}.zmq", "build zmq on libzmq"
        execute(places, title,
                ["cargo", "test", "--no-run", "--message-format", "json-render-diagnostics", "--tests", "--lib",
                 "--jobs", str(places.jobs), "--target-dir", target,
                 "--config", f"{key}.rustc-link-search=['native={places.prefix('libzmq')}/lib']",
                 "--config", f"{key}.rustc-link-lib=['zmq']"],
                "look at the network, and at `cargo --version`: 1.70 or newer", cwd=self._source, timeout=1200)
        log = places.folder("logs") / f"{title}.log"
        self._programs = {name: program for name, program in
                          outputs.cargo_programs(log.read_text(errors="replace")).items() if name not in OTHERS}
        if not self._programs:
            raise Failure(f"cargo has built no tests of {CRATE}, see {log}", f"remove {target}")

    def cases(self, places, library):
        return {f"{name}::{test}": [program, "--exact", test]
                for name, program in sorted(self._programs.items())
                for test in outputs.rust_tests(listing(places, library, [program, "--list", "--format", "terse"]))}

    def outcome(self, status, text):
        return outputs.rust_outcome(status, text)
