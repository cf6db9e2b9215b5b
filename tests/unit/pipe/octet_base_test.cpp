// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octets are counted over jumps from one piece of memory to the next, and no look sees half of a jump.
#include "pipe/octet_base.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace zlink::pipe {
namespace {

struct side {
    octet_base passed;
    std::atomic<const std::byte*> at{nullptr};

    void go(const std::byte* to) { at.store(to, std::memory_order_relaxed); }
    void jump(const std::byte* to)
    {
        passed.jump(at.load(), to, [&] { go(to); });
    }
    std::optional<std::uint64_t> look() const
    {
        return passed.octets_at([this] { return at.load(std::memory_order_relaxed); });
    }
};

TEST(octet_base_test, counts_what_the_address_passes_and_not_the_jumps)
{
    std::byte here[100], there[100];
    side s;
    EXPECT_EQ(0u, s.look());
    s.jump(here);
    EXPECT_EQ(0u, s.look());
    s.go(here + 40);
    EXPECT_EQ(40u, s.look());
    s.jump(there + 10);
    EXPECT_EQ(40u, s.look());
    s.go(there + 15);
    EXPECT_EQ(45u, s.look());
    s.jump(nullptr);
    EXPECT_EQ(45u, s.look());
    EXPECT_EQ(45u, s.passed.octets(nullptr));
}

TEST(octet_base_test, octets_from_elsewhere_are_added_and_taken_back)
{
    side s;
    s.passed.add(1000);
    EXPECT_EQ(1000u, s.look());
    s.passed.take_back(300);
    EXPECT_EQ(700u, s.look());
}

TEST(octet_base_test, a_look_in_the_middle_of_a_jump_says_so)
{
    std::byte here[1];
    side s;
    s.passed.jump(nullptr, here, [&] {
        EXPECT_EQ(std::nullopt, s.look());
        s.go(here);
    });
    EXPECT_EQ(0u, s.look());
}

TEST(octet_base_test, no_look_sees_half_of_a_jump_stress)
{
    static std::byte memory[4096];
    constexpr std::uint64_t most = 200'000;
    side s;
    std::thread owner([&] {
        s.jump(memory);
        for (std::uint64_t passed = 0; passed != most; ++passed) {
            if (passed % 7 == 0) s.jump(memory + passed * 13 % 4000);
            s.go(s.at.load() + 1);
        }
    });
    for (std::uint64_t seen = 0; seen != most;) {
        const auto now = s.look();
        if (!now) continue;
        ASSERT_LE(seen, *now);
        ASSERT_GE(most, *now);
        seen = *now;
    }
    owner.join();
}

}  // namespace
}  // namespace zlink::pipe
