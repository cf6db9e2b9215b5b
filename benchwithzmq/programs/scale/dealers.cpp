// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One ROUTER with 1,000 DEALERs (BENCH_PEERS), used in turn: messages a second.
#include "harness/run.hpp"
#include "many_dealers.hpp"

namespace {

struct dealers_pattern : bench::pattern_defaults {
    static constexpr const char* name = "SCALE_DEALERS";
    using context = bench::zmq_context;
    using sender = bench::dealers;
    using receiver = bench::crowd_router;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run_crowd<dealers_pattern>(argc, argv);
}
