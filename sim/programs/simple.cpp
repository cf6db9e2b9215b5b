// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Programs that always do the same; only their circumstances differ.

#include "sim/programs/program.hpp"
#include "sim/programs/sockets.hpp"

#include <zmq.h>

#include <string>
#include <vector>

namespace zlink::sim {

void pipeline(random& from)
{
    const std::string where = endpoint(from, 1);
    context_handle context;
    socket_handle pull(context, ZMQ_PULL);
    prepare_tls(pull);
    must([&] { return zmq_bind(pull.get(), where.c_str()); }, "zmq_bind");
    crew threads;
    threads.start("push", [&] {
        socket_handle push(context, ZMQ_PUSH);
        prepare_tls(push);
        must([&] { return zmq_connect(push.get(), where.c_str()); }, "zmq_connect");
        for (int i = 0; i < 100; ++i) must([&] { return zmq_send(push.get(), &i, sizeof i, 0); }, "zmq_send");
    });
    for (int i = 0; i < 100; ++i) {
        int got = -1;
        must([&] { return zmq_recv(pull.get(), &got, sizeof got, 0); }, "zmq_recv");
        require(got == i, "PULL got " + std::to_string(got) + " in place of " + std::to_string(i));
    }
    threads.join();
    pull.close();
    context.end();
}

void conversation(random& from)
{
    constexpr int dealers = 3, questions = 20;
    const std::string where = endpoint(from, 1);
    context_handle context;
    socket_handle router(context, ZMQ_ROUTER);
    prepare_tls(router);
    must([&] { return zmq_bind(router.get(), where.c_str()); }, "zmq_bind");
    crew threads;
    for (int d = 0; d < dealers; ++d) {
        threads.start("dealer" + std::to_string(d), [&, d] {
            socket_handle dealer(context, ZMQ_DEALER);
            prepare_tls(dealer);
            must([&] { return zmq_connect(dealer.get(), where.c_str()); }, "zmq_connect");
            for (int i = 0; i < questions; ++i) {
                const int question[2] = {d, i};
                must([&] { return zmq_send(dealer.get(), question, sizeof question, 0); }, "zmq_send");
                int answer[2] = {-1, -1};
                must([&] { return zmq_recv(dealer.get(), answer, sizeof answer, 0); }, "zmq_recv");
                require(answer[0] == d && answer[1] == i, "a DEALER got another one's answer, or an old one");
            }
        });
    }
    for (int i = 0; i < dealers * questions; ++i) {
        char name[256];
        int question[2];
        const int size = must([&] { return zmq_recv(router.get(), name, sizeof name, 0); }, "zmq_recv");
        must([&] { return zmq_recv(router.get(), question, sizeof question, 0); }, "zmq_recv");
        must([&] { return zmq_send(router.get(), name, std::size_t(size), ZMQ_SNDMORE); }, "zmq_send");
        must([&] { return zmq_send(router.get(), question, sizeof question, 0); }, "zmq_send");
    }
    threads.join();
    router.close();
    context.end();
}

}  // namespace zlink::sim
