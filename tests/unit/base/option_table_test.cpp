// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What rows made of generic setters and getters do with a value.
#include "base/option_table.hpp"

#include "base/option_row.hpp"
#include "base/option_values.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <span>
#include <string>

namespace zlink::option_table {
namespace {

struct inner_options {
    int number = 7;
    std::chrono::milliseconds time{0};
};

struct options {
    inner_options inner;
    bool flag = false;
    std::int64_t wide = 0;
    std::set<int> filter;
    std::string text;
    std::string octets;
};

constexpr option_row<options> table[] = {
    number<&options::inner, &inner_options::number>(1, -1, 100),
    number<&options::inner, &inner_options::time>(2, 0),
    at_once(set_only(number<&options::flag>(3, 0, 1))),
    with(4, set_wide<&options::wide>, get_wide<&options::wide>),
    setter(5, every_type, set_filter<&options::filter>),
    string<3, &options::text>(6),
    setter(7, socket_types{socket_type::sub}, set_text<&options::octets>, true),
};

constexpr std::span<const option_row<options>> rows{table};

class option_table_test : public testing::Test {
protected:
    template <class Value>
    errc set(int option, const Value& value)
    {
        return set(option, &value, sizeof value);
    }
    errc set(int option, const void* value, std::size_t size)
    {
        const option_row<options>& rule = row(option);
        return rule.set(rule, options_, {value, size});
    }
    template <class Value>
    Value get(int option)
    {
        Value value{};
        std::size_t size = sizeof value;
        EXPECT_EQ(errc::none, row(option).get(options_, {&value, &size}));
        return value;
    }
    static const option_row<options>& row(int option) { return *find_row(rows, option); }

    options options_;
};

TEST_F(option_table_test, rows_are_found_by_their_number)
{
    for (const option_row<options>& one : rows) EXPECT_EQ(&one, find_row(rows, one.option));
    EXPECT_EQ(nullptr, find_row(rows, 8));
}

TEST_F(option_table_test, a_number_has_a_range_and_the_size_of_an_int)
{
    EXPECT_EQ(7, get<int>(1));
    for (const int good : {-1, 0, 100}) {
        EXPECT_EQ(errc::none, set(1, good));
        EXPECT_EQ(good, get<int>(1));
    }
    for (const int bad : {-2, 101}) EXPECT_EQ(errc::invalid_argument, set(1, bad));
    EXPECT_EQ(errc::invalid_argument, set(1, std::int64_t{1}));
    EXPECT_EQ(errc::invalid_argument, set(1, nullptr, 0));
    EXPECT_EQ(100, options_.inner.number);
}

TEST_F(option_table_test, a_duration_is_a_number_of_milliseconds)
{
    EXPECT_EQ(errc::none, set(2, 1500));
    EXPECT_EQ(std::chrono::milliseconds(1500), options_.inner.time);
    EXPECT_EQ(1500, get<int>(2));
}

TEST_F(option_table_test, rows_can_be_marked)
{
    EXPECT_TRUE(row(3).at_once);
    EXPECT_EQ(nullptr, row(3).get);
    EXPECT_EQ(errc::none, set(3, 1));
    EXPECT_TRUE(options_.flag);
    EXPECT_FALSE(row(1).at_once);
    EXPECT_TRUE(row(1).accepted_by.contains(socket_type::pub));
    EXPECT_TRUE(row(7).accepted_by.contains(socket_type::sub));
    EXPECT_FALSE(row(7).accepted_by.contains(socket_type::pub));
}

TEST_F(option_table_test, a_wide_number_has_its_own_size)
{
    EXPECT_EQ(errc::none, set(4, std::int64_t{1} << 40));
    EXPECT_EQ(std::int64_t{1} << 40, get<std::int64_t>(4));
    EXPECT_EQ(errc::invalid_argument, set(4, 1));
}

TEST_F(option_table_test, a_filter_grows_until_it_is_set_to_null)
{
    EXPECT_EQ(errc::none, set(5, 1));
    EXPECT_EQ(errc::none, set(5, 2));
    EXPECT_EQ((std::set{1, 2}), options_.filter);
    EXPECT_EQ(errc::invalid_argument, set(5, 'a'));
    EXPECT_EQ(errc::none, set(5, nullptr, 0));
    EXPECT_TRUE(options_.filter.empty());
}

TEST_F(option_table_test, a_string_has_a_longest_size_without_its_terminating_zero)
{
    EXPECT_EQ(errc::none, set(6, "abc", 4));
    EXPECT_EQ("abc", options_.text);
    EXPECT_EQ(errc::invalid_argument, set(6, "abcd", 4));
    char room[8] = {};
    std::size_t size = sizeof room;
    EXPECT_EQ(errc::none, row(6).get(options_, {room, &size}));
    EXPECT_EQ(4U, size);
    EXPECT_STREQ("abc", room);
}

TEST_F(option_table_test, a_text_is_any_octets)
{
    EXPECT_EQ(errc::none, set(7, "a\0b", 4));
    EXPECT_EQ(std::string("a\0b\0", 4), options_.octets);
    EXPECT_EQ(errc::none, set(7, nullptr, 0));
    EXPECT_EQ("", options_.octets);
}

}  // namespace
}  // namespace zlink::option_table
