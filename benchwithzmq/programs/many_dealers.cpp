// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// N DEALERs (BENCH_PEERS), which one thread uses in turn, to one ROUTER.
#include "many_dealers.hpp"
#include "harness/run.hpp"

namespace {

struct many_dealers_pattern : bench::pattern_defaults {
    static constexpr const char* name = "MANY_DEALERS";
    using context = bench::zmq_context;
    using sender = bench::dealers;
    using receiver = bench::crowd_router;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<many_dealers_pattern>(argc, argv);
}
