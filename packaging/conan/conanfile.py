# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink for Conan 2: `conan create packaging/conan`. docs/packages.md tells the rest."""
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir
from conan.tools.scm import Version


class ZlinkConan(ConanFile):
    name = "zlink"
    version = "0.1.0"
    license = "MPL-2.0"
    description = "A messaging library with libzmq's C API and binary interface"
    topics = ("zeromq", "messaging")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    provides = "zeromq"
    options = {
        "shared": [True, False],
        "curve": [True, False],
        "tls": [True, False],
        # libsodium and OpenSSL of the system, not of Conan's packages
        "system_libraries": [True, False],
    }
    default_options = {"shared": False, "curve": True, "tls": False, "system_libraries": False}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "NOTICE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self, src_folder=".")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("zlink runs on Linux")
        oldest = {"gcc": "12", "clang": "14"}.get(str(self.settings.compiler))
        if oldest and Version(self.settings.compiler.version) < oldest:
            raise ConanInvalidConfiguration(f"zlink needs {self.settings.compiler} {oldest} or newer, for C++20")

    def requirements(self):
        if self.options.system_libraries:
            return
        if self.options.curve:
            self.requires("libsodium/[>=1.0.18 <2]")
        if self.options.tls:
            self.requires("openssl/[>=3 <4]")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.blocks.remove("cppstd")  # a profile's is that of the programs: the library's own is C++20
        values = {
            "ZLINK_SHARED": self.options.shared, "ZLINK_STATIC": not self.options.shared,
            "ZLINK_CURVE": self.options.curve, "ZLINK_TLS": self.options.tls,
            "ZLINK_ASIO": False, "ZLINK_WERROR": False, "ZLINK_PREFIXED": False, "ZLINK_BUILD_TOOLS": False,
            "ZLINK_BUILD_TESTS": False, "ZLINK_BUILD_PERF": False, "ZLINK_BUILD_BENCHMARKS": False,
        }
        for name, value in values.items():
            toolchain.cache_variables[name] = "ON" if value else "OFF"
        toolchain.cache_variables["CMAKE_UNITY_BUILD"] = "ON"
        toolchain.cache_variables["CMAKE_UNITY_BUILD_BATCH_SIZE"] = "8"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        licences = os.path.join(self.package_folder, "licenses")
        for name in ("LICENSE", "NOTICE"):
            copy(self, name, self.source_folder, licences)
        for folder in (("lib", "cmake"), ("lib", "pkgconfig"), ("share",)):
            rmdir(self, os.path.join(self.package_folder, *folder))

    def package_info(self):
        # As libzmq's own package, and Conan's of it, have them.
        self.cpp_info.set_property("cmake_file_name", "ZeroMQ")
        self.cpp_info.set_property("cmake_target_name", "libzmq" if self.options.shared else "libzmq-static")
        self.cpp_info.set_property("pkg_config_name", "libzmq")
        self.cpp_info.set_property("system_package_version", "4.3.5")
        self.cpp_info.libs = ["zmq"]
        self.cpp_info.system_libs = ["pthread"]
        if not self.options.shared:
            self.cpp_info.defines = ["ZMQ_STATIC"]
            self.cpp_info.system_libs += ["stdc++", "m"]
            if self.options.system_libraries:
                self.cpp_info.system_libs += ["sodium"] if self.options.curve else []
                self.cpp_info.system_libs += ["ssl", "crypto"] if self.options.tls else []
