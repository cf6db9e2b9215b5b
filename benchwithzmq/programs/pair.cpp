// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PAIR to PAIR.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

namespace {

struct pair_pattern : bench::pattern_defaults {
    static constexpr const char* name = "PAIR";
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_PAIR>;
    using receiver = bench::socket_end<ZMQ_PAIR>;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<pair_pattern>(argc, argv);
}
