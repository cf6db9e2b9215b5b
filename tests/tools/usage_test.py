# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Help, versions, and what a user is told about mistakes: one line with cause and cure, exit status 2."""
import os
import shutil
import subprocess
import tempfile
import unittest

from zlink_cli import LIMIT, ZLINK, run

RECEIVERS = ["sub", "pull", "xpub", "xsub", "req", "rep", "dealer", "router", "pair", "stream",
             "client", "server", "peer", "channel", "dish", "gather", "dgram"]
COMMANDS = RECEIVERS + ["pub", "push", "radio", "scatter", "proxy", "keygen", "auth", "bench", "ping", "monitor",
                        "record", "replay", "dump", "demo", "stats", "exporter", "env", "version"]
NOWHERE = "tcp://127.0.0.1:9"


def open_files(process):
    """What each descriptor of a process stands for."""
    files = {}
    for number in os.listdir(f"/proc/{process}/fd"):
        try:
            files[number] = os.readlink(f"/proc/{process}/fd/{number}")
        except FileNotFoundError:
            pass  # closed meanwhile
    return files


class Help(unittest.TestCase):
    def test_the_program_lists_its_commands(self):
        result = run("--help")
        self.assertEqual((result.status, result.err), (0, ""))
        for command in COMMANDS:
            self.assertRegex(result.out.decode(), rf"(?m)^  {command} ")
        self.assertNotIn(b"demo-peer", result.out)

    def test_every_command_has_help_with_examples(self):
        for command in COMMANDS:
            for flag in ("--help", "-h"):
                result = run(command, flag)
                self.assertEqual((result.status, result.err), (0, ""), command)
                self.assertIn(f"  zlink {command}", result.out.decode(), command)

    def test_help_is_also_a_word(self):
        self.assertEqual(run("help").out, run("--help").out)
        self.assertEqual(run("help", "push").out, run("push", "--help").out)
        self.assertEqual(run("help", "pusch").status, 2)

    def test_fields_of_formats_are_listed(self):
        for command in RECEIVERS:
            self.assertRegex(run(command, "--help").out.decode(), r"(?m)^  \{topic\} +its first frame")

    def test_version_is_an_option_too(self):
        for option in ("--version", "-V"):
            self.assertEqual(run(option).out, run("version").out)
        self.assertIn(b"-V", run("--help").out)
        self.assertIn(b"--version", run("--help").out)

    def test_version_names_the_library_in_use(self):
        result = run("version")
        self.assertEqual(result.status, 0)
        lines = dict(line.split(" ", 1) for line in result.out.decode().splitlines())
        self.assertRegex(lines["zlink"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(lines["libzmq"], "API 4.3.5")
        self.assertTrue(lines["library"].startswith(os.path.realpath(os.environ["ZLINK_LIB_DIR"])), lines)
        self.assertLessEqual({"ipc", "vsock"}, set(lines["capabilities"].split()))


    def test_version_lists_no_tls_whose_module_is_missing(self):
        whole = run("version").out.decode()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(os.environ["ZLINK_LIB_DIR"], "libzmq.so.5"), folder)
            bare = run("version", env={"LD_LIBRARY_PATH": folder}).out.decode()
        self.assertIn(folder, bare)
        if " tls" in whole:
            self.assertNotRegex(bare, r"(?m)^capabilities.* (tls|wss)\b")
            self.assertRegex(bare, r"(?m)^no tls:// and wss://: .*libzlink-tls\.so")
        self.assertNotIn("no tls://", whole)


class Mistakes(unittest.TestCase):
    def check(self, status, text, *arguments):
        result = run(*arguments)
        self.assertEqual(result.status, status, (arguments, result))
        self.assertEqual(result.out, b"", (arguments, result))
        self.assertRegex(result.err, r"^zlink: [^\n]*\n$")
        self.assertIn(text, result.err)

    def test_wrong_arguments(self):
        self.check(2, "no command given")
        self.check(2, "did you mean 'push'", "pusch")
        self.check(2, "needs an endpoint", "push", "hello")
        self.check(2, "'foo' is not an endpoint", "push", "-c", "foo", "hello")
        self.check(2, "same process", "pull", "-b", "inproc://here")
        self.check(2, "no option --cunt", "push", "-c", NOWHERE, "--cunt", "3", "x")
        self.check(2, "--count", "push", "-c", NOWHERE, "--count", "many", "x")
        self.check(2, "--rate", "push", "-c", NOWHERE, "--rate", "-1", "x")
        self.check(2, "'-1' is not a number above 0", "push", "-c", NOWHERE, "--rate", "-1", "x")
        self.check(2, "--timeout takes a time", "pull", "-c", NOWHERE, "-t", "5 parsecs")
        self.check(2, "isn't hex", "push", "-c", NOWHERE, "--hex", "zz")
        self.check(2, "escapes", "push", "-c", NOWHERE, "-m", "\\q", "x")
        self.check(2, "takes no messages", "rep", "-c", NOWHERE, "--", "x")
        self.check(2, "x", "sub", "-c", NOWHERE, "x")
        self.check(2, "not both", "push", "-c", NOWHERE, "-f", "/etc/services", "x")
        self.check(2, "not both", "rep", "-c", NOWHERE, "--echo", "--reply", "x")
        self.check(2, "not both", "router", "-c", NOWHERE, "--echo", "-m", "|", "id|message")
        self.check(2, "give messages as arguments or --whole, not both", "push", "-c", NOWHERE, "--whole", "x")
        self.check(2, "give --whole or --chunk, not both", "push", "-c", NOWHERE, "--whole", "--chunk", "1k")
        self.check(2, "--chunk takes a size", "push", "-c", NOWHERE, "--chunk", "0")
        self.check(2, "--chunk takes a size", "push", "-c", NOWHERE, "--chunk", "99999999999G")
        self.check(2, "give --raw or --null, not both", "pull", "-c", NOWHERE, "--raw", "--null")
        self.check(2, "give --raw or --hex, not both", "pull", "-c", NOWHERE, "--raw", "--hex")
        self.check(2, "give --quiet or --verbose, not both", "pull", "-c", NOWHERE, "-q", "-v")
        self.check(2, "give --quiet or --verbose, not both", "proxy", "-q", "-v", "--frontend", NOWHERE, "--backend",
                   NOWHERE)

    def test_what_is_far_from_every_name_is_not_said_to_be_meant(self):
        for name in ("xyzzy", "z", "subscriber"):
            self.check(2, f"unknown command '{name}'; 'zlink --help' lists them", name)
        for name in ("FOO", "X", "NOTHING_LIKE_IT"):
            self.check(2, f"unknown option '{name}'; 'zlink env' lists them all", "push", "-c", NOWHERE, "-o",
                       f"{name}=1", "x")
        self.check(2, "did you mean 'sub'", "sup")
        self.check(2, "did you mean RCVHWM", "pull", "-c", NOWHERE, "-o", "rcv_hwm=1")

    def test_a_demo_without_messages_is_none(self):
        self.check(2, "'0' is not a whole number from 1 on", "demo", "--count", "0")

    def test_counts(self):
        for wrong in ("-1", "1.5", "1e3", "", " 1", "99999999999999999999", "+1"):
            for command in ("pull", "push", "demo"):
                to = [] if command == "demo" else ["-c", NOWHERE]
                least = 1 if command == "demo" else 0
                self.check(2, f"'{wrong}' is not a whole number from {least} on", command, *to, "-n", wrong)

    def test_endpoints_that_can_never_work(self):
        self.check(2, "cannot bind", "push", "-b", "tcp://127.0.0.1:no-port", "x")
        self.check(2, "cannot connect", "push", "-c", "tcp://127.0.0.1", "x")
        self.check(2, "use tcp:// or ipc://", "pull", "-b", "carrier-pigeon://here")
        self.check(2, "longer than a unix socket allows", "pull", "-b", "ipc:///tmp/" + "x" * 200)
        self.check(2, "'foo' is not an endpoint", "proxy", "--frontend", "foo", "--backend", NOWHERE)

    def test_security_that_is_not_there(self):
        missing = "belongs to GSSAPI, which zlink doesn't have; CURVE encrypts"
        for command in ("push", "pull", "proxy", "demo"):
            for option in ("--cert=x", "--ca-file"):
                self.check(2, f"{option} isn't known here; certificates are for tls:// endpoints: --tls-ca",
                           command, option)
            for option in ("--gssapi-server",):
                self.check(2, f"{option} {missing}", command, option)
        for name in ("GSSAPI_SERVER", "zmq_gssapi_principal"):
            self.check(2, f"option {name} {missing}", "pull", "-c", NOWHERE, "-o", f"{name}=1")
        self.check(1, missing, "env", "gssapi")

    def test_names_that_other_programs_have_for_security(self):
        for command in ("push", "pull", "proxy", "demo", "keygen"):
            for option in ("--plain-username", "--curve-serverkey=x", "--password", "--server-key", "--zap-domain"):
                self.check(2, f"{option} isn't known here; security is given", command, option)

    def test_wrong_options_of_sockets(self):
        self.check(2, "did you mean SNDHWM", "push", "-c", NOWHERE, "-o", "SNDHWN=1", "x")
        self.check(2, "NAME=VALUE", "push", "-c", NOWHERE, "-o", "SNDHWM", "x")
        self.check(2, "takes a number", "push", "-c", NOWHERE, "-o", "SNDHWM=ten", "x")
        self.check(2, "was refused", "push", "-c", NOWHERE, "-o", "SNDHWM=-5", "x")
        self.check(2, "only be read", "push", "-c", NOWHERE, "-o", "TYPE=1", "x")

    def test_what_the_system_refuses(self):
        self.check(1, "no such address", "push", "-b", "tcp://192.0.2.1:5555", "x")
        self.check(2, "write it like vsock://*:PORT", "push", "-b", "vsock://there:5555", "x")
        self.check(2, "write it like vsock://CID:PORT", "push", "-c", "vsock://*:5555", "x")
        self.check(1, "doesn't exist", "pull", "-b", "ipc:///no/such/directory/socket")
        self.check(1, "No such file", "push", "-c", NOWHERE, "-f", "/no/such/file")
        self.check(1, "is a directory", "push", "-c", NOWHERE, "-f", "/")

    def test_wrong_arguments_of_other_commands(self):
        self.check(2, "--frontend", "proxy", "--backend", "tcp://127.0.0.1:*")
        self.check(2, "not a socket type", "proxy", "--frontend", "tcp://127.0.0.1:*", "--frontend-type", "odd")
        self.check(2, "--kind", "proxy", "--kind", "odd")
        self.check(2, "nothing can pass from SUB to PULL", "proxy", "--frontend", "tcp://127.0.0.1:*", "--backend",
                   "tcp://127.0.0.1:*", "--frontend-type", "sub", "--backend-type", "pull")
        self.check(2, "not a socket type", "env", "--type", "odd")
        self.check(1, "'zzzz'", "env", "zzzz")
        self.check(2, "unknown name", "demo", "--patterns", "odd")
        self.check(2, "unknown name", "demo", "--transports", "tcp,odd")
        self.check(2, "--seconds", "demo", "--seconds", "0")
        self.check(2, "STREAM", "demo", "--patterns", "stream", "--transports", "ipc")
        self.check(1, "No such file", "demo", "--input", "/no/such/file")
        self.check(2, "zlink demo", "demo-peer")


class NobodyListens(unittest.TestCase):
    """Standard error may be closed, full or a broken pipe: the status stays what it would have been."""

    def statuses(self, *arguments):
        closed = ["bash", "-c", 'exec "$@" 2>&-', "bash", ZLINK, *arguments]
        for command, errors in (([ZLINK, *arguments], "/dev/full"), (closed, "/dev/null")):
            with open(errors, "wb") as stream:
                yield subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stream,
                                     timeout=LIMIT).returncode

    def test_mistakes_and_status_lines(self):
        for status in self.statuses("pub"):
            self.assertEqual(status, 2)
        for status in self.statuses("pull", "--bind", "tcp://127.0.0.1:*", "-t", "50ms"):
            self.assertEqual(status, 1)
        for status in self.statuses("demo", "--quick", "--patterns", "pair", "--transports", "inproc"):
            self.assertEqual(status, 0)

    def test_a_pipe_that_nobody_reads(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([ZLINK, "env"], stdout=writing, stderr=writing, timeout=LIMIT)
        os.close(writing)
        self.assertIn(done.returncode, (0, 1))

    def test_what_is_opened_later_takes_no_standard_descriptor(self):
        script = 'exec "$@" 0<&- 1>&- 2>&-'
        with subprocess.Popen(["bash", "-c", script, "bash", ZLINK, "pull", "--bind", "tcp://127.0.0.1:*"],
                              stderr=subprocess.DEVNULL) as process:
            files = {}
            while process.poll() is None and not any("eventfd" in file for file in files.values()):
                files = open_files(process.pid)
            # Those were read one by one while the program started; now all that it opens at the start is open.
            files = open_files(process.pid)
            process.kill()
        self.assertEqual([files.get(number) for number in ("0", "1", "2")], ["/dev/null"] * 3)


if __name__ == "__main__":
    unittest.main()
