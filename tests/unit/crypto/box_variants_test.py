# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Tells which variants of the box were tested, and how: natively, under qemu where the processor lacks them, or not at
all."""
import os
import platform
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

VARIANTS = {"avx2": {"avx2"}, "avx512": {"avx2", "avx512f", "avx512vl"}}  # and the flags of a processor that has it
FILTER = "--gtest_filter=by/box*:*_lanes*"


def flags():
    found = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return set(found.group(1).split()) if found else set()


def passed(*before):
    """How many tests of each variant passed."""
    program = Path(os.environ["ZLINK_TEST_BIN_DIR"]) / "unit_crypto"
    done = subprocess.run([*before, program, FILTER], capture_output=True, text=True, timeout=280)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, [*before, program]))}: "
                             f"{done.returncode}\n{done.stdout[-3000:]}{done.stderr}")
    return {variant: len(re.findall(rf"^\[ +OK \] .*/{variant} ", done.stdout, re.MULTILINE)) for variant in VARIANTS}


@unittest.skipUnless(platform.machine() == "x86_64", "the other variants are for x86-64")
class BoxVariantsTest(unittest.TestCase):
    def test_each_variant_that_can_run_has_run(self):
        native = passed()
        lacking = {variant for variant, needed in VARIANTS.items() if not needed <= flags()}
        qemu = (shutil.which("qemu-x86_64") or shutil.which("qemu-x86_64-static")) if lacking else None
        emulated = passed(qemu, "-cpu", "max") if qemu else dict.fromkeys(VARIANTS, 0)
        for variant in VARIANTS:
            how = (f"{native[variant]} tests, natively" if native[variant] else
                   f"{emulated[variant]} tests, under {qemu}" if emulated[variant] else
                   "NOT TESTED: this processor lacks it"
                   + (", and qemu does" if qemu else "; apt-get install qemu-user to have qemu try"))
            print(f"{variant}: {how}", file=sys.stderr)
        for variant in VARIANTS.keys() - lacking:
            self.assertGreater(native[variant], 0, f"the processor has what {variant} needs, and no test of it ran")


if __name__ == "__main__":
    unittest.main(verbosity=2)
