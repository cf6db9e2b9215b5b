# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Security that no endpoint would use is refused: a typo in the endpoint must not send everything in clear."""
import unittest

from security_help import Folder
from zlink_cli import Command, run

TLS = (("--tls-ca", "x"), ("--tls-cert", "x"), ("--tls-cert", "x", "--tls-key", "x"), ("--tls-host", "x"),
       ("--insecure",))
IN_CLEAR = ("tcp://127.0.0.1:9", "ws://127.0.0.1:9", "ipc:///tmp/zlink-nowhere")


class SecurityUse(unittest.TestCase):
    def refused(self, words, *arguments):
        done = run(*arguments)
        self.assertEqual((done.status, done.out), (2, b""), (arguments, done))
        self.assertRegex(done.err, r"^zlink: [^\n]*\n$")
        self.assertIn(words, done.err, arguments)

    def test_nothing_goes_out_in_clear_that_was_to_be_encrypted(self):
        with Command("pull", "--bind", "tcp://127.0.0.1:*") as pull:
            at = pull.endpoint()
            self.refused(f"--tls-ca is for tls:// and wss:// endpoints, and there is none: {at} isn't encrypted by it; "
                         f"write tls{at[3:]}, or leave --tls-ca out", "push", "--connect", at, "--tls-ca", "x", "hello")
            self.assertFalse(pull.has_output(0))

    def test_options_of_tls_need_an_endpoint_of_tls(self):
        for endpoint in IN_CLEAR:
            for options in TLS:
                words = f"{options[0]} is for "
                self.refused(words, "push", "--connect", endpoint, *options, "hello")
                self.refused(words, "pull", "--bind", endpoint, *options)
                self.refused(words, "proxy", "--frontend", endpoint, "--backend", endpoint, *options)
                self.refused(words, "auth", "/dev/null", "--connect", endpoint, *options)
            for setting in ("TLS_CA_FILE=x", "tls_verify=1", "ZMQ_TLS_REQUIRE_CLIENT_CERT=1"):
                self.refused("is for ", "push", "--connect", endpoint, "--opt", setting, "hello")
                self.refused("is for ", "proxy", "--frontend", endpoint, "--backend", endpoint, "--opt", setting)
        self.refused("write wss://127.0.0.1:9", "push", "--connect", "ws://127.0.0.1:9", "--insecure", "hello")

    def test_the_other_side_of_a_connection_is_none_to_verify(self):
        for options in (("--tls-host", "x"), ("--insecure",), ("--opt", "TLS_VERIFY=0"), ("--opt", "TLS_HOSTNAME=x")):
            self.refused("is for connecting to tls:// and wss://", "pull", "--bind", "tls://127.0.0.1:*", *options)

    def test_one_endpoint_that_uses_them_is_enough(self):
        done = run("push", "--connect", "tls://127.0.0.1:9", "--connect", "ipc:///tmp/zlink-nowhere", "--insecure",
                   "--timeout", "10ms", "hello")
        self.assertEqual(done.status, 1, done)

    def test_the_sides_of_a_proxy_that_are_cleared_use_none(self):
        sides = ("proxy", "--frontend", "tls://127.0.0.1:*", "--backend", "ipc://*")
        self.refused("--tls-cert is for ", *sides, "--tls-cert", "x", "--clear", "frontend")
        listening = ("proxy", "--frontend", "tcp://127.0.0.1:*", "--backend", "tcp://127.0.0.1:*")
        server = ("--curve-server", "--curve-secret", "@/no/such/file")
        self.refused("--curve-server-key is for a side that connects", *listening, *server, "--curve-server-key", "x")
        self.refused("--curve-server is for ", *listening, *server, "--clear", "frontend", "--clear", "backend")
        with Folder() as folder:
            users = folder.write("users", "plain alice secret\n")
            self.refused("the frontend is a stream, which has no handshake for --plain-server", *listening,
                         "--frontend-type", "stream", "--plain-server", "--auth", users)

    def test_who_listens_by_a_list_of_allowed_peers_does_not_connect_too(self):
        with Folder() as folder:
            allowed = folder.write("allowed", "null\ndeny 0.0.0.0/0\n")
            self.refused("--frontend and --frontend-connect", "proxy", "--frontend", "tcp://127.0.0.1:*",
                         "--frontend-connect", "tcp://127.0.0.1:9", "--backend", "ipc://*", "--auth", allowed)
            self.refused("--auth is for a side that listens", "proxy", "--frontend-connect", "tcp://127.0.0.1:9",
                         "--backend-connect", "tcp://127.0.0.1:9", "--auth", allowed)

    def test_raw_octets_have_no_handshake(self):
        at = ("--bind", "tcp://127.0.0.1:*")
        for setting in ("CURVE_SERVER=1", "PLAIN_SERVER=1", "ZAP_DOMAIN=x"):
            self.refused("which raw octets don't have", "stream", *at, "--opt", setting)
            self.refused("which raw octets don't have", "router", *at, "--opt", "ROUTER_RAW=1", "--opt", setting)
        self.refused("--plain-user is for the handshake", "router", *at, "--opt", "ROUTER_RAW=1", "--plain-user", "joe")

    def test_looking_at_a_file_of_allowed_peers_needs_no_keys(self):
        self.refused("--curve-server is for endpoints", "auth", "/dev/null", "--curve-server")

    def test_a_proxy_is_for_connections_over_ip(self):
        for arguments in (("push", "--connect", "ipc:///tmp/zlink-nowhere", "hello"), ("pull", "--bind", "tcp://*:*")):
            self.refused("--socks-proxy is for connecting to tcp://", *arguments, "--socks-proxy", "127.0.0.1:1")
        self.refused("--opt WS_ORIGIN is for listening at ws://", "pull", "--bind", "tcp://*:*", "--opt", "WS_ORIGIN=x")


if __name__ == "__main__":
    unittest.main()
