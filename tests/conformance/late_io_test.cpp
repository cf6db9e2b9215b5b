// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Answers are dropped for a peer that is slow, and not because our own I/O thread was.
#include "support/zmq_fixture.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

// More than any queue holds by default.
constexpr int requests = 5000;

class late_io_test : public ::testing::TestWithParam<const char*> {
protected:
    // A thread with the I/O thread of its context on one core, which that is not given before this one sleeps.
    void SetUp() override
    {
        const int core = ::sched_getcpu();
        cpu_set_t here;
        CPU_ZERO(&here);
        CPU_SET(core, &here);
        ASSERT_EQ(0, ::sched_getaffinity(0, sizeof before_, &before_));
        ASSERT_EQ(0, ::sched_setaffinity(0, sizeof here, &here));
        ASSERT_EQ(0, zmq_ctx_set(ctx_, ZMQ_THREAD_AFFINITY_CPU_ADD, core));
        ASSERT_EQ(0, zmq_ctx_set(ctx_, ZMQ_THREAD_SCHED_POLICY, SCHED_BATCH));
    }
    void TearDown() override { (void)::sched_setaffinity(0, sizeof before_, &before_); }

    // Its requests have all come before the first is answered.
    void ask(socket& server, socket& client)
    {
        client.set(ZMQ_SNDHWM, 0);
        client.set(ZMQ_RCVHWM, 0);
        server.set(ZMQ_RCVHWM, 0);
        client.connect(server.bind(GetParam()));
        for (int i = 0; i < requests; ++i) client.send_parts({"", std::to_string(i)});
        ASSERT_EQ(0, zmq_socket_monitor_versioned(server, "inproc://queues", ZMQ_EVENT_PIPES_STATS, 2, ZMQ_PAIR));
        socket reader(ctx_, ZMQ_PAIR);
        reader.connect("inproc://queues");
        ASSERT_TRUE(eventually([&] {
            if (zmq_socket_monitor_pipes_stats(server) != 0) return false;
            server.get_int(ZMQ_EVENTS);
            return reader.readable(10) && waiting(reader.recv_parts()) == requests;
        }));
        ASSERT_EQ(0, zmq_socket_monitor_versioned(server, nullptr, 0, 2, ZMQ_PAIR));
    }

    static void expect_all(socket& client)
    {
        for (int i = 0; i < requests; ++i) {
            ASSERT_EQ((parts{"", "re: " + std::to_string(i)}), client.recv_parts());
        }
    }

    context ctx_;
    context clients_;

private:
    // Frames of an event: its number, how many values, each of them, two endpoints.
    static std::uint64_t waiting(const parts& event)
    {
        std::uint64_t ingress = 0;
        if (event.size() == 6) std::memcpy(&ingress, event[3].data(), sizeof ingress);
        return ingress;
    }

    cpu_set_t before_{};
};

TEST_P(late_io_test, every_request_to_a_rep_is_answered)
{
    socket rep = ctx_.open(ZMQ_REP), client = clients_.open(ZMQ_DEALER);
    ask(rep, client);
    std::thread reading([&] { expect_all(client); });
    for (int i = 0; i < requests; ++i) rep.send("re: " + rep.recv());
    reading.join();
}

TEST_P(late_io_test, every_answer_of_a_router_arrives)
{
    socket router = ctx_.open(ZMQ_ROUTER), client = clients_.open(ZMQ_DEALER);
    ask(router, client);
    std::thread reading([&] { expect_all(client); });
    for (int i = 0; i < requests; ++i) {
        parts request = router.recv_parts();
        request.back() = "re: " + request.back();
        router.send_parts(request);
    }
    reading.join();
}

INSTANTIATE_TEST_SUITE_P(over, late_io_test, ::testing::Values("tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*"),
                         [](const auto& test) { return std::string(test.param, std::strcspn(test.param, ":")); });

}  // namespace
}  // namespace zlink::test
