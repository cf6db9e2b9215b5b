# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What keeps a connection from being made is said when it is first met, by each command that connects, without
--verbose."""
import contextlib
import socket
import tempfile
import unittest

from socks_test import Proxy
from zlink_cli import Command, TcpServer, run

# No resolver is asked about labels as long as this one.
NO_NAME = "tcp://" + "n" * 64 + ".example:5555"
COMMANDS = ("pub", "sub", "xpub", "xsub", "push", "pull", "req", "rep", "dealer", "router", "pair", "stream")


@contextlib.contextmanager
def refusing_endpoint():
    """A port that is held by a socket which doesn't listen."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield "tcp://127.0.0.1:%d" % held.getsockname()[1]


class Connecting(unittest.TestCase):
    def test_each_command_says_why_at_once(self):
        with refusing_endpoint() as refusing:
            for endpoint, words in ((refusing, "Connection refused"), (NO_NAME, "its name cannot be looked up")):
                for command in COMMANDS:
                    sent = ["hello"] if command in ("push", "req") else []
                    with self.subTest(command, endpoint=endpoint), Command(command, "-c", endpoint, *sent) as started:
                        started.await_line(rf"^zlink: {endpoint}: {words}; trying again$")

    def test_others_that_connect(self):
        with refusing_endpoint() as refusing, tempfile.NamedTemporaryFile("w") as allowed:
            allowed.write("null\n")
            allowed.flush()
            for arguments in (("proxy", "--frontend", "ipc://*", "--backend-connect", refusing),
                              ("auth", allowed.name, "--connect", refusing)):
                with self.subTest(arguments[0]), Command(*arguments) as started:
                    started.await_line(rf"^zlink: {refusing}: Connection refused; trying again$")

    def test_paths_that_nobody_listens_at(self):
        with tempfile.TemporaryDirectory() as folder:
            with Command("sub", "--connect", f"ipc://{folder}/nobody") as sub:
                sub.await_line(rf"^zlink: ipc://{folder}/nobody: No such file or directory; trying again$")

    def test_each_endpoint_has_its_own_reason(self):
        with refusing_endpoint() as one, refusing_endpoint() as other, \
                Command("sub", "-c", one, "-c", other, "-c", NO_NAME) as sub:
            missing = {f"{one}: Connection refused", f"{other}: Connection refused",
                       f"{NO_NAME}: its name cannot be looked up"}
            while missing:
                missing.remove(sub.await_line(r"^zlink: (.*); trying again$").group(1))

    def test_one_that_is_tried_once_alone(self):
        with refusing_endpoint() as refusing:
            with Command("sub", "--connect", refusing, "-o", "RECONNECT_IVL=-1") as sub:
                sub.await_line(rf"^zlink: {refusing}: Connection refused$")

    def test_quiet_leaves_it_and_delay_does_not_put_it_off(self):
        with refusing_endpoint() as refusing:
            for arguments in (("--quiet",), ("--delay", "60m")):
                with Command("push", "--connect", refusing, *arguments, "hello") as push:
                    push.await_line(rf"^zlink: {refusing}: Connection refused; trying again$")

    def test_it_is_said_once_and_again_at_the_end(self):
        with refusing_endpoint() as refusing:
            done = run("sub", "--connect", refusing, "--timeout", "1s", "-o", "RECONNECT_IVL=10")
        self.assertEqual(done.status, 1)
        self.assertEqual(done.err, f"zlink: {refusing}: Connection refused; trying again\n"
                                   f"zlink: timed out: nothing received at {refusing} within 1000 ms; is the sender "
                                   f"running?; {refusing}: Connection refused\n")

    def test_verbose_says_it_with_the_event(self):
        with refusing_endpoint() as refusing:
            done = run("sub", "--connect", refusing, "--timeout", "300ms", "--verbose")
        self.assertRegex(done.err, rf"(?m)^\[\d+\.\d+ s\] closed {refusing}; {refusing}: Connection refused$")
        self.assertNotIn("; trying again", done.err)

    def test_a_proxy_that_refuses_the_password_is_told_of_at_once(self):
        with Proxy("-u", "joe", "-P", "secret") as proxy:
            with Command("push", "--connect", "tcp://127.0.0.1:5", "--socks-proxy", proxy.address,
                         "--socks-user", "joe",
                         "hello", env={"ZLINK_SOCKS_PASSWORD": "guess"}) as push:
                push.await_line(rf"^zlink: tcp://127\.0\.0\.1:5 by way of the SOCKS proxy "
                                rf"{proxy.address}: the proxy refuses "
                                r"user name and password; trying again$")

    def test_a_proxy_that_is_not_there(self):
        with refusing_endpoint() as nobody:
            with Command("sub", "--connect", "tcp://127.0.0.1:5", "--socks-proxy", nobody[len("tcp://"):]) as sub:
                sub.await_line(r"^zlink: tcp://127\.0\.0\.1:5 by way of .*: the proxy cannot be "
                               r"reached: Connection refused; "
                               "trying again$")

    def test_a_server_that_breaks_off_is_told_of_before_it_is_given_up(self):
        with TcpServer(closes=True) as server, Command("sub", "--connect", server.endpoint) as sub:
            sub.await_line(rf"^zlink: {server.endpoint} refused the handshake: it closed the "
                           rf"connection; .*; trying again$")

    def test_a_peer_that_comes_later_is_found(self):
        with refusing_endpoint() as later, Command("push", "--connect", later, "hello") as push:
            push.await_line("Connection refused; trying again")
            pulled = run("pull", "--bind", later, "--count", "1")
            self.assertEqual((pulled.status, pulled.out), (0, b"hello\n"), pulled)
            self.assertEqual(push.result().status, 0)


if __name__ == "__main__":
    unittest.main()
