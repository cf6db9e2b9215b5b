# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""cppzmq, from the distribution's source packages: its unit tests."""
from pathlib import Path

import fetch
import outputs
from program_suite import ProgramSuite, listing, must_load
from steps import Failure, execute

PROJECT = """cmake_minimum_required(VERSION 3.16)
project(cppzmq_on_a_library CXX)
add_library(libzmq SHARED IMPORTED GLOBAL)
set_target_properties(libzmq PROPERTIES
    IMPORTED_LOCATION "{prefix}/lib/libzmq.so" INTERFACE_INCLUDE_DIRECTORIES "{prefix}/include")
add_subdirectory("{source}" cppzmq)
"""


class CppzmqSuite(ProgramSuite):
    name = "cppzmq"
    what = "cppzmq, Debian's source package"
    at_least = 88
    needs = (("cmake", "apt-get install cmake"), ("g++", "apt-get install g++"))

    def fetch(self, places):
        if not Path("/usr/include/catch2/catch.hpp").exists():
            raise Failure("/usr/include/catch2/catch.hpp is missing, which cppzmq's tests are written with",
                          "apt-get install catch2 (2.13; Debian 12, Ubuntu 22.04)")
        # Archives do not keep the old version of a small package for long.
        self._source = fetch.from_distribution(places, "cppzmq", newer="trixie")

    def build(self, places, library):
        folder = self.folder(places, library)
        project = places.folder("run", "cppzmq", f"project-{library}")
        (project / "CMakeLists.txt").write_text(PROJECT.format(prefix=places.prefix(library), source=self._source))
        cure = "apt-get install g++ cmake ninja-build catch2"
        execute(places, f"configure cppzmq on {library}",
                ["cmake", "-S", project, "-B", folder, "-G", "Ninja", "-Wno-dev", "-DCMAKE_CXX_STANDARD=17",
                 "-DCMAKE_CXX_FLAGS=-O0", "-DCMAKE_UNITY_BUILD=OFF", "-DENABLE_DRAFTS=OFF",
                 "-DCMAKE_SKIP_RPATH=ON"], cure)
        execute(places, f"build cppzmq on {library}",
                ["cmake", "--build", folder, "-j", str(places.jobs), "--target", "unit_tests"], cure, timeout=1200,
                env={"LD_LIBRARY_PATH": str(places.prefix(library) / "lib")})
        must_load(places, library, self._program(places, library))

    def _program(self, places, library):
        return self.folder(places, library) / "cppzmq" / "tests" / "unit_tests"

    def cases(self, places, library):
        program = self._program(places, library)
        return {test: [program, outputs.catch_pattern(test)]
                for test in outputs.catch_tests(listing(places, library, [program, "--list-test-names-only"]))}

    def outcome(self, status, text):
        return outputs.catch_outcome(status, text)
