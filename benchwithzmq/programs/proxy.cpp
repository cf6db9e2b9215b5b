// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUSH to a zmq_proxy of PULL and PUSH, and on to PULL.
#include "proxy.hpp"
#include "harness/run.hpp"

namespace {

struct proxy_pattern : bench::pattern_defaults {
    static constexpr const char* name = "PROXY";
    static constexpr bool two_way = false;
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_PUSH>;
    using receiver = bench::receiver_behind_proxy<ZMQ_PULL, ZMQ_PUSH, ZMQ_PULL>;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<proxy_pattern>(argc, argv);
}
