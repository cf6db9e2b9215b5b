#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tools/check_schemes.py: which lines name a transport, where they may, and what its exceptions allow."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(os.environ["ZLINK_SOURCE_DIR"]) / "tools"
sys.path.insert(0, str(TOOLS))
import check_schemes  # noqa: E402


def named(text, name="engine/a.cpp"):
    """The words that each line of a file names, lines without any left out."""
    return [sorted(words) for _, words, _ in check_schemes.foreign_lines(name, text)]


class CheckSchemesTest(unittest.TestCase):
    def test_words_are_found_in_identifiers_literals_and_includes(self):
        for line in ("bool is_tcp;", "tcp::options o;", "int tcp_;", "set(ZMQ_TCP_MAXRT);", 'if (scheme == "tcp") {',
                     'f("tcp://*:*");',
                     '#include "transport/tcp/tcp_options.hpp"', '#include <netinet/tcp.h>', "#ifdef ZLINK_TCP"):
            self.assertEqual([["tcp"]], named(line), line)
        self.assertEqual([["wss"], ["ws", "zws"]], named("int wss;\nint none;\nint ws_of_zws;\n"))

    def test_parts_of_words_are_none(self):
        for line in ("int tcpdump;", "int laws, flows;", "in_process = 1;", "int ws2;", "settls();"):
            self.assertEqual([], named(line), line)

    def test_thread_local_storage_is_no_transport(self):
        self.assertEqual([], named("ZLINK_FAST_TLS int a;\n[[gnu::tls_model(\"initial-exec\")]] int b;\n"))
        self.assertEqual([["tls"]], named("ZLINK_FAST_TLS int tls;\n"))

    def test_comments_do_not_count(self):
        self.assertEqual([], named("int a;  // tcp\n/* tcp\n tcp */\n/// tcp\n"))
        self.assertEqual([["tcp"]] * 2, named("f(\"// tcp\");\nf('\"'); int tcp;  // tls \"\n"))

    def test_each_transport_may_be_named_in_its_own_places(self):
        for place, words in (("transport/tcp/a.cpp", "tcp"), ("transport/ws/a.cpp", "ws zws"),
                             ("transport/wss/a.cpp", "wss"), ("zws/a.cpp", "ws"),
                             ("wire/zws_a.hpp", "zws"), ("transport/registry.cpp", "tcp ipc inproc tls ws wss udp")):
            self.assertEqual([], named(words, place), place)
        for place, word in (("transport/tcp/a.cpp", "tls"), ("transport/tls/a.cpp", "tcp"),
                            ("transport/tcp.cpp", "tcp"),
                            ("wire/a.cpp", "zws"), ("zws/a.cpp", "tls"), ("transport/ws/a.cpp", "wss"),
                            ("socket/a.cpp", "udp")):
            self.assertEqual([[word]], named(word, place), place)

    def test_an_exception_is_for_one_line_of_one_file_and_has_to_be_needed(self):
        exceptions = {("a.cpp", "int tcp;"): "a reason"}

        def found(texts):
            return list(check_schemes.violations(texts, exceptions))

        self.assertEqual([], found({"a.cpp": "int a;\n  int tcp;  // tcp\n"}))
        self.assertEqual(["src/a.cpp:2: tcp: named outside of its folder: int tcp_too;"],
                         found({"a.cpp": "int tcp;\nint tcp_too;\n"}))
        unneeded = "src/a.cpp: remove its exception from check_schemes.py, as no line needs it: int tcp;"
        self.assertEqual([unneeded], found({"a.cpp": "int a;\n"}))
        self.assertEqual(["src/b.cpp:1: tcp: named outside of its folder: int tcp;", unneeded],
                         found({"b.cpp": "int tcp;\n"}))

    def test_a_tree_with_a_violation_fails(self):
        with tempfile.TemporaryDirectory() as root:
            path = Path(root) / "src" / "base" / "a.hpp"
            path.parent.mkdir(parents=True, exist_ok=True)
            for (name, line) in check_schemes.EXCEPTIONS:
                needed = Path(root) / "src" / name
                needed.parent.mkdir(parents=True, exist_ok=True)
                with needed.open("a") as file:
                    file.write(line + "\n")
            for text, status in (("int a;\n", 0), ("int tcp;\n", 1)):
                path.write_text(text)
                done = subprocess.run([sys.executable, TOOLS / "check_schemes.py", root],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(status, done.returncode, done.stdout + done.stderr)
                self.assertEqual(status == 1,
                                 "src/base/a.hpp:1: tcp: named outside of its folder: int tcp;"
                                 in done.stdout.splitlines())


if __name__ == "__main__":
    unittest.main()
