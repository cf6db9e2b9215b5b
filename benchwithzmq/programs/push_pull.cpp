// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUSH to PULL.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

namespace {

struct push_pull_pattern : bench::pattern_defaults {
    static constexpr const char* name = "PUSH_PULL";
    static constexpr bool two_way = false;
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_PUSH>;
    using receiver = bench::socket_end<ZMQ_PULL>;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<push_pull_pattern>(argc, argv);
}
