// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZLINK_SNDHWM_BYTES and ZLINK_RCVHWM_BYTES: marks of queues in bytes.
#include "support/zmq_fixture.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

class byte_marks_test : public zmq_test {
protected:
    static constexpr std::int64_t largest = (std::int64_t{1} << 62) - 1;
    static constexpr int octets = 1007;                            // of a message, with its header
    static inline const std::string body = std::string(998, 'x');  // of that message

    static void set_bytes(socket& s, int option, std::int64_t value)
    {
        ASSERT_EQ(0, zmq_setsockopt(s, option, &value, sizeof value)) << zlink_last_error();
    }

    static std::int64_t bytes_of(socket& s, int option)
    {
        std::int64_t value = -1;
        std::size_t size = sizeof value;
        EXPECT_EQ(0, zmq_getsockopt(s, option, &value, &size));
        return value;
    }

    // Sends until it is refused; the number of messages taken.
    static int fill(socket& sender, int limit = 100'000)
    {
        int sent = 0;
        while (sent < limit && sender.try_send(body) == 0) ++sent;
        if (sent < limit) {
            EXPECT_EQ(EAGAIN, zmq_errno());
            EXPECT_FALSE(sender.writable());
        }
        return sent;
    }

    void mark(std::int64_t sender, std::int64_t receiver)
    {
        set_bytes(push_, ZLINK_SNDHWM_BYTES, sender);
        set_bytes(pull_, ZLINK_RCVHWM_BYTES, receiver);
    }

    socket push_ = ctx_.open(ZMQ_PUSH);
    socket pull_ = ctx_.open(ZMQ_PULL);
};

TEST_F(byte_marks_test, are_none_or_numbers_of_64_bits)
{
    for (const int option : {ZLINK_SNDHWM_BYTES, ZLINK_RCVHWM_BYTES}) {
        EXPECT_EQ(0, bytes_of(push_, option));
        for (const std::int64_t right : {std::int64_t{1}, std::int64_t{1} << 40, largest, std::int64_t{0}}) {
            set_bytes(push_, option, right);
            EXPECT_EQ(right, bytes_of(push_, option));
        }
        for (const std::int64_t wrong : {std::int64_t{-1}, largest + 1, std::numeric_limits<std::int64_t>::min()}) {
            EXPECT_EQ(-1, zmq_setsockopt(push_, option, &wrong, sizeof wrong));
            EXPECT_EQ(EINVAL, zmq_errno());
            EXPECT_NE(nullptr, std::strstr(zlink_last_error(), "mark in bytes")) << zlink_last_error();
        }
        const int narrow = 5;
        EXPECT_EQ(-1, zmq_setsockopt(push_, option, &narrow, sizeof narrow));
        EXPECT_EQ(EINVAL, zmq_errno());
        int small = 0;
        std::size_t size = sizeof small;
        EXPECT_EQ(-1, zmq_getsockopt(push_, option, &small, &size));
        EXPECT_EQ(EINVAL, zmq_errno());
        EXPECT_EQ(0, bytes_of(push_, option));
    }
}

TEST_F(byte_marks_test, inproc_holds_the_sum_of_both_marks)
{
    mark(10 * octets, 5 * octets);
    push_.connect(pull_.bind(unique_inproc()));
    EXPECT_EQ(15, fill(push_));
    for (int i = 0; i < 7; ++i) EXPECT_EQ(body, pull_.recv());
    EXPECT_FALSE(push_.writable());
    EXPECT_EQ(body, pull_.recv());
    EXPECT_TRUE(push_.writable()) << "half is taken";
    EXPECT_EQ(8, fill(push_));
}

TEST_F(byte_marks_test, one_side_alone_may_have_one)
{
    for (const bool binder_sends : {false, true}) {
        for (const bool sender_has : {false, true}) {
            socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
            if (sender_has) {
                set_bytes(push, ZLINK_SNDHWM_BYTES, 4 * octets);
            } else {
                set_bytes(pull, ZLINK_RCVHWM_BYTES, 4 * octets);
            }
            if (binder_sends) {
                pull.connect(push.bind(unique_inproc()));
            } else {
                push.connect(pull.bind(unique_inproc()));
            }
            EXPECT_EQ(4, fill(push)) << binder_sends << sender_has;
        }
    }
}

TEST_F(byte_marks_test, connecting_before_binding_counts_the_same)
{
    mark(4 * octets, 3 * octets);
    const std::string endpoint = unique_inproc();
    push_.connect(endpoint);
    EXPECT_EQ(4, fill(push_));
    pull_.bind(endpoint);
    EXPECT_TRUE(push_.wait(ZMQ_POLLOUT));
    EXPECT_EQ(3, fill(push_));
}

TEST_F(byte_marks_test, a_message_above_the_mark_goes_through)
{
    mark(1, 0);
    push_.connect(pull_.bind(unique_inproc()));
    const std::string large(3'000'000, 'l');
    EXPECT_EQ(0, push_.try_send(large));
    EXPECT_EQ(EAGAIN, push_.try_send("x"));
    EXPECT_EQ(large, pull_.recv());
    EXPECT_EQ(0, push_.try_send(large));
}

TEST_F(byte_marks_test, a_message_of_several_parts_stays_whole)
{
    mark(1, 0);
    push_.connect(pull_.bind(unique_inproc()));
    const parts message(100, body);
    ASSERT_TRUE(push_.send_parts(message, ZMQ_DONTWAIT));
    EXPECT_EQ(EAGAIN, push_.try_send("x"));
    EXPECT_EQ(message, pull_.recv_parts());
}

TEST_F(byte_marks_test, a_change_reaches_pipes_that_exist)
{
    push_.connect(pull_.bind(unique_inproc()));
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(push_.send(body));
    set_bytes(push_, ZLINK_SNDHWM_BYTES, 10 * octets);
    EXPECT_EQ(0, fill(push_));
    set_bytes(push_, ZLINK_SNDHWM_BYTES, 25 * octets);
    EXPECT_EQ(5, fill(push_));
    EXPECT_TRUE(pull_.readable()) << "and so it has taken the pipe in";
    set_bytes(pull_, ZLINK_RCVHWM_BYTES, 3 * octets);
    EXPECT_EQ(3, fill(push_));
    set_bytes(push_, ZLINK_SNDHWM_BYTES, 0);
    set_bytes(pull_, ZLINK_RCVHWM_BYTES, 0);
    EXPECT_EQ(100, fill(push_, 100));
}

TEST_F(byte_marks_test, a_sender_that_waits_goes_on)
{
    mark(2 * octets, 0);
    push_.connect(pull_.bind(unique_inproc()));
    std::thread sender([this] {
        for (int i = 0; i < 200; ++i) EXPECT_TRUE(push_.send(body));
    });
    for (int i = 0; i < 200; ++i) EXPECT_EQ(body, pull_.recv());
    sender.join();
}

TEST_F(byte_marks_test, peers_at_their_mark_are_passed_over)
{
    socket other = ctx_.open(ZMQ_PULL);
    set_bytes(pull_, ZLINK_RCVHWM_BYTES, 2 * octets);
    set_bytes(other, ZLINK_RCVHWM_BYTES, 10 * octets);
    push_.connect(pull_.bind(unique_inproc()));
    push_.connect(other.bind(unique_inproc()));
    EXPECT_EQ(12, fill(push_));
    EXPECT_EQ(2u, pull_.drain().size());
    EXPECT_EQ(10u, other.drain().size());
}

TEST_F(byte_marks_test, publishers_drop_what_a_subscriber_has_no_room_for)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    set_bytes(pub, ZLINK_SNDHWM_BYTES, 5 * octets);
    sub.subscribe("");
    sub.connect(pub.bind(unique_inproc()));
    EXPECT_EQ(20, fill(pub, 20));
    zlink_stats_t stats{};
    stats.size = sizeof stats;
    ASSERT_EQ(0, zlink_socket_stats(pub, &stats));
    EXPECT_EQ(5u, stats.messages.messages_sent);
    EXPECT_EQ(15u, stats.messages.dropped_full);
    EXPECT_EQ(5u, sub.drain().size());
    pub.set(ZMQ_XPUB_NODROP, 1);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(0, pub.try_send(body)) << "half of the mark was credited";
    EXPECT_EQ(EAGAIN, pub.try_send(body));
}

TEST_F(byte_marks_test, a_router_that_must_deliver_is_told)
{
    socket router = ctx_.open(ZMQ_ROUTER), dealer = ctx_.open(ZMQ_DEALER);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    set_bytes(router, ZLINK_SNDHWM_BYTES, 3 * octets);
    dealer.set(ZMQ_ROUTING_ID, "peer");
    dealer.connect(router.bind(unique_inproc()));
    ASSERT_TRUE(dealer.send("hello"));
    EXPECT_EQ((parts{"peer", "hello"}), router.recv_parts());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(router.send_parts({"peer", body}, ZMQ_DONTWAIT));
    EXPECT_EQ(EAGAIN, router.try_send("peer", ZMQ_SNDMORE));
    EXPECT_FALSE(router.writable());
    EXPECT_EQ(body, dealer.recv());
    EXPECT_EQ(body, dealer.recv());
    EXPECT_TRUE(router.writable());
}

TEST_F(byte_marks_test, sockets_that_keep_one_message_ignore_them)
{
    push_.set(ZMQ_CONFLATE, 1);
    mark(1, 1);
    push_.connect(pull_.bind(unique_inproc()));
    EXPECT_EQ(50, fill(push_, 50));
    set_bytes(push_, ZLINK_SNDHWM_BYTES, 2);
    EXPECT_EQ(50, fill(push_, 50));
    EXPECT_EQ(body, pull_.recv());
}

class byte_marks_over_test : public byte_marks_test, public testing::WithParamInterface<const char*> {};

// The reader does not run: what is sent before the sender has to wait is what the kernel takes, and the marks.
TEST_P(byte_marks_over_test, a_connection_is_bounded)
{
    constexpr int kept = 20;
    mark(kept * octets, kept * octets);
    for (socket* s : {&push_, &pull_}) {
        s->set(ZMQ_SNDHWM, 0);
        s->set(ZMQ_RCVHWM, 0);
        s->set(ZMQ_SNDBUF, 16 * 1024);
        s->set(ZMQ_RCVBUF, 16 * 1024);
    }
    push_.connect(pull_.bind(GetParam()));
    push_.set(ZMQ_SNDTIMEO, 100);
    int sent = 0;
    while (sent < 5000 && push_.send(body)) {
        ++sent;
        if (!push_.wait(ZMQ_POLLOUT, 500)) break;
    }
    EXPECT_LT(2 * kept, sent);
    EXPECT_GT(2000, sent);
    zlink_stats_t stats{};
    stats.size = sizeof stats;
    ASSERT_EQ(0, zlink_socket_stats(push_, &stats));
    EXPECT_GE(std::uint64_t(kept + 1) * octets, stats.messages.octets_queued_out);
    ASSERT_EQ(0, zlink_socket_stats(pull_, &stats));
    EXPECT_GE(std::uint64_t(kept + 1) * octets + 8 * 1024, stats.messages.octets_queued_in);
    for (int i = 0; i < sent; ++i) ASSERT_EQ(body, pull_.recv()) << i;
    EXPECT_TRUE(push_.wait(ZMQ_POLLOUT));
}

TEST_P(byte_marks_over_test, messages_above_the_marks_go_through)
{
    mark(1, 1);
    push_.connect(pull_.bind(GetParam()));
    const std::string large(300'000, 'l');
    const parts many(50, body);
    std::thread sender([&] {
        for (int i = 0; i < 10; ++i) {
            EXPECT_TRUE(push_.send(large));
            EXPECT_TRUE(push_.send_parts(many));
        }
    });
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(large, pull_.recv());
        EXPECT_EQ(many, pull_.recv_parts());
    }
    sender.join();
}

// Each waits until the other one reads, which it does not before it has sent.
TEST_P(byte_marks_over_test, two_sockets_with_a_message_for_each_other_do_not_lock_each_other_out)
{
    socket a = ctx_.open(ZMQ_PAIR), b = ctx_.open(ZMQ_PAIR);
    for (socket* s : {&a, &b}) {
        set_bytes(*s, ZLINK_SNDHWM_BYTES, 1);
        set_bytes(*s, ZLINK_RCVHWM_BYTES, 1);
    }
    b.connect(a.bind(GetParam()));
    const auto talk = [](socket& s) {
        for (int i = 0; i < 100; ++i) {
            EXPECT_TRUE(s.send(body));
            EXPECT_EQ(body, s.recv());
        }
    };
    std::thread other([&] { talk(b); });
    talk(a);
    other.join();
}

INSTANTIATE_TEST_SUITE_P(streams, byte_marks_over_test,
                         testing::Values("tcp://127.0.0.1:*", "ipc://*", "ws://127.0.0.1:*"), scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
