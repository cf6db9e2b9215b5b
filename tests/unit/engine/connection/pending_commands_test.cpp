// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What waits for a peer that takes no octets: how much of it, and in which order it goes.
#include "engine/connection/pending_commands.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::engine {
namespace {

std::span<const std::byte> octets_of(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

std::string all_of(const pending_commands& w)
{
    std::vector<std::byte> out;
    w.append_to(out);
    return {reinterpret_cast<const char*>(out.data()), out.size()};
}

TEST(pending_commands_test, the_newest_ping_and_all_pongs_of_one_go)
{
    pending_commands w;
    EXPECT_TRUE(w.empty());
    w.put_pongs(octets_of("one "));
    w.put_ping(octets_of("old "));
    w.put_pongs(octets_of("two "));
    w.put_ping(octets_of("new "));
    EXPECT_EQ("new one two ", all_of(w));
    w.clear();
    EXPECT_TRUE(w.empty());
    EXPECT_EQ("", all_of(w));
}

TEST(pending_commands_test, newer_ones_come_behind_older_ones)
{
    pending_commands older, newer;
    older.put_pongs(octets_of("one "));
    newer.put_pongs(octets_of("two "));
    older.take(newer);
    EXPECT_TRUE(newer.empty());
    EXPECT_EQ("one two ", all_of(older));
}

TEST(pending_commands_test, a_flood_of_questions_keeps_no_more_than_some_answers_the_newest_among_them)
{
    pending_commands to_come, there;
    for (int i = 0; i < 100'000; ++i) {
        to_come.put_pongs(octets_of(std::to_string(1'000'000 + i)));
        if (i % 100 == 0) there.take(to_come);
        ASSERT_GE(pending_commands::most_of_pongs, all_of(to_come).size());
        ASSERT_GE(pending_commands::most_of_pongs, all_of(there).size());
    }
    there.take(to_come);
    EXPECT_TRUE(all_of(there).ends_with("1099999"));
}

}  // namespace
}  // namespace zlink::engine
