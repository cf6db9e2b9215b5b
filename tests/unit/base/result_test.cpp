// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A value or an errc: which of the two it is, and that values move through it.
#include "base/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

namespace zlink {
namespace {

result<int> half(int n)
{
    if (n % 2 != 0) return errc::invalid_argument;
    return n / 2;
}

result<void> check(int n)
{
    if (n < 0) return errc::bad_message;
    return {};
}

TEST(result_test, holds_a_value)
{
    const result<int> r = half(8);
    EXPECT_TRUE(r);
    EXPECT_TRUE(r.has_value());
    EXPECT_EQ(4, r.value());
    EXPECT_EQ(4, *r);
    EXPECT_EQ(errc::none, r.error());
}

TEST(result_test, holds_an_error)
{
    const result<int> r = half(7);
    EXPECT_FALSE(r);
    EXPECT_FALSE(r.has_value());
    EXPECT_EQ(errc::invalid_argument, r.error());
    EXPECT_EQ(EINVAL, to_errno(r.error()));
}

TEST(result_test, gives_access_to_its_value)
{
    result<std::string> r = std::string("text");
    EXPECT_EQ(4u, r->size());
    r->push_back('s');
    *r += '!';
    EXPECT_EQ("texts!", r.value());
    const auto& constant = r;
    EXPECT_EQ(6u, constant->size());
}

TEST(result_test, hands_out_what_can_only_be_moved)
{
    result<std::unique_ptr<int>> r = std::make_unique<int>(5);
    result<std::unique_ptr<int>> moved = std::move(r);
    ASSERT_TRUE(moved);
    const std::unique_ptr<int> inside = *std::move(moved);
    ASSERT_TRUE(inside);
    EXPECT_EQ(5, *inside);
    EXPECT_EQ(7, *result<std::unique_ptr<int>>(std::make_unique<int>(7)).value());
}

TEST(result_test, takes_a_new_state)
{
    result<int> r = 1;
    r = errc::again;
    EXPECT_EQ(errc::again, r.error());
    r = 2;
    EXPECT_EQ(2, r.value());
    EXPECT_EQ(errc::none, r.error());
}

TEST(result_test, of_nothing_is_success_or_an_error)
{
    EXPECT_TRUE(check(1));
    EXPECT_TRUE(check(1).has_value());
    EXPECT_EQ(errc::none, check(1).error());
    EXPECT_FALSE(check(-1));
    EXPECT_EQ(errc::bad_message, check(-1).error());
}

TEST(result_test, is_tested_explicitly_only)
{
    static_assert(!std::is_convertible_v<result<int>, bool>);
    static_assert(!std::is_convertible_v<result<void>, bool>);
    static_assert(std::is_constructible_v<bool, result<int>>);
}

TEST(errc_test, keeps_system_values_and_those_of_the_api)
{
    EXPECT_EQ(errc::again, from_errno(EAGAIN));
    EXPECT_EQ(EISDIR, to_errno(from_errno(EISDIR)));  // unlisted values pass through
    EXPECT_EQ(156384763, to_errno(errc::fsm));
    EXPECT_EQ(156384764, to_errno(errc::incompatible_protocol));
    EXPECT_EQ(156384765, to_errno(errc::terminated));
    EXPECT_EQ(156384766, to_errno(errc::no_thread));
}

}  // namespace
}  // namespace zlink
