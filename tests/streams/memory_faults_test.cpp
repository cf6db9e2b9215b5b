// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connections that end after any number of octets, in the handshake or in traffic, on either side. The program is told,
// the connection comes back, and no message is lost that had not been sent.
#include "support/zmq_fixture.hpp"

#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

// Which way a stream ends, and how its octets pass.
struct way {
    const char* name;
    const char* fault;
    const char* passing;
    bool connecting;  // it is the connecting side's end
};

class memory_faults_test : public zmq_test, public testing::WithParamInterface<way> {
protected:
    // A PUSH and the PULL that it connects to, whose first connection ends after so many octets.
    struct pair_of_sockets {
        pair_of_sockets(context& ctx, const way& how, std::size_t octets)
            : push(ctx.open(ZMQ_PUSH)),
              pull(ctx.open(ZMQ_PULL)),
              push_events(ctx, push),
              pull_events(ctx, pull)
        {
            static unsigned next = 0;
            const std::string name = "mem://faulty-" + std::to_string(next++) + how.passing;
            const std::string faulty = name + "&" + how.fault + "=" + std::to_string(octets);
            push.set(ZMQ_RECONNECT_IVL, 1);
            pull.bind(how.connecting ? name : faulty);
            push.connect(how.connecting ? faulty : name);
        }

        socket push, pull;
        monitor push_events, pull_events;
    };

    // Octets of both sides' handshakes and of one small message, and some more.
    static constexpr std::size_t octets_of_a_life = 250;
};

TEST_P(memory_faults_test, the_program_is_told_and_the_connection_comes_back)
{
    for (std::size_t octets = 0; octets < octets_of_a_life && !HasFailure(); octets += 3) {
        SCOPED_TRACE(octets);
        pair_of_sockets joined(ctx_, GetParam(), octets);
        joined.push.send("one");
        joined.push_events.await(ZMQ_EVENT_CONNECTED);
        // Of the first connection: it was established or not, it ended.
        const monitor_event ended =
            joined.push_events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        if (ended.event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) joined.push.send("two");
        // What is written goes on until the octets are used up.
        bool disconnected = false;
        for (int i = 0; i < patience_ms && !disconnected; ++i) {
            joined.push.try_send("more");
            while (const auto event = joined.push_events.next(i == 0 ? 0 : 1)) {
                if (event->event == ZMQ_EVENT_DISCONNECTED) {
                    disconnected = true;
                    break;
                }
            }
        }
        EXPECT_TRUE(disconnected);
        joined.push_events.await(ZMQ_EVENT_CONNECTED);
        joined.push_events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        joined.push.send("last");
        while (joined.pull.recv() != "last" && !HasFailure()) {
        }
        joined.pull_events.await(ZMQ_EVENT_ACCEPTED);
        joined.pull_events.await(ZMQ_EVENT_DISCONNECTED);
    }
}

// On the connecting side: what its stream had accepted arrives in any case, so that each message comes exactly once, in
// order.
TEST_P(memory_faults_test, no_message_is_lost_that_had_not_been_sent)
{
    if (!GetParam().connecting) return;
    constexpr int messages = 20;
    for (std::size_t octets = 0; octets < octets_of_a_life && !HasFailure(); ++octets) {
        SCOPED_TRACE(octets);
        pair_of_sockets joined(ctx_, GetParam(), octets);
        std::thread sender([&] {
            for (int i = 0; i < messages; ++i) joined.push.send_parts({std::to_string(i), "body"});
        });
        std::vector<int> missing(messages, 1);
        for (int left = messages; left > 0 && !HasFailure(); --left) {
            const parts got = joined.pull.recv_parts();
            ASSERT_EQ(2u, got.size());
            EXPECT_EQ(1, missing.at(std::size_t(std::stoi(got[0])))--) << got[0] << " came twice";
        }
        sender.join();
        expect_no_message(joined.pull);
    }
}

INSTANTIATE_TEST_SUITE_P(ends, memory_faults_test,
                         testing::Values(way{"reset", "fail", "?seed=1", true}, way{"closed", "close", "?seed=1", true},
                                         way{"reset_at_the_peer", "fail", "?seed=1", false},
                                         way{"closed_at_the_peer", "close", "?seed=1", false},
                                         way{"reset_octet_by_octet", "fail", "?read=1&write=1", true},
                                         way{"closed_at_the_peer_octet_by_octet", "close", "?read=1&write=1", false}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace zlink::test
