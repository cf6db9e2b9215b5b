// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How a thread yields: a state of its own for each thread, whatever the sockets.
#include "socket/thread_yielding.hpp"

#include "socket/knobs.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace zlink::socket {
namespace {

TEST(thread_yielding_test, a_thread_has_one_and_keeps_it)
{
    thread_yielding* const mine = thread_yielding::of_this_thread();
    ASSERT_NE(nullptr, mine);
    EXPECT_EQ(mine, thread_yielding::of_this_thread());
    thread_yielding* other = nullptr;
    std::thread([&other] { other = thread_yielding::of_this_thread(); }).join();
    EXPECT_NE(nullptr, other);
    EXPECT_NE(mine, other);
}

TEST(thread_yielding_test, a_new_one_has_read_no_connection_and_yields_as_the_process_is_set)
{
    const thread_yielding fresh;
    EXPECT_EQ(runtime::clock::time_point{}, fresh.read_parked_at);
    EXPECT_EQ(process_knobs().spin(), fresh.for_credit.enabled());
    EXPECT_EQ(process_knobs().spin(), fresh.in_poll.enabled());
}

}  // namespace
}  // namespace zlink::socket
