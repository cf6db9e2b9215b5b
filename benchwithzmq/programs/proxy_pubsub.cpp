// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUB to a zmq_proxy of XSUB and XPUB, and on to SUB. PUB and XPUB block rather than drop.
#include "harness/run.hpp"
#include "proxy.hpp"

namespace {

struct proxy_pubsub_pattern : bench::pattern_defaults {
    static constexpr const char* name = "PROXY_PUBSUB";
    static constexpr bool two_way = false;
    static constexpr bool repeats_hello = true;
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_PUB>;
    using receiver = bench::receiver_behind_proxy<ZMQ_XSUB, ZMQ_XPUB, ZMQ_SUB>;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<proxy_pubsub_pattern>(argc, argv);
}
