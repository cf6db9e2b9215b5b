// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The order of the accesses of two threads is tests/model/reclaim_test.cpp's.
#include "pipe/write_window.hpp"

#include <gtest/gtest.h>

#include <array>

namespace zlink::pipe::test {
namespace {

class write_window_test : public testing::Test {
protected:
    write_window_test()
    {
        window_.move_to(octets_.data());
        window_.open(octets_.data() + octets_.size());
    }

    std::byte* at(std::size_t n) { return octets_.data() + n; }

    std::array<std::byte, 16> octets_{};
    write_window window_;
};

TEST_F(write_window_test, is_closed_before_there_is_memory)
{
    write_window none;
    EXPECT_EQ(nullptr, none.at());
    EXPECT_FALSE(none.claim(nullptr, 1));
    EXPECT_EQ(nullptr, none.at());
}

TEST_F(write_window_test, gives_what_is_there_and_no_more)
{
    EXPECT_TRUE(window_.claim(at(0), 10));
    EXPECT_FALSE(window_.claim(at(10), 7));
    EXPECT_EQ(at(10), window_.at()) << "nothing was taken";
    EXPECT_TRUE(window_.claim(at(10), 6));
    EXPECT_FALSE(window_.claim(at(16), 1));
}

TEST_F(write_window_test, can_end_where_the_writer_is)
{
    window_.move_to(at(5));
    window_.open(at(5));
    EXPECT_FALSE(window_.claim(at(5), 2));
}

TEST_F(write_window_test, gives_nothing_once_the_reader_has_closed_it)
{
    EXPECT_TRUE(window_.claim(at(0), 3));
    window_.close();
    EXPECT_FALSE(window_.claim(at(3), 2));
    EXPECT_TRUE(window_.unused_behind(at(3)));
    window_.open(at(16));
    EXPECT_TRUE(window_.claim(at(3), 2));
    EXPECT_FALSE(window_.unused_behind(at(3)));
}

TEST_F(write_window_test, forgets_its_memory)
{
    window_.forget();
    EXPECT_EQ(nullptr, window_.at());
    EXPECT_FALSE(window_.claim(nullptr, 2));
}

}  // namespace
}  // namespace zlink::pipe::test
