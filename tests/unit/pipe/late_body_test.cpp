// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/late_body.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace zlink::pipe::test {
namespace {

class late_body_test : public testing::Test {
protected:
    late_body_test()
    {
        auto* const memory = message::buffer::allocate(callers_.size());
        body_.set(memory, memory->data(), callers_.size());
    }
    ~late_body_test() override { body_.drop(); }

    [[nodiscard]] std::string shown() const { return {reinterpret_cast<const char*>(body_.data), body_.size}; }
    [[nodiscard]] const std::byte* callers() const { return reinterpret_cast<const std::byte*>(callers_.data()); }

    std::string callers_ = std::string(5000, 'x');
    span_body body_;
};

TEST_F(late_body_test, is_empty_unless_octets_wait)
{
    late_body none;
    EXPECT_FALSE(none);
    EXPECT_TRUE(late_body(callers(), body_));
}

TEST_F(late_body_test, is_copied_once)
{
    late_body late(callers(), body_);
    late.copy();
    EXPECT_FALSE(late);
    const std::string before = callers_;
    callers_.assign(callers_.size(), 'y');
    EXPECT_EQ(before, shown());
}

TEST_F(late_body_test, is_read_in_the_callers_memory_until_it_is_copied)
{
    late_body late(callers(), body_);
    late.lend();
    EXPECT_EQ(callers(), body_.data);
    EXPECT_EQ(callers_, shown());
    late.copy();
    EXPECT_EQ(body_.owner->data(), body_.data);
    EXPECT_EQ(callers_, shown());
}

}  // namespace
}  // namespace zlink::pipe::test
