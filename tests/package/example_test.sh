#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# The examples of the README are examples/hello.c and examples/hello.py, and do what they are there for.
set -euo pipefail

fail() { echo "example_test: $*" >&2; exit 1; }

# same_in_readme <language> <file> <first line>: below the notice and what is said of the program.
same_in_readme()
{
    local listing program
    listing=$(sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$ZLINK_SOURCE_DIR/README.md" | grep -v '^```')
    program=$(sed -n "/^$3/,\$p" "$ZLINK_SOURCE_DIR/examples/$2")
    [ "$listing" = "$program" ] || fail "README.md shows another program than examples/$2"
}
same_in_readme c hello.c '#include'
same_in_readme python hello.py 'import'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ "$(timeout 60 "$ZLINK_TEST_BIN_DIR/example_hello" "ipc://$scratch/hello")" = hello ] || fail "it did not say hello"
said=$(LD_LIBRARY_PATH=$ZLINK_LIB_DIR timeout 60 "$ZLINK_PYTHON" "$ZLINK_SOURCE_DIR/examples/hello.py" \
    "ipc://$scratch/hello")
[ "$said" = hello ] || fail "the one in Python did not say hello"

# What fails is told in words, also by an errno of ZeroMQ's own.
said=$(timeout 60 "$ZLINK_TEST_BIN_DIR/example_hello" udp://127.0.0.1:5555 2>&1) && fail "a REP took udp://"
[[ $said != *"Unknown error"* ]] || fail "it said $said"
