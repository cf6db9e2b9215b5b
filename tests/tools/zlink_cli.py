# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Runs the zlink tool as a user would: starts commands, reads where they listen, waits for their end within a limit."""
import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import threading

ZLINK = os.path.join(os.environ["ZLINK_BIN_DIR"], "zlink")
LIMIT = 60  # seconds: a hang becomes a failure


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\nstdout: {self.out!r}\nstderr: {self.err!r}"


def environment(changes):
    result = dict(os.environ, LC_ALL="C.UTF-8")
    result.update(changes or {})
    return result


def run(*arguments, stdin=b"", env=None):
    """Runs a command to its end; stdin is what it reads."""
    done = subprocess.run([ZLINK, *arguments], input=stdin, capture_output=True, timeout=LIMIT, env=environment(env))
    return Result(done.returncode, done.stdout, done.stderr.decode())


class Command:
    """A command in the background."""

    def __init__(self, *arguments, stdin=subprocess.DEVNULL, env=None):
        self.process = subprocess.Popen([ZLINK, *arguments], stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment(env))
        self.watchdog = threading.Timer(LIMIT, self.process.kill)
        self.watchdog.start()
        self.heard = ""
        self.listens_on = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream and not stream.closed:
                stream.close()

    def await_line(self, pattern):
        """Reads stderr up to the line that matches; returns the match."""
        while True:
            line = self.process.stderr.readline().decode()
            if not line:
                raise AssertionError(f"no line like {pattern!r} on stderr, only {self.heard!r}")
            self.heard += line
            found = re.search(pattern, line)
            if found:
                return found

    def endpoint(self):
        """Where it listens; waits for the line that says so, once."""
        if self.listens_on is None:
            self.listens_on = self.await_line(r"^listening on (\S+)$").group(1)
        return self.listens_on

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def has_output(self, seconds):
        """Whether something is to be read from standard output within so long."""
        return bool(select.select([self.process.stdout], [], [], seconds)[0])

    def feed(self, octets):
        """Writes to the standard input that was asked for with stdin=subprocess.PIPE."""
        self.process.stdin.write(octets)
        self.process.stdin.flush()

    def feed_on(self, octets):
        """Writes in the background, then closes standard input. A command that ends earlier leaves the rest."""
        def write():
            with contextlib.suppress(BrokenPipeError):
                self.feed(octets)
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
            self.process.stdin = None

        feeder = threading.Thread(target=write, daemon=True)
        feeder.start()
        return feeder

    def halt(self):
        """Stops the process where it is; go_on() lets it run again."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def result(self):
        out, err = self.process.communicate(timeout=LIMIT)
        return Result(self.process.returncode, out, self.heard + err.decode())


class TcpServer:
    """Accepts tcp connections, says something, and closes them or keeps them open."""

    def __init__(self, says=b"", closes=False):
        self.says, self.closes, self.kept = says, closes, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = "tcp://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            try:
                connection.sendall(self.says)
            except OSError:
                pass
            if self.closes:
                connection.close()
            else:
                self.kept.append(connection)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        for connection in self.kept:
            connection.close()
