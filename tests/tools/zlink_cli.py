"""Runs the zlink tool as a user would: starts commands, reads where they listen, waits for their end within a limit."""
import os
import re
import signal
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

    def __init__(self, *arguments, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen([ZLINK, *arguments], stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment(None))
        self.watchdog = threading.Timer(LIMIT, self.process.kill)
        self.watchdog.start()
        self.heard = ""

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
        return self.await_line(r"^listening on (\S+)$").group(1)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def result(self):
        out, err = self.process.communicate(timeout=LIMIT)
        return Result(self.process.returncode, out, self.heard + err.decode())
