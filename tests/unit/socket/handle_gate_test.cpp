// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/handle_gate.hpp"

#include "socket/handle_tag.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace zlink::socket {
namespace {

TEST(handle_gate_test, lets_one_thread_at_a_time_call_and_its_calls_lie_in_each_other)
{
    handle_gate gate;
    EXPECT_TRUE(gate.begin_call());
    EXPECT_TRUE(gate.begin_call());
    const auto refused_elsewhere = [&] {
        bool rejected = false;
        std::thread([&] {
            rejected = !gate.begin_call();
            if (!rejected) gate.end_call();
        }).join();
        return rejected;
    };
    EXPECT_TRUE(refused_elsewhere());
    gate.end_call();
    EXPECT_TRUE(refused_elsewhere());
    gate.end_call();
    EXPECT_FALSE(refused_elsewhere());
}

TEST(handle_gate_test, is_of_the_process_that_opened_it)
{
    handle_gate gate;
    gate.open();
    EXPECT_FALSE(gate.inherited());
}

TEST(handle_tag_test, tells_the_hold_that_a_call_needs)
{
    handle_tag tag;
    EXPECT_EQ(handle_kind::none, tag.kind());
    tag.store(handle_tag::live);
    EXPECT_EQ(handle_kind::plain, tag.kind());
    tag.store(handle_tag::checked);
    EXPECT_EQ(handle_kind::checked, tag.kind());
    tag.store(handle_tag::shared);
    EXPECT_EQ(handle_kind::shared, tag.kind());
    tag.store(handle_tag::dead);
    EXPECT_EQ(handle_kind::none, tag.kind());
    tag.store(12345);
    EXPECT_EQ(handle_kind::none, tag.kind());
}

}  // namespace
}  // namespace zlink::socket
