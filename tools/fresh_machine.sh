#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Tries zlink as a new user would: in an empty Debian 12. `tools/fresh_machine.sh --help` tells the rest.
#
# Everything that runs in the root does so in a mount and a process namespace of its own. However this script ends, the
# kernel takes the mounts and the processes away. The machine's own file systems never see a mount of it.
set -euo pipefail

release=bookworm                  # or trixie
default_mirror=http://deb.debian.org/debian
home=/root/zlink                  # where the clone lies in the root
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

root="" mirror="" keep=0 command=()

usage()
{
    cat <<END
usage: tools/fresh_machine.sh [--release NAME] [--root DIR] [--keep] [--mirror URL] [-- COMMAND [ARGUMENT...]]

Makes an empty Debian 12 (debootstrap, minbase) in a directory of its own, clones the committed state of this checkout into
it, and runs there what the README tells a new user to: ./build.sh, then ./build.sh demo. Ends with "green" (status 0) or
"red" (status 1) and how long each step took. Needs root, debootstrap, git, and about 2 GB.

  --release NAME  trixie: an empty Debian 13 instead. Default: bookworm, which is Debian 12
  --root DIR      make it in DIR (new or empty) and leave it there; default: a temporary directory, removed at the end
  --keep          leave the temporary directory, too
  --mirror URL    where Debian comes from; default: this machine's own, otherwise $default_mirror
  -- COMMAND      run this in $home instead of the two; a root that an earlier run left in DIR is used as it is, clone
                  and all. For a shell: --root DIR -- bash
  --help          this text

Of this machine it takes over where and how packages are fetched, and nothing else: apt's sources, keys, proxies and
certificates, pip's configuration and PIP_* variables, /usr/local/share/ca-certificates, /etc/resolv.conf and the *_proxy
variables.
END
}

say() { printf '\n==> %s\n' "$*"; }
fail() { printf 'fresh_machine.sh: %s\n' "$*" >&2; exit 1; }
wrong() { printf 'fresh_machine.sh: %s (--help tells the arguments)\n' "$*" >&2; exit 2; }
minutes() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

# --- ending ---------------------------------------------------------------------------------------------------------

child=                            # the unshare that waits for what runs in the namespaces
temporary=                        # the directory to remove

# Killing the first process of a process namespace kills all others; unshare ends once they are gone.
end_child()
{
    local processes
    if [[ -n $child ]] && processes=$(cat "/proc/$child/task/$child/children" 2>/dev/null); then
        # shellcheck disable=SC2086
        kill -KILL ${processes:-$child} 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    child=
}

clean_up()
{
    local status=$?
    trap '' INT TERM HUP
    end_child
    if [[ -n $temporary ]]; then
        rm -rf --one-file-system "$temporary"
    fi
    exit "$status"
}
trap clean_up EXIT
trap 'echo "fresh_machine.sh: interrupted" >&2; exit 130' INT
trap 'echo "fresh_machine.sh: terminated" >&2; exit 143' TERM HUP

# in_namespaces <command>...: with its own mounts and processes. In the background, so that a signal is heeded at once.
# Standard error is the command's alone, because unshare complains of a child that is killed.
in_namespaces()
{
    local status=0
    unshare --mount --pid --fork --kill-child --mount-proc sh -c 'exec "$@" 2>&3 3>&-' sh "$@" <&0 3>&2 2>/dev/null &
    child=$!
    wait "$child" || status=$?
    child=
    return "$status"
}

# --- the root -------------------------------------------------------------------------------------------------------

host_is_debian_12() { (. /etc/os-release && [[ ${ID:-} == debian && ${VERSION_ID:-} == 12 ]]); }

system_name() { if [[ $release == bookworm ]]; then echo "Debian 12"; else echo "Debian 13"; fi; }

# Whether apt's sources of this machine are those of the root.
host_is_the_same() { [[ $release == bookworm ]] && host_is_debian_12; }

# The mirror that this machine takes Debian 12 from, if it does. It has the other releases, too.
host_mirror()
{
    if host_is_debian_12; then
        apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
            awk -v release=bookworm '$1 ~ /^https?:/ && $2 == release && $3 == "main" && !url { url = $1 } END { print url }'
    fi
}

# take_over <path>...: copies files and directories of this machine to the same place in the root, those that exist.
take_over()
{
    local path
    for path in "$@"; do
        if [[ -e $path ]]; then
            mkdir -p "$root$(dirname "$path")"
            cp -RLT "$path" "$root$path"
        fi
    done
}

take_over_apt()
{
    # Of apt.conf what concerns fetching alone: hooks name programs that are not there.
    apt-config dump Acquire >"$root/etc/apt/apt.conf.d/50machine"
    local path
    sed -n 's/^Acquire::.* "\(\/.*\)";$/\1/p' "$root/etc/apt/apt.conf.d/50machine" | while read -r path; do
        [[ ! -f $path ]] || take_over "$path"
    done
    if host_is_the_same; then
        rm -f "$root/etc/apt/sources.list"
        take_over /etc/apt/{sources.list,sources.list.d,keyrings,trusted.gpg,trusted.gpg.d,auth.conf,auth.conf.d,preferences,preferences.d}
        { grep -rhoE '([Ss]igned-[Bb]y[:=] *)/[^] ]+' "$root/etc/apt/"sources.list* || true; } 2>/dev/null | sed 's/^[^/]*//' |
            while read -r path; do take_over "$path"; done
    else
        printf 'deb %s %s main\n' "$mirror" "$release" "$mirror" "$release-updates" >"$root/etc/apt/sources.list"
    fi
    if grep -rqs 'https://' "$root/etc/apt/"sources.list*; then
        take_over /etc/ssl/certs/ca-certificates.crt  # until ca-certificates is installed and makes its own
    fi
}

make_root()
{
    say "an empty $(system_name) in $root, from $mirror"
    # debootstrap fetches by wget, which knows no apt.conf.
    local proxy
    proxy=$(apt-config dump Acquire::http::Proxy | sed -n 's/^Acquire::http::Proxy "\(.*\)";$/\1/p')
    [[ -z $proxy || -n ${http_proxy:-} ]] || export http_proxy=$proxy
    # Its stages, without a line for each package.
    in_namespaces debootstrap --variant=minbase "$release" "$root" "$mirror" \
        > >(grep --line-buffered -vE '^I: (Retrieving|Validating) \S+ \S+$|^I: (Extracting|Unpacking|Configuring) \S+$') ||
        fail "debootstrap failed, see above (is $mirror to be reached? --mirror names another)"

    take_over_apt
    take_over /usr/local/share/ca-certificates /etc/resolv.conf /etc/pip.conf
    local path
    for path in "${PIP_CONFIG_FILE:-}" "${PIP_FIND_LINKS:-}" "${PIP_CERT:-}" "${PIP_CLIENT_CERT:-}"; do
        # Not what ca-certificates makes: build.sh installs it.
        [[ $path != /* || $path == /etc/ssl/certs/* ]] || take_over "$path"
    done
    for path in .config/pip .pip; do
        if [[ -e ${HOME:-}/$path ]]; then
            mkdir -p "$(dirname "$root/root/$path")"
            cp -RLT "$HOME/$path" "$root/root/$path"
        fi
    done
    [[ -e $root/etc/hosts ]] || printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"  # as installers do
}

make_clone()
{
    say "cloning $(git -C "$checkout" rev-parse --short HEAD) of $checkout"
    if [[ -n $(git -C "$checkout" status --porcelain) ]]; then
        echo "what is not committed is left out"
    fi
    git clone --quiet --no-local "$checkout" "$root$home" || fail "git clone of $checkout failed, see above"
}

# in_root <command>...: in the clone, with a new user's environment.
in_root()
{
    local variable kept=()
    for variable in $(compgen -e); do
        case $variable in
            PIP_* | *_proxy | *_PROXY) kept+=("$variable=${!variable}") ;;
        esac
    done
    # shellcheck disable=SC2016
    in_namespaces bash -euc '
        root=$1 home=$2
        shift 2
        mount --bind "$root" "$root"  # as on a machine, / is a mount (ip netns asks for that)
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        mount -t tmpfs -o mode=755 tmpfs "$root/run"
        exec chroot "$root" env -i -C "$home" "$@"' bash "$root" "$home" \
        HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" "${kept[@]}" "$@"
}

# --- the run --------------------------------------------------------------------------------------------------------

summary=()

# step <command>...: in the root; counts how long it takes; status 1 if it failed.
step()
{
    say "$*"
    local begin=$SECONDS status=0
    in_root "$@" || status=$?
    summary+=("$(printf '%-20s status %d, %s' "$*" "$status" "$(minutes $((SECONDS - begin)))")")
    [[ $status -eq 0 ]]
}

parse()
{
    while [[ $# -gt 0 ]]; do
        case $1 in
            --release | --root | --mirror)
                [[ $# -ge 2 && -n $2 ]] || wrong "$1 needs a value"
                printf -v "${1#--}" %s "$2"
                [[ $release == bookworm || $release == trixie ]] ||
                    wrong "--release knows bookworm and trixie, not $release"
                shift
                ;;
            --keep) keep=1 ;;
            --) shift; [[ $# -gt 0 ]] || wrong "no command after --"; command=("$@"); break ;;
            -h | --help) usage; exit 0 ;;
            *) wrong "unknown argument $1" ;;
        esac
        shift
    done
}

check_machine()
{
    [[ $(id -u) -eq 0 ]] || fail "chroot needs root: sudo $0"
    local program package
    while read -r program package; do
        command -v "$program" >/dev/null || fail "$program is missing: apt-get install $package, on Debian or Ubuntu"
    done <<<$'debootstrap debootstrap\ngit git\nunshare util-linux\napt-config apt'
    unshare --mount --pid --fork true 2>/dev/null ||
        fail "namespaces are refused here: use a machine of its own, or a container that may mount (--privileged)"
}

# Says which directory it is; status 1 if a root is there already.
choose_root()
{
    if [[ -z $root ]]; then
        root=$(mktemp -d "${TMPDIR:-/tmp}/zlink-fresh-XXXXXX") ||
            fail "no room for a temporary directory: name one by --root DIR"
        [[ $keep -eq 1 ]] || temporary=$root
    elif [[ -e $root$home/build.sh ]]; then
        [[ ${#command[@]} -gt 0 ]] ||
            fail "$root holds the root of an earlier run: give a command (-- COMMAND), or remove it"
        root=$(cd "$root" && pwd)
        return 1
    elif [[ -e $root && ( ! -d $root || -n $(ls -A "$root") ) ]]; then
        fail "$root is there and not empty: name a new directory, or remove it"
    fi
    mkdir -p "$root" || fail "$root cannot be made: name another directory"
    root=$(cd "$root" && pwd)
    chmod 755 "$root"
}

# Called at the end of the file, so that the shell has read all of it: an edit meanwhile does no harm.
main()
{
    parse "$@"
    check_machine
    mirror=${mirror:-$(host_mirror)}
    mirror=${mirror:-$default_mirror}
    if choose_root; then
        make_root
        make_clone
        summary+=("$(printf '%-20s %s' 'root and clone' "$(minutes $SECONDS)")")
    fi
    local result=green
    if [[ ${#command[@]} -gt 0 ]]; then
        step "${command[@]}" || result=red
    else
        { step ./build.sh && step ./build.sh demo; } || result=red
    fi

    say "$(git -C "$root$home" log -1 --format='%h %s' 2>/dev/null) on an empty $(system_name)"
    printf '%s\n' "${summary[@]}"
    [[ -n $temporary ]] || echo "the root is in $root; again: tools/fresh_machine.sh --root $root -- COMMAND"
    echo "$result"
    [[ $result == green ]]
    exit
}

main "$@"
