# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""CZMQ: built against each library, and its selftest, a process for each class."""
import os
import re
import shutil
import subprocess

import fetch
from compare import Outcome
from steps import Failure, execute

OPTIONAL = ("UUID", "SYSTEMD", "LZ4", "LIBCURL", "NSS", "LIBMICROHTTPD")


class CzmqSuite:
    name = "czmq"
    at_least = 25
    what = "czmq, the distribution's source package"
    by_default = True
    needs = ()
    side_by_side = False  # zbeacon broadcasts to a fixed port

    def fetch(self, places):
        self._source = fetch.from_distribution(places, "czmq")

    def build(self, places, library):
        folder = places.folder("run", "czmq", library)
        cure = "apt-get install gcc cmake ninja-build pkg-config; ./build.sh dropin does so"
        execute(places, f"configure czmq on {library}",
                ["cmake", "-S", self._source, "-B", folder, "-G", "Ninja", "-Wno-dev",
                 f"-DCMAKE_PREFIX_PATH={places.prefix(library)}",
                 "-DCMAKE_C_FLAGS=-O1",  # asserts stay: they are the tests
                 "-DCZMQ_BUILD_STATIC=OFF", "-DENABLE_DRAFTS=OFF", *(f"-DCZMQ_WITH_{name}=OFF" for name in OPTIONAL)],
                cure, env={"PKG_CONFIG_LIBDIR": "/nonexistent"})  # nothing but the prefix
        execute(places, f"build czmq on {library}",
                ["cmake", "--build", folder, "-j", str(places.jobs), "--target", "czmq_selftest", "copy-selftest-ro"],
                cure)

    def run(self, places, library, tests=None):
        folder = places.work / "run" / "czmq" / library
        program, environment = folder / "czmq_selftest", {**os.environ,
                                                          "LD_LIBRARY_PATH": str(places.prefix(library) / "lib")}
        loaded = subprocess.run([program], env={**environment, "LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True,
                                text=True).stdout
        if f"libzmq.so.5 => {places.prefix(library)}/lib/libzmq.so.5 " not in loaded:
            raise Failure(f"{program} does not load {places.prefix(library)}/lib/libzmq.so.5", f"remove {places.work}")
        if tests is None:
            listed = subprocess.run([program, "--list"], env=environment, capture_output=True, text=True).stdout
            tests = re.findall(r"^ +(\w+) +- ", listed, re.MULTILINE)
        return {test: self._one(places, library, folder, program, environment, test) for test in tests}

    def _one(self, places, library, folder, program, environment, test):
        # A test that failed has left its files behind.
        shutil.rmtree(folder / "src" / "selftest-rw", ignore_errors=True)
        (folder / "src" / "selftest-rw").mkdir(parents=True)
        log = places.folder("logs") / f"czmq {test} on {library}.log"
        with log.open("w") as output:
            try:
                status = subprocess.run([program, "--test", test], cwd=folder, env=environment, timeout=places.limit,
                                        stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT).returncode
            except subprocess.TimeoutExpired:
                return Outcome("failed", f"no end after {places.limit} s")
        if status == 0:
            return Outcome("passed")
        said = log.read_text(errors="replace").strip().splitlines()
        return Outcome("failed", (said[-1] if said else f"status {status}")[-160:])
