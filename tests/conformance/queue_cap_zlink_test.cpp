// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZLINK_MAX_QUEUED_BYTES: what may wait in all queues of a context together.
#include "support/zmq_fixture.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

class queue_cap_test : public zmq_test {
protected:
    static constexpr std::uint64_t octets = 1009;                   // of a message, with its header
    static inline const std::string body = std::string(1000, 'x');  // of that message

    void cap(std::int64_t most)
    {
        ASSERT_EQ(0, zmq_ctx_set_ext(ctx_, ZLINK_MAX_QUEUED_BYTES, &most, sizeof most)) << zlink_last_error();
    }

    static zlink_stats_t stats_of(void* s)
    {
        zlink_stats_t stats{};
        stats.size = sizeof stats;
        EXPECT_EQ(0, zlink_socket_stats(s, &stats)) << zmq_strerror(zmq_errno());
        return stats;
    }

    // Sends until it is refused; the number of messages taken.
    static std::uint64_t fill(socket& sender)
    {
        std::uint64_t sent = 0;
        while (sent < 100'000 && sender.try_send(body) == 0) ++sent;
        EXPECT_EQ(EAGAIN, zmq_errno());
        EXPECT_FALSE(sender.writable());
        return sent;
    }

    // A PUSH and a PULL without marks of their own.
    struct pair {
        pair(context& in, const std::string& endpoint) : push(in.open(ZMQ_PUSH)), pull(in.open(ZMQ_PULL))
        {
            push.set(ZMQ_SNDHWM, 0);
            pull.set(ZMQ_RCVHWM, 0);
            push.connect(pull.bind(endpoint));
        }
        socket push;
        socket pull;
    };
};

TEST_F(queue_cap_test, is_a_number_of_64_bits_or_less)
{
    const auto value = [&] {
        std::int64_t now = -1;
        std::size_t size = sizeof now;
        EXPECT_EQ(0, zmq_ctx_get_ext(ctx_, ZLINK_MAX_QUEUED_BYTES, &now, &size));
        return now;
    };
    EXPECT_EQ(0, value());
    for (const std::int64_t right :
         {std::int64_t{1}, std::int64_t{1} << 40, std::int64_t{INT64_MAX}, std::int64_t{0}}) {
        cap(right);
        EXPECT_EQ(right, value());
    }
    EXPECT_EQ(0, zmq_ctx_set(ctx_, ZLINK_MAX_QUEUED_BYTES, INT_MAX));
    EXPECT_EQ(INT_MAX, zmq_ctx_get(ctx_, ZLINK_MAX_QUEUED_BYTES));
    cap(std::int64_t{INT_MAX} + 1);
    EXPECT_EQ(-1, zmq_ctx_get(ctx_, ZLINK_MAX_QUEUED_BYTES)) << "no int";
    EXPECT_EQ(EINVAL, zmq_errno());
    for (const std::int64_t wrong : {std::int64_t{-1}, INT64_MIN}) {
        EXPECT_EQ(-1, zmq_ctx_set_ext(ctx_, ZLINK_MAX_QUEUED_BYTES, &wrong, sizeof wrong));
        EXPECT_EQ(EINVAL, zmq_errno());
        EXPECT_NE(nullptr, std::strstr(zlink_last_error(), "ZLINK_MAX_QUEUED_BYTES")) << zlink_last_error();
    }
    EXPECT_EQ(-1, zmq_ctx_set(ctx_, ZLINK_MAX_QUEUED_BYTES, -1));
    EXPECT_EQ(std::int64_t{INT_MAX} + 1, value());
}

TEST_F(queue_cap_test, holds_for_all_sockets_together)
{
    constexpr std::uint64_t most = 100'000;
    constexpr std::size_t sockets = 20;
    cap(most);
    std::vector<pair> pairs;
    for (std::size_t i = 0; i < sockets; ++i) pairs.emplace_back(ctx_, unique_inproc());
    std::uint64_t sent = 0, waiting = 0;
    for (pair& p : pairs) sent += fill(p.push);
    for (pair& p : pairs) waiting += stats_of(p.push).messages.octets_queued_out;
    EXPECT_EQ(sent * octets, waiting);
    EXPECT_LE(most, waiting);
    EXPECT_GT(most + sockets * octets, waiting) << "and one message for each queue";
    std::uint64_t received = 0;
    for (pair& p : pairs) received += p.pull.drain().size();
    EXPECT_EQ(sent, received);
    for (pair& p : pairs) EXPECT_TRUE(p.push.writable());
}

TEST_F(queue_cap_test, lets_one_message_through_each_queue)
{
    cap(1);
    pair one(ctx_, unique_inproc()), other(ctx_, unique_inproc());
    const std::string large(1'000'000, 'x');
    for (int i = 0; i < 3; ++i) {
        for (pair* p : {&one, &other}) {
            EXPECT_EQ(0, p->push.try_send(large));
            EXPECT_EQ(EAGAIN, p->push.try_send(large));
        }
        for (pair* p : {&one, &other}) {
            EXPECT_EQ(large, p->pull.recv());
            EXPECT_TRUE(p->push.writable());
        }
    }
}

TEST_F(queue_cap_test, wakes_a_sender_when_another_queue_is_read)
{
    cap(50'000);
    pair full(ctx_, unique_inproc()), other(ctx_, unique_inproc());
    const std::uint64_t sent = fill(full.push);
    EXPECT_EQ(1u, fill(other.push));
    std::thread sender([&] { EXPECT_TRUE(other.push.send(body)) << "though nobody reads its queue"; });
    std::uint64_t received = 0;
    for (; received < sent && !full.pull.recv().empty(); ++received) {
    }
    sender.join();
    EXPECT_EQ(2u, other.pull.drain().size());
}

TEST_F(queue_cap_test, wakes_all_threads_that_share_a_sender)
{
    constexpr std::size_t threads = 3;
    constexpr std::size_t each = 200;
    cap(5000);
    socket dealer = ctx_.open(ZMQ_DEALER), router = ctx_.open(ZMQ_ROUTER);
    dealer.set(ZLINK_SHARED, 1);
    dealer.connect(router.bind(unique_inproc()));
    std::vector<std::thread> senders;
    for (std::size_t i = 0; i < threads; ++i) {
        senders.emplace_back([&] {
            for (std::size_t n = 0; n < each; ++n) EXPECT_TRUE(dealer.send(body));
        });
    }
    for (std::size_t n = 0; n < threads * each; ++n) EXPECT_EQ(2u, router.recv_parts().size());
    for (std::thread& sender : senders) sender.join();
}

TEST_F(queue_cap_test, counts_queues_that_are_gone_no_more)
{
    cap(50'000);
    pair left(ctx_, unique_inproc());
    {
        pair ends(ctx_, unique_inproc());
        (void)fill(ends.push);
        EXPECT_EQ(1u, fill(left.push));
        EXPECT_LE(50'000u, stats_of(left.push).context_queued);
    }
    EXPECT_TRUE(left.push.writable(patience_ms));
    EXPECT_LT(40u, fill(left.push));
}

TEST_F(queue_cap_test, is_in_statistics)
{
    pair before(ctx_, unique_inproc());
    for (int i = 0; i < 100; ++i) EXPECT_EQ(0, before.push.try_send(body));
    EXPECT_EQ(0u, stats_of(before.push).context_cap);
    EXPECT_EQ(0u, stats_of(before.push).context_queued);
    cap(50'000);
    pair capped(ctx_, unique_inproc());
    const std::uint64_t sent = fill(capped.push);
    EXPECT_EQ(50u, sent) << "queues from before do not count";
    for (const pair* p : {&before, &capped}) {
        EXPECT_EQ(50'000u, stats_of(p->pull).context_cap);
        EXPECT_EQ(sent * octets, stats_of(p->pull).context_queued);
        EXPECT_LE(1u, stats_of(p->pull).context_cap_waits);
    }
    EXPECT_EQ(0, before.push.try_send(body));
    cap(0);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(0, capped.push.try_send(body)) << "a change reaches queues that count";
}

TEST_F(queue_cap_test, has_publishers_and_queues_with_a_rule_drop)
{
    cap(50'000);
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    pub.set(ZMQ_SNDHWM, 0);
    sub.set(ZMQ_RCVHWM, 0);
    sub.subscribe("");
    sub.connect(pub.bind(unique_inproc()));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(0, pub.try_send(body));
    EXPECT_EQ(50u, stats_of(pub).messages.dropped_full);
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
    push.connect(pull.bind(unique_inproc()));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(0, push.try_send(std::to_string(i)));
    EXPECT_EQ("99", pull.recv()) << "the newest, as it has to do with one";
    EXPECT_EQ(50u, sub.drain().size());
    for (int i = 0; i < 100; ++i) EXPECT_EQ(0, push.try_send(std::to_string(i)));
    EXPECT_EQ(100u, pull.drain().size());
}

class queue_cap_pair_test : public queue_cap_test, public testing::WithParamInterface<const char*> {};

// Both send before they receive, and each can go on only if the other takes something.
TEST_P(queue_cap_pair_test, locks_no_two_sockets_out)
{
    constexpr int count = 300;
    const bool binds_name = std::string_view(GetParam()).starts_with("inproc");
    for (const std::int64_t most : {std::int64_t{1}, std::int64_t{3000}}) {
        cap(most);
        socket one = ctx_.open(ZMQ_PAIR), other = ctx_.open(ZMQ_PAIR);
        other.connect(one.bind(binds_name ? unique_inproc() : GetParam()));
        const auto talk = [](socket& s) {
            int sent = 0, received = 0;
            while (sent < count || received < count) {
                while (sent < count && s.try_send(body) == 0) ++sent;
                const short wanted = short((received < count ? ZMQ_POLLIN : 0) | (sent < count ? ZMQ_POLLOUT : 0));
                if (wanted == 0) break;
                zmq_pollitem_t item{s, 0, wanted, 0};
                ASSERT_EQ(1, zmq_poll(&item, 1, patience_ms)) << sent << " sent, " << received << " received";
                while (received < count && s.recv_frame(ZMQ_DONTWAIT)) ++received;
            }
        };
        std::thread thread([&] { talk(other); });
        talk(one);
        thread.join();
    }
}

INSTANTIATE_TEST_SUITE_P(all, queue_cap_pair_test, testing::Values("inproc://*", "tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

class queue_cap_peers_test : public queue_cap_test, public testing::WithParamInterface<const char*> {};

// Peers that push fill the receiver's queues up to the cap, and one message or 8 KB more for each of them.
TEST_P(queue_cap_peers_test, that_push_are_read_up_to_the_cap)
{
    constexpr std::uint64_t most = 300'000;
    constexpr std::uint64_t read_at_once = 8192;
    constexpr int peers = 6;
    constexpr int each = 1000;
    cap(most);
    context elsewhere;
    socket pull = ctx_.open(ZMQ_PULL);
    pull.set(ZMQ_RCVHWM, 0);
    const std::string endpoint = pull.bind(GetParam());
    std::vector<socket> senders;
    for (int i = 0; i < peers; ++i) {
        senders.push_back(elsewhere.open(ZMQ_PUSH));
        senders.back().set(ZMQ_SNDHWM, 10);
        senders.back().connect(endpoint);
    }
    ASSERT_EQ(peers, zlink_wait(pull, ZLINK_PEERS, peers, patience_ms));
    std::vector<std::thread> threads;
    for (socket& s : senders) {
        threads.emplace_back([&s] {
            for (int i = 0; i < each; ++i) EXPECT_TRUE(s.send(body));
        });
    }
    std::uint64_t largest = 0;
    const auto look = [&] { largest = std::max(largest, stats_of(pull).messages.octets_queued_in); };
    EXPECT_TRUE(eventually([&] {
        look();
        return largest >= most;
    }));
    int received = 0;
    for (; received < peers * each && !pull.recv().empty(); ++received) look();
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(peers * each, received) << "all that was accepted arrives";
    EXPECT_GT(most + peers * (read_at_once + octets), largest);
}

INSTANTIATE_TEST_SUITE_P(all, queue_cap_peers_test, testing::Values("tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*"),
                         scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
