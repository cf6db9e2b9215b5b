// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZLINK_ON_FULL and ZLINK_ON_FULL_RECEIVE: what happens to messages for which a queue has no room.
#include "support/whole_message.hpp"
#include "support/zmq_fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

class on_full_test : public zmq_test {
protected:
    static zlink_stats_t stats_of(void* s)
    {
        zlink_stats_t stats{};
        stats.size = sizeof stats;
        EXPECT_EQ(0, zlink_socket_stats(s, &stats)) << zmq_strerror(zmq_errno());
        return stats;
    }

    // Each message has to be taken at once.
    static void send_numbers(socket& to, int from, int end)
    {
        for (int i = from; i < end; ++i) EXPECT_EQ(0, to.try_send(std::to_string(i))) << i;
    }

    // Until `last` has come.
    static std::vector<int> numbers_until(socket& at, int last)
    {
        std::vector<int> all;
        while (all.empty() || all.back() != last) {
            const std::string next = at.recv();
            if (next.empty()) break;
            all.push_back(std::stoi(next));
        }
        return all;
    }
    static std::vector<int> numbers_there(socket& at)
    {
        std::vector<int> all;
        for (const parts& each : at.drain()) all.push_back(std::stoi(each.at(0)));
        return all;
    }
    static std::vector<int> range(int from, int end)
    {
        std::vector<int> all;
        for (int i = from; i < end; ++i) all.push_back(i);
        return all;
    }

    // A queue for `messages`, between two sockets of this process, of which the sender's mark is one.
    static void mark(socket& sender, socket& receiver, int messages)
    {
        sender.set(ZMQ_SNDHWM, 1);
        receiver.set(ZMQ_RCVHWM, messages - 1);
    }

    socket push_ = ctx_.open(ZMQ_PUSH);
    socket pull_ = ctx_.open(ZMQ_PULL);
};

TEST_F(on_full_test, is_a_rule_of_types_that_may_lose_messages)
{
    struct row {
        int type;
        bool sends;
        bool receives;
    };
    constexpr row types[] = {
        {ZMQ_PAIR, true, true},    {ZMQ_PUB, true, false},     {ZMQ_SUB, false, true},    {ZMQ_REQ, false, false},
        {ZMQ_REP, false, false},   {ZMQ_DEALER, true, true},   {ZMQ_ROUTER, true, true},  {ZMQ_PULL, false, true},
        {ZMQ_PUSH, true, false},   {ZMQ_XPUB, true, false},    {ZMQ_XSUB, false, true},   {ZMQ_STREAM, false, false},
        {ZMQ_SERVER, true, true},  {ZMQ_CLIENT, true, true},   {ZMQ_RADIO, true, false},  {ZMQ_DISH, false, true},
        {ZMQ_GATHER, false, true}, {ZMQ_SCATTER, true, false}, {ZMQ_DGRAM, false, false}, {ZMQ_CHANNEL, true, true}};
    for (const row& each : types) {
        socket s = ctx_.open(each.type);
        for (const int option : {ZLINK_ON_FULL, ZLINK_ON_FULL_RECEIVE}) {
            const bool has = option == ZLINK_ON_FULL ? each.sends : each.receives;
            const int usual = option == ZLINK_ON_FULL ? ZLINK_BY_TYPE : ZLINK_BLOCK;
            EXPECT_EQ(usual, s.get_int(option));
            for (const int value : {ZLINK_DROP_OLDEST, ZLINK_DROP_NEWEST, ZLINK_BLOCK}) {
                EXPECT_EQ(has ? 0 : -1, zmq_setsockopt(s, option, &value, sizeof value)) << each.type;
                EXPECT_EQ(has ? value : usual, s.get_int(option));
            }
        }
    }
}

TEST_F(on_full_test, has_few_values)
{
    for (const int wrong : {-2, 3, 1000}) {
        EXPECT_EQ(-1, zmq_setsockopt(push_, ZLINK_ON_FULL, &wrong, sizeof wrong));
        EXPECT_EQ(EINVAL, zmq_errno());
        EXPECT_NE(nullptr, std::strstr(zlink_last_error(), "ZLINK_ON_FULL is")) << zlink_last_error();
        EXPECT_EQ(-1, zmq_setsockopt(pull_, ZLINK_ON_FULL_RECEIVE, &wrong, sizeof wrong));
        EXPECT_EQ(EINVAL, zmq_errno());
    }
    const int by_type = ZLINK_BY_TYPE;
    EXPECT_EQ(-1, zmq_setsockopt(pull_, ZLINK_ON_FULL_RECEIVE, &by_type, sizeof by_type));
    EXPECT_NE(nullptr, std::strstr(zlink_last_error(), "ZLINK_ON_FULL_RECEIVE is")) << zlink_last_error();
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_NEWEST);
    push_.set(ZLINK_ON_FULL, ZLINK_BY_TYPE);
    EXPECT_EQ(ZLINK_BY_TYPE, push_.get_int(ZLINK_ON_FULL));
}

TEST_F(on_full_test, a_sender_that_drops_the_newest_does_not_wait)
{
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_NEWEST);
    EXPECT_EQ(EAGAIN, push_.try_send("there is no peer"));
    EXPECT_FALSE(push_.writable());
    mark(push_, pull_, 5);
    push_.connect(pull_.bind(unique_inproc()));
    send_numbers(push_, 0, 10);
    for (int i = 10; i < 20; ++i) EXPECT_TRUE(push_.send(std::to_string(i))) << "without ZMQ_DONTWAIT";
    EXPECT_TRUE(push_.writable());
    EXPECT_EQ(5u, stats_of(push_).messages.messages_sent);
    EXPECT_EQ(15u, stats_of(push_).messages.dropped_full);
    EXPECT_EQ(range(0, 5), numbers_there(pull_));
    send_numbers(push_, 20, 22);
    EXPECT_EQ(range(20, 22), numbers_there(pull_));
    push_.set(ZLINK_ON_FULL, ZLINK_BLOCK);
    int sent = 0;
    while (push_.try_send("x") == 0) ++sent;
    EXPECT_GE(5, sent);
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_NEWEST);
    EXPECT_EQ(0, push_.try_send("x"));
}

TEST_F(on_full_test, all_parts_of_a_message_are_dropped)
{
    for (const int type : {ZMQ_DEALER, ZMQ_PAIR}) {
        socket a = ctx_.open(type), b = ctx_.open(type);
        a.set(ZLINK_ON_FULL, ZLINK_DROP_NEWEST);
        mark(a, b, 2);
        a.connect(b.bind(unique_inproc()));
        const parts first{"1", "2", "3"}, second{"4", "5"}, third{"6", "7", "8"}, fourth{"9"};
        for (const parts& each : {first, second, third}) EXPECT_TRUE(a.send_parts(each, ZMQ_DONTWAIT));
        EXPECT_EQ(0, send_whole(a, third, ZMQ_DONTWAIT));
        EXPECT_EQ(0, a.try_send("6", ZMQ_SNDMORE));
        EXPECT_EQ(first, b.recv_parts());
        EXPECT_EQ(second, b.recv_parts());
        EXPECT_EQ(0, a.try_send("there is room, but not for half a message", ZMQ_SNDMORE));
        EXPECT_EQ(0, a.try_send("8"));
        EXPECT_FALSE(b.readable());
        EXPECT_TRUE(a.send_parts(fourth, ZMQ_DONTWAIT));
        EXPECT_EQ(fourth, b.recv_parts());
        EXPECT_EQ(3u, stats_of(a).messages.dropped_full);
    }
}

TEST_F(on_full_test, a_peer_with_room_comes_first)
{
    socket other = ctx_.open(ZMQ_PULL);
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_NEWEST);
    mark(push_, pull_, 2);
    mark(push_, other, 10);
    push_.connect(pull_.bind(unique_inproc()));
    push_.connect(other.bind(unique_inproc()));
    send_numbers(push_, 0, 20);
    EXPECT_EQ(12u, pull_.drain().size() + other.drain().size());
    EXPECT_EQ(8u, stats_of(push_).messages.dropped_full);
}

TEST_F(on_full_test, a_queue_that_drops_the_oldest_has_the_newest)
{
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
    mark(push_, pull_, 5);
    push_.connect(pull_.bind(unique_inproc()));
    send_numbers(push_, 0, 20);
    EXPECT_TRUE(push_.writable());
    EXPECT_EQ(range(15, 20), numbers_there(pull_));
    const zlink_stats_t sender = stats_of(push_), receiver = stats_of(pull_);
    EXPECT_EQ(20u, sender.messages.messages_sent);
    EXPECT_EQ(15u, sender.messages.dropped_replaced);
    EXPECT_EQ(0u, sender.messages.messages_queued_out);
    EXPECT_EQ(0u, sender.messages.octets_queued_out);
    EXPECT_EQ(5u, receiver.messages.messages_received);
    EXPECT_EQ(0u, receiver.messages.dropped_replaced) << "counted once";
}

TEST_F(on_full_test, a_mark_in_bytes_counts_as_well)
{
    const std::int64_t most = 1000;
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
    ASSERT_EQ(0, zmq_setsockopt(push_, ZLINK_SNDHWM_BYTES, &most, sizeof most));
    push_.connect(pull_.bind(unique_inproc()));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(0, push_.try_send(std::to_string(i) + std::string(96, 'x')));
    EXPECT_GE(1000u + 100, stats_of(push_).messages.octets_queued_out);
    EXPECT_EQ(10u, pull_.drain().size());
    const std::string large(1'000'000, 'x');
    EXPECT_EQ(0, push_.try_send(large));
    EXPECT_EQ(large, pull_.recv());
}

TEST_F(on_full_test, a_receivers_rule_holds_if_the_sender_has_none)
{
    for (const bool receiver_binds : {false, true}) {
        for (const int rule : {ZLINK_DROP_OLDEST, ZLINK_DROP_NEWEST}) {
            socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
            pull.set(ZLINK_ON_FULL_RECEIVE, rule);
            mark(push, pull, 5);
            if (receiver_binds) {
                push.connect(pull.bind(unique_inproc()));
            } else {
                pull.connect(push.bind(unique_inproc()));
            }
            send_numbers(push, 0, 20);
            EXPECT_EQ(20u, stats_of(push).messages.messages_sent);
            const bool oldest = rule == ZLINK_DROP_OLDEST;
            EXPECT_EQ(oldest ? range(15, 20) : range(0, 5), numbers_there(pull)) << receiver_binds;
            EXPECT_EQ(0u, stats_of(push).messages.dropped_replaced + stats_of(push).messages.dropped_full);
            EXPECT_EQ(oldest ? 15u : 0u, stats_of(pull).messages.dropped_replaced);
            EXPECT_EQ(oldest ? 0u : 15u, stats_of(pull).messages.dropped_full);
        }
    }
}

TEST_F(on_full_test, a_sender_that_connects_before_its_receiver_binds_has_its_own_rule)
{
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
    pull_.set(ZLINK_ON_FULL_RECEIVE, ZLINK_DROP_NEWEST);
    mark(push_, pull_, 5);
    const std::string endpoint = unique_inproc();
    push_.connect(endpoint);
    send_numbers(push_, 0, 20);
    pull_.bind(endpoint);
    EXPECT_EQ(range(19, 20), numbers_there(pull_)) << "its mark alone";
    send_numbers(push_, 20, 40);
    EXPECT_EQ(range(35, 40), numbers_there(pull_));
}

TEST_F(on_full_test, a_queue_from_before_drops_the_newest_instead)
{
    mark(push_, pull_, 5);
    push_.connect(pull_.bind(unique_inproc()));
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
    send_numbers(push_, 0, 20);
    EXPECT_EQ(range(0, 5), numbers_there(pull_));
}

TEST_F(on_full_test, a_router_waits_or_drops_as_told)
{
    socket router = ctx_.open(ZMQ_ROUTER), dealer = ctx_.open(ZMQ_DEALER);
    dealer.set(ZMQ_ROUTING_ID, "peer");
    mark(router, dealer, 3);
    dealer.connect(router.bind(unique_inproc()));
    ASSERT_TRUE(dealer.send("hello"));
    EXPECT_EQ((parts{"peer", "hello"}), router.recv_parts());
    router.set(ZLINK_ON_FULL, ZLINK_BLOCK);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(router.send_parts({"peer", std::to_string(i)}, ZMQ_DONTWAIT));
    EXPECT_EQ(EAGAIN, router.try_send("peer", ZMQ_SNDMORE));
    EXPECT_TRUE(router.send_parts({"nobody", "x"}, ZMQ_DONTWAIT));
    router.set(ZLINK_ON_FULL, ZLINK_DROP_NEWEST);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    EXPECT_TRUE(router.send_parts({"peer", "dropped"}, ZMQ_DONTWAIT));
    EXPECT_EQ(EHOSTUNREACH, router.try_send("nobody", ZMQ_SNDMORE));
    EXPECT_EQ(range(0, 3), numbers_there(dealer));
    EXPECT_EQ(1u, stats_of(router).messages.dropped_full);
    EXPECT_EQ(1u, stats_of(router).dropped_unroutable);
}

TEST_F(on_full_test, a_publisher_waits_or_drops_as_told)
{
    for (const int rule : {ZLINK_BLOCK, ZLINK_DROP_NEWEST, ZLINK_DROP_OLDEST}) {
        socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
        pub.set(ZLINK_ON_FULL, rule);
        pub.set(ZMQ_XPUB_NODROP, 1);
        mark(pub, sub, 5);
        sub.subscribe("");
        sub.connect(pub.bind(unique_inproc()));
        send_numbers(pub, 0, 5);
        if (rule == ZLINK_BLOCK) {
            EXPECT_EQ(EAGAIN, pub.try_send("5"));
        } else {
            send_numbers(pub, 5, 20);
        }
        EXPECT_EQ(rule == ZLINK_DROP_OLDEST ? range(15, 20) : range(0, 5), numbers_there(sub));
    }
}

TEST_F(on_full_test, subscriptions_are_not_dropped)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    pub.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
    sub.set(ZLINK_ON_FULL_RECEIVE, ZLINK_DROP_OLDEST);
    sub.set(ZMQ_SNDHWM, 1);
    pub.set(ZMQ_RCVHWM, 1);
    sub.set(ZMQ_RCVHWM, 100);
    sub.connect(pub.bind(unique_inproc()));
    for (int i = 0; i < 100; ++i) sub.subscribe(std::to_string(1000 + i));
    send_numbers(pub, 1000, 1100);
    EXPECT_EQ(range(1000, 1100), numbers_there(sub));
}

TEST_F(on_full_test, threads_that_share_a_sender_do_not_wait)
{
    socket dealer = ctx_.open(ZMQ_DEALER), router = ctx_.open(ZMQ_ROUTER);
    dealer.set(ZLINK_SHARED, 1);
    dealer.set(ZLINK_ON_FULL, ZLINK_DROP_NEWEST);
    mark(dealer, router, 5);
    dealer.connect(router.bind(unique_inproc()));
    const auto send = [&] {
        for (int i = 0; i < 500; ++i) EXPECT_EQ(0, send_whole(dealer, {"x", "y"}, 0));
    };
    std::thread other(send);
    send();
    other.join();
    EXPECT_EQ(5u, router.drain().size());
    EXPECT_EQ(995u, stats_of(dealer).messages.dropped_full);
}

TEST_F(on_full_test, servers_and_clients_drop_as_well)
{
    socket server = ctx_.open(ZMQ_SERVER), client = ctx_.open(ZMQ_CLIENT);
    server.set(ZLINK_ON_FULL, ZLINK_DROP_NEWEST);
    client.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
    for (socket* s : {&server, &client}) {
        s->set(ZMQ_SNDHWM, 2);
        s->set(ZMQ_RCVHWM, 2);
    }
    client.connect(server.bind(unique_inproc()));
    send_numbers(client, 0, 20);
    std::uint32_t peer = 0;
    for (int i = 16; i < 20; ++i) {
        zmq_msg_t got;
        zmq_msg_init(&got);
        ASSERT_NE(-1, zmq_msg_recv(&got, server, 0));
        EXPECT_EQ(std::to_string(i), std::string(static_cast<char*>(zmq_msg_data(&got)), zmq_msg_size(&got)));
        peer = zmq_msg_routing_id(&got);
        zmq_msg_close(&got);
    }
    for (int i = 0; i < 20; ++i) {
        zmq_msg_t reply;
        zmq_msg_init_size(&reply, 2);
        std::memcpy(zmq_msg_data(&reply), std::to_string(10 + i).data(), 2);
        zmq_msg_set_routing_id(&reply, peer);
        EXPECT_NE(-1, zmq_msg_send(&reply, server, ZMQ_DONTWAIT));
    }
    EXPECT_EQ(range(10, 14), numbers_there(client));
    EXPECT_EQ(16u, stats_of(server).messages.dropped_full);
}

class on_full_over_test : public on_full_test, public testing::WithParamInterface<const char*> {};

// The receiver does not read: the queue stays within its mark, and no send waits.
TEST_P(on_full_over_test, memory_is_bounded_though_nobody_reads)
{
    constexpr int count = 10'000;
    const std::int64_t most = 100'000;
    const std::string rest(10'000, 'x');
    push_.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
    push_.set(ZMQ_SNDHWM, 0);
    ASSERT_EQ(0, zmq_setsockopt(push_, ZLINK_SNDHWM_BYTES, &most, sizeof most));
    pull_.set(ZMQ_RCVHWM, 10);
    push_.connect(pull_.bind(GetParam()));
    std::uint64_t largest = 0;
    for (int i = 0; i < count; ++i) {
        ASSERT_EQ(0, push_.try_send(std::to_string(i) + ' ' + rest));
        if (i % 10 == 0) largest = std::max(largest, stats_of(push_).messages.octets_queued_out);
    }
    EXPECT_GE(std::uint64_t(most) + 10'100, largest);
    const std::vector<int> taken = numbers_until(pull_, count - 1);
    EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
    EXPECT_LE(10u, taken.size());
    EXPECT_TRUE(eventually([&] {
        const zlink_stats_t sender = stats_of(push_);
        return sender.messages.messages_queued_out == 0 && sender.messages.octets_queued_out == 0 &&
               sender.messages.messages_sent == taken.size() + sender.messages.dropped_replaced;
    }));
    EXPECT_EQ(std::uint64_t(count), stats_of(push_).messages.messages_sent);
}

// Connections are read, whatever the program does: the sender has room always, in the end.
TEST_P(on_full_over_test, a_receiver_that_drops_slows_nobody_down)
{
    for (const int rule : {ZLINK_DROP_OLDEST, ZLINK_DROP_NEWEST}) {
        constexpr int count = 5000;
        socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
        pull.set(ZLINK_ON_FULL_RECEIVE, rule);
        pull.set(ZMQ_RCVHWM, 20);
        push.set(ZMQ_SNDHWM, 20);
        push.connect(pull.bind(GetParam()));
        ASSERT_EQ(1, zlink_wait(pull, ZLINK_PEERS, 1, patience_ms)) << "statistics know the peer from now on";
        for (int i = 0; i < count; ++i) ASSERT_TRUE(push.send(std::to_string(i) + std::string(1000, 'x')));
        const bool oldest = rule == ZLINK_DROP_OLDEST;
        EXPECT_TRUE(eventually([&] {
            const zlink_message_counts_t at = stats_of(pull).messages;
            const std::uint64_t dropped = oldest ? at.dropped_replaced : at.dropped_full;
            return at.messages_queued_in == 20 && dropped == std::uint64_t(count) - 20;
        }));
        std::vector<int> there;
        for (int i = 0; i < 20; ++i) there.push_back(std::stoi(pull.recv()));
        EXPECT_EQ(oldest ? range(count - 20, count) : range(0, 20), there);
        EXPECT_FALSE(pull.readable());
        ASSERT_TRUE(push.send("5000"));
        EXPECT_EQ("5000", pull.recv());
    }
}

// The peer comes late, after the sender has closed.
TEST_P(on_full_over_test, what_is_left_at_the_end_is_sent)
{
    const temp_directory here;
    std::string endpoint = "ipc://" + here.file("late");
    if (!std::string_view(GetParam()).starts_with("ipc")) {
        context earlier;  // the port is free once it has ended
        endpoint = earlier.open(ZMQ_PULL).bind(GetParam());
    }
    {
        socket push = ctx_.open(ZMQ_PUSH);
        push.set(ZLINK_ON_FULL, ZLINK_DROP_OLDEST);
        push.set(ZMQ_SNDHWM, 5);
        push.set(ZMQ_RECONNECT_IVL, 10);
        push.set(ZMQ_LINGER, patience_ms);
        push.connect(endpoint);
        send_numbers(push, 0, 100);
        EXPECT_EQ(5u, stats_of(push).messages.messages_queued_out);
    }
    socket late = ctx_.open(ZMQ_PULL);
    EXPECT_TRUE(eventually([&] { return zmq_bind(late, endpoint.c_str()) == 0; }));
    EXPECT_EQ(range(95, 100), numbers_until(late, 99));
}

INSTANTIATE_TEST_SUITE_P(streams, on_full_over_test,
                         testing::Values("tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*"), scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
