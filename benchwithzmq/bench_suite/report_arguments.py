# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Command lines of the report programs: a bad one is answered in one line, with exit status 2."""

import argparse
import sys


class Parser(argparse.ArgumentParser):
    def __init__(self, **options):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message):
        print(f"{self.prog}: {message} (--help tells more)", file=sys.stderr)
        sys.exit(2)
