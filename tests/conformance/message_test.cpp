// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages: the zmq_msg functions and all the ways to send and receive them.

#include "support/zmq_fixture.hpp"

#include <sys/uio.h>

#include <array>
#include <climits>
#include <functional>
#include <thread>

namespace zlink::test {
namespace {

/// Owns a zmq_msg_t; the address of the structure is what the functions take.
class message {
public:
    message() { EXPECT_EQ(0, zmq_msg_init(&msg_)); }

    explicit message(std::string_view body)
    {
        EXPECT_EQ(0, zmq_msg_init_size(&msg_, body.size()));
        if (!body.empty()) std::memcpy(zmq_msg_data(&msg_), body.data(), body.size());
    }

    message(const message&) = delete;
    message& operator=(const message&) = delete;
    ~message() { zmq_msg_close(&msg_); }

    zmq_msg_t* operator&() { return &msg_; }
    std::string body() { return {static_cast<const char*>(zmq_msg_data(&msg_)), zmq_msg_size(&msg_)}; }

private:
    zmq_msg_t msg_;
};

/// A heap buffer handed to zmq_msg_init_data; counts how often the library gives it back.
struct lent_buffer {
    explicit lent_buffer(std::size_t size) : bytes(size, 'b') {}

    static void give_back(void* data, void* hint)
    {
        auto* const self = static_cast<lent_buffer*>(hint);
        EXPECT_EQ(self->bytes.data(), data);
        ++self->returned;
    }

    void await_return()
    {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
        while (returned == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
        EXPECT_EQ(1, returned);
    }

    std::string bytes;
    std::atomic<int> returned{0};
};

TEST(message_test, is_empty_after_init)
{
    message msg;
    EXPECT_EQ(0U, zmq_msg_size(&msg));
    EXPECT_EQ(0, zmq_msg_more(&msg));
    EXPECT_EQ(0, zmq_msg_get(&msg, ZMQ_MORE));
    EXPECT_EQ(0, zmq_msg_get(&msg, ZMQ_SHARED));
}

TEST(message_test, holds_the_size_asked_for)
{
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{32}, std::size_t{33}, std::size_t{34},
                                   std::size_t{255}, std::size_t{256}, std::size_t{65536}, std::size_t{16} << 20}) {
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_size(&msg, size));
        EXPECT_EQ(size, zmq_msg_size(&msg));
        ASSERT_NE(nullptr, zmq_msg_data(&msg));
        std::memset(zmq_msg_data(&msg), 0x5a, size);
        EXPECT_EQ(0, zmq_msg_close(&msg));
    }
}

TEST(message_test, too_large_a_size_is_out_of_memory)
{
    zmq_msg_t msg;
    for (const std::size_t size : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - 64}) {
        EXPECT_EQ(-1, zmq_msg_init_size(&msg, size));
        EXPECT_EQ(ENOMEM, zmq_errno());
    }
}

TEST(message_test, gives_lent_data_back_when_closed)
{
    for (const std::size_t size : {std::size_t{1}, std::size_t{33}, std::size_t{100000}}) {
        lent_buffer lent(size);
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_data(&msg, lent.bytes.data(), size, lent_buffer::give_back, &lent));
        EXPECT_EQ(lent.bytes.data(), zmq_msg_data(&msg));
        EXPECT_EQ(size, zmq_msg_size(&msg));
        EXPECT_EQ(0, lent.returned);
        EXPECT_EQ(0, zmq_msg_close(&msg));
        EXPECT_EQ(1, lent.returned);
    }
}

TEST(message_test, takes_constant_data_without_a_free_function)
{
    static char constant[] = "constant";
    zmq_msg_t msg;
    ASSERT_EQ(0, zmq_msg_init_data(&msg, constant, sizeof constant, nullptr, nullptr));
    EXPECT_EQ(constant, zmq_msg_data(&msg));
    EXPECT_EQ(0, zmq_msg_close(&msg));
}

TEST(message_test, closed_twice_is_a_bad_address)
{
    zmq_msg_t msg;
    ASSERT_EQ(0, zmq_msg_init(&msg));
    EXPECT_EQ(0, zmq_msg_close(&msg));
    EXPECT_EQ(-1, zmq_msg_close(&msg));
    EXPECT_EQ(EFAULT, zmq_errno());
}

TEST(message_test, never_initialised_is_a_bad_address)
{
    zmq_msg_t blank;
    std::memset(&blank, 0, sizeof blank);
    message good("good");
    EXPECT_EQ(-1, zmq_msg_close(&blank));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(-1, zmq_msg_move(&good, &blank));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(-1, zmq_msg_copy(&good, &blank));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ("good", good.body());
}

class message_body_test : public ::testing::TestWithParam<std::size_t> {
protected:
    std::string body_ = std::string(GetParam(), 'm');
};

TEST_P(message_body_test, moves_and_leaves_an_empty_message)
{
    message from(body_);
    message to("what was there before");
    ASSERT_EQ(0, zmq_msg_move(&to, &from));
    EXPECT_EQ(body_, to.body());
    EXPECT_EQ("", from.body());
}

TEST_P(message_body_test, copies_and_keeps_the_original)
{
    message from(body_);
    message to("what was there before");
    ASSERT_EQ(0, zmq_msg_copy(&to, &from));
    EXPECT_EQ(body_, to.body());
    EXPECT_EQ(body_, from.body());
    message third;
    ASSERT_EQ(0, zmq_msg_copy(&third, &to));
    zmq_msg_close(&from);
    zmq_msg_init(&from);
    EXPECT_EQ(body_, to.body()) << "copies live without the original";
    EXPECT_EQ(body_, third.body());
}

TEST_P(message_body_test, travels_unchanged)
{
    context ctx;
    for (const std::string& endpoint : {std::string("tcp://127.0.0.1:*"), std::string("ipc://*"), unique_inproc()}) {
        socket receiver = ctx.open(ZMQ_PAIR);
        socket sender = ctx.open(ZMQ_PAIR);
        sender.connect(receiver.bind(endpoint));
        message out(body_);
        EXPECT_EQ(static_cast<int>(body_.size()), zmq_msg_send(&out, sender, 0));
        EXPECT_EQ(0U, zmq_msg_size(&out)) << "a sent message is left empty";
        message in("what was there before");
        EXPECT_EQ(static_cast<int>(body_.size()), zmq_msg_recv(&in, receiver, 0));
        EXPECT_TRUE(body_ == in.body());
    }
}

TEST_P(message_body_test, goes_to_several_peers_from_one_copy)
{
    context ctx;
    socket pub = ctx.open(ZMQ_PUB);
    const std::string endpoint = pub.bind(unique_inproc());
    std::array<socket, 3> subs;
    for (socket& sub : subs) {
        sub = ctx.open(ZMQ_SUB);
        sub.subscribe("");
        sub.connect(endpoint);
    }
    for (socket& sub : subs) sync_subscription(pub, sub);
    for (socket& sub : subs) sub.drain();
    pub.send(body_);
    for (socket& sub : subs) EXPECT_TRUE(body_ == sub.recv());
}

INSTANTIATE_TEST_SUITE_P(sizes, message_body_test,
                         ::testing::Values(0, 1, 29, 30, 33, 34, 255, 256, 8191, 8192, 65536, 1000000),
                         ::testing::PrintToStringParamName());

TEST(message_test, copies_of_a_large_one_share_and_give_the_data_back_once)
{
    lent_buffer lent(1000);
    {
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_data(&msg, lent.bytes.data(), 1000, lent_buffer::give_back, &lent));
        message copy;
        ASSERT_EQ(0, zmq_msg_copy(&copy, &msg));
        EXPECT_EQ(lent.bytes.data(), zmq_msg_data(&copy));
        EXPECT_EQ(1, zmq_msg_get(&copy, ZMQ_SHARED));
        EXPECT_EQ(1, zmq_msg_get(&msg, ZMQ_SHARED));
        EXPECT_EQ(0, zmq_msg_close(&msg));
        EXPECT_EQ(0, lent.returned);
    }
    EXPECT_EQ(1, lent.returned);
}

TEST(message_test, bitwise_move_keeps_it_valid)
{
    message original(std::string(5000, 'z'));
    zmq_msg_t elsewhere;
    std::memcpy(&elsewhere, &original, sizeof elsewhere);
    zmq_msg_init(&original);
    EXPECT_EQ(5000U, zmq_msg_size(&elsewhere));
    EXPECT_EQ('z', static_cast<const char*>(zmq_msg_data(&elsewhere))[4999]);
    EXPECT_EQ(0, zmq_msg_close(&elsewhere));
}

TEST(message_test, unknown_properties_are_invalid)
{
    message msg("body");
    EXPECT_EQ(-1, zmq_msg_get(&msg, 9999));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(-1, zmq_msg_set(&msg, ZMQ_MORE, 1));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(-1, zmq_msg_set(&msg, 9999, 1));
    EXPECT_EQ(EINVAL, zmq_errno());
    errno = 0;
    EXPECT_EQ(nullptr, zmq_msg_gets(&msg, "Identity")) << "never received";
    EXPECT_EQ(EINVAL, zmq_errno());
}

class message_exchange_test : public zmq_test {
protected:
    void SetUp() override { sender_.connect(receiver_.bind(unique_inproc())); }

    socket receiver_ = ctx_.open(ZMQ_PAIR);
    socket sender_ = ctx_.open(ZMQ_PAIR);
};

TEST_F(message_exchange_test, lent_data_comes_back_when_it_has_gone)
{
    for (const std::size_t size : {std::size_t{10}, std::size_t{5000}, std::size_t{200000}}) {
        lent_buffer lent(size);
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_data(&msg, lent.bytes.data(), size, lent_buffer::give_back, &lent));
        ASSERT_EQ(static_cast<int>(size), zmq_msg_send(&msg, sender_, 0));
        EXPECT_TRUE(lent.bytes == receiver_.recv());
        lent.await_return();
    }
}

TEST(message_over_tcp_test, lent_data_comes_back_when_it_has_gone)
{
    context ctx;
    socket receiver = ctx.open(ZMQ_PAIR);
    socket sender = ctx.open(ZMQ_PAIR);
    sender.connect(receiver.bind("tcp://127.0.0.1:*"));
    for (const std::size_t size : {std::size_t{10}, std::size_t{5000}, std::size_t{200000}, std::size_t{4} << 20}) {
        lent_buffer lent(size);
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_data(&msg, lent.bytes.data(), size, lent_buffer::give_back, &lent));
        ASSERT_EQ(static_cast<int>(size), zmq_msg_send(&msg, sender, 0));
        EXPECT_TRUE(lent.bytes == receiver.recv());
        lent.await_return();
    }
}

TEST(message_over_tcp_test, lent_data_comes_back_when_it_is_dropped)
{
    lent_buffer lent(100000);
    {
        context ctx;
        socket sender = ctx.open(ZMQ_PUSH);
        sender.connect("tcp://127.0.0.1:1");
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_data(&msg, lent.bytes.data(), 100000, lent_buffer::give_back, &lent));
        ASSERT_EQ(100000, zmq_msg_send(&msg, sender, 0));
    }
    EXPECT_EQ(1, lent.returned) << "the end of the context leaves nothing behind";
}

TEST_F(message_exchange_test, recv_tells_the_full_size_of_a_truncated_message)
{
    sender_.send("abcdef");
    char buffer[8] = {0, 0, 0, '#'};
    EXPECT_EQ(6, zmq_recv(receiver_, buffer, 3, 0));
    EXPECT_EQ("abc", std::string(buffer, 3));
    EXPECT_EQ('#', buffer[3]) << "nothing is written past the buffer";
    sender_.send("next");
    EXPECT_EQ("next", receiver_.recv()) << "the rest is gone";
}

TEST_F(message_exchange_test, recv_without_a_buffer_drops_the_body)
{
    sender_.send("abcdef");
    EXPECT_EQ(6, zmq_recv(receiver_, nullptr, 0, 0));
}

TEST_F(message_exchange_test, truncation_of_a_large_message)
{
    const std::string large(300000, 'L');
    sender_.send(large);
    std::string buffer(1000, '\0');
    EXPECT_EQ(300000, zmq_recv(receiver_, buffer.data(), buffer.size(), 0));
    EXPECT_TRUE(large.substr(0, 1000) == buffer);
}

TEST_F(message_exchange_test, empty_messages_need_no_buffer)
{
    EXPECT_EQ(0, zmq_send(sender_, nullptr, 0, 0));
    EXPECT_EQ(0, zmq_send_const(sender_, nullptr, 0, 0));
    EXPECT_EQ("", receiver_.recv());
    EXPECT_EQ("", receiver_.recv());
}

TEST_F(message_exchange_test, send_const_takes_the_bytes_as_they_are)
{
    static const std::string constant(2000, 'c');
    EXPECT_EQ(2000, zmq_send_const(sender_, constant.data(), constant.size(), 0));
    EXPECT_EQ(5, zmq_send_const(sender_, "hello", 5, 0));
    EXPECT_EQ(constant, receiver_.recv());
    EXPECT_EQ("hello", receiver_.recv());
}

TEST_F(message_exchange_test, old_names_send_and_receive)
{
    message out("old");
    EXPECT_EQ(3, zmq_sendmsg(sender_, &out, 0));
    message in;
    EXPECT_EQ(3, zmq_recvmsg(receiver_, &in, 0));
    EXPECT_EQ("old", in.body());
}

TEST_F(message_exchange_test, more_is_true_for_all_parts_but_the_last)
{
    sender_.send_parts({"a", "bb", "ccc"});
    message part;
    for (const auto& [body, more] : {std::pair{"a", 1}, std::pair{"bb", 1}, std::pair{"ccc", 0}}) {
        ASSERT_GE(zmq_msg_recv(&part, receiver_, 0), 0);
        EXPECT_EQ(body, part.body());
        EXPECT_EQ(more, zmq_msg_more(&part));
        EXPECT_EQ(more, zmq_msg_get(&part, ZMQ_MORE));
        EXPECT_EQ(more, receiver_.get_int(ZMQ_RCVMORE));
    }
}

TEST_F(message_exchange_test, multipart_is_invisible_until_its_last_part)
{
    sender_.send("first", ZMQ_SNDMORE);
    expect_no_message(receiver_);
    EXPECT_FALSE(receiver_.readable());
    sender_.send("last");
    EXPECT_EQ((parts{"first", "last"}), receiver_.recv_parts());
}

TEST_F(message_exchange_test, parts_may_be_empty)
{
    sender_.send_parts({"", "x", "", ""});
    EXPECT_EQ((parts{"", "x", "", ""}), receiver_.recv_parts());
}

TEST_F(message_exchange_test, many_parts_make_one_message)
{
    parts many;
    for (int i = 0; i < 3000; ++i) many.push_back(std::to_string(i));
    std::thread sending([&] { sender_.send_parts(many); });
    EXPECT_EQ(many, receiver_.recv_parts());
    sending.join();
}

TEST_F(message_exchange_test, nothing_there_is_eagain)
{
    char buffer[4];
    EXPECT_EQ(-1, zmq_recv(receiver_, buffer, sizeof buffer, ZMQ_DONTWAIT));
    EXPECT_EQ(EAGAIN, zmq_errno());
    message msg;
    EXPECT_EQ(-1, zmq_msg_recv(&msg, receiver_, ZMQ_DONTWAIT));
    EXPECT_EQ(EAGAIN, zmq_errno());
    receiver_.set(ZMQ_RCVTIMEO, 0);
    EXPECT_EQ(-1, zmq_recv(receiver_, buffer, sizeof buffer, 0));
    EXPECT_EQ(EAGAIN, zmq_errno());
    receiver_.set(ZMQ_RCVTIMEO, 20);
    EXPECT_EQ(-1, zmq_recv(receiver_, buffer, sizeof buffer, 0));
    EXPECT_EQ(EAGAIN, zmq_errno());
}

TEST_F(message_exchange_test, receive_timeout_is_waited_out)
{
    receiver_.set(ZMQ_RCVTIMEO, 60);
    const auto start = std::chrono::steady_clock::now();
    char byte;
    EXPECT_EQ(-1, zmq_recv(receiver_, &byte, 1, 0));
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(55));
}

TEST_F(message_exchange_test, send_timeout_is_waited_out)
{
    while (sender_.try_send("fill") == 0) {
    }
    sender_.set(ZMQ_SNDTIMEO, 60);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(-1, zmq_send(sender_, "x", 1, 0));
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(55));
}

TEST_F(message_exchange_test, message_that_could_not_be_sent_stays_with_the_caller)
{
    while (sender_.try_send("fill") == 0) {
    }
    message small("kept");
    EXPECT_EQ(-1, zmq_msg_send(&small, sender_, ZMQ_DONTWAIT));
    EXPECT_EQ(EAGAIN, zmq_errno());
    EXPECT_EQ("kept", small.body());
    message large(std::string(100000, 'k'));
    EXPECT_EQ(-1, zmq_msg_send(&large, sender_, ZMQ_DONTWAIT));
    EXPECT_EQ(100000U, zmq_msg_size(&large));
}

TEST_F(message_exchange_test, failed_receive_keeps_the_message_usable)
{
    message msg("before");
    EXPECT_EQ(-1, zmq_msg_recv(&msg, receiver_, ZMQ_DONTWAIT));
    sender_.send("after");
    EXPECT_EQ(5, zmq_msg_recv(&msg, receiver_, 0));
    EXPECT_EQ("after", msg.body());
}

TEST_F(message_exchange_test, received_message_can_be_passed_on)
{
    sender_.send(std::string(50000, 'f'));
    message msg;
    ASSERT_EQ(50000, zmq_msg_recv(&msg, receiver_, 0));
    EXPECT_EQ(50000, zmq_msg_send(&msg, receiver_, 0));
    EXPECT_EQ(std::string(50000, 'f'), sender_.recv());
}

TEST_F(message_exchange_test, received_messages_outlive_their_socket)
{
    message small;
    message large;
    sender_.send("small");
    sender_.send(std::string(100000, 'o'));
    ASSERT_EQ(5, zmq_msg_recv(&small, receiver_, 0));
    ASSERT_EQ(100000, zmq_msg_recv(&large, receiver_, 0));
    sender_.close();
    receiver_.close();
    ctx_.terminate();
    EXPECT_EQ("small", small.body());
    EXPECT_EQ(std::string(100000, 'o'), large.body());
}

TEST(message_direction_test, sockets_that_only_send_or_receive_say_enotsup)
{
    context ctx;
    char buffer[4];
    for (const int type : {ZMQ_PUSH, ZMQ_PUB}) {
        socket s = ctx.open(type);
        EXPECT_EQ(-1, zmq_recv(s, buffer, sizeof buffer, 0));
        EXPECT_EQ(ENOTSUP, zmq_errno());
    }
    for (const int type : {ZMQ_PULL, ZMQ_SUB}) {
        socket s = ctx.open(type);
        EXPECT_EQ(-1, zmq_send(s, "x", 1, 0));
        EXPECT_EQ(ENOTSUP, zmq_errno());
    }
}

TEST(message_properties_test, tell_where_a_message_came_from)
{
    context ctx;
    socket receiver = ctx.open(ZMQ_DEALER);
    socket sender = ctx.open(ZMQ_DEALER);
    sender.set(ZMQ_ROUTING_ID, "sender-id");
    sender.connect(receiver.bind("tcp://127.0.0.1:*"));
    sender.send("m");
    message msg;
    ASSERT_EQ(1, zmq_msg_recv(&msg, receiver, 0));
    EXPECT_STREQ("DEALER", zmq_msg_gets(&msg, "Socket-Type"));
    EXPECT_STREQ("sender-id", zmq_msg_gets(&msg, "Identity"));
    EXPECT_STREQ("127.0.0.1", zmq_msg_gets(&msg, "Peer-Address"));
    EXPECT_EQ(nullptr, zmq_msg_gets(&msg, "No-Such-Property"));
    EXPECT_EQ(EINVAL, zmq_errno());

    message copy;
    ASSERT_EQ(0, zmq_msg_copy(&copy, &msg));
    EXPECT_STREQ("DEALER", zmq_msg_gets(&copy, "Socket-Type")) << "copies keep the properties";
}

TEST_F(message_exchange_test, sendiov_makes_a_part_of_each_buffer)
{
    char one[] = "1";
    char two[] = "22";
    char three[] = "333";
    iovec buffers[] = {{one, 1}, {two, 2}, {three, 3}};
    EXPECT_EQ(3, zmq_sendiov(sender_, buffers, 3, ZMQ_SNDMORE));
    EXPECT_EQ((parts{"1", "22", "333"}), receiver_.recv_parts());
}

TEST_F(message_exchange_test, recviov_allocates_a_buffer_for_each_part)
{
    sender_.send_parts({"1", "22", "333"});
    iovec buffers[5] = {};
    std::size_t count = 5;
    EXPECT_EQ(3, zmq_recviov(receiver_, buffers, &count, 0));
    EXPECT_EQ(3U, count);
    const char* const expected[] = {"1", "22", "333"};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(expected[i], std::string(static_cast<const char*>(buffers[i].iov_base), buffers[i].iov_len));
        std::free(buffers[i].iov_base);
    }
}

TEST_F(message_exchange_test, iov_counts_must_be_positive)
{
    iovec buffer{};
    EXPECT_EQ(-1, zmq_sendiov(sender_, &buffer, 0, 0));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(-1, zmq_sendiov(sender_, nullptr, 1, 0));
    EXPECT_EQ(EINVAL, zmq_errno());
    std::size_t none = 0;
    EXPECT_EQ(-1, zmq_recviov(receiver_, &buffer, &none, 0));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(-1, zmq_sendiov(nullptr, &buffer, 1, 0));
    EXPECT_EQ(ENOTSOCK, zmq_errno());
    std::size_t one = 1;
    EXPECT_EQ(-1, zmq_recviov(nullptr, &buffer, &one, 0));
    EXPECT_EQ(ENOTSOCK, zmq_errno());
}

TEST(message_limit_test, one_that_is_too_large_ends_the_connection)
{
    context ctx;
    socket receiver = ctx.open(ZMQ_PULL);
    const std::int64_t limit = 100;
    ASSERT_EQ(0, zmq_setsockopt(receiver, ZMQ_MAXMSGSIZE, &limit, sizeof limit));
    const std::string endpoint = receiver.bind("tcp://127.0.0.1:*");
    monitor events(ctx, receiver);
    socket sender = ctx.open(ZMQ_PUSH);
    sender.connect(endpoint);
    sender.send(std::string(100, 'k'));
    EXPECT_EQ(std::string(100, 'k'), receiver.recv()) << "the limit itself is allowed";
    sender.send(std::string(101, 't'));
    events.await(ZMQ_EVENT_DISCONNECTED);
    events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    sender.send("good again");
    EXPECT_EQ("good again", receiver.recv());
}

TEST(message_over_tcp_test, small_lent_data_comes_back_from_the_send_in_zlink)
{
    context ctx;
    socket sender = ctx.open(ZMQ_PUSH);
    sender.connect("tcp://127.0.0.1:1");  // nobody takes it
    lent_buffer small(10), large(200'000);
    for (lent_buffer* const lent : {&small, &large}) {
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_data(&msg, lent->bytes.data(), lent->bytes.size(), lent_buffer::give_back, lent));
        ASSERT_EQ(static_cast<int>(lent->bytes.size()), zmq_msg_send(&msg, sender, 0));
    }
    EXPECT_EQ(1, small.returned);
    EXPECT_EQ(0, large.returned);
    sender.close();
    large.await_return();
}

}  // namespace
}  // namespace zlink::test
