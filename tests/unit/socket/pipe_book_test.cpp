// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where a socket's pipes stand.
#include "socket/pipe_book.hpp"

#include "lone_pipe.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace zlink::socket {
namespace {

class pipe_book_test : public testing::Test {
protected:
    pipe::pipe_end& add()
    {
        pipes_.push_back(std::make_unique<test::lone_pipe>());
        pipe::pipe_end& end = pipes_.back()->near();
        (void)record_for(end);
        book_.reserve();
        book_.add(end);
        return end;
    }

    std::vector<std::unique_ptr<test::lone_pipe>> pipes_;
    pipe_book book_;
};

TEST_F(pipe_book_test, a_pipe_is_open_rejected_or_nowhere)
{
    pipe::pipe_end& end = add();
    EXPECT_TRUE(book_.has(end));
    EXPECT_EQ(pipe_book::list{&end}, book_.open());
    book_.reject(end);
    EXPECT_TRUE(book_.open().empty());
    EXPECT_EQ(pipe_book::list{&end}, book_.rejected());
    book_.accept(end);
    EXPECT_EQ(pipe_book::list{&end}, book_.open());
    EXPECT_EQ(pipe_place::open, book_.remove(end));
    EXPECT_FALSE(book_.has(end));
    EXPECT_EQ(0u, book_.size());
    EXPECT_EQ(pipe_place::none, book_.remove(end));
}

TEST_F(pipe_book_test, what_is_given_up_is_named_until_it_is_removed)
{
    pipe::pipe_end &one = add(), &two = add(), &three = add();
    book_.reject(two);
    for (pipe::pipe_end* end : {&one, &two, &three, &two}) book_.give_up(*end);
    EXPECT_EQ(&three, book_.given_up());
    EXPECT_EQ(pipe_place::open, book_.remove(one));
    EXPECT_EQ(pipe_place::open, book_.remove(three));
    EXPECT_EQ(&two, book_.given_up());
    EXPECT_EQ(pipe_place::rejected, book_.remove(two));
    EXPECT_EQ(nullptr, book_.given_up());
    book_.give_up(two);
    EXPECT_EQ(nullptr, book_.given_up());
}

TEST_F(pipe_book_test, remembers_that_some_pipe_conflates)
{
    add();
    EXPECT_FALSE(book_.conflates());
    pipe::pipe* const p = pipe::pipe::create({10, 10, 8192, true});
    ASSERT_TRUE(p);
    (void)record_for(p->first());
    book_.reserve();
    book_.add(p->first());
    EXPECT_TRUE(book_.conflates());
    (void)book_.remove(p->first());
    EXPECT_TRUE(book_.conflates());
    p->first().close();
    p->second().close();
}

TEST_F(pipe_book_test, any_order_of_leaving_leaves_the_others_in_place)
{
    std::vector<pipe::pipe_end*> left;
    for (int i = 0; i < 300; ++i) left.push_back(&add());
    std::uint32_t state = 7;
    while (!left.empty()) {
        state = state * 1664525 + 1013904223;
        const std::size_t at = (state >> 8) % left.size();
        if (state % 3 == 0) book_.give_up(*left[at]);
        if (state % 2 == 0 && record_of(*left[at]).place == pipe_place::open) book_.reject(*left[at]);
        (void)book_.remove(*left[at]);
        left.erase(left.begin() + std::ptrdiff_t(at));
        ASSERT_EQ(left.size(), book_.size());
        for (pipe::pipe_end* end : left) ASSERT_TRUE(book_.has(*end));
    }
    EXPECT_EQ(nullptr, book_.given_up());
}

}  // namespace
}  // namespace zlink::socket
