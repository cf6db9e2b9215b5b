// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The waits of a send: for which sends and frames there are any, and when room is made at a full pipe.
#include "socket/send_waits.hpp"

#include "load/counters.hpp"
#include "load/limits.hpp"
#include "socket/io_lag_wait.hpp"
#include "support/idle_io.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace zlink::socket {
namespace {

constexpr std::uint64_t hwm = 4;

/// Writes by taking all messages from the lane, if it is to.
class reading_io final : public pipe::test::idle_io {
public:
    explicit reading_io(pipe::pipe_end& from) : from_(from) {}
    write_outcome write_large(bool) noexcept override
    {
        ++calls;
        if (!works) return write_outcome::hand_over;
        for (pipe::incoming frame; from_.reader.next(frame);) from_.pop(frame);
        return write_outcome::done;
    }

    bool works = true;
    int calls = 0;

private:
    pipe::pipe_end& from_;
};

class send_waits_test : public testing::Test {
protected:
    send_waits_test()
    {
        near_.attach(*queue_);
        far_.attach(*queue_);
    }
    ~send_waits_test() override
    {
        near_.close();
        far_.close();
        for (pipe::pipe_end* end = queue_->take_all(); end;) {
            pipe::pipe_end* const after = end->next_in_queue;
            end->discard();
            end = after;
        }
        queue_->release();
    }

    void send(std::size_t size = 1)
    {
        const std::vector<std::byte> body(size);
        ASSERT_TRUE(near_.writer.write({body.data(), body.size(), false}));
        near_.writer.publish();
    }
    void fill()
    {
        for (std::uint64_t i = 0; i < hwm; ++i) send();
        ASSERT_FALSE(near_.writer.has_room());
    }
    [[nodiscard]] static std::uint64_t waits() { return load::total(load::rule::io_wait).times; }

    class unattended final : public pipe::activation_queue {
        void wake() noexcept override {}
    };

    unattended* const queue_ = new unattended;
    pipe::pipe& pipe_ = *pipe::pipe::create({hwm, hwm, 8192});
    pipe::pipe_end& near_ = pipe_.first();
    pipe::pipe_end& far_ = pipe_.second();
    reading_io io_{far_};
    load::socket_counts counts_;
    io_lag_wait wait_{counts_};
};

TEST_F(send_waits_test, a_pipe_with_room_is_left_alone)
{
    wait_.begin_send(-1);
    EXPECT_TRUE(wait_.make_room(near_));
    EXPECT_EQ(0, io_.calls);
}

TEST_F(send_waits_test, room_is_made_by_writing_in_place_of_the_io_thread)
{
    pipe_.io.offer(io_);
    fill();
    wait_.begin_send(0);
    EXPECT_TRUE(wait_.make_room(near_)) << "that is not waiting";
    EXPECT_EQ(1, io_.calls);
    EXPECT_TRUE(pipe_.io.write_token.available()) << "given back";
}

TEST_F(send_waits_test, there_is_no_room_if_the_peer_takes_nothing)
{
    pipe_.io.offer(io_);
    io_.works = false;
    fill();
    wait_.begin_send(-1);
    const auto before = waits();
    EXPECT_FALSE(wait_.make_room(near_));
    EXPECT_EQ(before, waits()) << "nobody is late";
}

TEST_F(send_waits_test, a_send_that_must_not_wait_does_not_wait_for_the_io_thread)
{
    pipe_.io.set_io_thread_writes(true);
    fill();
    wait_.begin_send(0);
    EXPECT_FALSE(wait_.may_wait());
    const auto before = waits();
    EXPECT_FALSE(wait_.make_room(near_));
    EXPECT_EQ(before, waits());
}

TEST_F(send_waits_test, a_connection_that_the_io_thread_does_not_write_is_not_waited_for)
{
    fill();
    wait_.begin_send(-1);
    EXPECT_TRUE(wait_.may_wait());
    const auto before = waits();
    EXPECT_FALSE(wait_.make_room(near_));
    EXPECT_EQ(before, waits());
}

TEST_F(send_waits_test, a_late_io_thread_is_waited_for_until_the_limit_of_the_send)
{
    pipe_.io.set_io_thread_writes(true);
    fill();
    wait_.begin_send(1);
    const auto before = load::total(load::rule::io_wait_in_vain).times;
    EXPECT_FALSE(wait_.make_room(near_));
    EXPECT_EQ(before + 1, load::total(load::rule::io_wait_in_vain).times);
}

TEST_F(send_waits_test, the_parts_are_told_what_a_send_may_do)
{
    pipe_.io.set_io_thread_writes(true);
    fill();
    load::socket_counts counts;
    send_waits waits_of_a_socket(counts, false);
    pipe::pipe_end* const pipes[] = {&near_};
    waits_of_a_socket.begin_send(0);
    const auto before = waits();
    const auto pauses = load::total(load::rule::pause).times;
    waits_of_a_socket.sent(pipes, 10'000'000);
    EXPECT_FALSE(waits_of_a_socket.make_room(near_));
    EXPECT_EQ(before, waits());
    EXPECT_EQ(pauses, load::total(load::rule::pause).times);
    waits_of_a_socket.begin_send(1);
    EXPECT_FALSE(waits_of_a_socket.make_room(near_));
    EXPECT_EQ(before + 1, waits());
}

}  // namespace
}  // namespace zlink::socket
