# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""CURVE from the command line: zlink and libzmq as server and as client, keys from every source, what is said of wrong
ones."""
import unittest

from security_help import OURS, PAIRS, WITH_CURVE, Folder, keygen, run_python
from zlink_cli import run

ANYWHERE = "tcp://127.0.0.1:*"
ONE_LINE = r"^zlink: [^\n]*\n$"

# pyzmq's own authenticator, as its users write it. Arguments: folder of the server's certificate, of the clients'.
PYZMQ_SERVER = """
import sys, zmq, zmq.auth
from zmq.auth.thread import ThreadAuthenticator
context = zmq.Context()
authenticator = ThreadAuthenticator(context)
authenticator.start()
authenticator.configure_curve(domain="*", location=sys.argv[2])
pull = context.socket(zmq.PULL)
pull.curve_publickey, pull.curve_secretkey = zmq.auth.load_certificate(sys.argv[1])
pull.curve_server = True
print(pull.bind_to_random_port("tcp://127.0.0.1"), flush=True)
print(pull.recv_string(), flush=True)
authenticator.stop()
"""

# Arguments: endpoint, the server's certificate, the client's.
PYZMQ_CLIENT = """
import sys, zmq, zmq.auth
with zmq.Context() as context, context.socket(zmq.PUSH) as push:
    push.curve_serverkey, _ = zmq.auth.load_certificate(sys.argv[2])
    push.curve_publickey, push.curve_secretkey = zmq.auth.load_certificate(sys.argv[3])
    push.connect(sys.argv[1])
    push.send_string("from pyzmq")
"""


class Certificates(Folder):
    """Certificates of a server and a client, and a file that lets the client in."""

    def __init__(self):
        super().__init__()
        self.server = keygen(self, "server")
        self.client = keygen(self, "client")
        self.allowed = self.write("allowed", f"curve @{self.path('client')} tester\n")
        self.serving = ["-b", ANYWHERE, "--curve-server", "--curve-secret", "@" + self.path("server_secret")]
        self.knowing = ["--curve-server-key", "@" + self.path("server")]
        self.calling = [*self.knowing, "--curve-secret", "@" + self.path("client_secret")]


class Traffic(unittest.TestCase):
    def test_patterns(self):
        for server, client in PAIRS:
            with self.subTest(server=server, client=client), Certificates() as files:
                with server.command("pull", *files.serving, "--auth", files.allowed, "-n", "3", "-v") as pull:
                    sent = client.run("push", "-c", pull.endpoint(), *files.calling, "a", "b", "c" * 100000)
                    self.assertEqual((sent.status, sent.err), (0, ""))
                    result = pull.result()
                self.assertEqual((result.status, result.out), (0, b"a\nb\n" + b"c" * 100000 + b"\n"))
                self.assertIn(f"let in key {files.client} (tester) from 127.0.0.1\n", result.err)
                with server.command("rep", *files.serving, "--auth", files.allowed, "--reply", "pong") as rep:
                    asked = client.run("req", "-c", rep.endpoint(), *files.calling, "ping", "again")
                    self.assertEqual((asked.status, asked.out), (0, b"pong\npong\n"))
                with server.command("xpub", *files.serving) as xpub:
                    with client.command("sub", "-c", xpub.endpoint(), *files.calling, "-s", "topic") as sub:
                        self.assertEqual(xpub.process.stdout.readline(), b"subscribe topic\n")
                        sub.interrupt()
                        self.assertEqual(sub.result().status, 0)

    def test_over_ipc_with_the_client_listening(self):
        for server, client in PAIRS:
            with self.subTest(server=server, client=client), Certificates() as files:
                endpoint = f"ipc://{files.path('socket')}"
                # libzmq's sockets that connect and ask a handler don't end any more.
                asking = ["--auth", files.allowed] if server is OURS else []
                with client.command("pull", "-b", endpoint, *files.calling, "-v") as pull:
                    pull.endpoint()
                    sent = server.run("push", "-c", endpoint, *files.serving[2:], *asking, "hello")
                    self.assertEqual((sent.status, sent.err), (0, ""))
                    self.assertEqual(pull.process.stdout.readline(), b"hello\n")

    def test_sources_of_keys(self):
        for server, client in PAIRS:
            with self.subTest(server=server, client=client), Certificates() as files:
                secrets = {name: client.run("keygen", "--format", "z85", "--force", files.path(name)) and
                           files.read(name + "_secret").strip() for name in ("server", "client")}
                public = {name: files.read(name).strip() for name in ("server", "client")}
                allowed = files.write("allowed", f"curve {public['client']}\n")
                with server.command("pull", "-b", ANYWHERE, "--curve-server", "--auth", allowed, "-n", "4",
                                    ZLINK_CURVE_SECRET=secrets["server"]) as pull:
                    to = ["push", "-c", pull.endpoint(), "x", "--curve-server-key"]
                    for arguments, variables in (
                            ([public["server"]], {"ZLINK_CURVE_SECRET": secrets["client"]}),
                            ([public["server"], "--curve-secret", "env:MINE"], {"MINE": secrets["client"]}),
                            ([*files.knowing[1:], "--curve-secret", "@" + files.path("client_secret")], {}),
                            ([*files.knowing[1:], "--curve-public", public["client"], "--curve-secret", "@" +
                              files.path("client_secret")], {"ZLINK_CURVE_SECRET": "the option beats it"})):
                        sent = client.run(*to, *arguments, **variables)
                        self.assertEqual((sent.status, sent.err), (0, ""))
                    self.assertEqual(pull.result().out, b"x\n" * 4)

    def test_a_client_without_a_key_of_its_own(self):
        for server, client in PAIRS:
            with self.subTest(server=server, client=client), Certificates() as files:
                anybody = files.write("anybody", "curve any\n")
                for rule in ([], ["--auth", anybody]):
                    with server.command("pull", *files.serving, *rule, "-n", "1") as pull:
                        sent = client.run("push", "-c", pull.endpoint(), *files.knowing, "x")
                        self.assertEqual((sent.status, sent.err), (0, ""))
                        self.assertEqual(pull.result().out, b"x\n")

    def test_a_proxy_decrypts_for_those_behind_it(self):
        for server, client in PAIRS:
            with self.subTest(server=server, client=client), Certificates() as files:
                inside, outside = (f"ipc://{files.path(name)}" for name in ("inside", "outside"))
                with server.command("proxy", "--frontend", outside, "--backend", inside, "--clear", "backend",
                                    *files.serving[2:], "--auth", files.allowed) as proxy:
                    proxy.await_line("forwarding between")
                    with server.command("rep", "-c", inside, "--reply", "pong"):
                        asked = client.run("req", "-c", outside, *files.calling, "ping")
                        self.assertEqual((asked.status, asked.out), (0, b"pong\n"))
                        self.assertEqual(client.run("req", "-c", outside, *files.knowing, "ping").status, 1)


class Refusals(unittest.TestCase):
    def check(self, result, said):
        self.assertEqual((result.status, result.out), (1, b""), result)
        self.assertRegex(result.err.splitlines()[-1] + "\n", ONE_LINE)
        self.assertIn(said, result.err)
        self.assertIn("; 1 message unsent", result.err)

    def test_each_is_named_on_both_sides_and_others_go_on(self):
        for server, client in PAIRS:
            with self.subTest(server=server, client=client), Certificates() as files:
                with server.command("pull", *files.serving, "--auth", files.allowed) as pull:
                    to = ["push", "-c", pull.endpoint(), "-o", "RECONNECT_IVL=10", "hello"]
                    self.check(client.run(*to, *files.knowing), "it refused authentication (status 400); its list of "
                               "allowed peers must have the key of --curve-secret")
                    pull.await_line("refused key .* from 127.0.0.1: this key isn't among those allowed")
                    self.check(client.run(*to, *files.calling[2:], "--curve-server-key", files.client),
                               "check that it is a CURVE server, that --curve-server-key is its public key")
                    pull.await_line("what it sent can't be decrypted; check that its --curve-server-key")
                    # The side that sees first that the mechanisms differ closes the connection; libzmq does so before
                    # it has sent its own.
                    said = "its security mechanism isn't NULL; give --curve-server-key KEY"
                    both_ours = server is OURS and client is OURS
                    self.check(client.run(*to), said if both_ours else "refused the handshake")
                    if both_ours:
                        pull.await_line("it doesn't use CURVE; switch it on there")
                    sent = client.run(*to, *files.calling)
                    self.assertEqual((sent.status, sent.err), (0, ""))
                    self.assertEqual(pull.process.stdout.readline(), b"hello\n")

    def test_a_key_is_added_and_taken_away(self):
        for server, client in PAIRS:
            with self.subTest(server=server, client=client), Certificates() as files:
                nobody = files.write("allowed", "# nobody yet\n")
                with server.command("pull", *files.serving, "--auth", nobody) as pull:
                    to = ["push", "-c", pull.endpoint(), *files.calling, "hello"]
                    self.assertEqual(client.run(*to).status, 1)
                    files.write("allowed", f"curve {files.client}\n")
                    self.assertEqual(client.run(*to).status, 0)
                    self.assertEqual(pull.process.stdout.readline(), b"hello\n")
                    files.write("allowed", f"curve {files.client}\ndeny 127.0.0.1\n")
                    self.assertEqual(client.run(*to).status, 1)


class Mistakes(unittest.TestCase):
    def test_keys(self):
        for library in WITH_CURVE:
            with self.subTest(library), Certificates() as files:
                def check(status, said, *arguments, **variables):
                    result = library.run("push", "-c", "tcp://127.0.0.1:9", "x", *arguments, **variables)
                    self.assertEqual((result.status, result.out), (status, b""), result)
                    self.assertRegex(result.err, ONE_LINE)
                    self.assertIn(said, result.err)

                for wrong in ("short", "x" * 39, "x" * 41, "~" * 40, "#" * 40):
                    check(2, f"--curve-server-key takes a key of 40 characters of Z85, or @FILE; '{wrong}' has "
                             f"{len(wrong)}", f"--curve-server-key={wrong}")
                check(1, "cannot read /no/such", "--curve-server-key", "@/no/such")
                check(1, "there is no public key in", "--curve-server-key", "@" + files.write("empty", ""))
                check(1, "is longer than", "--curve-server-key", "@" + files.write("long", "x\n" * 65536))
                check(2, "not the secret itself", *files.knowing, "--curve-secret", "x" * 40)
                check(1, "there is no secret key in", *files.knowing, "--curve-secret",
                      "@" + files.write("own", files.read("server")))
                check(1, "there is no secret key in variable ZLINK_CURVE_SECRET (3 octets)", *files.knowing,
                      ZLINK_CURVE_SECRET="abc")
                check(2, "--curve-server needs the server's secret key: --curve-secret @FILE", "--curve-server")
                check(2, "--curve-public needs its secret key, too", *files.knowing, "--curve-public", files.client)
                check(1, "isn't the key that belongs to the secret", *files.calling, "--curve-public", files.server)
                check(2, "--curve-server or --curve-server-key, not both", *files.calling, "--curve-server")

    def test_a_library_without_curve_is_named(self):
        if OURS in WITH_CURVE:
            self.assertEqual(run("keygen").status, 0)
            return
        for option in (["--curve-server"], ["--curve-server-key", "x" * 40]):
            result = run("push", "-c", "tcp://127.0.0.1:9", "x", *option)
            self.assertEqual(result.status, 1)
            self.assertRegex(result.err, r"^zlink: \S+libzmq\S+ was built without CURVE; [^\n]*\n$")


class Pyzmq(unittest.TestCase):
    def test_the_tool_calls_a_program_with_pyzmqs_authenticator(self):
        for library in WITH_CURVE:
            with self.subTest(library), Certificates() as files, Folder() as clients:
                clients.write("client.key", files.read("client"))
                server = run_python(PYZMQ_SERVER, files.path("server_secret"), clients.directory.name)
                try:
                    endpoint = "tcp://127.0.0.1:" + server.stdout.readline().decode().strip()
                    stranger = library.run("push", "-c", endpoint, *files.knowing, "-t", "10s", "hello")
                    self.assertEqual(stranger.status, 1)
                    sent = library.run("push", "-c", endpoint, *files.calling, "from the tool")
                    self.assertEqual((sent.status, sent.err), (0, ""))
                    self.assertEqual(server.stdout.readline(), b"from the tool\n")
                    server.communicate()
                    self.assertEqual(server.returncode, 0)
                finally:
                    server.kill()
                    server.communicate()

    def test_pyzmq_calls_the_tool(self):
        for library in WITH_CURVE:
            with self.subTest(library), Certificates() as files:
                with library.command("pull", *files.serving, "--auth", files.allowed, "-n", "1") as pull:
                    client = run_python(PYZMQ_CLIENT, pull.endpoint(), files.path("server"),
                                        files.path("client_secret"))
                    _, err = client.communicate()
                    self.assertEqual(client.returncode, 0, err)
                    self.assertEqual(pull.result().out, b"from pyzmq\n")


if __name__ == "__main__":
    unittest.main()
