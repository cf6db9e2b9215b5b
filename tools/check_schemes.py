#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Checks that no line of src/ names a transport or scheme outside of its own folder.

A line names one if a word of its code is tcp, ipc, inproc, tls, ws, wss or zws: in an identifier, where words are separated by
underscores, in a literal, or in the path of an include. Upper and lower case are the same. Comments do not count.

    check_schemes.py [--list] [<root of the source tree>]

OWN_PLACES says where each word may stand. BASELINE holds how many lines of other files name one today: none may have more, and
a file without a line may have none. If a file has fewer, the script asks for its line to be lowered. Prints a line per
violation; exit status 1 if there is one.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Beginnings of paths below src/ -> the words that may stand in such files.
OWN_PLACES = {
    "transport/tcp/": {"tcp"},
    "transport/ipc/": {"ipc"},
    "transport/inproc/": {"inproc"},
    "transport/tls/": {"tls"},
    "transport/ws/": {"ws", "wss", "zws"},
    "transport/wss/": {"wss", "tls"},  # its options are those of tls, which it goes over
    "zws/": {"ws", "wss", "zws"},
    "wire/zws_": {"ws", "zws"},  # the framing
    "engine/connection/zws_framing.": {"ws", "zws"},  # the same
    "socks/": {"tcp"},
    "transport/registry.": {"tcp", "ipc", "inproc", "tls", "ws", "wss", "zws"},
}

# File below src/ -> at most so many lines, never more. The aim is an empty table.
BASELINE = {
    "base/thread_state.hpp": 1,
    "c_api/words.cpp": 2,
    "pattern/pair.cpp": 1,
    "pattern/pattern.hpp": 1,
    "pattern/pub.hpp": 1,
    "pattern/routing/fan_out.cpp": 8,
    "pattern/routing/fan_out.hpp": 2,
    "pattern/routing/publisher.cpp": 2,
    "pattern/routing/publisher.hpp": 1,
    "pattern/routing/subscriber.cpp": 2,
    "pattern/routing/subscriber.hpp": 1,
    "pattern/routing_record.hpp": 1,
    "pattern/sub.hpp": 1,
    "pattern/xpub.hpp": 1,
    "pattern/xsub.hpp": 1,
    "runtime/resolver.cpp": 3,
    "socket/context.hpp": 3,
    "socket/endpoint_table.cpp": 1,
    "socket/endpoint_table.hpp": 3,
    "socket/inproc_registry.cpp": 11,
    "socket/inproc_registry.hpp": 11,
    "socket/knobs.cpp": 3,
    "socket/monitor.cpp": 1,
    "socket/option_table.hpp": 1,
    "socket/options.cpp": 2,
    "socket/options_connection.cpp": 30,
    "socket/options_tls.cpp": 22,
    "socket/socket.cpp": 3,
    "socket/socket.hpp": 5,
    "socket/socket_endpoints.cpp": 20,
    "socket/socket_host.cpp": 4,
    "transport/tls/openssl/reasons.cpp": 3,
    "transport/tls/tls_transport.cpp": 10,
    "transport/ws/ws_transport.cpp": 7,
    "transport/ws/ws_transport.hpp": 1,
    "wire/frame_form.hpp": 7,
    "zmtp/handshake.cpp": 1,
    "zmtp/handshake_error.cpp": 1,
    "zmtp/handshake_error.hpp": 1,
    "zmtp/metadata.cpp": 1,
}

WORD = re.compile(r"(?<![A-Za-z0-9])(tcp|ipc|inproc|tls|wss?|zws)(?![A-Za-z0-9])", re.IGNORECASE)
# Here the word stands for thread-local storage.
OTHER_MEANINGS = re.compile(r"\bZLINK_FAST_TLS\b|\bfast_tls\b|\btls_model\b")
COMMENT_OR_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def without_comments(text):
    """The text with comments blanked, line breaks and literals kept."""
    return COMMENT_OR_LITERAL.sub(lambda m: m[0] if m[0][0] in "\"'" else re.sub(r"[^\n]", " ", m[0]), text)


def foreign_lines(name, text):
    """(line, its words) for each line of this file that names what is not its own."""
    own = set().union(*(words for place, words in OWN_PLACES.items() if name.startswith(place)))
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        words = {word.lower() for word in WORD.findall(OTHER_MEANINGS.sub("", line))} - own
        if words:
            yield number, words


def compare(found, baseline):
    """Two lists of texts: what is wrong, and what the baseline could give up. `found`: file -> its lines, as of foreign_lines()."""
    wrong, lower = [], []
    for name, lines in found.items():
        most = baseline.get(name, 0)
        if len(lines) > most:
            why = f"{len(lines)} lines name a transport, {most} may" if most else "names a transport outside of its folder"
            wrong += [f"src/{name}:{number}: {', '.join(sorted(words))}: {why}" for number, words in lines]
    for name, most in baseline.items():
        now = len(found.get(name, ()))
        if now < most:
            lower.append(f"src/{name}: lower its line in check_schemes.py from {most} to {now}" if now else
                         f"src/{name}: remove its line from check_schemes.py, it names none")
    return wrong, lower


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true", help="show all lines that name a transport outside of its folder")
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    arguments = parser.parse_args()

    src = arguments.root / "src"
    files = sorted(path for path in src.rglob("*") if path.suffix in {".hpp", ".cpp", ".h"})
    texts = {path.relative_to(src).as_posix(): path.read_text() for path in files}
    found = {name: lines for name, text in texts.items() if (lines := list(foreign_lines(name, text)))}
    if arguments.list:
        for name, lines in found.items():
            for number, words in lines:
                print(f"src/{name}:{number}: {', '.join(sorted(words))}: {texts[name].splitlines()[number - 1].strip()}")
    wrong, lower = compare(found, BASELINE)
    print(*wrong, *lower, sep="\n", end="\n" if wrong or lower else "")
    count = sum(map(len, found.values()))
    print(f"{len(files)} files checked, {count} lines of {len(found)} files name a transport elsewhere, {len(wrong)} violations")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
