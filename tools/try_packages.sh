#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Tries zlink's Debian packages with apt in an empty Debian 12. `tools/try_packages.sh --help` tells the rest.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=$checkout/build/packages
root="" temporary=""

usage()
{
    cat <<'END'
usage: tools/try_packages.sh [--packages DIR] [--root DIR]

Installs CZMQ, python3-zmq and rsyslog-czmq in an empty Debian 12, then swaps zlink-libzmq5-compat in and out by apt.
Before, between and after, a program of CZMQ, one of pyzmq and rsyslogd exchange messages. The other packages are
installed beside libzmq5. Ends with "green" (status 0) or "red" (status 1). Needs root, debootstrap, git, and 1 GB.

  --packages DIR  where the packages are; default: build/packages, where ./build.sh packages puts them
  --root DIR      make the root in DIR (new or empty) and leave it there, or take the one that an earlier run left
                  there; default: a temporary directory, removed at the end
  --help          this text
END
}

say() { printf '\n==> %s\n' "$*"; }
fail() { printf 'try_packages.sh: %s\n' "$*" >&2; exit 1; }
wrong() { printf 'try_packages.sh: %s (--help tells the arguments)\n' "$*" >&2; exit 2; }

# --- in the root ----------------------------------------------------------------------------------------------------

lib=/usr/lib/$(uname -m)-linux-gnu
work=/root/try
export DEBIAN_FRONTEND=noninteractive
apt_get() { apt-get -q -y -o Dpkg::Use-Pty=0 "$@" >"$work/apt.log" 2>&1; }
apt() { apt_get "$@" || { tail -n 20 "$work/apt.log"; fail "apt-get $* failed"; }; }
is_zlink() { grep -q zlink_version "$(readlink -f "$1")"; }

# finds <library or zlink>: what the loader finds, and whose file it is.
finds()
{
    local owner
    owner=$(dpkg-query -S "$lib/libzmq.so.5" | cut -d: -f1)
    [[ $owner == "$1" ]] || fail "$lib/libzmq.so.5 belongs to $owner, not to $1"
    if [[ $1 == libzmq5 ]]; then
        ! is_zlink "$lib/libzmq.so.5" || fail "libzmq5 has zlink's file"
    else
        is_zlink "$lib/libzmq.so.5" || fail "$1 has not zlink's file"
    fi
    dpkg --audit >"$work/audit" && [[ ! -s $work/audit ]] || fail "dpkg --audit: $(cat "$work/audit")"
}

make_programs()
{
    cat >"$work/program.c" <<'END'
#include <czmq.h>
/* A CURVE client and server of CZMQ, and who may come in is up to its zauth. */
int main(void)
{
    zactor_t* auth = zactor_new(zauth, NULL);
    zcert_t* server_cert = zcert_new();
    zcert_t* client_cert = zcert_new();
    zsock_t* server = zsock_new(ZMQ_PULL);
    zsock_t* client = zsock_new(ZMQ_PUSH);
    char* got;
    zstr_sendx(auth, "CURVE", CURVE_ALLOW_ANY, NULL);
    zsock_wait(auth);
    zcert_apply(server_cert, server);
    zsock_set_curve_server(server, 1);
    zcert_apply(client_cert, client);
    zsock_set_curve_serverkey(client, zcert_public_txt(server_cert));
    zsock_set_rcvtimeo(server, 20000);
    if (zsock_connect(client, "tcp://127.0.0.1:%d", zsock_bind(server, "tcp://127.0.0.1:*")) != 0) return 1;
    zstr_send(client, "hello");
    got = zstr_recv(server);
    if (got == NULL || strcmp(got, "hello") != 0) return 2;
    zstr_free(&got);
    zsock_destroy(&client);
    zsock_destroy(&server);
    zcert_destroy(&client_cert);
    zcert_destroy(&server_cert);
    zactor_destroy(&auth);
    return 0;
}
END
    cat >"$work/program.py" <<'END'
import zmq

with zmq.Context() as context, context.socket(zmq.ROUTER) as router, context.socket(zmq.DEALER) as dealer:
    router.rcvtimeo = dealer.rcvtimeo = 20000
    port = router.bind_to_random_port("tcp://127.0.0.1")
    dealer.connect(f"tcp://127.0.0.1:{port}")
    dealer.send_multipart([b"", b"question"])
    client, _, question = router.recv_multipart()
    router.send_multipart([client, b"", question + b", answered"])
    assert dealer.recv_multipart() == [b"", b"question, answered"]
    maps = open("/proc/self/maps").read()
    print(next(line.split()[-1] for line in maps.splitlines() if "/libzmq.so" in line))
END
    cat >"$work/rsyslog.conf" <<END
module(load="imczmq")
input(type="imczmq" endpoints="@ipc://$work/log.ipc" socktype="PULL" ruleset="in")
ruleset(name="in") { action(type="omfile" file="$work/lines" template="RSYSLOG_DebugFormat") }
END
    cat >"$work/log.py" <<END
import pathlib, time, zmq

lines = pathlib.Path("$work/lines")
with zmq.Context() as context, context.socket(zmq.PUSH) as push:
    push.linger = 0
    push.connect("ipc://$work/log.ipc")
    push.send_string("<13>Nov 28 00:00:00 host program: a line by zmq")
    end = time.monotonic() + 30
    while not (lines.exists() and "a line by zmq" in lines.read_text()):
        assert time.monotonic() < end, "rsyslogd has not written the line"
        time.sleep(0.05)
END
    gcc "$work/program.c" -o "$work/program" -lczmq -lzmq
}

# run_programs <package>: all on the libzmq.so.5 of that package.
run_programs()
{
    local daemon status=0 used
    finds "$1"
    "$work/program" || fail "the program of CZMQ on $1: status $?"
    used=$(python3 "$work/program.py") || fail "the program of pyzmq on $1"
    [[ $(readlink -f "$used") == "$(readlink -f "$lib/libzmq.so.5")" ]] || fail "pyzmq uses $used"
    rm -f "$work/lines"
    rsyslogd -n -f "$work/rsyslog.conf" -i "$work/rsyslog.pid" >"$work/rsyslog.log" 2>&1 &
    daemon=$!
    python3 "$work/log.py" || status=1
    grep -q "$(readlink -f "$lib/libzmq.so.5")" "/proc/$daemon/maps" || status=1
    kill -KILL "$daemon"  # Debian 12's rsyslogd with this module crashes at its end, on libzmq5 as well
    wait "$daemon" 2>/dev/null || true
    [[ $status -eq 0 ]] || { cat "$work/rsyslog.log"; fail "rsyslogd on $1"; }
    echo "CZMQ with CURVE, pyzmq and rsyslogd on $1: ok"
}

inside()
{
    mkdir -p "$work"
    say "CZMQ, python3-zmq, rsyslog-czmq"
    apt update
    # What an earlier run in this root has left, if it was red.
    rm -f "$lib/libzmq.so.5.2.5" /usr/local/lib/libzmq.so.5
    apt -f install
    local package
    for package in zlink-libzmq5-compat zlink-tools libzlink-dev libzlink0; do
        ! dpkg-query -s "$package" >/dev/null 2>&1 || apt purge "$package"
    done
    apt install --no-install-recommends libczmq-dev gcc libc6-dev
    make_programs
    apt purge libczmq-dev libzmq3-dev
    apt install --no-install-recommends libczmq4 python3-zmq rsyslog-czmq
    apt-mark manual libczmq4 gcc libc6-dev >/dev/null
    apt autoremove --purge
    run_programs libzmq5
    local before
    before=$(dpkg-query -W -f='${Package} ${Status}\n' | grep 'ok installed')

    say "libzlink0, libzlink-dev and zlink-tools, beside libzmq5"
    apt install --no-install-recommends libzmq3-dev "$work"/packages/{libzlink0,libzlink-dev,zlink-tools}_*.deb
    finds libzmq5
    gcc -x c - -lzlink -o "$work/prefixed" <<<$'#include <zlink/zmq.h>\nint main(void) { return zmq_has("curve") - 1; }'
    "$work/prefixed" || fail "a program on libzlink0"
    zlink version | grep -q '^library /usr/lib/zlink/libzmq.so.5' || fail "zlink version: $(zlink version)"
    zlink demo --help >/dev/null || fail "the demo"
    run_programs libzmq5
    LD_LIBRARY_PATH=/usr/lib/zlink python3 "$work/program.py" | grep -qx '/usr/lib/zlink/libzmq.so.*' ||
        fail "LD_LIBRARY_PATH does not name zlink"
    apt purge libzmq3-dev

    say "zlink-libzmq5-compat in the place of libzmq5"
    apt install "$work"/packages/zlink-libzmq5-compat_*.deb
    run_programs zlink-libzmq5-compat
    zlink version >/dev/null || fail "the tool"
    apt install --reinstall "$work"/packages/zlink-libzmq5-compat_*.deb
    apt check

    say "back"
    apt install libzmq5
    run_programs libzmq5
    apt purge libzlink0 libzlink-dev zlink-tools zlink-libzmq5-compat
    apt autoremove --purge
    diff <(echo "$before") <(dpkg-query -W -f='${Package} ${Status}\n' | grep 'ok installed') ||
        fail "other packages than before are installed"
    [[ -z $(find / -xdev \( -path /proc -o -path /root \) -prune -o -name '*zlink*' -print) ]] ||
        fail "files are left"

    say "a libzmq of another source in the way"
    cp "$lib/libzmq.so.5.2.4" "$lib/libzmq.so.5.2.5"
    if apt_get install "$work"/packages/zlink-libzmq5-compat_*.deb; then
        fail "installed over $lib/libzmq.so.5.2.5"
    fi
    grep '^zlink-libzmq5-compat: .*libzmq.so.5.2.5 belongs to no package' "$work/apt.log" ||
        { cat "$work/apt.log"; fail "no word of the file in the way"; }
    rm "$lib/libzmq.so.5.2.5"
    apt -f install
    run_programs libzmq5
    mkdir -p /usr/local/lib
    cp "$lib/libzmq.so.5.2.4" /usr/local/lib/libzmq.so.5
    ldconfig
    apt install "$work"/packages/zlink-libzmq5-compat_*.deb
    grep '^zlink-libzmq5-compat: programs find /usr/local/lib/libzmq.so.5 before' "$work/apt.log" ||
        { cat "$work/apt.log"; fail "no word of /usr/local/lib"; }
    rm /usr/local/lib/libzmq.so.5
    ldconfig
    run_programs zlink-libzmq5-compat
    apt install libzmq5
    run_programs libzmq5
}

# --- outside --------------------------------------------------------------------------------------------------------

clean_up()
{
    [[ -z $temporary ]] || rm -rf --one-file-system "$temporary"
}

main()
{
    while [[ $# -gt 0 ]]; do
        case $1 in
            --root | --packages)
                [[ $# -ge 2 && -n $2 ]] || wrong "$1 needs a value"
                printf -v "${1#--}" %s "$2"
                shift
                ;;
            --inside) inside; exit ;;  # how this script calls itself in the root
            -h | --help) usage; exit 0 ;;
            *) wrong "unknown argument $1" ;;
        esac
        shift
    done
    local package
    for package in zlink-libzmq5-compat libzlink0 libzlink-dev zlink-tools; do
        [[ $(compgen -G "$packages/${package}_*.deb" | wc -l) -eq 1 ]] ||
            fail "$packages has not one package $package: ./build.sh packages makes it"
    done
    trap clean_up EXIT
    if [[ -z $root ]]; then
        temporary=$(mktemp -d "${TMPDIR:-/tmp}/zlink-packages-XXXXXX") || fail "no room for a temporary directory"
        root=$temporary/root
    fi
    if [[ ! -e $root/root/zlink/build.sh ]]; then
        "$checkout/tools/fresh_machine.sh" --root "$root" -- true || fail "no empty Debian 12, see above"
    fi
    rm -rf "$root$work"
    mkdir -p "$root$work/packages"
    cp "$packages"/*.deb "$root$work/packages/"
    cp "${BASH_SOURCE[0]}" "$root$work/try_packages.sh"
    "$checkout/tools/fresh_machine.sh" --root "$root" -- bash "$work/try_packages.sh" --inside
    exit
}

main "$@"
