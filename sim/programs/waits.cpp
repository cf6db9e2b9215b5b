// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Programs that wait, and that have to be woken soon.

#include "sim/programs/program.hpp"
#include "sim/programs/sockets.hpp"

#include <zmq.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace zlink::sim {

namespace {

enum class way : std::uint8_t { call, poll, poll_both };

// Waits for input without a limit, in one of the ways in which programs wait.
void await_input(void* socket, void* other, way how)
{
    if (how == way::call) return;  // the receive itself waits
    zmq_pollitem_t items[2] = {{socket, 0, ZMQ_POLLIN, 0}, {other, 0, ZMQ_POLLIN, 0}};
    const int count = how == way::poll_both ? 2 : 1;
    while ((items[0].revents & ZMQ_POLLIN) == 0) must([&] { return zmq_poll(items, count, -1); }, "zmq_poll");
}

}  // namespace

// A message that is sent while the receiver sleeps arrives soon: a wake-up that is lost, and made good by a look some
// time later, is found.
void prompt_arrival(random& from)
{
    constexpr nanos soon = 30 * millisecond;
    world& w = world::get();
    circumstances& how = w.how();
    how.stall = how.clogged = how.blocked_write = 0;
    how.delay = std::min(how.delay, 200 * microsecond);
    how.least_delay = how.delay / 4;
    const std::string where = endpoint(from, 1);
    const bool answers = from.chance(0.5);
    const way waits = way(from.below(3)), asker_waits = way(from.below(3));
    const nanos longest_pause = from.chance(0.5) ? millisecond : 400 * millisecond;
    const int messages = int(from.between(3, 40));
    context_handle context;
    socket_handle server(context, ZMQ_DEALER);
    prepare_tls(server);
    must([&] { return zmq_bind(server.get(), where.c_str()); }, "zmq_bind");
    crew threads;
    threads.start("client", [&, mine = from.fork()]() mutable {
        socket_handle client(context, ZMQ_DEALER), unused(context, ZMQ_PULL);
        prepare_tls(client);
        must([&] { return zmq_connect(client.get(), where.c_str()); }, "zmq_connect");
        // The first message waits for the connection.
        nanos sent = never;
        must([&] { return zmq_send(client.get(), &sent, sizeof sent, 0); }, "zmq_send");
        if (!answers) rest(2 * second);
        for (int i = 0; i < messages; ++i) {
            if (answers) {
                nanos answered = 0;
                await_input(client.get(), unused.get(), asker_waits);
                must([&] { return zmq_recv(client.get(), &answered, sizeof answered, 0); }, "zmq_recv");
                require(answered == never || w.now() - answered <= soon,
                        "an answer arrives " + std::to_string((w.now() - answered) / microsecond) + " us late");
            }
            rest(mine.exponential(double(longest_pause)));
            sent = w.now();
            must([&] { return zmq_send(client.get(), &sent, sizeof sent, 0); }, "zmq_send");
        }
    });
    socket_handle unused(context, ZMQ_PULL);
    for (int i = 0; i <= messages; ++i) {
        nanos sent = 0;
        await_input(server.get(), unused.get(), waits);
        must([&] { return zmq_recv(server.get(), &sent, sizeof sent, 0); }, "zmq_recv");
        require(sent == never || w.now() - sent <= soon,
                "a message arrives " + std::to_string((w.now() - sent) / microsecond) + " us after it was sent");
        const nanos answered = sent == never ? never : w.now();
        if (answers && i < messages) {
            must([&] { return zmq_send(server.get(), &answered, sizeof answered, 0); }, "zmq_send");
        }
    }
    threads.join();
    server.close();
    unused.close();
    context.end();
}

// Each call that waits says ETERM soon after the context was ended.
void termination(random& from)
{
    const nanos soon = 500 * millisecond + 20 * world::get().how().stall_time;
    const int threads = int(from.between(1, 5));
    context_handle context;
    nanos ended = never;
    int made = 0;
    crew all;
    for (int t = 0; t < threads; ++t) {
        all.start("waits" + std::to_string(t), [&, t, mine = from.fork()]() mutable {
            const bool sends = mine.chance(0.3), polls = mine.chance(0.5), busy = mine.chance(0.5);
            socket_handle s(context, sends ? ZMQ_PUSH : ZMQ_DEALER);
            s.set(ZMQ_LINGER, 0);
            prepare_tls(s);
            ++made;
            const std::string where = endpoint(mine, t);
            if (!where.starts_with("inproc")) {
                const auto join = mine.chance(0.5) ? zmq_bind : zmq_connect;
                if (join(s.get(), where.c_str()) != 0) {
                    require(zmq_errno() == ETERM, "a bind or connect fails, and not as the context ends");
                    return;
                }
            }
            zmq_pollitem_t item{s.get(), 0, short(sends ? ZMQ_POLLOUT : ZMQ_POLLIN), 0};
            char octet = 0;
            int outcome = 0;
            while (outcome >= 0) {
                if (polls) outcome = zmq_poll(&item, 1, busy ? int(mine.between(1, 50)) : -1);
                if (outcome < 0) break;
                outcome =
                    sends ? zmq_send(s.get(), &octet, 1, 0) : zmq_recv(s.get(), &octet, 1, polls ? ZMQ_DONTWAIT : 0);
                if (outcome < 0 && (zmq_errno() == EAGAIN || zmq_errno() == EINTR)) outcome = 0;
            }
            require(zmq_errno() == ETERM, std::string("a call that waits ends with ") + zmq_strerror(zmq_errno()));
            for (int again = 0; again < 3; ++again) {
                const int flags = ZMQ_DONTWAIT;
                outcome = sends ? zmq_send(s.get(), &octet, 1, flags) : zmq_recv(s.get(), &octet, 1, flags);
                require(outcome < 0 && zmq_errno() == ETERM, "a call after one that said ETERM does not say so");
            }
            require(ended != never, "a call says ETERM before the context ends");
            require(world::get().now() - ended <= soon,
                    "a call says ETERM " + std::to_string((world::get().now() - ended) / millisecond) + " ms late");
        });
    }
    rest(from.exponential(double(from.chance(0.5) ? 300 * microsecond : 50 * millisecond)));
    while (made < threads) rest(millisecond);
    ended = world::get().now();
    if (from.chance(0.5)) require(zmq_ctx_shutdown(context.get()) == 0, "zmq_ctx_shutdown fails");
    context.end(10 * second + soon);
    all.join();
}

}  // namespace zlink::sim
