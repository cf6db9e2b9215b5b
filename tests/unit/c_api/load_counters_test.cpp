// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Counters of rules, as programs read them.
#include "load/counters.hpp"

#include <gtest/gtest.h>
#include <zlink.h>

#include <cerrno>
#include <string>

namespace {

using namespace std::chrono_literals;

zlink_load_counter_t counter(const std::string& name)
{
    zlink_load_counter_t c{};
    for (std::size_t i = 0; zlink_load_counter(i, &c) == 0; ++i) {
        if (c.name == name) return c;
    }
    ADD_FAILURE() << name;
    return {};
}

TEST(zlink_load_counter_test, shows_what_rules_count)
{
    const auto before = counter("nap");
    zlink::load::count(zlink::load::rule::nap, 3, 250ns);
    const auto after = counter("nap");
    EXPECT_EQ(3u, after.times - before.times);
    EXPECT_EQ(250u, after.waited_ns - before.waited_ns);
    EXPECT_NE("", std::string(after.description));
}

TEST(zlink_load_counter_test, ends_with_einval)
{
    zlink_load_counter_t c{};
    std::size_t count = 0;
    while (zlink_load_counter(count, &c) == 0) ++count;
    EXPECT_EQ(EINVAL, errno);
    EXPECT_EQ(zlink::load::rules, count);
    errno = 0;
    EXPECT_EQ(-1, zlink_load_counter(0, nullptr));
    EXPECT_EQ(EFAULT, errno);
}

}  // namespace
