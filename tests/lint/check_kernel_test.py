#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tools/check_kernel.py: what it finds, and what it leaves alone."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(os.environ["ZLINK_SOURCE_DIR"]) / "tools" / "check_kernel.py"


def found_in(files):
    """What the check says of a tree with these files (path below src/ -> text): a list of 'path:line: what'."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root) / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)
    lines = [line.removeprefix("src/").split(": runtime/")[0] for line in done.stdout.splitlines()[:-1]]
    assert (done.returncode == 0) == (not lines), done.stderr
    return lines


class CheckKernelTest(unittest.TestCase):
    def test_calls_are_found_with_and_without_the_global_scope(self):
        for call in ("clock_gettime(id, &t)", "epoll_wait(a, b, c, d)", "syscall(n)", "eventfd(0, 0)",
                     "nanosleep(&t, p)",
                     "sched_yield()", "recv(fd, p, n, 0)", "read(fd, p, n)", "ioctl(fd, n, p)",
                     "pthread_create(a, b, c, d)"):
            for text in (f"void f()\n{{\n    {call};\n}}\n", f"int f()\n{{\n    return ::{call};\n}}\n",
                         f"void f()\n{{\n    ::{call};\n}}\n", f"void f()\n{{\n    (void)::{call};\n}}\n",
                         f"void f()\n{{\n    if ({call} < 0) return;\n}}\n"):
                name = call.split("(")[0]
                self.assertEqual([f"socket/a.cpp:3: {name}"], found_in({"socket/a.cpp": text}), text)

    def test_clocks_are_found_by_their_names(self):
        for text in ("auto t = std::chrono::steady_clock::now();", "auto t = steady_clock::now();",
                     "using ticks = std::chrono::system_clock;", "using std::chrono::steady_clock;"):
            self.assertEqual(1, len(found_in({"engine/a.cpp": text + "\n"})), text)

    def test_points_in_time_are_plain_values(self):
        self.assertEqual([], found_in({"pipe/a.hpp": "using time_point = std::chrono::steady_clock::time_point;\n"}))

    def test_threads_and_sleeps_of_the_standard_library_are_found(self):
        for text in ("std::thread t;", "std::this_thread::sleep_for(1ms);", "std::condition_variable c;",
                     "auto f = std::async(g);"):
            self.assertEqual(1, len(found_in({"engine/a.cpp": text + "\n"})), text)

    def test_headers_are_found(self):
        for header in ("<sys/epoll.h>", "<unistd.h>", "<linux/futex.h>", "<boost/asio/post.hpp>", "<thread>",
                       "<sched.h>"):
            self.assertEqual([f"engine/a.cpp:1: {header[1:-1]}"], found_in({"engine/a.cpp": f"#include {header}\n"}))

    def test_runtime_may_do_all_of_it(self):
        text = "#include <boost/asio.hpp>\n#include <sys/epoll.h>\nvoid f() { ::epoll_create1(0); steady_clock::now(); }\n"
        self.assertEqual([], found_in({"runtime/a.cpp": text}))

    def test_transport_may_make_calls_on_connections_alone(self):
        self.assertEqual([],
                         found_in({"transport/tcp/a.cpp": "#include <sys/socket.h>\nvoid f() { ::send(fd, p, n, 0); }\n"}))
        self.assertEqual(["transport/tcp/a.cpp:1: ppoll"],
                         found_in({"transport/tcp/a.cpp": "void f() { ::ppoll(a, b, c, d); }\n"}))
        self.assertEqual(["transport/tcp/a.cpp:1: sys/epoll.h"],
                         found_in({"transport/tcp/a.cpp": "#include <sys/epoll.h>\n"}))
        self.assertEqual(["transport/tcp/a.cpp:1: boost/asio.hpp"],
                         found_in({"transport/tcp/a.cpp": "#include <boost/asio.hpp>\n"}))

    def test_functions_of_the_same_name_are_left_alone(self):
        files = {"engine/a.hpp": "class reader {\n    bool read(int n) noexcept;\n};\n",
                 "engine/a.cpp": "bool reader::read(int n) noexcept { return n; }\nvoid f() { if (read(1)) return; }\n",
                 "engine/b.cpp": "void f(reader& r, reader* p) { r.read(1); p->read(1); other::poll(2); }\n"}
        self.assertEqual([], found_in(files))
        files["engine/c.cpp"] = "void f() { ::read(1); }\n"
        self.assertEqual(["engine/c.cpp:1: read"], found_in(files))
        # Another folder's do not count.
        self.assertEqual(["socket/a.cpp:1: read"],
                         found_in({**files, "engine/c.cpp": "", "socket/a.cpp": "void f() { read(1); }\n"}))

    def test_comments_and_texts_are_not_code(self):
        self.assertEqual([],
                         found_in({"socket/a.cpp": '// as in poll(2): ::poll(a)\nconst char* t = "::poll(a)";\n/* ::poll(a)\n*/\n'}))

    def test_an_exception_that_is_not_used_is_told(self):
        said = found_in({"base/unique_fd.hpp": "#include <unistd.h>\n"})
        self.assertEqual(1, len(said))
        self.assertIn("close is excepted", said[0])
        self.assertEqual([], found_in({"base/unique_fd.hpp": "#include <unistd.h>\nvoid f() { ::close(1); }\n"}))


if __name__ == "__main__":
    unittest.main()
