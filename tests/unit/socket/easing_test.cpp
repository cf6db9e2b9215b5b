// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Soft back-pressure: whom a sender of large messages waits for, and how often.
#include "socket/easing.hpp"

#include "lone_pipe.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace zlink::socket {
namespace {

constexpr std::size_t size = 64 * 1024;
constexpr std::size_t enough = easing::above / size + 1;

// A pipe: written here, read by a thread of its own if there is one.
class peer {
public:
    peer() = default;
    ~peer()
    {
        stop_ = true;
        if (reader_.joinable()) reader_.join();
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

    /// A message that the sender receives.
    void answer()
    {
        ASSERT_TRUE(pipe_.far().writer.write({body_.data(), 1, false}));
        pipe_.far().publish();
        pipe::incoming frame;
        ASSERT_TRUE(pipe_.near().reader.next(frame));
        pipe_.near().pop(frame);
    }

    [[nodiscard]] bool has_long_backlog() const { return pipe_.near().writer.large_bytes_unread() > easing::above; }
    [[nodiscard]] pipe::pipe_end* end() const { return &pipe_.near(); }

private:
    test::lone_pipe pipe_;
    std::vector<std::byte> body_ = std::vector<std::byte>(size);
    std::atomic<bool> stop_{false};
    std::thread reader_;
};

// Waits for a peer that does not read, at the most, since `start`: pauses double up to a second.
std::uint64_t most_in_vain(std::chrono::steady_clock::time_point start)
{
    const auto passed = std::chrono::steady_clock::now() - start;
    return 12 + std::uint64_t(std::chrono::duration_cast<std::chrono::seconds>(passed).count());
}

class easing_test : public testing::Test {
protected:
    runtime::crowding crowd_;
    easing ease_{true, crowd_};
};

TEST_F(easing_test, waits_until_a_peer_that_reads_has_caught_up)
{
    peer p;
    pipe::pipe_end* const ends[] = {p.end()};
    p.read_all_the_time();
    bool caught_up = false;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!caught_up && std::chrono::steady_clock::now() < limit) {
        p.write(enough);
        const bool was_long = p.has_long_backlog();
        ease_(ends);
        caught_up = was_long && !p.has_long_backlog();
    }
    EXPECT_TRUE(caught_up);
}

TEST_F(easing_test, does_not_wait_for_a_short_backlog)
{
    peer p;
    pipe::pipe_end* const ends[] = {p.end()};
    p.write(enough - 1);
    for (int i = 0; i < 100; ++i) ease_(ends);
    EXPECT_EQ(0u, ease_.waits());
}

TEST_F(easing_test, waits_for_nobody_but_whom_it_has_sent_to)
{
    peer behind, other;
    pipe::pipe_end* const ends[] = {behind.end(), other.end()};
    behind.write(enough);
    ease_(ends);
    EXPECT_EQ(1u, ease_.waits());
    const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);  // it is left alone for less
    while (std::chrono::steady_clock::now() < limit) ease_(ends);
    for (int i = 0; i < 10; ++i) {
        other.write();
        ease_(ends);
    }
    EXPECT_EQ(1u, ease_.waits());
}

TEST_F(easing_test, does_not_wait_in_a_conversation)
{
    peer p;
    pipe::pipe_end* const ends[] = {p.end()};
    ease_(ends);
    p.write(enough);
    for (int i = 0; i < 10; ++i) {
        p.answer();
        p.write();
        ease_(ends);
    }
    EXPECT_EQ(0u, ease_.waits());
    p.write();
    ease_(ends);
    EXPECT_EQ(1u, ease_.waits());
}

TEST_F(easing_test, leaves_a_peer_alone_that_does_not_read)
{
    peer p;
    pipe::pipe_end* const ends[] = {p.end()};
    p.write(enough);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) {
        p.write();
        ease_(ends);
    }
    EXPECT_GE(ease_.waits(), 1u);
    EXPECT_LE(ease_.waits(), most_in_vain(start));
}

TEST_F(easing_test, does_not_wait_for_the_slow_one_among_fast_ones)
{
    peer stuck;
    peer quick;
    pipe::pipe_end* const ends[] = {stuck.end(), quick.end()};
    stuck.write(enough);
    quick.read_all_the_time();
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t for_quick = 0;
    for (int i = 0; i < 2000; ++i) {
        quick.write();
        const std::uint64_t before = ease_.waits();
        const bool quick_is_behind = quick.has_long_backlog();
        ease_(ends);
        if (quick_is_behind) for_quick += ease_.waits() - before;
    }
    EXPECT_LE(ease_.waits() - for_quick, most_in_vain(start));
}

}  // namespace
}  // namespace zlink::socket
