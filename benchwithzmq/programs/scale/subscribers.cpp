// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUB to 1,000 SUBs (BENCH_PEERS): deliveries a second.
#include "fan_out.hpp"
#include "harness/run.hpp"

namespace {

struct subscribers_pattern : bench::pattern_defaults {
    static constexpr const char* name = "SCALE_SUBSCRIBERS";
    static constexpr bool two_way = false;
    static constexpr bool sender_binds = true;
    static constexpr bool repeats_hello = true;
    static unsigned copies(const bench::settings& of) { return of.peers; }
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_PUB>;
    using receiver = bench::subscribers;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run_crowd<subscribers_pattern>(argc, argv);
}
