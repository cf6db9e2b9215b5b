#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What ClusterFuzzLite and OSS-Fuzz are given: every fuzz target with its seeds and dictionary (docs/fuzzing.md)."""
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(os.environ["ZLINK_SOURCE_DIR"])
FOR_OTHERS = ROOT / ".clusterfuzzlite"


def targets():
    return {path.name.removesuffix("_fuzz.cpp") for path in (ROOT / "fuzz").glob("*_fuzz.cpp")}


def project():
    """The keys of project.yaml: texts, or lists of texts. It has no more of YAML than that."""
    found = {}
    for line in (FOR_OTHERS / "project.yaml").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if item := re.fullmatch(r"  - (\S+)", line):
            found[key].append(item[1])
        else:
            key, value = re.fullmatch(r"([a-z_]+):(?: (\S+))?", line).groups()
            found[key] = value if value else []
    return found


class FuzzingTest(unittest.TestCase):
    def test_every_target_has_seeds_and_all_seeds_have_a_target(self):
        seeds = {path.name for path in (ROOT / "fuzz" / "corpus").iterdir() if any(path.iterdir())}
        self.assertEqual(targets(), seeds)

    def test_every_target_includes_what_makes_it_one(self):
        for name in targets():
            text = (ROOT / "fuzz" / f"{name}_fuzz.cpp").read_text()
            self.assertEqual(1, text.count('extern "C" int LLVMFuzzerTestOneInput('), name)

    def test_dictionaries_are_of_targets_and_no_target_has_two(self):
        owned = []
        for path in (ROOT / "fuzz" / "dict").glob("*.dict"):
            lines = path.read_text().splitlines()
            owner = [line for line in lines if line.startswith("# Targets: ")]
            self.assertEqual(1, len(owner), path.name)
            owned += owner[0].split()[2:]
            for line in lines:
                self.assertRegex(line, r'^(#.*|[a-z0-9_]+="([^"\\]|\\\\|\\"|\\x[0-9a-f]{2})+")$', path.name)
        self.assertEqual(sorted(set(owned)), sorted(owned))
        self.assertLessEqual(set(owned), targets())

    def test_project_is_described(self):
        described = project()
        self.assertEqual("c++", described["language"])
        self.assertEqual(["address", "undefined"], described["sanitizers"])
        self.assertIn("libfuzzer", described["fuzzing_engines"])
        image = re.search(r"^FROM \S+:(\S+)$", (FOR_OTHERS / "Dockerfile").read_text(), re.MULTILINE)
        self.assertEqual(described["base_os_version"], image[1])

    def test_script_obeys_the_environment(self):
        script = FOR_OTHERS / "build.sh"
        self.assertTrue(os.access(script, os.X_OK))
        self.assertEqual(0, subprocess.run(["bash", "-n", script], check=False).returncode)
        for variable in ("$OUT", "$WORK", "$LIB_FUZZING_ENGINE"):
            self.assertIn(variable, script.read_text())


if __name__ == "__main__":
    unittest.main()
