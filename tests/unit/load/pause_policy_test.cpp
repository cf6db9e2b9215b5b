// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Soft back-pressure: whom a sender of large messages pauses for, for how long, and when it gives up.
#include "load/pause_policy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zlink::load {
namespace {

using namespace std::chrono_literals;
namespace limit = limits::pauses;

constexpr std::uint64_t size = 256 * 1024;
constexpr std::uint64_t enough = limit::above / size + 1;

class pause_policy_test : public testing::Test {
protected:
    explicit pause_policy_test(std::size_t peers = 1) { have_peers(peers); }

    void have_peers(std::size_t n)
    {
        flows_.resize(n);
        for (std::size_t i = 0; i < n; ++i) flows_[i].peer = &names_[i];
    }

    /// A call to send to a peer, so many messages at once.
    void send(std::size_t to = 0, std::uint64_t messages = 1)
    {
        flows_[to].written += messages * size;
        flows_[to].messages += messages;
        policy_.sent(flows_);
    }
    /// Nobody asks about those.
    void send_small(std::size_t to = 0) { ++flows_[to].messages; }

    bool wants_pause() { return policy_.wants_pause(flows_, now_); }

    /// A pause in which each peer reads so many octets.
    void pause(std::vector<std::uint64_t> reads, pause_policy::duration took = limit::longest)
    {
        const auto before = flows_;
        for (std::size_t i = 0; i < reads.size(); ++i) flows_[i].read += reads[i];
        now_ += took;
        policy_.paused(before, flows_, took, now_);
    }

    /// Sends and pauses for so long, next to peers that read so much in each pause. Returns how long it paused.
    pause_policy::duration pauses_in(std::chrono::milliseconds time, const std::vector<std::uint64_t>& reads)
    {
        const auto paused_before = total(rule::pause).waited;
        for (const auto end = now_ + time; now_ < end;) {
            send();
            if (wants_pause()) {
                pause(reads);
            } else {
                now_ += 100us;
            }
        }
        return total(rule::pause).waited - paused_before;
    }

    /// How often peers turned out to be waited for in vain.
    [[nodiscard]] std::uint64_t in_vain() const { return total(rule::pause_in_vain).times - in_vain_before_; }

    const char names_[limit::most_peers] = {};
    std::vector<flow> flows_;
    pause_policy policy_;
    pause_policy::time_point now_{1s};
    const std::uint64_t in_vain_before_ = total(rule::pause_in_vain).times;
};

TEST_F(pause_policy_test, a_long_backlog_is_waited_for)
{
    send(0, enough - 1);
    EXPECT_FALSE(wants_pause()) << "a megabyte";
    send();
    EXPECT_TRUE(wants_pause()) << "more than that";
    flows_[0].read = size;
    EXPECT_FALSE(wants_pause()) << "it was read meanwhile";
}

TEST_F(pause_policy_test, nobody_is_waited_for_but_whom_the_message_went_to)
{
    have_peers(2);
    send(0, enough);
    EXPECT_TRUE(wants_pause());
    send(1);
    EXPECT_FALSE(wants_pause());
}

TEST_F(pause_policy_test, a_conversation_has_no_pauses)
{
    send(0, enough);
    for (int i = 0; i < 10; ++i) {
        ++flows_[0].received;
        send();
        EXPECT_FALSE(wants_pause());
    }
    send();
    EXPECT_TRUE(wants_pause()) << "no answer came since the last one";
}

TEST_F(pause_policy_test, a_peer_that_drains_is_waited_for_as_often_as_it_takes)
{
    send(0, enough);
    // 256 KB in 200 us: 1.3 GB a second.
    EXPECT_GE(pauses_in(1s, {size}), 990ms);
    EXPECT_EQ(0u, in_vain());
}

TEST_F(pause_policy_test, a_peer_that_reads_nothing_is_left_alone_for_ever_longer)
{
    send(0, enough);
    // Rests of 1, 2, 4 ... 512 ms and 3 ms of pauses before each of them: 10 times in the first second, once a second
    // later.
    EXPECT_LE(pauses_in(1s, {0}), 10 * (limit::longest_idle + limit::longest));
    EXPECT_LE(pauses_in(10s, {0}), 11 * (limit::longest_idle + limit::longest));
    EXPECT_GE(in_vain(), 18u);
}

TEST_F(pause_policy_test, a_slow_peer_is_left_alone)
{
    send(0, enough);
    // 20 KB in 200 us: 100 MB a second.
    EXPECT_LE(pauses_in(1s, {20'000}), 10 * (limit::judged_after + limit::longest));
}

TEST_F(pause_policy_test, peers_that_read_in_turn_are_waited_for)
{
    have_peers(8);
    for (std::size_t i = 0; i < 8; ++i) send(i, enough);
    for (auto& f : flows_) f.written += size;
    policy_.sent(flows_);
    std::vector<std::uint64_t> reads(8);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(wants_pause()) << i;
        // One of them reads each 200 us.
        for (std::size_t k = 0; k < 8; ++k) reads[k] = k == std::size_t(i) % 8 ? size : 0;
        pause(reads);
        for (auto& f : flows_) f.written += size;
        policy_.sent(flows_);
    }
    EXPECT_EQ(0u, in_vain());
}

TEST_F(pause_policy_test, the_slow_one_among_fast_ones_is_left_alone)
{
    have_peers(2);
    send(0, enough);
    for (int i = 0; i < 1000; ++i) {
        flows_[1].written += size;
        send();
        if (wants_pause()) pause({0, size});
    }
    EXPECT_GE(in_vain(), 1u);
    EXPECT_FALSE(wants_pause());
    send(1, enough);
    EXPECT_TRUE(wants_pause()) << "the fast one";
}

TEST_F(pause_policy_test, a_peer_in_the_place_of_another_is_judged_anew)
{
    send(0, enough);
    (void)pauses_in(1s, {0});
    EXPECT_FALSE(wants_pause());
    flows_[0] = {.peer = &names_[1]};
    send(0, enough);
    EXPECT_TRUE(wants_pause());
}

TEST_F(pause_policy_test, a_peer_has_large_messages_alone_after_many_in_a_row)
{
    have_peers(2);
    EXPECT_FALSE(policy_.all_large(0));
    for (unsigned i = 0; i < limit::many_in_row; ++i) send(0);
    EXPECT_TRUE(policy_.all_large(0));
    EXPECT_FALSE(policy_.all_large(1));
    send_small(1);
    send(0);
    EXPECT_TRUE(policy_.all_large(0)) << "that one went to the other";
    send_small(0);
    send(1);
    EXPECT_TRUE(policy_.all_large(0)) << "nothing large has gone to it since";
    send(0);
    EXPECT_FALSE(policy_.all_large(0));
    for (unsigned i = 0; i < limit::many_in_row; ++i) send(0);
    EXPECT_TRUE(policy_.all_large(0));
}

TEST_F(pause_policy_test, the_parts_of_a_message_are_no_small_ones)
{
    for (unsigned i = 0; i < limit::many_in_row; ++i) {
        send();
        flows_[0].written += size;  // the next part
        policy_.sent(flows_);
    }
    EXPECT_TRUE(policy_.all_large(0));
}

}  // namespace
}  // namespace zlink::load
