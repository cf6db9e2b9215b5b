// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The mailbox. Commands and ends of pipes reach the socket's thread, awake, asleep or in an event loop, and what tells
// it is quiet again afterwards.
#include "socket/mailbox.hpp"

#include "base/unique_fd.hpp"
#include "runtime/waiter.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace zlink::socket {
namespace {

using runtime::deadline_after;
using runtime::waiter;

// Fails a test that would hang.
constexpr int patience_ms = 20'000;

bool readable(int fd, int timeout_ms = 0)
{
    pollfd p{fd, POLLIN, 0};
    return ::poll(&p, 1, timeout_ms) == 1;
}

command numbered(std::uint64_t n)
{
    return {command::kind::ended, nullptr, {}, n};
}

class mailbox_test : public testing::Test {
protected:
    ~mailbox_test() override { box_.release(); }

    std::vector<std::uint64_t> take()
    {
        box_.acknowledge();
        std::vector<std::uint64_t> numbers;
        for (const command& c : box_.take_commands()) numbers.push_back(c.endpoint_id);
        return numbers;
    }

    mailbox& box_ = *new mailbox;
};

using numbers = std::vector<std::uint64_t>;

TEST_F(mailbox_test, calls_with_news_until_it_is_closed)
{
    int calls = 0;
    box_.set_news_call({&calls, [](void* of) noexcept { ++*static_cast<int*>(of); }});
    EXPECT_TRUE(box_.has_descriptor()) << "nobody may sleep without a look behind it";
    EXPECT_EQ(errc::none, box_.post(numbered(1)));
    EXPECT_EQ(1, calls);
    EXPECT_EQ(numbers{1}, take());
    box_.signal();
    EXPECT_EQ(2, calls);
    (void)box_.close();
    box_.signal();
    EXPECT_EQ(2, calls);
}

// It is closed on both sides while the command is on its way, and nothing else comes to lie at its address.
TEST(command_test, keeps_its_pipe)
{
    for (const auto kind : {command::kind::disconnected, command::kind::identified, command::kind::attach}) {
        pipe::pipe* const gone = pipe::pipe::create({10, 10, 8192});
        ASSERT_TRUE(gone);
        command c = command::of(kind, gone->first());
        gone->first().close();
        gone->second().close();
        const command taken = std::move(c);
        EXPECT_TRUE(taken.end->closed());
    }
}

TEST_F(mailbox_test, is_quiet_at_first)
{
    EXPECT_FALSE(box_.pending());
    EXPECT_FALSE(box_.take_stop());
    EXPECT_FALSE(box_.stop_taken());
    EXPECT_FALSE(box_.has_descriptor());
    EXPECT_EQ(numbers{}, take());
}

TEST_F(mailbox_test, keeps_commands_in_order_until_they_are_taken)
{
    for (std::uint64_t n = 1; n <= 3; ++n) EXPECT_EQ(errc::none, box_.post(numbered(n)));
    EXPECT_TRUE(box_.pending());
    EXPECT_EQ((numbers{1, 2, 3}), take());
    EXPECT_FALSE(box_.pending());
    EXPECT_EQ(errc::none, box_.post(numbered(4)));
    EXPECT_TRUE(box_.pending());
    EXPECT_EQ((numbers{4}), take());
}

TEST_F(mailbox_test, commands_that_are_put_back_come_first)
{
    for (std::uint64_t n = 1; n <= 3; ++n) EXPECT_EQ(errc::none, box_.post(numbered(n)));
    box_.acknowledge();
    command_list again = box_.take_commands();
    again.pop_front();
    EXPECT_EQ(errc::none, box_.post(numbered(4)));
    box_.acknowledge();
    box_.put_back(again);
    EXPECT_TRUE(again.empty());
    EXPECT_TRUE(box_.pending());
    EXPECT_EQ((numbers{2, 3, 4}), take());
}

TEST_F(mailbox_test, takes_commands_out_of_lists_unless_it_is_closed)
{
    command_list made;
    made.push_back(numbered(1));
    EXPECT_EQ(errc::none, box_.post(made));
    EXPECT_TRUE(made.empty());
    EXPECT_EQ((numbers{1}), take());
    (void)box_.close();
    made.push_back(numbered(2));
    EXPECT_EQ(errc::terminated, box_.post(made));
    EXPECT_EQ(1u, made.size());
}

TEST_F(mailbox_test, refuses_commands_once_it_is_closed)
{
    EXPECT_EQ(errc::none, box_.post(numbered(1)));
    EXPECT_EQ(1u, box_.close().size());
    EXPECT_EQ(errc::terminated, box_.post(numbered(2)));
    EXPECT_EQ(numbers{}, take());
    EXPECT_TRUE(box_.close().empty());
}

TEST_F(mailbox_test, stays_pending_once_it_is_stopped)
{
    box_.stop();
    EXPECT_FALSE(box_.stop_taken()) << "no call has found out yet";
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(box_.pending());
        EXPECT_TRUE(box_.take_stop());
        EXPECT_TRUE(box_.stop_taken());
        box_.acknowledge();
        box_.stop();  // zmq_ctx_shutdown, then zmq_ctx_term
        EXPECT_TRUE(box_.stop_taken());
    }
}

TEST_F(mailbox_test, ends_of_pipes_raise_the_flag_as_commands_do)
{
    pipe::pipe* p = pipe::pipe::create({0, 0, 8192});
    ASSERT_NE(nullptr, p);
    pipe::pipe_end& end = p->first();
    end.attach(box_);
    EXPECT_FALSE(box_.pending());
    end.notify(pipe::event_data);
    EXPECT_TRUE(box_.pending());
    box_.acknowledge();
    EXPECT_EQ(&end, box_.take_all());
    EXPECT_EQ(pipe::event_data, end.take_events());
    EXPECT_FALSE(box_.pending());
    end.close();
    end.peer().close();
}

TEST_F(mailbox_test, gives_ends_out_one_by_one)
{
    pipe::pipe* const pipes[] = {pipe::pipe::create({0, 0, 8192}), pipe::pipe::create({0, 0, 8192})};
    for (pipe::pipe* p : pipes) {
        ASSERT_NE(nullptr, p);
        p->first().attach(box_);
        p->first().notify(pipe::event_data);
    }
    box_.acknowledge();
    EXPECT_EQ(&pipes[0]->first(), box_.next_end());
    (void)pipes[0]->first().take_events();
    pipes[0]->first().notify(pipe::event_data);
    EXPECT_EQ(&pipes[1]->first(), box_.next_end());
    (void)pipes[1]->first().take_events();
    EXPECT_EQ(&pipes[0]->first(), box_.next_end()) << "it has lined up again";
    (void)pipes[0]->first().take_events();
    EXPECT_EQ(nullptr, box_.next_end());
    for (pipe::pipe* p : pipes) {
        box_.close_end(p->first());
        p->second().close();
    }
    box_.drain();
}

// The memory checkers see to the rest.
TEST_F(mailbox_test, ends_that_are_closed_in_the_queue_come_once_more)
{
    pipe::pipe* const pipes[] = {pipe::pipe::create({0, 0, 8192}), pipe::pipe::create({0, 0, 8192})};
    for (pipe::pipe* p : pipes) {
        ASSERT_NE(nullptr, p);
        p->first().attach(box_);
        p->first().notify(pipe::event_data);
        box_.close_end(p->first());
        p->second().close();
    }
    pipe::pipe_end* const first = box_.next_end();
    ASSERT_EQ(&pipes[0]->first(), first);
    EXPECT_TRUE(first->closed());
    box_.discard(*first);
    box_.drain();
    EXPECT_EQ(nullptr, box_.next_end());
}

// Sockets that leave line up apart from ends that have other news, and are taken one by one, whatever comes in between.
TEST_F(mailbox_test, departed_ends_line_up_apart)
{
    mailbox& theirs = *new mailbox;
    std::vector<pipe::pipe_end*> ends;
    const auto come = [&] {
        pipe::pipe* const p = pipe::pipe::create({0, 0, 8192});
        ASSERT_NE(nullptr, p);
        p->first().attach(box_);
        p->second().attach(theirs);
        ends.push_back(&p->first());
    };
    for (int i = 0; i < 4; ++i) come();
    ends[0]->peer().close();
    EXPECT_TRUE(box_.pending());
    box_.acknowledge();
    ends[1]->notify(pipe::event_credit);
    ends[1]->peer().close();  // stands in the other queue already
    ends[2]->peer().close();
    EXPECT_TRUE(box_.pending());
    EXPECT_TRUE(ends[1]->peer_has_left());
    EXPECT_FALSE(ends[3]->peer_has_left());
    EXPECT_EQ(ends[1], box_.take_all());
    EXPECT_EQ(nullptr, ends[1]->next_in_queue);
    EXPECT_EQ(ends[2], box_.take_departed());
    ends[3]->peer().close();
    EXPECT_TRUE(box_.has_departed());
    EXPECT_EQ(ends[3], box_.take_departed());
    EXPECT_EQ(ends[0], box_.take_departed());
    EXPECT_FALSE(box_.has_departed());
    EXPECT_EQ(nullptr, box_.take_departed());
    for (pipe::pipe_end* end : ends) {
        EXPECT_TRUE(end->take_events() & pipe::event_peer_closed);
        EXPECT_EQ(pipe::pipe_end::closing::done, end->close());
    }
    theirs.release();
}

// --- the descriptor
// ---------------------------------------------------------------------------------------------------

TEST_F(mailbox_test, its_descriptor_is_readable_while_something_is_pending)
{
    const int fd = box_.descriptor();
    ASSERT_GE(fd, 0);
    EXPECT_TRUE(box_.has_descriptor());
    EXPECT_EQ(fd, box_.descriptor());
    EXPECT_FALSE(readable(fd));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(errc::none, box_.post(numbered(1)));
        EXPECT_EQ(errc::none, box_.post(numbered(2)));
        EXPECT_TRUE(readable(fd));
        EXPECT_EQ((numbers{1, 2}), take());
        EXPECT_FALSE(readable(fd));
        EXPECT_FALSE(box_.pending());
    }
}

TEST_F(mailbox_test, a_descriptor_made_later_tells_of_what_is_pending)
{
    EXPECT_EQ(errc::none, box_.post(numbered(1)));
    const int fd = box_.descriptor();
    EXPECT_TRUE(readable(fd));
    EXPECT_EQ((numbers{1}), take());
    EXPECT_FALSE(readable(fd));
}

TEST_F(mailbox_test, may_be_signalled_by_its_own_thread)
{
    const int fd = box_.descriptor();
    box_.signal();
    EXPECT_TRUE(box_.pending());
    EXPECT_TRUE(readable(fd));
    box_.acknowledge();
    EXPECT_FALSE(box_.pending());
    EXPECT_FALSE(readable(fd));
}

TEST_F(mailbox_test, a_descriptor_that_is_left_is_quiet_once_it_is_taken_in)
{
    const int fd = box_.descriptor();
    EXPECT_EQ(errc::none, box_.post(numbered(1)));
    box_.acknowledge(mailbox::descriptor_is::left);
    EXPECT_FALSE(box_.pending());
    EXPECT_TRUE(readable(fd));
    box_.take_in_descriptor();
    EXPECT_FALSE(readable(fd));
    box_.raise_descriptor();
    EXPECT_TRUE(readable(fd));
    EXPECT_FALSE(box_.pending());
}

// --- other threads
// ----------------------------------------------------------------------------------------------------

TEST_F(mailbox_test, wakes_the_thread_that_sleeps)
{
    waiter& self = waiter::of_this_thread();
    for (std::uint64_t n = 0; n < 100; ++n) {
        self.prepare();
        box_.set_sleeper(&self);
        std::thread poster([&] { EXPECT_EQ(errc::none, box_.post(numbered(n))); });
        EXPECT_EQ(waiter::reason::woken, self.sleep(deadline_after(patience_ms)));
        box_.set_sleeper(nullptr);
        poster.join();
        EXPECT_EQ((numbers{n}), take());
    }
}

// Posts a running number by each of some threads, all of which the owner takes: nothing lost, nothing out of order.
class mailbox_stress_test : public mailbox_test {
protected:
    static constexpr std::uint64_t posters = 3;
    static constexpr std::uint64_t posts = 5000;

    void start()
    {
        for (std::uint64_t p = 0; p < posters; ++p) {
            threads_.emplace_back([this, p] {
                for (std::uint64_t n = 0; n < posts; ++n) {
                    ASSERT_EQ(errc::none, box_.post(numbered(p * posts + n)));
                    if (n % 16 == p) std::this_thread::yield();
                }
            });
        }
    }

    void take_all_there_is()
    {
        for (const std::uint64_t n : take()) {
            ASSERT_EQ(next_[n / posts], n % posts);
            ++next_[n / posts];
            ++taken_;
        }
    }

    [[nodiscard]] bool complete() const { return taken_ == posters * posts; }

    std::vector<std::jthread> threads_;
    std::uint64_t next_[posters] = {};
    std::uint64_t taken_ = 0;
};

TEST_F(mailbox_stress_test, a_sleeping_owner_misses_nothing_stress)
{
    waiter& self = waiter::of_this_thread();
    start();
    while (!complete()) {
        self.prepare();
        box_.set_sleeper(&self);
        const bool sleeps = !box_.pending();
        const auto why = sleeps ? self.sleep(deadline_after(patience_ms)) : waiter::reason::woken;
        box_.set_sleeper(nullptr);
        ASSERT_EQ(waiter::reason::woken, why) << taken_;
        take_all_there_is();
    }
    threads_.clear();
    box_.acknowledge();
    EXPECT_FALSE(box_.pending());
}

TEST_F(mailbox_stress_test, departed_ends_of_several_threads_are_all_taken_stress)
{
    constexpr int pipes = 20'000;
    mailbox& theirs = *new mailbox;
    for (int t = 0; t < 2; ++t) {
        threads_.emplace_back([&] {
            for (int i = 0; i < pipes; ++i) {
                pipe::pipe* const p = pipe::pipe::create({0, 0, 8192});
                ASSERT_NE(nullptr, p);
                p->first().attach(box_);
                p->second().attach(theirs);
                p->second().close();
            }
        });
    }
    int taken = 0;
    waiter& self = waiter::of_this_thread();
    while (taken < 2 * pipes) {
        self.prepare();
        box_.set_sleeper(&self);
        const auto why = box_.pending() ? waiter::reason::woken : self.sleep(deadline_after(patience_ms));
        box_.set_sleeper(nullptr);
        ASSERT_EQ(waiter::reason::woken, why) << taken;
        box_.acknowledge();
        while (pipe::pipe_end* const end = box_.take_departed()) {
            EXPECT_TRUE(end->take_events() & pipe::event_peer_closed);
            end->close();
            ++taken;
        }
    }
    threads_.clear();
    // Ends that were closed from both sides at once stand in the other line.
    while (pipe::pipe_end* const end = theirs.take_departed()) {
        (void)end->take_events();
        end->discard();
    }
    theirs.release();
}

TEST_F(mailbox_stress_test, an_event_loop_misses_nothing_stress)
{
    const int fd = box_.descriptor();
    start();
    while (!complete()) {
        ASSERT_TRUE(readable(fd, patience_ms)) << taken_;
        if (box_.pending()) take_all_there_is();
    }
    threads_.clear();
    if (box_.pending()) box_.acknowledge();
    EXPECT_FALSE(box_.pending());
    EXPECT_FALSE(readable(fd));
}

// The descriptor tells of each change once: a look behind an edge that found nothing, with something announced later,
// would be the last one. The owner also looks without being told, as programs do, so that it often comes between the
// steps of a post.
TEST_F(mailbox_stress_test, an_edge_triggered_event_loop_misses_nothing_stress)
{
    const int fd = box_.descriptor();
    const unique_fd set(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event each_time{};
    each_time.events = EPOLLIN | EPOLLET;
    ASSERT_EQ(0, ::epoll_ctl(set.get(), EPOLL_CTL_ADD, fd, &each_time));
    // Or as many as a machine that does other work as well gets done in some seconds.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    constexpr std::uint64_t most_rounds = 30'000;
    std::atomic<std::uint64_t> rounds{most_rounds};
    std::atomic<std::uint64_t> taken{0};
    std::atomic<bool> over{false};
    for (int p = 0; p < 2; ++p) {
        threads_.emplace_back([&, p] {
            // One at a time each, so that every post may be the one that is missed.
            for (std::uint64_t n = 0; n < rounds && !over; ++n) {
                EXPECT_EQ(errc::none, box_.post(numbered(std::uint64_t(p))));
                for (int looks = 1; taken.load() + 2 < 2 * n && !over; ++looks) {
                    if (looks % 100 == 0) std::this_thread::yield();
                }
            }
        });
    }
    while (taken < 2 * rounds) {
        if (rounds == most_rounds && std::chrono::steady_clock::now() > end) {
            rounds = std::min(most_rounds, taken / 2 + 3);  // nobody is further
        }
        bool found = false;
        // Looks until there is nothing, and a few times more: somebody may be in the middle of telling.
        for (int looks = 0; looks < 3; ++looks) {
            while (box_.pending()) {
                const std::uint64_t got = take().size();
                taken += got;
                found |= got != 0;
                if (got == 0) break;
            }
        }
        if (found || taken == 2 * rounds) continue;
        epoll_event told;
        if (::epoll_wait(set.get(), &told, 1, patience_ms) == 1) continue;
        over = true;
        ADD_FAILURE() << "nobody told of what came after " << taken << ", pending " << box_.pending();
        break;
    }
    threads_.clear();  // they look at what lives here
}

// A descriptor that stays readable while nothing is pending would keep an event loop busy for nothing.
TEST_F(mailbox_stress_test, the_descriptor_is_quiet_when_all_is_taken_stress)
{
    const int fd = box_.descriptor();
    constexpr int rounds = 20'000;
    std::atomic<int> round{0};
    std::atomic<int> posted{0};
    for (int p = 0; p < 2; ++p) {
        threads_.emplace_back([&] {
            for (int r = 1; r <= rounds; ++r) {
                for (int looks = 1; round.load() < r; ++looks) {
                    if (looks > 100) std::this_thread::yield();
                }
                if (round.load() > rounds) return;
                EXPECT_EQ(errc::none, box_.post(numbered(1)));
                posted.fetch_add(1);
            }
        });
    }
    for (int r = 1; r <= rounds; ++r) {
        round = r;
        for (int looks = 1; posted.load() < 2 * r; ++looks) {
            if (box_.pending()) (void)take();
            if (looks > 100) std::this_thread::yield();
        }
        // An event loop would look once more, and no more.
        if (box_.pending()) (void)take();
        if (box_.pending() || readable(fd)) {
            round = rounds + 1;
            ADD_FAILURE() << "round " << r << ": pending " << box_.pending() << ", readable " << readable(fd);
            return;
        }
    }
}

}  // namespace
}  // namespace zlink::socket
