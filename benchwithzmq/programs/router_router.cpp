// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ROUTER to ROUTER: [peer id][body] is sent, [id][body] is received.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

namespace {

template <const char* Own, const char* Peer>
class named_router : public bench::router_end {
public:
    named_router(bench::zmq_context& context, const bench::settings& of) : router_end(context, of, Own, Peer) {}
};

struct router_router_pattern : bench::pattern_defaults {
    static constexpr const char* name = "ROUTER_ROUTER";
    using context = bench::zmq_context;
    using sender = named_router<bench::sender_id, bench::receiver_id>;
    using receiver = named_router<bench::receiver_id, bench::sender_id>;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<router_router_pattern>(argc, argv);
}
