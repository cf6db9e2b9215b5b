// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sends that wait for each other: in which order they go.
#include "socket/deferred_sends.hpp"

#include "load/counters.hpp"
#include "load/socket_counts.hpp"
#include "load/thread_waits.hpp"

#include "lone_pipe.hpp"
#include "support/idle_io.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

namespace zlink::socket {
namespace {

using namespace std::chrono_literals;

// A connection whose I/O thread sleeps, and that notes when it is written to.
class idle_connection final : public pipe::test::idle_io {
public:
    idle_connection(int number, std::vector<int>& written) : number_(number), written_(written)
    {
        end().parent().io.offer(*this);
        (void)pipe_.far().reader.go_dormant();
    }
    ~idle_connection() { pipe::test::withdraw(end().parent().io); }
    idle_connection(const idle_connection&) = delete;
    idle_connection& operator=(const idle_connection&) = delete;

    [[nodiscard]] pipe::pipe_end& end() const { return pipe_.near(); }
    [[nodiscard]] pipe::pipe_end& far() const { return pipe_.far(); }

    write_outcome write_inline(bool) noexcept override
    {
        written_.push_back(number_);
        return write_outcome::done;
    }

private:
    int number_;
    std::vector<int>& written_;
    test::lone_pipe pipe_;
};

// So often everything had to go, in this process.
std::uint64_t times_due()
{
    return load::total(load::rule::held_due).times;
}

class deferred_sends_test : public testing::Test {
protected:
    deferred_sends_test()
    {
        for (int i = 0; i < 5; ++i) {
            connections_.push_back(std::make_unique<idle_connection>(i, written_));
            ends_.push_back(&connections_.back()->end());
        }
        sends_.reserve(ends_.size());
        sends_.begin_burst();
    }
    ~deferred_sends_test() override { mailbox_->release(); }

    void hold(std::vector<int> which)
    {
        for (const int i : which) {
            ASSERT_TRUE(sends_.hold(*ends_[std::size_t(i)]));
        }
    }

    /// At this one, the socket has something to receive.
    void has_unread(std::size_t which)
    {
        pipe::lane_writer& peer = connections_[which]->far().writer;
        ASSERT_TRUE(peer.write({reinterpret_cast<const std::byte*>("x"), 1, false}));
        peer.publish();
    }

    /// Runs it again where the machine takes so long that something is due meanwhile.
    template <class Body>
    void repeat_while_due(Body body)
    {
        for (auto due = times_due() + 1; due != times_due();) {
            due = times_due();
            written_.clear();
            body();
        }
    }

    /// Holds a message for each of the first `count`, and one more once they are due. Again, where the machine takes so
    /// long that something is due before.
    void hold_until_due(int count)
    {
        for (auto before = times_due(); times_due() == before;) {
            sends_.end_burst();
            sends_.begin_burst();
            written_.clear();
            for (int i = 0; i < count; ++i) hold({i});
            if (times_due() != before) {
                before = times_due();
                continue;
            }
            for (const auto end = runtime::clock::now() + 60us; runtime::clock::now() < end;) {
            }
            hold({0});
        }
        EXPECT_TRUE(sends_.empty());
    }

    std::vector<int> written_;
    mailbox* mailbox_ = new mailbox;
    std::vector<std::unique_ptr<idle_connection>> connections_;
    std::vector<pipe::pipe_end*> ends_;
    load::socket_counts counts_;
    deferred_sends sends_{ends_, *mailbox_, counts_};
};

// A look takes an I/O thread's wake-up, as much as all of a lone message's way through a proxy.
TEST_F(deferred_sends_test, nobody_looks_after_a_burst_and_somebody_after_what_a_program_holds)
{
    const auto is_watched = [this](int which) { return ends_[std::size_t(which)]->parent().io.held.watched(); };
    hold({0});
    EXPECT_FALSE(is_watched(0));
    sends_.end_burst();
    EXPECT_EQ(std::vector<int>{0}, written_);

    // Held as there is something unread: the program may do other things first.
    has_unread(1);
    hold({1});
    EXPECT_TRUE(is_watched(1));
    sends_.send();
}

// The I/O thread is told in any case: to look, or to write.
TEST_F(deferred_sends_test, batches_that_come_alone_are_left_to_the_io_thread)
{
    pipe::pipe_end& end = *ends_[0];
    sends_.end_burst();
    has_unread(0);
    using namespace load::limits::holds;
    for (auto now = runtime::clock::now() - 1s; end.held.watch.pays(false, now); now += soon) {
    }
    hold({0});
    EXPECT_TRUE(sends_.empty());
    EXPECT_FALSE(end.parent().io.held.watched());
    EXPECT_FALSE(end.writer.reader_sleeps());
    EXPECT_TRUE(written_.empty());
}

// The answers of a server to its clients, say.
TEST_F(deferred_sends_test, who_has_waited_longest_is_written_to_first)
{
    hold({3, 1, 0, 2});
    sends_.end_burst();
    EXPECT_EQ((std::vector<int>{3, 1, 0, 2}), written_);
    EXPECT_TRUE(sends_.empty());
    EXPECT_EQ(4u, counts_.held.look());
    EXPECT_GE(4u, counts_.held_late.look());
}

TEST_F(deferred_sends_test, several_messages_for_one_go_with_its_first)
{
    repeat_while_due([this] {
        const auto before = times_due();
        hold({2, 0, 2, 1, 0, 2});
        EXPECT_TRUE(written_.empty() || times_due() != before);
        sends_.send();
    });
    EXPECT_EQ((std::vector<int>{2, 0, 1}), written_);
}

TEST_F(deferred_sends_test, whose_pipe_has_gone_is_not_written_to)
{
    hold({0, 1, 2});
    sends_.forget(*ends_[1]);
    sends_.end_burst();
    EXPECT_EQ((std::vector<int>{0, 2}), written_);
}

TEST_F(deferred_sends_test, pipes_that_go_and_come_need_no_more_room)
{
    ends_.pop_back();  // no more than are written to when something is due
    for (int i = 0; i < 1000; ++i) {
        hold({0, 1, 2, 3});
        sends_.forget(*ends_[std::size_t(i % 4)]);
        hold({i % 4});
        for (pipe::pipe_end* end : ends_) sends_.forget(*end);
        EXPECT_TRUE(sends_.empty());
    }
    repeat_while_due([this] {
        hold({2, 3});
        sends_.forget(*ends_[2]);
        hold({2});
        sends_.send();
    });
    EXPECT_EQ((std::vector<int>{3, 2}), written_);
}

// The I/O threads write while the sender goes on.
TEST_F(deferred_sends_test, what_is_due_for_many_is_left_to_the_io_threads_and_for_few_it_is_written)
{
    hold_until_due(4);
    EXPECT_EQ((std::vector<int>{0, 1, 2, 3}), written_);
    hold_until_due(5);
    EXPECT_TRUE(written_.empty());
}

// A server that computes for each of its requests, and always has another one.
TEST_F(deferred_sends_test, who_never_waits_leaves_what_is_due_to_the_io_threads)
{
    load::thread_waits& waits = load::waits_of_this_thread();
    const auto times_left = [] { return load::total(load::rule::own_write_busy).times; };
    const auto before = times_left();
    for (const auto end = runtime::clock::now() + 10s; times_left() == before;) {
        ASSERT_LT(runtime::clock::now(), end);
        for (int i = 0; i < 100; ++i) waits.wrote(100us);
        hold_until_due(2);
    }
    EXPECT_TRUE(written_.empty());
    EXPECT_FALSE(ends_[0]->writer.reader_sleeps());
    waits = {};
}

TEST_F(deferred_sends_test, nothing_goes_twice)
{
    hold({0, 1});
    sends_.send();
    sends_.send();
    sends_.end_burst();
    EXPECT_EQ((std::vector<int>{0, 1}), written_);
}

}  // namespace
}  // namespace zlink::socket
