// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// DEALER to ROUTER: the receiver gets [id][body], and answers with the same.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

#include <string>

namespace {

class named_dealer : public bench::socket_end<ZMQ_DEALER> {
public:
    named_dealer(bench::zmq_context& context, const bench::settings& of) : socket_end(context, of)
    {
        socket().set(ZMQ_ROUTING_ID, std::string(bench::sender_id));
    }
};

class answering_router : public bench::router_end {
public:
    answering_router(bench::zmq_context& context, const bench::settings& of)
        : router_end(context, of, bench::receiver_id, bench::sender_id)
    {}
};

struct dealer_router_pattern : bench::pattern_defaults {
    static constexpr const char* name = "DEALER_ROUTER";
    using context = bench::zmq_context;
    using sender = named_dealer;
    using receiver = answering_router;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<dealer_router_pattern>(argc, argv);
}
