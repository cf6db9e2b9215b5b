// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reading connections on the thread that waits for them: when it keeps the right to read between two waits.
#include "socket/inline_reader.hpp"

#include "lone_pipe.hpp"
#include "support/idle_io.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

namespace zlink::socket {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
namespace limit = load::limits::lease;

// The time that rounds are measured with: it moves only when a test says so.
struct made_up_clock {
    static clock::time_point now() noexcept { return at; }
    static inline clock::time_point at{1h};
};

// A connection with nothing to read, that counts how often its I/O thread is asked to read or not.
class quiet_connection final : public pipe::test::idle_io {
public:
    quiet_connection() { end()->parent().io.offer(*this); }
    ~quiet_connection() { pipe::test::withdraw(end()->parent().io); }
    quiet_connection(const quiet_connection&) = delete;
    quiet_connection& operator=(const quiet_connection&) = delete;

    int requests = 0;
    unsigned company = 1;
    read_outcome next = read_outcome::nothing;
    [[nodiscard]] pipe::pipe_end* end() const { return &pipe_.near(); }

    write_outcome write_inline(bool) noexcept override { return write_outcome::hand_over; }
    read_outcome read_inline() noexcept override { return next; }
    void pause_reading() noexcept override { ++requests; }
    void resume_reading() noexcept override { ++requests; }
    unsigned neighbours() const noexcept override { return company; }

private:
    test::lone_pipe pipe_;
};

class rounds {
public:
    explicit rounds(unsigned connections, bool enabled = true)
        : reader_(enabled, ends_, *mailbox_, false, made_up_clock::now)
    {
        for (unsigned i = 0; i < connections; ++i) {
            connections_.push_back(std::make_unique<quiet_connection>());
            ends_.push_back(connections_.back()->end());
        }
        reader_.reserve(connections);
    }
    ~rounds() { mailbox_->release(); }
    rounds(const rounds&) = delete;
    rounds& operator=(const rounds&) = delete;

    // Waits once, whichever thread reads. Returns what was asked of the I/O threads.
    int wait(unsigned beside = 0)
    {
        const int before = requests();
        read_here_ = reader_.begin(beside);
        if (read_here_) {
            // As if each had something, and nobody was to be told.
            EXPECT_FALSE(reader_.end({beside, beside + unsigned(ends_.size())}));
        } else {
            reader_.unpark();
            reader_.skip(beside);
        }
        return requests() - before;
    }
    /// The last wait was one in which this thread read.
    [[nodiscard]] bool read_here() const { return read_here_; }

    /// Waits every so often, more times in a row than any rule counts. Returns what the last wait asked of the I/O
    /// threads.
    int wait_regularly(clock::duration every, unsigned beside = 0)
    {
        const int needed = int(ends_.size()) + int(beside) + 6;
        int asked = wait(beside);
        for (int i = 0; i < needed; ++i) {
            made_up_clock::at += every;
            asked = wait(beside);
        }
        return asked;
    }

    [[nodiscard]] inline_reader& reader() { return reader_; }
    [[nodiscard]] mailbox& box() { return *mailbox_; }
    /// Of each connection, with itself.
    void have_neighbours(unsigned count)
    {
        for (const auto& c : connections_) c->company = count;
    }
    /// What the next look at a connection finds.
    void read_next(pipe::inline_io::read_outcome what) { connections_.front()->next = what; }
    [[nodiscard]] std::chrono::microseconds allowed() const { return ends_.front()->parent().io.parked.allowed(); }

private:
    [[nodiscard]] int requests() const
    {
        int sum = 0;
        for (const auto& c : connections_) sum += c->requests;
        return sum;
    }

    std::vector<std::unique_ptr<quiet_connection>> connections_;
    std::vector<pipe::pipe_end*> ends_;
    mailbox* const mailbox_ = new mailbox;
    inline_reader reader_;
    bool read_here_ = false;
};

TEST(inline_reader_test, a_thread_that_is_back_at_once_keeps_the_right_to_read)
{
    rounds of(1);
    EXPECT_EQ(2, of.wait());
    EXPECT_EQ(0, of.wait_regularly(0us));
    EXPECT_EQ(0, of.wait_regularly(limit::back_within - 1us));
    EXPECT_EQ(2, of.wait_regularly(limit::back_within));
}

constexpr std::chrono::microseconds quick_among(unsigned connections)
{
    return limit::back_within + (connections - 1) * limit::back_within_each_more;
}

TEST(inline_reader_test, among_many_connections_a_round_may_take_longer)
{
    rounds of(64);
    EXPECT_EQ(0, of.wait());
    EXPECT_FALSE(of.read_here());
    EXPECT_EQ(0, of.wait_regularly(1ms));
    EXPECT_TRUE(of.read_here());
    EXPECT_EQ(0, of.wait_regularly(quick_among(64) - 1us));
    EXPECT_TRUE(of.read_here());
    EXPECT_GT(of.allowed(), 3ms);
    EXPECT_EQ(0, of.wait_regularly(quick_among(64)));
    EXPECT_FALSE(of.read_here());
}

// Each time that the tokens are taken and given back costs two system calls a connection.
TEST(inline_reader_test, among_many_connections_as_many_quick_rounds_pay_for_the_right_to_read)
{
    rounds of(64);
    int calls = 0, waits = 0;
    for (int time = 0; time < 5; ++time) {
        for (int i = 0; i < 63; ++i, ++waits) calls += of.wait();
        made_up_clock::at += 5ms;
    }
    EXPECT_LE(calls, 4 * waits);
}

TEST(inline_reader_test, connections_of_other_sockets_count)
{
    rounds of(1);
    EXPECT_EQ(0, of.wait_regularly(1ms, 63));
    EXPECT_EQ(0, of.wait_regularly(quick_among(64) - 1us, 63));
    EXPECT_TRUE(of.read_here());
    EXPECT_GT(of.allowed(), 3ms);
}

TEST(inline_reader_test, an_io_thread_with_many_connections_looks_after_threads_that_take_longer)
{
    rounds of(1);
    of.have_neighbours(100);
    EXPECT_EQ(0, of.wait_regularly(2ms));
    EXPECT_EQ(20ms, of.allowed());  // ten more for one that is late once
}

TEST(inline_reader_test, no_thread_keeps_it_for_long_however_many_there_are)
{
    rounds of(1);
    of.have_neighbours(1'000'000);
    EXPECT_EQ(0, of.wait_regularly(2ms));
    EXPECT_EQ(0, of.wait_regularly(limit::longest_back_within - 1us));
    EXPECT_EQ(40ms, of.allowed());
    EXPECT_EQ(2, of.wait_regularly(31ms));
}

TEST(inline_reader_test, a_thread_that_comes_now_and_then_gives_it_back)
{
    rounds of(1);
    EXPECT_EQ(2, of.wait_regularly(1ms));
    rounds of_two(2);
    EXPECT_EQ(2 * 2, of_two.wait_regularly(1ms));
    rounds of_many(3);
    EXPECT_EQ(0, of_many.wait_regularly(5ms));
    EXPECT_FALSE(of_many.read_here());
}

TEST(inline_reader_test, leaves_reading_to_the_io_threads_where_others_have_to_be_told)
{
    for (const unsigned connections : {inline_reader::most, inline_reader::most + 1}) {
        rounds of(connections);
        EXPECT_EQ(0, of.wait_regularly(0us));
        EXPECT_EQ(connections == inline_reader::most, of.read_here()) << connections;
    }
    EXPECT_FALSE(rounds(0).reader().begin());
    EXPECT_FALSE(rounds(1, false).reader().begin());
    EXPECT_EQ(0u, rounds(1, false).reader().candidates());
    rounds watched(1);
    EXPECT_EQ(1u, watched.reader().candidates());
    ASSERT_GE(watched.box().descriptor(), 0);
    EXPECT_FALSE(watched.reader().begin());
}

TEST(inline_reader_test, a_wait_ends_with_messages_the_mailbox_or_the_deadline)
{
    using outcome = pipe::inline_io::read_outcome;
    for (const unsigned connections : {1, 2}) {
        rounds of(connections);
        ASSERT_TRUE(of.reader().begin());
        EXPECT_EQ(waiter::reason::timed_out, of.reader().wait(runtime::deadline_after(1)));
        EXPECT_FALSE(of.reader().end());
        of.box().signal();
        ASSERT_TRUE(of.reader().begin());
        EXPECT_EQ(waiter::reason::woken, of.reader().wait(runtime::deadline_after(60000)));
        EXPECT_FALSE(of.reader().end());
        of.box().acknowledge();
        ASSERT_TRUE(of.reader().begin());
        of.read_next(outcome::messages);
        EXPECT_TRUE(of.reader().read());
        EXPECT_TRUE(of.reader().end());
    }
}

TEST(inline_reader_test, what_is_parked_is_read_now_and_then_for_who_does_not_wait)
{
    rounds of(1);
    ASSERT_EQ(0, of.wait_regularly(0us));
    ASSERT_TRUE(of.reader().parks());
    of.read_next(pipe::inline_io::read_outcome::messages);
    EXPECT_FALSE(of.reader().look()) << "at once";
    made_up_clock::at += limit::between_checks + limit::between_checks_each;
    EXPECT_FALSE(of.reader().look()) << "a moment too early";
    made_up_clock::at += 1us;
    EXPECT_TRUE(of.reader().look());
    of.reader().unpark();
    EXPECT_FALSE(of.reader().parks());
}

// A poll that finds something at another socket.
TEST(inline_reader_test, what_is_parked_is_read_for_a_thread_that_does_not_come_to_wait)
{
    using outcome = pipe::inline_io::read_outcome;
    rounds of(1);
    ASSERT_EQ(0, of.wait_regularly(0us));
    made_up_clock::at += limit::away_for - 1us;
    ASSERT_TRUE(of.reader().begin_parked());
    of.read_next(outcome::messages);
    EXPECT_TRUE(of.reader().read());
    EXPECT_TRUE(of.reader().end_parked());
    EXPECT_TRUE(of.reader().parks());
    EXPECT_FALSE(of.reader().active());
    EXPECT_FALSE(rounds(1).reader().begin_parked());
}

TEST(inline_reader_test, what_is_parked_goes_back_if_the_thread_does_not_wait_for_long)
{
    rounds of(1);
    ASSERT_EQ(0, of.wait_regularly(0us));
    made_up_clock::at += limit::away_for;
    EXPECT_FALSE(of.reader().begin_parked());
    EXPECT_FALSE(of.reader().parks());
}

}  // namespace
}  // namespace zlink::socket
