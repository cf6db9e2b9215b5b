// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Soft back-pressure: pauses for pipes; whom they are for is load/pause_policy_test.cpp's.
#include "socket/send_pacing.hpp"

#include "load/counters.hpp"
#include "lone_pipe.hpp"
#include "support/idle_io.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace zlink::socket {
namespace {

constexpr std::size_t body_size = 64 * 1024;
constexpr std::size_t enough = load::limits::pauses::above / body_size + 1;

class connection_io final : public pipe::test::idle_io {};

// A pipe: written here, read by a thread of its own if there is one.
class peer {
public:
    enum class kind : bool { inproc, connection };

    explicit peer(kind of = kind::connection)
    {
        if (of == kind::connection) pipe_.near().parent().io.offer(io_);
    }
    ~peer()
    {
        stop_ = true;
        if (reader_.joinable()) reader_.join();
        pipe::test::withdraw(pipe_.near().parent().io);
    }
    peer(const peer&) = delete;
    peer& operator=(const peer&) = delete;

    void read_all_the_time()
    {
        reader_ = std::thread([this] {
            while (!stop_) {
                pipe::incoming frame;
                if (pipe_.far().reader.next(frame)) {
                    pipe_.far().pop(frame);
                } else {
                    std::this_thread::yield();
                }
            }
        });
    }

    void write(std::size_t messages = 1)
    {
        for (; messages > 0; --messages) {
            ASSERT_TRUE(pipe_.near().writer.write({body_.data(), body_.size(), false}));
            pipe_.near().publish();
        }
    }

    [[nodiscard]] bool has_long_backlog() const
    {
        return pipe_.near().writer.large_bytes_unread() > load::limits::pauses::above;
    }
    [[nodiscard]] pipe::pipe_end* end() const { return &pipe_.near(); }

private:
    connection_io io_;
    test::lone_pipe pipe_;
    std::vector<std::byte> body_ = std::vector<std::byte>(body_size);
    std::atomic<bool> stop_{false};
    std::thread reader_;
};

class send_pacing_test : public testing::Test {
protected:
    runtime::core_contention contention_;
    load::socket_counts counts_;
    send_pacing ease_{counts_, true, contention_};
};

TEST_F(send_pacing_test, waits_until_a_peer_that_reads_has_caught_up)
{
    peer p;
    pipe::pipe_end* const ends[] = {p.end()};
    p.read_all_the_time();
    bool caught_up = false;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!caught_up && std::chrono::steady_clock::now() < limit) {
        p.write(enough);
        const bool was_long = p.has_long_backlog();
        ease_(ends, body_size);
        caught_up = was_long && !p.has_long_backlog();
    }
    EXPECT_TRUE(caught_up);
}

TEST_F(send_pacing_test, does_not_wait_for_a_short_backlog)
{
    const auto pauses = load::total(load::rule::pause).times;
    peer p;
    pipe::pipe_end* const ends[] = {p.end()};
    p.write(enough - 1);
    for (int i = 0; i < 100; ++i) ease_(ends, body_size);
    EXPECT_EQ(pauses, load::total(load::rule::pause).times);
}

TEST_F(send_pacing_test, leaves_a_peer_alone_that_does_not_read)
{
    const auto in_vain = load::total(load::rule::pause_in_vain).times;
    peer p;
    pipe::pipe_end* const ends[] = {p.end()};
    p.write(enough);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (load::total(load::rule::pause_in_vain).times == in_vain && std::chrono::steady_clock::now() < limit) {
        p.write();
        ease_(ends, body_size);
    }
    EXPECT_GE(load::total(load::rule::pause_in_vain).times, in_vain + 1);
}

// It has the core when it wants it: a thread that sleeps for it gains nothing.
TEST_F(send_pacing_test, does_not_sleep_for_a_peer_in_this_process)
{
    const auto pauses = load::total(load::rule::pause).times;
    peer p(peer::kind::inproc);
    pipe::pipe_end* const ends[] = {p.end()};
    p.write(enough);
    for (int i = 0; i < 100; ++i) {
        p.write();
        ease_(ends, body_size);
    }
    EXPECT_EQ(pauses, load::total(load::rule::pause).times);
}

}  // namespace
}  // namespace zlink::socket
