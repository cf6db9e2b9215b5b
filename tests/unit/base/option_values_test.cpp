// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Values of options as a program hands them in and takes them: sizes, texts, and what is no value.
#include "base/option_values.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace zlink {
namespace {

using namespace std::string_view_literals;

TEST(option_input_test, is_a_number_if_it_has_exactly_its_size)
{
    const int five = 5;
    EXPECT_EQ(5, option_input(&five, sizeof five).as<int>());
    EXPECT_EQ(std::nullopt, option_input(&five, sizeof five).as<std::int64_t>());
    EXPECT_EQ(std::nullopt, option_input(&five, sizeof five - 1).as<int>());
    EXPECT_EQ(std::nullopt, option_input(nullptr, sizeof five).as<int>());
}

TEST(option_input_test, a_number_may_lie_anywhere)
{
    alignas(8) char memory[1 + sizeof(std::int64_t)] = {};
    const std::int64_t number = 0x0102030405060708;
    std::memcpy(memory + 1, &number, sizeof number);
    EXPECT_EQ(number, option_input(memory + 1, sizeof number).as<std::int64_t>());
}

TEST(option_input_test, nothing_is_broken_only_if_it_has_a_length)
{
    EXPECT_TRUE(option_input(nullptr, 1).is_broken());
    EXPECT_FALSE(option_input(nullptr, 0).is_broken());
    EXPECT_TRUE(option_input(nullptr, 0).is_null());
    EXPECT_FALSE(option_input("", 0).is_null());
    EXPECT_EQ("", option_input(nullptr, 0).bytes());
}

TEST(option_input_test, a_length_that_no_value_has_is_broken)
{
    EXPECT_TRUE(option_input("", ~std::size_t{0}).is_broken());
    EXPECT_TRUE(option_input("", option_input::longest + 1).is_broken());
    EXPECT_FALSE(option_input("", option_input::longest).is_broken());
}

TEST(option_input_test, one_zero_at_the_end_is_no_part_of_a_text)
{
    EXPECT_EQ("text", option_input("text", 4).text());
    EXPECT_EQ("text", option_input("text\0", 5).text());
    EXPECT_EQ("text\0"sv, option_input("text\0\0", 6).text());
    EXPECT_EQ("text\0"sv, option_input("text\0", 5).bytes());
    EXPECT_EQ("", option_input("\0", 1).text());
}

/// Room of a program, with marks behind it.
struct room {
    explicit room(std::size_t offered) : size(offered) { std::memset(memory, '?', sizeof memory); }
    [[nodiscard]] option_output output() { return {memory, &size}; }
    [[nodiscard]] std::string_view seen(std::size_t n) const { return {memory, n}; }

    char memory[16];
    std::size_t size;
};

TEST(option_output_test, a_stored_number_wants_its_exact_room)
{
    for (const std::size_t offered : {3u, 5u, 8u}) {
        room r(offered);
        EXPECT_EQ(errc::invalid_argument, r.output().put(7)) << offered;
        EXPECT_EQ(offered, r.size);
        EXPECT_EQ("????????", r.seen(8)) << "untouched";
    }
    room r(sizeof(int));
    EXPECT_EQ(errc::none, r.output().put(7));
    int number = 0;
    std::memcpy(&number, r.memory, sizeof number);
    EXPECT_EQ(7, number);
}

TEST(option_output_test, a_live_number_takes_more_room_too)
{
    room r(8);
    EXPECT_EQ(errc::none, r.output().put_in_room(7));
    EXPECT_EQ(sizeof(int), r.size);
    EXPECT_EQ("\0\0\0\0?"sv, r.seen(9).substr(4)) << "the rest of the room is zeroed, and no more";
    room small(3);
    EXPECT_EQ(errc::invalid_argument, small.output().put_in_room(7));
}

TEST(option_output_test, a_text_ends_with_a_zero)
{
    room r(6);
    EXPECT_EQ(errc::none, r.output().put_text("text"));
    EXPECT_EQ(5u, r.size);
    EXPECT_EQ("text\0\0?"sv, r.seen(7));
    room exact(5);
    EXPECT_EQ(errc::none, exact.output().put_text("text"));
    room small(4);
    EXPECT_EQ(errc::invalid_argument, small.output().put_text("text"));
    EXPECT_EQ("????", small.seen(4));
}

TEST(option_output_test, unmeasured_octets_leave_length_and_rest_alone)
{
    room r(8);
    EXPECT_EQ(errc::none, r.output().put_unmeasured("text"));
    EXPECT_EQ(8u, r.size);
    EXPECT_EQ("text????", r.seen(8));
    room small(3);
    EXPECT_EQ(errc::invalid_argument, small.output().put_unmeasured("text"));
}

TEST(option_output_test, nowhere_takes_nothing)
{
    std::size_t none = 0;
    std::size_t some = 1;
    EXPECT_FALSE(option_output(nullptr, &none).is_broken());
    EXPECT_TRUE(option_output(nullptr, &some).is_broken());
    EXPECT_TRUE(option_output(&some, nullptr).is_broken());
    EXPECT_EQ(errc::none, option_output(nullptr, &none).put_bytes(nullptr, 0));
    EXPECT_EQ(errc::invalid_argument, option_output(nullptr, &none).put(7));
}

}  // namespace
}  // namespace zlink
