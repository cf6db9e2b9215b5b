#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# The example of the README is examples/hello.c, and does what it is there for.
set -euo pipefail

fail() { echo "example_test: $*" >&2; exit 1; }

listing=$(sed -n '/^```c$/,/^```$/p' "$ZLINK_SOURCE_DIR/README.md" | grep -v '^```')
program=$(sed -n '/^#include/,$p' "$ZLINK_SOURCE_DIR/examples/hello.c")  # below the notice and what is said of it
[ "$listing" = "$program" ] || fail "README.md shows another program"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ "$(timeout 60 "$ZLINK_TEST_BIN_DIR/example_hello" "ipc://$scratch/hello")" = hello ] || fail "it did not say hello"

# What fails is told in words, also by an errno of ZeroMQ's own.
said=$(timeout 60 "$ZLINK_TEST_BIN_DIR/example_hello" udp://127.0.0.1:5555 2>&1) && fail "a REP took udp://"
[[ $said != *"Unknown error"* ]] || fail "it said $said"
