// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "base/own_number.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace zlink {
namespace {

TEST(own_number_test, is_what_its_owner_stored)
{
    own_number n(5);
    EXPECT_EQ(5u, n.get());
    n.add(3);
    EXPECT_EQ(8u, n.look());
    n.set(1);
    EXPECT_EQ(1u, n.get());
    EXPECT_EQ(1u, n.look());
}

TEST(own_number_test, other_threads_see_it_grow_stress)
{
    own_number n;
    constexpr std::uint64_t most = 100'000;
    std::thread owner([&] {
        while (n.get() != most) n.add(1);
    });
    for (std::uint64_t seen = 0; seen != most;) {
        const std::uint64_t now = n.look();
        EXPECT_LE(seen, now);
        seen = now;
    }
    owner.join();
}

}  // namespace
}  // namespace zlink
