#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Checks that no line of src/ names a transport or scheme outside of its own folder.

A line names one if a word of its code is tcp, ipc, inproc, tls, ws, wss, zws, udp or vsock: in an identifier, where
words are separated by underscores, in a literal, or in the path of an include. Upper and lower case are the same.
Comments do not count.

    check_schemes.py [<root of the source tree>]

OWN_PLACES says where each word may stand, and EXCEPTIONS which single lines may name one elsewhere, each with its
reason. An exception that no line needs is a violation, too. Prints a line per violation; exit status 1 if there is one.
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
    "transport/udp/": {"udp"},
    "transport/vsock/": {"vsock"},
    "transport/ws/": {"ws", "zws"},
    "transport/wss/": {"wss", "tls"},  # its options are those of tls, which it goes over
    "zws/": {"ws", "zws"},
    "wire/zws_": {"ws", "zws"},  # the framing
    "engine/connection/zws_framing.": {"ws", "zws"},  # the same
    "transport/local_service/service_place.": {"tcp", "ipc"},  # the grammar of places, which are no endpoints
    "stats/http_request.": {"zws"},  # the head of a request of HTTP is read there
    "transport/registry.": {"tcp", "ipc", "inproc", "tls", "ws", "wss", "udp", "vsock"},
}

# (File below src/, line without spaces at both ends) -> the reason why this line may name one all the same.
EXCEPTIONS = {
    ("runtime/asio.hpp",
     "#include <boost/asio/ip/tcp.hpp>"): "Asio looks names up for a protocol of IP, this one for streams",
    ("runtime/asio.hpp", "#include <asio/ip/tcp.hpp>"): "the same",
    ("runtime/asio_lookups.cpp", "using names = net::ip::tcp::resolver;"): "the same",
    ("zmtp/metadata.cpp", 'constexpr std::string_view reserved_prefix = "Tls-";'):
        "a name in the protocol of messages' properties: no peer may forge them, over whatever transport it comes",
    ("zmtp/handshake_error.cpp", 'case handshake_error::foreign_record: return "peer speaks TLS";'):
        "words for a peer that speaks another protocol",
    ("engine/failure_words.cpp",
     'case handshake_error::foreign_record: return "use a tls or wss endpoint here, or no TLS on the other side";'):
        "what to do then",
    ("c_api/monitor_api.cpp",
     '{{EINVAL, "the endpoint of a monitor is inproc://NAME; its type is ZMQ_PAIR, ZMQ_PUB or ZMQ_PUSH, and "'):
        "words for a program that has given a monitor another endpoint",
    ("c_api/monitor_api.cpp", '{EPROTONOSUPPORT, "monitors report at inproc endpoints alone"},'): "the same",
    ("socket/words.cpp",
     'case ZLINK_IPC_MODE: return ", ZLINK_IPC_MODE, takes an int from 0 to 0777, or -1: what the umask leaves";'):
        "words for an option, with its name",
}

WORD = re.compile(r"(?<![A-Za-z0-9])(tcp|ipc|inproc|tls|wss?|zws|udp|vsock)(?![A-Za-z0-9])", re.IGNORECASE)
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
            yield number, words, line.strip()


def violations(texts, exceptions):
    """What is wrong, a text each. `texts`: file below src/ -> its content."""
    needed = set()
    for name, text in texts.items():
        for number, words, line in foreign_lines(name, text):
            if (name, line) in exceptions:
                needed.add((name, line))
            else:
                yield f"src/{name}:{number}: {', '.join(sorted(words))}: named outside of its folder: {line}"
    for name, line in exceptions.keys() - needed:
        yield f"src/{name}: remove its exception from check_schemes.py, as no line needs it: {line}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    src = parser.parse_args().root / "src"
    files = sorted(path for path in src.rglob("*") if path.suffix in {".hpp", ".cpp", ".h"})
    texts = {path.relative_to(src).as_posix(): path.read_text() for path in files}
    wrong = sorted(violations(texts, EXCEPTIONS))
    print(*wrong, f"{len(files)} files checked, {len(EXCEPTIONS)} exceptions, {len(wrong)} violations", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
