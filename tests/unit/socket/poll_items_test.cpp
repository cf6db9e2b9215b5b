// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/poll_items.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <vector>

namespace zlink::socket {
namespace {

class polled_descriptors_test : public testing::TestWithParam<unsigned> {
protected:
    polled_descriptors_test()
    {
        EXPECT_EQ(0, ::pipe(ends_));
        items_.assign(GetParam(), {nullptr, ends_[0], ZMQ_POLLIN, 0});
        items_.push_back({nullptr, -1, ZMQ_POLLIN, 0});  // neither a socket nor a descriptor
        EXPECT_TRUE(set_.fill(items_, GetParam(), 1));
    }
    ~polled_descriptors_test() override
    {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }

    /// How many items are ready.
    int look()
    {
        EXPECT_EQ(errc::none, set_.look(nullptr));
        return set_.report(items_);
    }

    int ends_[2] = {-1, -1};
    std::vector<zmq_pollitem_t> items_;
    polled_descriptors set_;
};

TEST_P(polled_descriptors_test, are_reported_with_the_events_that_came)
{
    EXPECT_EQ(0, look());
    ASSERT_EQ(1, ::write(ends_[1], "x", 1));
    EXPECT_EQ(int(GetParam()), look());
    EXPECT_EQ(ZMQ_POLLIN, items_.front().revents);
    EXPECT_EQ(0, items_.back().revents);
}

TEST_P(polled_descriptors_test, report_what_was_not_asked_for_as_an_error)
{
    ::close(ends_[1]);
    ends_[1] = ::dup(ends_[0]);
    EXPECT_EQ(int(GetParam()), look());
    EXPECT_EQ(ZMQ_POLLERR, items_.front().revents);
}

TEST_P(polled_descriptors_test, one_that_is_no_item_ends_a_sleep_and_is_not_reported)
{
    int others[2];
    ASSERT_EQ(0, ::pipe(others));
    set_.add(others[0]);
    EXPECT_EQ(1, ::write(others[1], "x", 1));
    inline_readers readers;
    waiter& w = waiter::of_this_thread();
    w.prepare();
    const deadline never;
    EXPECT_EQ(waiter::reason::woken, set_.sleep(w, readers, never, nullptr));
    EXPECT_EQ(0, set_.report(items_));
    ::close(others[0]);
    ::close(others[1]);
}

INSTANTIATE_TEST_SUITE_P(few_and_many, polled_descriptors_test, testing::Values(1, ZMQ_POLLITEMS_DFLT + 1));

TEST(inline_readers_test, read_nothing_for_items_without_a_socket)
{
    const zmq_pollitem_t descriptor{nullptr, STDIN_FILENO, ZMQ_POLLIN, 0};
    inline_readers readers;
    readers.begin({&descriptor, 1});
    EXPECT_EQ(0U, readers.count());
    EXPECT_FALSE(readers.many());
    EXPECT_FALSE(readers.read());
}

}  // namespace
}  // namespace zlink::socket
