// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A server whose I/O thread has no core while it answers: more than any queue holds by default.
#pragma once

#include "support/zmq_fixture.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace zlink::test {

inline constexpr int requests = 5000;

class io_lag_wait_fixture : public ::testing::TestWithParam<const char*> {
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

}  // namespace zlink::test
