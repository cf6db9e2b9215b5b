# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The tracing points of libzmq.so are there, with the number of arguments that docs/observing.md describes."""
import os
import re
import subprocess
import unittest

LIB_DIR = os.environ["ZLINK_LIB_DIR"]
ARGUMENTS = {"connect": 2, "handshake": 3, "publish": 2, "drop": 1, "mark": 2}


def built_with_probes():
    with open(os.path.join(LIB_DIR, "..", "CMakeCache.txt"), encoding="utf-8") as cache:
        settings = dict(re.findall(r"^(ZLINK_USDT|ZLINK_HAS_SDT_H):\w+=(.*)$", cache.read(), re.M))
    return settings.get("ZLINK_USDT") != "OFF" and settings.get("ZLINK_HAS_SDT_H") == "1"


@unittest.skipUnless(built_with_probes(), "built without sys/sdt.h")
class Probes(unittest.TestCase):
    def test_the_library_names_its_tracing_points(self):
        library = os.path.join(LIB_DIR, "libzmq.so.5")
        notes = subprocess.run(["readelf", "-n", library], check=True, capture_output=True, text=True).stdout
        found = re.findall(r"Provider: (\S+)\n\s+Name: (\S+)\n\s+Location: .*\n\s+Arguments: ?(.*)", notes)
        self.assertEqual({provider for provider, _, _ in found}, {"zlink"})
        self.assertEqual({name for _, name, _ in found}, set(ARGUMENTS))
        for _, name, arguments in found:
            with self.subTest(name):
                self.assertEqual(len(arguments.split()), ARGUMENTS[name], arguments)


if __name__ == "__main__":
    unittest.main()
