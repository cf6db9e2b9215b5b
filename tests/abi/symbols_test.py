#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Checks what the shared library exports. That is every function of names.txt and all that the distribution's libzmq
exports, and nothing but zmq_* and zlink_*, and of C++ what is in zlink::v1, which alone has a version. Also libzmq's
soname, and how much static TLS it takes. libzlink.so.0 next to it, if it is there, exports the same C++, under another
version, and of C what begins with zlink_. The modules for tls export their one function.

Usage: symbols_test.py [LIBRARY [SYSTEM_LIBZMQ]]   (defaults: from ZLINK_LIB_DIR and ZLINK_SYSTEM_LIBZMQ)
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import api_table  # noqa: E402

OWN = {
    "zlink_version",
    "zlink_knob",
    "zlink_load_counter",
    "zlink_last_error",
    "zlink_connection_error",
    "zlink_send_parts",
    "zlink_recv_parts",
    "zlink_ctx_term",
    "zlink_wait",
    "zlink_wait_topic",
    "zlink_send_many",
    "zlink_recv_many",
    "zlink_disconnect_peer",
    "zlink_msg_init_loan",
    "zlink_socket_monitor",
    "zlink_socket_stats",
    "zlink_socket_peers",
    "zlink_context_stats",
}
MOST_THREAD_LOCAL = 320
# Functions, as they are mangled, of namespaces in zlink::v1. It has nothing else: no class with a vtable, no variable.
CPP_PREFIX = "_ZN5zlink2v1"
VERSION = "ZLINK_IN_LIBZMQ_1"
VERSION_BESIDE = "ZLINK_0"


def versions(library):
    """The symbols that the library defines for others: the version of each, or "". (nm lists versions as absolute.)"""
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True
    ).stdout
    symbols = [line.split()[-2:] for line in listing.splitlines() if line.strip()]
    return {name.split("@")[0]: name.rpartition("@")[2] if "@" in name else "" for kind, name in symbols if kind != "A"}


def exported(library):
    return set(versions(library))


def split_cpp(names):
    """The names without those of C++ in zlink::v1, and these."""
    of_cpp = {name for name in names if name.startswith(CPP_PREFIX)}
    return set(names) - of_cpp, of_cpp


def check_beside(library, of_cpp):
    """What is wrong with libzlink.so.0, if the other library has these functions in C++."""
    symbols = versions(library)
    plain, its_cpp = split_cpp(symbols)
    problems = [f"{library.name}: C++ of one library alone: {name}" for name in sorted(its_cpp ^ of_cpp)]
    problems += [f"{library.name}: should be hidden: {name}" for name in sorted(plain) if not name.startswith("zlink_")]
    unversioned = sorted(name for name, version in symbols.items() if version != VERSION_BESIDE)
    return problems + [f"{library.name}: not of version {VERSION_BESIDE}: {name}" for name in unversioned]


def soname(library):
    dynamic = subprocess.run(["readelf", "-d", str(library)], check=True, capture_output=True, text=True).stdout
    found = re.search(r"\(SONAME\).*\[(.*)\]", dynamic)
    return found.group(1) if found else None


def thread_local_memory(library):
    """Octets of each thread's static TLS block, which is scarce for a library that is loaded by dlopen."""
    segments = subprocess.run(["readelf", "-lW", str(library)], check=True, capture_output=True, text=True).stdout
    found = re.search(r"^ *TLS +\S+ +\S+ +\S+ +\S+ +(0x[0-9a-f]+)", segments, re.MULTILINE)
    return int(found.group(1), 16) if found else 0


def main():
    arguments = sys.argv[1:]
    library = arguments[0] if arguments else os.path.join(os.environ["ZLINK_LIB_DIR"], "libzmq.so.5")
    system = arguments[1] if len(arguments) > 1 else os.environ.get("ZLINK_SYSTEM_LIBZMQ")

    symbols = versions(library)
    found, of_cpp = split_cpp(symbols)
    wanted = api_table.functions(draft=False) | api_table.functions(draft=True) | OWN
    if system:
        wanted |= {name for name in exported(system) if name.startswith("zmq_")}

    problems = [f"not exported: {name}" for name in sorted(wanted - found)]
    problems += [f"should be hidden: {name}" for name in sorted(found) if not re.match(r"(zmq|zlink)_", name)]
    problems += [f"unknown: {name}" for name in sorted(found - wanted) if re.match(r"(zmq|zlink)_", name)]
    if not of_cpp:
        problems.append("the C++ API is not exported")
    problems += [f"has a version: {name}" for name in sorted(found) if symbols[name]]
    problems += [f"not of version {VERSION}: {name}" for name in sorted(of_cpp) if symbols[name] != VERSION]
    if soname(library) != "libzmq.so.5":
        problems.append(f"soname is {soname(library)}")
    if thread_local_memory(library) > MOST_THREAD_LOCAL:
        problems.append(f"{thread_local_memory(library)} octets of static TLS, more than {MOST_THREAD_LOCAL}")

    folder = pathlib.Path(library).parent
    beside = folder / "libzlink.so.0"
    if beside.exists():
        problems += check_beside(beside, of_cpp)
    for module in (folder / "libzlink-tls.so", folder / "libzlink0-tls.so"):
        if module.exists():
            unwanted = exported(module) - {"zlink_tls_provider"}
            problems += [f"{module.name}: should be hidden: {name}" for name in sorted(unwanted)]

    for problem in problems:
        print(problem)
    print(f"{library}: {len(wanted & found)} of {len(wanted)} functions, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
