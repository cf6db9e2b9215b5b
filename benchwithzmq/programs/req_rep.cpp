// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// REQ to REP. Its throughput is that of requests with their replies, one after the other.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

namespace {

struct req_rep_pattern : bench::pattern_defaults {
    static constexpr const char* name = "REQ_REP";
    static constexpr bool lockstep = true;
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_REQ>;
    using receiver = bench::socket_end<ZMQ_REP>;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<req_rep_pattern>(argc, argv);
}
