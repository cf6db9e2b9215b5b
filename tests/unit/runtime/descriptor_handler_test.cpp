// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Handlers that wait for their turn to be told, and what a look at a set of epoll has found.
#include "runtime/descriptor_handler.hpp"

#include "base/unique_fd.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace zlink::runtime {
namespace {

struct handler final : descriptor_handler {
    void on_ready(std::uint32_t) noexcept override
    {
        ++told;
        if (action) action();
    }
    int told = 0;
    std::function<void()> action;
};

class handler_queue_test : public testing::Test {
protected:
    explicit handler_queue_test(std::size_t count = 6) : all_(count) {}

    void push_all()
    {
        for (handler& h : all_) queue_.push(h);
    }
    int pass_on_all()
    {
        int passed = 0;
        for (queue_.begin_batch(); queue_.any_in_batch(); ++passed) queue_.pass_on();
        return passed;
    }

    std::deque<handler> all_;
    handler_queue queue_;
};

TEST_F(handler_queue_test, whoever_leaves_leaves_the_others_in_order)
{
    push_all();
    for (const std::size_t gone : {0, 3, 5}) queue_.remove(all_[gone]);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].action = [&order, i] { order.push_back(i); };
    EXPECT_EQ(3, pass_on_all());
    EXPECT_EQ((std::vector<std::size_t>{1, 2, 4}), order);
    EXPECT_FALSE(queue_.any());
}

TEST_F(handler_queue_test, who_is_elsewhere_is_not_removed)
{
    handler_queue other;
    other.push(all_[0]);
    queue_.push(all_[1]);
    queue_.remove(all_[0]);
    queue_.remove(all_[2]);
    EXPECT_TRUE(other.any());
    other.remove(all_[0]);
    EXPECT_FALSE(other.any());
    EXPECT_EQ(1, pass_on_all());
    EXPECT_EQ(1, all_[1].told);
}

TEST_F(handler_queue_test, who_queues_again_is_told_with_the_next_batch)
{
    push_all();
    for (handler& h : all_) h.action = [&] { queue_.push(h); };
    EXPECT_EQ(6, pass_on_all());
    for (handler& h : all_) EXPECT_EQ(1, h.told);
    EXPECT_EQ(6, pass_on_all());
    for (handler& h : all_) EXPECT_EQ(2, h.told);
}

TEST_F(handler_queue_test, a_batch_ends_though_some_were_removed_from_it)
{
    push_all();
    all_[0].action = [&] {
        for (std::size_t i = 1; i < all_.size(); ++i) queue_.remove(all_[i]);
    };
    EXPECT_EQ(6, pass_on_all());
    EXPECT_EQ(1, all_[0].told);
    EXPECT_EQ(0, all_[5].told);
    EXPECT_FALSE(queue_.any());
}

// The newest first: a search from the oldest on would go past 10^10 of them.
TEST_F(handler_queue_test, a_hundred_thousand_leave_as_one_does)
{
    std::deque<handler> all(100'000);
    handler_queue queue;
    for (handler& h : all) queue.push(h);
    for (std::size_t i = all.size(); i-- > 0;) queue.remove(all[i]);
    EXPECT_FALSE(queue.any());
}

// --- a look at a set of epoll
// ------------------------------------------------------------------------------------------------

class descriptor_reports_test : public testing::Test {
protected:
    struct watched final : descriptor_handler {
        void on_ready(std::uint32_t) noexcept override { ++told; }
        unique_fd fd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
        int told = 0;
    };

    void watch(int fd, descriptor_handler* of) const
    {
        epoll_event e{};
        e.events = EPOLLIN | EPOLLONESHOT;
        e.data.ptr = of;
        ASSERT_EQ(0, ::epoll_ctl(set_.get(), EPOLL_CTL_ADD, fd, &e));
    }
    static void raise(int fd)
    {
        const std::uint64_t one = 1;
        ASSERT_EQ(ssize_t(sizeof one), ::write(fd, &one, sizeof one));
    }

    unique_fd set_{::epoll_create1(EPOLL_CLOEXEC)};
    descriptor_reports reports_;
};

TEST_F(descriptor_reports_test, what_ends_a_wait_is_passed_on_without_another_look)
{
    watched one;
    watch(one.fd.get(), &one);
    raise(one.fd.get());
    EXPECT_TRUE(reports_.wait(set_.get()));
    ASSERT_EQ(1, reports_.size());
    reports_.pass_on();
    EXPECT_EQ(1, one.told);
    EXPECT_FALSE(reports_.any());
}

TEST_F(descriptor_reports_test, who_belongs_to_nobody_ends_a_wait_and_is_not_passed_on)
{
    watched wake_up;
    watch(wake_up.fd.get(), nullptr);
    raise(wake_up.fd.get());
    EXPECT_FALSE(reports_.wait(set_.get()));
    EXPECT_FALSE(reports_.any());
}

TEST_F(descriptor_reports_test, a_second_look_keeps_what_has_not_been_passed_on)
{
    watched first;
    watched second;
    watch(first.fd.get(), &first);
    watch(second.fd.get(), &second);
    raise(first.fd.get());
    EXPECT_TRUE(reports_.look(set_.get()));
    raise(second.fd.get());
    EXPECT_TRUE(reports_.look(set_.get()));
    EXPECT_FALSE(reports_.look(set_.get())) << "reports come once";
    ASSERT_EQ(2, reports_.size());
    while (reports_.any()) reports_.pass_on();
    EXPECT_EQ(1, first.told);
    EXPECT_EQ(1, second.told);
}

TEST_F(descriptor_reports_test, says_when_there_may_be_more_than_it_has_room_for)
{
    std::deque<watched> many(descriptor_reports::most + 1);
    for (watched& w : many) {
        watch(w.fd.get(), &w);
        raise(w.fd.get());
    }
    EXPECT_TRUE(reports_.look(set_.get()));
    EXPECT_TRUE(reports_.was_full());
    EXPECT_EQ(descriptor_reports::most, reports_.size());
    while (reports_.any()) reports_.pass_on();
    EXPECT_TRUE(reports_.look(set_.get()));
    EXPECT_FALSE(reports_.was_full());
    EXPECT_EQ(1, reports_.size());
}

}  // namespace
}  // namespace zlink::runtime
