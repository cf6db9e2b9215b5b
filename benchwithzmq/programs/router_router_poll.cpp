// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ROUTER to ROUTER, with a zmq_poll on the data socket and a quiet one before every receive.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

namespace {

// A bound PAIR with a peer that never says anything.
class quiet_socket {
public:
    quiet_socket(bench::zmq_context& context, const bench::settings& of)
        : bound_(context, ZMQ_PAIR, of),
          peer_(context, ZMQ_PAIR, of)
    {
        peer_.connect(bound_.bind("inproc"));
    }
    [[nodiscard]] void* get() const { return bound_.get(); }

private:
    bench::zmq_handle bound_;
    bench::zmq_handle peer_;
};

template <const char* Own, const char* Peer>
class polled_router : public bench::router_end {
public:
    polled_router(bench::zmq_context& context, const bench::settings& of)
        : router_end(context, of, Own, Peer),
          quiet_(context, of)
    {}

    [[nodiscard]] std::size_t receive(bench::inbox& in)
    {
        zmq_pollitem_t items[] = {{socket().get(), 0, ZMQ_POLLIN, 0}, {quiet_.get(), 0, ZMQ_POLLIN, 0}};
        while (zmq_poll(items, 2, -1) < 0) [[unlikely]] {
            if (zmq_errno() != EINTR) bench::fail_call("zmq_poll");
        }
        if (items[0].revents != ZMQ_POLLIN || items[1].revents != 0) [[unlikely]] {
            bench::fail(bench::exit_status::failed, "zmq_poll says that the wrong socket is readable");
        }
        return router_end::receive(in);
    }

private:
    quiet_socket quiet_;
};

struct router_router_poll_pattern : bench::pattern_defaults {
    static constexpr const char* name = "ROUTER_ROUTER_POLL";
    using context = bench::zmq_context;
    using sender = polled_router<bench::sender_id, bench::receiver_id>;
    using receiver = polled_router<bench::receiver_id, bench::sender_id>;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<router_router_poll_pattern>(argc, argv);
}
