# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""PLAIN, addresses, and the file of allowed peers: which peers are let in, what is said of the others, what a change
does."""
import os
import unittest

from security_help import OURS, THEIRS, WITH_CURVE, Folder, keygen, run_python
from zlink_cli import Command, run

ANYWHERE = "tcp://127.0.0.1:*"
ONE_LINE = r"^zlink: [^\n]*\n$"

# A program that knows nothing of the file: what asks inproc://zeromq.zap.01 is forwarded to `zlink auth`.
FORWARDING_PROGRAM = """
import sys, threading, zmq
context = zmq.Context()
questions, answers = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
questions.bind("inproc://zeromq.zap.01")
answers.connect(sys.argv[1])
threading.Thread(target=zmq.proxy, args=(questions, answers), daemon=True).start()
pull = context.socket(zmq.PULL)
pull.plain_server = True
print(pull.bind_to_random_port("tcp://127.0.0.1"), flush=True)
message = pull.recv(copy=False)
print(message.bytes.decode(), message.get("User-Id"), flush=True)
import os
os._exit(0)  # the forwarder never ends
"""


def push(endpoint, user, password, *arguments, library=OURS):
    return library.run("push", "-c", endpoint, "--plain-user", user, *arguments, "hello", ZLINK_PLAIN_PASSWORD=password)


class Plain(unittest.TestCase):
    def test_both_libraries_both_ways(self):
        for server in (OURS, THEIRS):
            for client in (OURS, THEIRS):
                with self.subTest(server=server, client=client), Folder() as folder:
                    users = folder.write("users", "# who may come\nplain alice secret word\nplain bob @" +
                                         folder.write("bobs", "another\nsecond line\n") + "\n")
                    with server.command("pull", "-b", ANYWHERE, "--plain-server", "--auth", users, "-n", "2",
                                        "-v") as pull:
                        endpoint = pull.endpoint()
                        self.assertEqual(push(endpoint, "alice", "secret word", library=client).status, 0)
                        self.assertEqual(push(endpoint, "bob", "another", library=client).status, 0)
                        result = pull.result()
                    self.assertEqual((result.status, result.out), (0, b"hello\nhello\n"), result)
                    self.assertIn("let in user 'alice' from 127.0.0.1\n", result.err)

    def test_wrong_names_and_passwords(self):
        for server in (OURS, THEIRS):
            with self.subTest(server), Folder() as folder:
                users = folder.write("users", "plain alice secret\n")
                with server.command("pull", "-b", ANYWHERE, "--plain-server", "--auth", users, "-v") as pull:
                    endpoint = pull.endpoint()
                    for user, password in (("alice", "Secret"), ("alice", "secre"), ("alice", "secret "), ("bob", "?"),
                                           ("Alice", "secret")):
                        result = push(endpoint, user, password)
                        self.assertEqual(result.status, 1)
                        self.assertRegex(result.err, ONE_LINE)
                        self.assertIn("it refused authentication (status 400); its list of allowed peers must have "
                                      "--plain-user and --plain-password; 1 message unsent", result.err)
                        pull.await_line(f"refused user '{user}' from 127.0.0.1: wrong name or password")
                    self.assertEqual(push(endpoint, "alice", "secret").status, 0)
                    self.assertEqual(pull.process.stdout.readline(), b"hello\n")

    def test_a_peer_without_credentials_gets_nowhere(self):
        with Folder() as folder:
            users = folder.write("users", "plain alice secret\nnull\n")
            with Command("pull", "-b", ANYWHERE, "--plain-server", "--auth", users) as pull:
                endpoint = pull.endpoint()
                result = run("push", "-c", endpoint, "hello")
                self.assertEqual(result.status, 1)
                self.assertIn("its security mechanism isn't NULL; give --curve-server-key KEY or --plain-user",
                              result.err)
                pull.await_line("refused a peer that came to .*: it doesn't use PLAIN; switch it on there")
                pull.interrupt()
                ended = pull.result()
            self.assertEqual((ended.status, ended.out), (1, b""))

    def test_a_server_that_connects(self):
        with Folder() as folder:
            users = folder.write("users", "plain alice secret\n")
            with OURS.command("pull", "-b", ANYWHERE, "--plain-user", "alice", "-n", "1",
                              ZLINK_PLAIN_PASSWORD="secret") as pull:
                sent = run("push", "-c", pull.endpoint(), "--plain-server", "--auth", users, "hello")
                self.assertEqual((sent.status, sent.err), (0, ""))
                self.assertEqual(pull.result().out, b"hello\n")

    def test_sources_of_the_password(self):
        with Folder() as folder:
            users = folder.write("users", "plain alice secret\n")
            own = folder.write("password", "secret\r\n")
            with Command("pull", "-b", ANYWHERE, "--plain-server", "--auth", users, "-n", "3") as pull:
                to = ["push", "-c", pull.endpoint(), "--plain-user", "alice"]
                for source, variables in (("@" + own, {}), ("env:MINE", {"MINE": "secret"}),
                                          ("@" + own, {"ZLINK_PLAIN_PASSWORD": "the option beats it"})):
                    result = run(*to, "--plain-password", source, "x", env=variables)
                    self.assertEqual((result.status, result.err), (0, ""))
                self.assertEqual(pull.result().out, b"x\nx\nx\n")

    def test_proxy(self):
        with Folder() as folder, Command("pull", "-b", "ipc://*", "-n", "1") as pull:
            users = folder.write("users", "plain alice secret\n")
            with Command("proxy", "-k", "streamer", "--frontend", f"ipc://{folder.path('in')}", "--backend-connect",
                         pull.endpoint(), "--plain-server", "--auth", users, "--clear", "backend") as proxy:
                proxy.await_line("forwarding between")
                endpoint = f"ipc://{folder.path('in')}"
                self.assertEqual(run("push", "-c", endpoint, "stranger").status, 1)
                self.assertEqual(push(endpoint, "alice", "wrong").status, 1)
                self.assertEqual(push(endpoint, "alice", "secret").status, 0)
                self.assertEqual(pull.result().out, b"hello\n")


class Addresses(unittest.TestCase):
    def let_in(self, folder, rules, endpoint):
        file = folder.write("allowed", "null\n" + rules)
        with Command("pull", "-b", endpoint, "--auth", file) as pull:
            return run("push", "-c", pull.endpoint(), "hello").status == 0

    def test_networks(self):
        with Folder() as folder:
            for rules, expected in (("", True), ("allow 127.0.0.1", True), ("allow 127.0.0.0/8", True),
                                    ("allow 126.0.0.0/7", True), ("allow 128.0.0.0/7", False),
                                    ("allow 0.0.0.0/0", True),
                                    ("allow 192.0.2.1\nallow 127.0.0.0/30", True), ("allow 192.0.2.1", False),
                                    ("allow ::ffff:127.0.0.1", True), ("allow ::1", False), ("deny ::/0", False),
                                    ("deny 127.0.0.1", False), ("deny 127.0.0.2", True), ("allow ipc", False),
                                    ("allow 127.0.0.0/8\ndeny 127.0.0.1/32", False)):
                with self.subTest(rules):
                    self.assertEqual(self.let_in(folder, rules, ANYWHERE), expected)

    def test_processes(self):
        me, mine = os.getuid(), os.getgid()
        with Folder() as folder:
            for rules, expected in (("", True), ("allow ipc", True), ("deny ipc", False), (f"allow uid:{me}", True),
                                    (f"allow uid:{me + 1}", False), (f"allow gid:{mine}", True),
                                    (f"deny gid:{mine}", False), (f"allow gid:{mine + 1}", False),
                                    ("allow 127.0.0.1", False), ("deny 0.0.0.0/0", True)):
                with self.subTest(rules):
                    self.assertEqual(self.let_in(folder, rules, "ipc://*"), expected)


class Changes(unittest.TestCase):
    def test_a_change_holds_for_the_next_peer(self):
        with Folder() as folder:
            users = folder.write("users", "plain alice secret\n")
            with Command("pull", "-b", ANYWHERE, "--plain-server", "--auth", users) as pull:
                endpoint = pull.endpoint()
                self.assertEqual(push(endpoint, "alice", "secret").status, 0)
                for _ in range(5):  # faster than a file's times tell apart
                    folder.write("users", "plain alice sacred\n")
                    self.assertEqual(push(endpoint, "alice", "secret").status, 1)
                    self.assertEqual(push(endpoint, "alice", "sacred").status, 0)
                    folder.write("users", "plain alice secret\n")
                    self.assertEqual(push(endpoint, "alice", "secret").status, 0)
                pull.await_line("users was read again: 0 keys, 1 user, from every address")

    def test_a_file_that_a_rule_refers_to(self):
        with Folder() as folder:
            password = folder.write("password", "one\n")
            users = folder.write("users", f"plain alice @{password}\n")
            with Command("pull", "-b", ANYWHERE, "--plain-server", "--auth", users) as pull:
                self.assertEqual(push(pull.endpoint(), "alice", "one").status, 0)
                folder.write("password", "two\n")
                self.assertEqual(push(pull.endpoint(), "alice", "one").status, 1)
                self.assertEqual(push(pull.endpoint(), "alice", "two").status, 0)

    def test_a_mistake_leaves_the_rules_from_before(self):
        with Folder() as folder:
            users = folder.write("users", "plain alice secret\n")
            with Command("pull", "-b", ANYWHERE, "--plain-server", "--auth", users) as pull:
                endpoint = pull.endpoint()
                for broken in ("plain alice\n", "plane alice secret\n", None):
                    if broken:
                        folder.write("users", broken)
                    else:
                        os.unlink(users)
                    self.assertEqual(push(endpoint, "alice", "secret").status, 0)
                    pull.await_line("^zlink: .*; the rules from before stay: 0 keys, 1 user")
                folder.write("users", "plain bob secret\n")
                self.assertEqual(push(endpoint, "alice", "secret").status, 1)
                self.assertEqual(push(endpoint, "bob", "secret").status, 0)


class Service(unittest.TestCase):
    def test_another_program_asks(self):
        with Folder() as folder:
            users = folder.write("users", "plain alice secret\n")
            with Command("auth", users, "-b", f"ipc://{folder.path('zap')}", "-v") as auth:
                auth.await_line("users lets in 0 keys, 1 user, from every address")
                program = run_python(FORWARDING_PROGRAM, f"ipc://{folder.path('zap')}")
                try:
                    endpoint = "tcp://127.0.0.1:" + program.stdout.readline().decode().strip()
                    self.assertEqual(push(endpoint, "alice", "wrong").status, 1)
                    auth.await_line("refused user 'alice' from 127.0.0.1: wrong name or password")
                    self.assertEqual(push(endpoint, "alice", "secret").status, 0)
                    auth.await_line("let in user 'alice' from 127.0.0.1")
                    self.assertEqual(program.stdout.readline(), b"hello alice\n")
                finally:
                    program.kill()
                    program.communicate()
                auth.interrupt()
                self.assertEqual(auth.result().status, 0)

    def test_what_is_no_question_gets_an_answer(self):
        with Folder() as folder:
            with Command("auth", folder.write("allowed", "null\n"), "-b", "ipc://*") as auth:
                for question in ("hello", "2.0|1|global|127.0.0.1||NULL", "1.0|1|global|127.0.0.1|"):
                    asked = run("req", "-c", auth.endpoint(), "-m", "|", question)
                    self.assertEqual(asked.status, 0)
                    self.assertRegex(asked.out.decode(), r"^1\.0\|1?\|500\|not a question of ZAP 1\.0\|\|\n$")
                for question, answer in (("1.0|1|global|127.0.0.1||NULL", "1.0|1|200|OK|anonymous|"),
                                         ("1.0|7|||me|PLAIN|a|b", "1.0|7|400|wrong name or password||"),
                                         ("1.0|7|||me|PLAIN|a", "1.0|7|400|credentials of another form are wanted||"),
                                         ("1.0||||me|CURVE|short", "1.0||400|a key has 32 octets||"),
                                         ("1.0|7||||GSSAPI|x", "1.0|7|400|credentials of another form are wanted||")):
                    self.assertEqual(run("req", "-c", auth.endpoint(), "-m", "|", question).out.decode(), answer + "\n")


    def test_rules_on_addresses_refuse_who_has_none(self):
        with Folder() as folder:
            file = folder.write("allowed", "")
            with Command("auth", folder.write("allowed", "null\n"), "-b", "ipc://*") as auth:
                for rules, address, status in (("", "", 200), ("allow ipc", "", 400), ("deny 10.0.0.0/8", "", 400),
                                               ("allow ipc", "localhost:1:2:3", 200), ("deny ipc", "127.0.0.1", 200),
                                               ("deny ipc", "localhost:1:2:3", 400), ("deny ipc", "", 400),
                                               ("allow 0.0.0.0/0", "10.0.0.1", 200), ("allow 0.0.0.0/0", "", 400)):
                    with self.subTest(rules=rules, address=address):
                        new = folder.write("new", f"null\n{rules}\n")
                        os.replace(new, file)
                        asked = run("req", "-c", auth.endpoint(), "-m", "|", f"1.0|1|global|{address}||NULL")
                        self.assertEqual(asked.out.decode().split("|")[2], str(status))


class Mistakes(unittest.TestCase):
    def check(self, status, said, *arguments, **variables):
        result = run(*arguments, env=variables)
        self.assertEqual((result.status, result.out), (status, b""), result)
        self.assertRegex(result.err, ONE_LINE)
        self.assertIn(said, result.err)

    def test_rules(self):
        with Folder() as folder:
            for rule, said in (("allow 1.2.3", "'1.2.3' is not an address"), ("deny 1.2.3.4/33", "is not an address"),
                               ("allow uid:me", "is not an address"), ("plain alice", "write 'plain USER PASSWORD'"),
                               ("plain a b\nplain a c", ":3: user 'a' has a password already"),
                               ("null please", "a rule is"), ("curve tooshort", "a key of 40 characters of Z85"),
                               ("curve @/no/such/file", "cannot read /no/such/file"), ("secret", "a rule is")):
                file = folder.write("allowed", "# first\n" + rule + "\n")
                self.check(1, said, "auth", file)
                self.check(1, file + ":", "pull", "-b", ANYWHERE, "--auth", file)
            self.check(1, "cannot read /no/such/file", "auth", "/no/such/file")
            self.check(1, "is a directory".capitalize(), "auth", "/")
            fine = folder.write("allowed", "# nobody\n\nnull\ndeny 10.0.0.0/8\nallow ipc\n")
            told = run("auth", fine)
            self.assertEqual(told.out.decode(), f"{fine} lets in 0 keys, 0 users, peers without credentials, from 1 "
                                                "address rule but 1 denied\n")

    def test_options(self):
        with Folder() as folder:
            to = ["push", "-c", "tcp://127.0.0.1:9", "x"]
            users = folder.write("users", "plain alice secret\n")
            self.check(2, "--plain-user needs a password: --plain-password @FILE", *to, "--plain-user", "a")
            self.check(2, "not the secret itself", *to, "--plain-user", "a", "--plain-password", "b")
            self.check(1, "cannot read /no/such", *to, "--plain-user", "a", "--plain-password", "@/no/such")
            self.check(1, "no variable NO_SUCH", *to, "--plain-user", "a", "--plain-password", "env:NO_SUCH")
            for size in (0, 256):
                empty = folder.write("password", "x" * size + "\n")
                self.check(1, f"has {size} octets; it takes 1 to 255", *to, "--plain-user", "a", "--plain-password",
                           "@" + empty)
            self.check(2, "--plain-user takes up to 255 octets", *to, "--plain-user", "a" * 256,
                       ZLINK_PLAIN_PASSWORD="b")
            self.check(2, "--plain-password needs --plain-user", *to, "--plain-password", "env:HOME")
            self.check(2, "--plain-server needs --auth FILE", *to, "--plain-server")
            self.check(2, "--plain-server or --plain-user, not both", *to, "--plain-server", "--auth", users,
                       "--plain-user", "a", ZLINK_PLAIN_PASSWORD="b")
            self.check(2, "--auth is for the server", *to, "--auth", users, "--plain-user", "a",
                       ZLINK_PLAIN_PASSWORD="b")
            self.check(1, "add the line 'null'", *to, "--auth", users)
            self.check(2, "--curve-server or --plain-server, not both", *to, "--curve-server", "--plain-server")
            self.check(2, "--curve-server-key or --plain-user, not both", *to, "--curve-server-key", "x",
                       "--plain-user", "y")
            self.check(2, "--curve-secret needs --curve-server-key KEY", *to, "--curve-secret", "env:X")
            self.check(2, "--curve-public needs --curve-server-key KEY", *to, "--curve-public", "x")
            self.check(2, "by --plain-password @FILE", *to, "-o", "PLAIN_PASSWORD=x")
            self.check(2, "by --curve-secret @FILE", *to, "-o", "curve_secretkey=x")
            self.check(2, "--plain-user", "stream", "-c", "tcp://127.0.0.1:9", "--plain-user", "x")

    def test_no_side_of_a_proxy_is_left_open_by_an_oversight(self):
        with Folder() as folder:
            users = folder.write("users", "plain alice secret\n")
            sides = ["--frontend", ANYWHERE, "--backend-connect", "tcp://127.0.0.1:9"]
            self.check(2,
                       "the backend connects, and has no security; give --curve-server-key or --plain-user, or --clear "
                       "backend", "proxy", *sides, "--plain-server", "--auth", users)
            self.check(2, "the frontend listens, and has no security", "proxy", *sides, "--plain-user", "a",
                       ZLINK_PLAIN_PASSWORD="b")
            self.check(2, "listens or connects, not both", "proxy", *sides, "--frontend-connect", "tcp://127.0.0.1:9",
                       "--plain-server", "--auth", users)
            self.check(2, "--clear", "proxy", *sides, "--clear", "everything")

    def test_files_that_others_may_read_are_named(self):
        with Folder() as folder:
            for mode, said in ((0o644, True), (0o640, True), (0o600, False), (0o400, False)):
                users = folder.write("users", "plain alice secret\n", mode=mode)
                told = run("auth", users)
                self.assertEqual(told.status, 0)
                self.assertEqual("other users may read the secret in" in told.err, said)
            self.assertEqual(run("auth", folder.write("allowed", "null\n", mode=0o644)).err, "")

    def test_files_without_a_secret_are_not(self):
        if not WITH_CURVE:
            return
        with Folder() as folder:
            keygen(folder, "server")
            for name in ("server", "server_secret"):
                os.chmod(folder.path(name), 0o644)
                told = run("pull", "-b", ANYWHERE, "--curve-server", "--curve-secret", "@" + folder.path(name), "-t",
                           "10ms", env=WITH_CURVE[0].variables)
                self.assertEqual("other users may read" in told.err, name == "server_secret", told)


if __name__ == "__main__":
    unittest.main()
