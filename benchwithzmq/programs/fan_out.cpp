// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUB to N SUBs (BENCH_PEERS), that one thread reads in turn. Throughput counts deliveries; PUB blocks rather than
// drop.
#include "fan_out.hpp"
#include "harness/run.hpp"

namespace {

struct fan_out_pattern : bench::pattern_defaults {
    static constexpr const char* name = "FAN_OUT";
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
    return bench::run<fan_out_pattern>(argc, argv);
}
