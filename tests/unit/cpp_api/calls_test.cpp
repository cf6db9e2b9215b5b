// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The results of the C++ API's calls: numbers, and words that are the call's own.
#include "cpp_api/calls.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <new>

namespace zlink::cpp_api {
namespace {

TEST(cpp_calls_test, a_result_is_the_number_of_the_error)
{
    EXPECT_EQ(0, answer(errc::none));
    EXPECT_EQ(ENODEV, answer(errc::no_device));
    EXPECT_EQ(ENODEV, last_call_that_failed().error);
}

TEST(cpp_calls_test, an_exception_means_that_memory_is_short)
{
    EXPECT_EQ(ENOMEM, guarded([]() -> errc { throw std::bad_alloc(); }));
}

TEST(cpp_calls_test, words_of_an_older_call_are_no_words_of_this_one)
{
    tell_failure("of a call that succeeded after all");
    EXPECT_EQ(to_errno(errc::fsm), guarded([] { return errc::fsm; }));
    EXPECT_EQ(nullptr, last_call_that_failed().words);
    tell_failure("the same");
    const held none(nullptr);
    EXPECT_EQ(ENOTSOCK, answer(none.refusal()));
    EXPECT_EQ(nullptr, last_call_that_failed().words);
    EXPECT_EQ(EINVAL, fail(errc::invalid_argument, "of this one"));
    EXPECT_STREQ("of this one", last_call_that_failed().words);
}

}  // namespace
}  // namespace zlink::cpp_api
