#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""docs/man/commands.json says what the tool's help says, and bash and zsh complete all of it."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE_DIR = Path(os.environ["ZLINK_SOURCE_DIR"])
ZLINK = Path(os.environ["ZLINK_BIN_DIR"]) / "zlink"
sys.path.insert(0, str(SOURCE_DIR / "tools"))
from manual import commands  # noqa: E402

TOOL = SOURCE_DIR / "tools" / "man_pages.py"


HELP = """\
Send each message to one of the pullers
Usage: zlink push [OPTIONS] [MESSAGE...]

Options:
  -h,--help                       Show this help
  --bind ENDPOINT ...             Listen there
  --a-rather-long-name-of-an-option VALUE
                                  Its text
                                  goes on

Security:
  --plain-server                  Be the [server]: it's true

Fields of --format:
  {text}   the message

Examples:
  zlink push hello
"""


class help_test(unittest.TestCase):
    def test_is_taken_apart(self):
        command, names = commands.parse_help(HELP)
        self.assertEqual([], names)
        self.assertEqual("Send each message to one of the pullers", command["about"])
        self.assertEqual("zlink push [OPTIONS] [MESSAGE...]", command["usage"])
        self.assertEqual("  zlink push hello", command["examples"])
        self.assertEqual("Fields of --format:\n  {text}   the message", command["notes"])
        self.assertEqual([["-h", "--help"], ["--bind"], ["--a-rather-long-name-of-an-option"], ["--plain-server"]],
                         [option["names"] for option in command["options"]])
        self.assertEqual(["", "ENDPOINT ...", "VALUE", ""], [option["argument"] for option in command["options"]])
        self.assertEqual("Its text goes on", command["options"][2]["text"])
        self.assertEqual("Security", command["options"][3]["group"])

    def test_of_the_tool_itself_names_the_commands(self):
        text = HELP.replace("Security:", "Commands:").replace("  --plain-server ", "  push           ")
        self.assertEqual(["push"], commands.parse_help(text)[1])


class completion_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = commands.collect(ZLINK)
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        subprocess.run([sys.executable, "-B", TOOL, "--completions", cls.folder], check=True, timeout=60)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def bash(self, *words):
        """What bash offers behind these words, the last of which may have begun."""
        script = (f"source {self.folder}/zlink.bash; COMP_WORDS=(zlink \"$@\"); COMP_CWORD=$#; _zlink; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        said = subprocess.run(["bash", "-euc", script, "bash", *words], capture_output=True, text=True, timeout=60,
                              cwd=self.folder, check=True)
        self.assertEqual("", said.stderr)
        return set(said.stdout.split())

    def test_help_is_read_as_a_whole(self):
        self.assertGreater(len(self.found), 20)
        for name, command in self.found.items():
            with self.subTest(name):
                self.assertIn("--help", commands.all_names(command))
                self.assertNotEqual("", command["about"])
                shown = commands.help_of(ZLINK, *([name] if name else []))
                for option in command["options"]:
                    self.assertIn(",".join(option["names"]), shown)
                    self.assertNotEqual("", option["text"])
                # Each line that begins with a dash is an option.
                lines = [line for line in shown.splitlines() if line.startswith("  -")]
                self.assertEqual(len(lines), sum(option["names"][0].startswith("-") for option in command["options"]))

    def test_the_manual_says_what_the_help_says(self):
        self.assertEqual(self.found, commands.read(SOURCE_DIR),
                         f"run 'tools/man_pages.py --commands {ZLINK}', which writes docs/man/commands.json anew")

    def test_bash_offers_every_command_and_option(self):
        self.assertEqual(set(self.found) - {""} | set(commands.all_names(self.found[""])), self.bash(""))
        for name, command in self.found.items():
            if name:
                self.assertEqual(set(commands.all_names(command)), self.bash(name, ""), name)

    def test_bash_completes_words_and_files(self):
        (self.folder / "some file").touch()
        self.assertEqual({"push", "pub", "pull"}, self.bash("pu"))
        self.assertIn("--connect", self.bash("push", "--con"))
        self.assertEqual(set(), self.bash("push", "--connect", "x"))
        self.assertEqual({"some", "file"}, self.bash("push", "--file", "some"))

    def test_zsh_offers_every_command_and_option(self):
        text = (self.folder / "_zlink").read_text()
        self.assertTrue(text.startswith("#compdef zlink\n"))
        for name, command in self.found.items():
            if name:
                self.assertIn(f"        '{name}:", text)
                part = text.partition(f"\n        {name})\n")[2].partition(";;")[0]
                for option in commands.all_names(command):
                    self.assertRegex(part, rf"[{{,'*]{option}[}},\[]")
        if shutil.which("zsh"):
            said = subprocess.run(["zsh", "-n", self.folder / "_zlink"], capture_output=True, text=True, timeout=60)
            self.assertEqual((0, ""), (said.returncode, said.stderr))


if __name__ == "__main__":
    unittest.main()
