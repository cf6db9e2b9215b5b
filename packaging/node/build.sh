#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Node's zeromq on zlink. `packaging/node/build.sh --help` tells the rest.
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
prefix="" project="" version=6.8.0 any=""

usage()
{
    cat <<END
usage: packaging/node/build.sh PREFIX PROJECT

Installs the package zeromq from npm in the folder PROJECT, and compiles the sources of its addon against the
installation of zlink in PREFIX, in the place of the addon that it brings. Then a program runs on it. Programs in
PROJECT need no change: require("zeromq"). Run it again after npm has installed zeromq anew.

  --zeromq VERSION  of the package; default: $version
  --any             take any libzmq in PREFIX, without the draft API, and run nothing: for comparisons
  --help            this text

Needs npm, g++, and Node's headers (in include/node next to node's bin, or where NODE_HEADERS says).
END
}

while [[ $# -gt 0 ]]; do
    case $1 in
        --zeromq) need_value "$@"; version=$2; shift ;;
        --any) any=1 ;;
        -h | --help) usage; exit 0 ;;
        -*) wrong "unknown argument $1" ;;
        *) if [[ -z $prefix ]]; then prefix=$1; elif [[ -z $project ]]; then project=$1; else wrong "what is $1?"; fi ;;
    esac
    shift
done
[[ -n $project ]] || wrong "where is zlink installed, and in which folder is the project?"
prefix=$(a_prefix "$prefix" "$any")
lib=$(in_prefix "$prefix" libzmq.so)
lib=${lib%/*}
need_programs "apt-get install nodejs npm g++" node npm g++
headers=${NODE_HEADERS:-$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")/include/node}
[[ -e $headers/node_api.h ]] || fail "$headers has no node_api.h: let NODE_HEADERS name the folder of Node's headers"
project=$(folder_to_write "$project")
cd "$project"

[[ -e package.json ]] || echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error "zeromq@$version" ||
    fail "npm cannot install zeromq $version"
package=node_modules/zeromq
api=$(node -p 'require("node-addon-api").include_dir')

# As its CMakeLists.txt does, with every source in one.
for source in "$package"/src/*.cc; do
    [[ $source == *win_delay_load_hook.cc ]] || echo "#include \"$PWD/$source\""
done >"$package/addon.cpp"
draft=(-DZMQ_BUILD_DRAFT_API)
[[ -z $any ]] || draft=()
g++ -std=c++20 -O2 -shared -fPIC -fvisibility=hidden -DNAPI_VERSION=8 -DNAPI_CPP_EXCEPTIONS \
    -DBUILDING_NODE_EXTENSION "${draft[@]}" -DNODE_GYP_MODULE_NAME=addon \
    -I"$prefix/include" -I"$headers" -I"$api" -I"$package/src" -w "$package/addon.cpp" -L"$lib" -lzmq \
    -Wl,-rpath,"$lib" -o "$package/addon.node" || fail "the addon cannot be compiled, see above"

# Those that it brings: whichever its loader takes for this machine is ours now.
count=0
for brought in "$package"/build/linux/*/node/*/addon.node; do
    cp "$package/addon.node" "$brought"
    count=$((count + 1))
done
[[ $count -gt 0 ]] || fail "zeromq $version has its addon elsewhere: this script knows 6.x"
[[ -z $any ]] || exit 0

node - <<'END' || fail "a program on it failed, see above"
const zmq = require("zeromq")
const fs = require("fs")
async function main() {
    const server = new zmq.Reply({ receiveTimeout: 20000 })
    const client = new zmq.Request({ receiveTimeout: 20000 })
    await server.bind("tcp://127.0.0.1:*")
    client.connect(server.lastEndpoint)
    await client.send("hello")
    const [message] = await server.receive()
    await server.send(message.toString() + ", answered")
    const [answer] = await client.receive()
    if (answer.toString() !== "hello, answered") throw new Error("wrong answer: " + answer)
    client.close()
    server.close()
    const file = fs.readFileSync("/proc/self/maps", "utf8").split("\n").find(line => line.includes("/libzmq.so"))
    if (!file) throw new Error("no libzmq.so is loaded")
    const path = file.slice(file.indexOf("/"))
    if (!fs.readFileSync(path).includes("zlink_version")) throw new Error(path + " is not zlink")
    console.log(`zeromq ${zmq.version} with ${JSON.stringify(zmq.capability)} on ${path}`)
}
main().catch(error => { console.error(error); process.exit(1) })
END
