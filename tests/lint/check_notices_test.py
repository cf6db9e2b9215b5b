#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""tools/check_notices.py: which files need the licence's notice, where it stands, and that --add writes it once."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(os.environ["ZLINK_SOURCE_DIR"]) / "tools" / "check_notices.py"


class CheckNoticesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)

    def file(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def check(self, *arguments):
        done = subprocess.run([sys.executable, CHECK, *arguments, self.root], capture_output=True, text=True,
                              check=False)
        self.assertEqual("", done.stderr)
        return done.returncode, done.stdout.splitlines()

    def test_a_file_without_a_notice_is_named(self):
        self.file("src/base/a.cpp", "int a;\n")
        status, lines = self.check()
        self.assertEqual(1, status)
        self.assertTrue(lines[0].startswith("src/base/a.cpp: "), lines)

    def test_a_tree_without_sources_is_a_mistake(self):
        self.assertEqual(1, self.check()[0])

    def test_add_writes_it_once_and_behind_the_first_line_of_a_script(self):
        script = self.file("tools/a.py", "#!/usr/bin/env python3\n\"\"\"About it.\"\"\"\n")
        header = self.file("include/a.h", "/** About it. */\n")
        self.assertEqual(0, self.check("--add")[0])
        self.assertEqual(0, self.check()[0])
        added = script.read_text()
        self.assertTrue(added.startswith("#!/usr/bin/env python3\n# SPDX-License-Identifier: MPL-2.0\n"), added)
        self.assertTrue(header.read_text().startswith("/* SPDX-License-Identifier: MPL-2.0 */\n"))
        self.assertEqual(0, self.check("--add")[0])
        self.assertEqual(added, script.read_text())

    def test_another_licence_is_no_notice(self):
        self.file("src/a.hpp", "// SPDX-License-Identifier: MIT\n// SPDX-FileCopyrightText: 2026 the zlink authors\n")
        self.assertEqual(1, self.check()[0])

    def test_seeds_of_the_fuzz_targets_need_none(self):
        self.file("src/a.cpp", "")
        self.file("fuzz/corpus/upgrade/a.c", "x")
        self.check("--add")
        self.assertEqual("x", (self.root / "fuzz/corpus/upgrade/a.c").read_text())


if __name__ == "__main__":
    unittest.main()
