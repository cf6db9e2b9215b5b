// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The stack below a function that has wiped it: no octet stays of the calls before.
#include "crypto/stack_wiping.hpp"

#include "painted_stack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>

namespace zlink::crypto {
namespace {

constexpr std::size_t left_behind = 8 * 1024;

[[gnu::noinline]] void leave_marks()
{
    std::array<std::byte, left_behind> frame;
    std::memset(frame.data(), 0x77, frame.size());
    asm volatile("" : : "r"(frame.data()) : "memory");
}

TEST(stack_wiping_test, nothing_stays_of_calls_that_were_made_before)
{
    const auto stack = std::make_unique<painted_stack>();
    EXPECT_LE(left_behind / 2, stack->marks_of(leave_marks));
    const auto wiped = [] {
        leave_marks();
        wipe_stack();
    };
    constexpr std::size_t of_the_wiping = 16;  // addresses that its calls return to, the lowest of all
    (void)stack->marks_of(wiped);              // the loader looks functions up once
    EXPECT_GE(of_the_wiping, stack->marks_of(wiped));
}

}  // namespace
}  // namespace zlink::crypto
