// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Programs after what once went wrong outside.

#include "sim/programs/program.hpp"
#include "sim/programs/sockets.hpp"

#include <zlink.h>
#include <zmq.h>

#include <cstdint>
#include <string>

namespace zlink::sim {

// Threads on both ends, each with calls that wait: all that is sent is received.
void shared_channel(random& from)
{
    const int threads = int(from.between(2, 4)), messages = int(from.between(5, 60));
    const int mark = from.chance(0.5) ? int(from.between(1, 4)) : 1000;
    const std::string where = from.chance(0.7) ? "inproc://shared" : endpoint(from, 1);
    context_handle context;
    socket_handle one(context, ZMQ_CHANNEL), other(context, ZMQ_CHANNEL);
    for (socket_handle* const s : {&one, &other}) {
        prepare_tls(*s);
        s->set(ZMQ_SNDHWM, mark);
        s->set(ZMQ_RCVHWM, mark);
    }
    must([&] { return zmq_bind(one.get(), where.c_str()); }, "zmq_bind");
    must([&] { return zmq_connect(other.get(), where.c_str()); }, "zmq_connect");
    struct side {
        int sent = 0, received = 0, sending = 0, receiving = 0;
    };
    side sides[2];
    const int all = threads * messages;
    world::get().describe = [&] {
        std::string text =
            "  " + where + ", mark " + std::to_string(mark) + ", " + std::to_string(all) + " messages each way\n";
        for (const side& s : sides) {
            text += "  " + std::string(&s == sides ? "one" : "other") + ": sent " + std::to_string(s.sent) +
                    ", received " + std::to_string(s.received) + "; in calls to send " + std::to_string(s.sending) +
                    ", to receive " + std::to_string(s.receiving) + " threads\n";
        }
        return text;
    };
    crew crews;
    const bool both_ways = from.chance(0.7);  // each thread sends and receives
    for (int t = 0; t < threads; ++t) {
        for (socket_handle* const s : {&one, &other}) {
            const std::string name = (s == &one ? "one" : "other") + std::to_string(t);
            const std::uint64_t seed = from.next();
            side& mine_of = sides[s == &one ? 0 : 1];
            const auto send = [s, &mine_of] {
                const int octets = 7;
                ++mine_of.sending;
                must([&] { return zmq_send(s->get(), &octets, sizeof octets, 0); }, "zmq_send");
                --mine_of.sending;
                ++mine_of.sent;
            };
            const auto receive = [s, &mine_of] {
                int octets = 0;
                ++mine_of.receiving;
                must([&] { return zmq_recv(s->get(), &octets, sizeof octets, 0); }, "zmq_recv");
                --mine_of.receiving;
                ++mine_of.received;
            };
            if (both_ways) {
                crews.start(name, [=] {
                    random mine(seed);
                    for (int i = 0; i < messages; ++i) {
                        send();
                        if (mine.chance(0.1)) rest(mine.exponential(50000));
                        receive();
                    }
                });
            } else {
                crews.start(name + "s", [=] {
                    for (int i = 0; i < messages; ++i) send();
                });
                crews.start(name + "r", [=] {
                    for (int i = 0; i < messages; ++i) receive();
                });
            }
        }
    }
    world::get().how().longest = 60 * second;
    crews.join();
    one.close();
    other.close();
    context.end();
    world::get().describe = nullptr;
}

// What a DEALER sends after its peer has gone and come back has to arrive.
void rebound_ipc(random& from)
{
    context_handle context;
    const std::string where = from.chance(0.8) ? "ipc:///simulated/rebound" : "tcp://127.0.0.1:20000";
    const bool immediate = from.chance(0.5);
    const int times = int(from.between(1, 4));
    socket_handle dealer(context, ZMQ_DEALER);
    dealer.set(ZMQ_IMMEDIATE, immediate);
    if (from.chance(0.5)) dealer.set(ZMQ_RECONNECT_IVL, int(from.between(1, 50)));
    dealer.set(ZMQ_LINGER, 0);
    const bool early = from.chance(0.5);
    if (early) must([&] { return zmq_connect(dealer.get(), where.c_str()); }, "zmq_connect");
    bool connected = early;
    for (int time = 0; time < times; ++time) {
        socket_handle peer(context, from.chance(0.5) ? ZMQ_DEALER : ZMQ_ROUTER);
        peer.set(ZMQ_LINGER, 0);
        must([&] { return zmq_bind(peer.get(), where.c_str()); }, "zmq_bind");
        if (!connected) must([&] { return zmq_connect(dealer.get(), where.c_str()); }, "zmq_connect");
        connected = true;
        const bool settled = from.chance(0.5);
        if (settled) rest(2 * second);
        // A message may be lost with the connection that it was given to: one of many has to arrive.
        const int receive_time = 100;
        peer.set(ZMQ_RCVTIMEO, receive_time);
        dealer.set(ZMQ_SNDTIMEO, receive_time);
        bool arrived = false;
        for (int i = 0; i < 100 && !arrived; ++i) {
            require(i == 0 || !settled, "a message that a DEALER sends is lost, 2 s after its peer has bound again");
            const int octets = time * 1000 + i;
            (void)zmq_send(dealer.get(), &octets, sizeof octets, 0);
            char got[64];
            for (int tries = 0; tries < (settled ? 100 : 1) && !arrived; ++tries) {
                arrived = zmq_recv(peer.get(), got, sizeof got, 0) >= 0;
            }
        }
        require(arrived, "nothing that a DEALER sends arrives, 10 s after its peer has bound again");
        if (from.chance(0.5)) rest(from.exponential(double(millisecond)));
        peer.close();
        if (from.chance(0.5)) rest(from.exponential(double(10 * millisecond)));
    }
    dealer.close();
    context.end();
}

}  // namespace zlink::sim
