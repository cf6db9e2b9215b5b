# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# shellcheck shell=bash
# What the scripts of packaging/ begin with; they source it. What they print in an error is a line, and begins with
# their name.

say() { printf '\n==> %s\n' "$*"; }
fail() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }
wrong() { printf '%s: %s (--help tells the arguments)\n' "${0##*/}" "$*" >&2; exit 2; }

# need_value <option> [<value>]: a value follows, and is not empty.
need_value() { [[ $# -ge 2 && -n $2 ]] || wrong "$1 needs a value"; }

# need_programs <what installs them> <program>...
need_programs()
{
    local how=$1 program
    shift
    for program in "$@"; do
        command -v "$program" >/dev/null || fail "$program is missing: $how"
    done
}

# folder_to_write <folder>: makes it, and prints its absolute path.
folder_to_write()
{
    mkdir -p "$1" 2>/dev/null && [[ -w $1 ]] || fail "$1 cannot be made, or you may not write to it"
    (cd "$1" && pwd)
}

# a_prefix <folder> [any]: prints the absolute path of an installation, of zlink unless any libzmq will do.
a_prefix()
{
    [[ -n ${2:-} || -e $1/include/zlink.h ]] || fail "$1 has no zlink: cmake --install build --prefix $1"
    (cd "$1" 2>/dev/null && pwd) || fail "there is no folder $1"
}

# in_prefix <prefix> <name>: prints the path of a file of the installation's lib folder.
in_prefix()
{
    local found
    found=$(find "$1"/lib* -name "$2" 2>/dev/null | head -n 1)
    [[ -n $found ]] || fail "$1 has no $2"
    printf '%s\n' "$found"
}

# a_scratch_folder: $scratch, which goes at the end.
a_scratch_folder()
{
    scratch=$(mktemp -d) || fail "no room for a temporary folder"
    trap 'chmod -R u+w "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT
}
