#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Compares what zmq_setsockopt and zmq_getsockopt answer with libzmq 4.3.5's answers. It asks every stable option of
names.txt, on every stable socket type, with values and sizes in and out of range. What was set is read back.

The libzmq is that of pyzmq's wheel. It has neither pgm, norm, vmci nor GSSAPI, and no drafts.

Usage: compare_options_test.py [LIBRARY [LIBZMQ]]
"""
import ctypes
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import api_table  # noqa: E402

TYPES = range(12)
NUMBERS = (-(1 << 31), -2, -1, 0, 1, 2, 3, 4, 100, 255, 65536, 6553600, (1 << 31) - 1)
TEXTS = (b"", b"\0", b"a", b"abc", b"X-a:b", b"127.0.0.1", b"127.0.0.1:1080", b"k" * 32, b"A" * 40, b"A" * 40 + b"\0",
         b"i" * 255,
         b"i" * 256)
WIDE = (0, 1, 1 << 40, (1 << 64) - 1)
# What a socket says of its system, and what zlink may be built without.
NOT_COMPARED = {"ZMQ_FD"}
NEEDS_CURVE = re.compile(r"ZMQ_(CURVE_\w+|MECHANISM)$")
# Where zlink's answers differ, and why: see docs/compatibility.md.
DIFFERENT = {
    "ZMQ_SOCKS_PROXY": "no text is no proxy; a terminating zero is no part of the text",
}


def options():
    """Name to number of the options of sockets: zmq.h's numbers that zmq_setsockopt takes."""
    names = {each.name for each in api_table.read_source(ROOT)
             if not each.draft and (each.section.startswith("Options:") or each.section == "Older names and options")}
    header = (ROOT / "include/zmq.h").read_text()
    found = {}
    for name, number in re.findall(r"^#define (ZMQ_\w+)(?:\s|\\\n)+(\d+)\b", header, re.MULTILINE):
        value_of_one = re.match(r"ZMQ_(NULL|PLAIN|CURVE|GSSAPI|GSSAPI_NT_\w+|GROUP_MAX_LENGTH)$", name)
        if name in names and not value_of_one:
            found[name] = int(number)
    return found


def values():
    for number in NUMBERS:
        yield f"int {number}", struct.pack("i", number)
    for text in TEXTS:
        yield f"{len(text)} octets {text[:16]!r}", text
    for number in WIDE:
        yield f"64 bits {number}", struct.pack("Q", number)


def answers(path):
    """The answers of a library, by option, socket type and value."""
    library = ctypes.CDLL(path)
    for name in ("zmq_ctx_new", "zmq_socket"):
        getattr(library, name).restype = ctypes.c_void_p
    pointer, size_type = ctypes.c_void_p, ctypes.c_size_t
    library.zmq_socket.argtypes = [pointer, ctypes.c_int]
    library.zmq_close.argtypes = library.zmq_ctx_term.argtypes = [pointer]
    library.zmq_setsockopt.argtypes = [pointer, ctypes.c_int, ctypes.c_char_p, size_type]
    library.zmq_getsockopt.argtypes = [pointer, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(size_type)]
    context = library.zmq_ctx_new()

    def error(result):
        return os.strerror(library.zmq_errno()) if result == -1 else "ok"

    def read(socket, number):
        seen = []
        for room in (0, 3, 4, 8, 33, 41, 300):
            buffer, size = ctypes.create_string_buffer(512), size_type(room)
            result = error(library.zmq_getsockopt(socket, number, buffer, ctypes.byref(size)))
            seen.append([room, result] + ([buffer.raw[:size.value].hex()] if result == "ok" else []))
        return seen

    found = {"curve": library.zmq_has(b"curve")}
    for name, number in options().items():
        for kind in TYPES:
            socket = library.zmq_socket(context, kind)
            if not socket:
                found[f"{name} of type {kind}"] = "no socket"
                continue
            found[f"{name} of type {kind}, fresh"] = read(socket, number)
            for what, octets in values():
                result = error(library.zmq_setsockopt(socket, number, octets, len(octets)))
                found[f"{name} of type {kind}, {what}"] = [result] + read(socket, number)
            result = error(library.zmq_setsockopt(socket, number, None, 0))
            found[f"{name} of type {kind}, null"] = [result] + read(socket, number)
            library.zmq_close(socket)
    library.zmq_ctx_term(context)
    return found


def ask(path):
    """In a process of its own: libzmq ends it where zlink has an error."""
    done = subprocess.run([sys.executable, __file__, "--answers", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{path}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def libzmq_of_pyzmq():
    interpreter = pathlib.Path(os.environ.get("ZLINK_VENV_PYTHON", ROOT / "build/venv/bin/python"))
    found = sorted(interpreter.parents[1].glob("lib/python*/site-packages/pyzmq.libs/libzmq*.so*"))
    if not found:
        raise SystemExit("pyzmq's wheel is not there: ./build.sh installs it")
    return str(found[0])


def main():
    if sys.argv[1:2] == ["--answers"]:
        print(json.dumps(answers(sys.argv[2])))
        return 0
    arguments = sys.argv[1:]
    ours = arguments[0] if arguments else os.path.join(os.environ["ZLINK_LIB_DIR"], "libzmq.so.5")
    theirs = arguments[1] if len(arguments) > 1 else libzmq_of_pyzmq()
    own, foreign = ask(ours), ask(theirs)
    curve = own.pop("curve") and foreign.pop("curve")
    problems, seen = 0, set()
    for case, answer in own.items():
        name = case.split()[0]
        if name in NOT_COMPARED or (NEEDS_CURVE.match(name) and not curve) or answer == foreign.get(case):
            continue
        if name in DIFFERENT:
            seen.add(name)
            continue
        problems += 1
        if problems <= 200:
            print(f"{case}:\n    zlink  {answer}\n    libzmq {foreign.get(case)}")
    for name in sorted(DIFFERENT.keys() - seen):
        problems += 1
        print(f"{name}: the answers do not differ, but are listed as different")
    print(f"{len(own)} answers to {len(options())} options, {problems} differ")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
