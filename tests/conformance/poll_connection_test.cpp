// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_poll on sockets with a single connection, which the polling thread reads itself: everything has to be as if it
// had not.
#include "support/zmq_fixture.hpp"

#include <thread>

namespace zlink::test {
namespace {

class poll_connection_test : public zmq_test, public testing::WithParamInterface<const char*> {
protected:
    void SetUp() override
    {
        far_.connect(near_.bind(GetParam()));
        quiet_.bind(unique_inproc());
    }

    // Polls for input on the quiet socket as well; returns the events of the near one.
    int poll(long timeout = patience_ms)
    {
        zmq_pollitem_t items[] = {{near_, 0, ZMQ_POLLIN, 0}, {quiet_, 0, ZMQ_POLLIN, 0}};
        const int ready = zmq_poll(items, 2, timeout);
        EXPECT_EQ(0, items[1].revents);
        return ready < 0 ? ready : items[0].revents;
    }

    socket near_ = ctx_.open(ZMQ_PAIR);
    socket far_ = ctx_.open(ZMQ_PAIR);
    socket quiet_ = ctx_.open(ZMQ_PAIR);
};

TEST_P(poll_connection_test, every_message_is_seen_and_received)
{
    std::jthread peer([this] {
        for (int i = 0; i < 2000; ++i) {
            far_.send(std::to_string(i));
            ASSERT_EQ("answer " + std::to_string(i), far_.recv());
        }
    });
    for (int i = 0; i < 2000; ++i) {
        ASSERT_EQ(ZMQ_POLLIN, poll());
        ASSERT_EQ(std::to_string(i), near_.recv());
        near_.send("answer " + std::to_string(i));
    }
}

TEST_P(poll_connection_test, what_a_poll_has_read_is_there_for_other_calls)
{
    for (int i = 0; i < 100; ++i) {
        far_.send_parts({"one", std::string(70000, 'x')});
        far_.send("two");
        ASSERT_EQ(ZMQ_POLLIN, poll());
        EXPECT_EQ(ZMQ_POLLIN, poll(0));
        EXPECT_TRUE(near_.get_int(ZMQ_EVENTS) & ZMQ_POLLIN);
        EXPECT_EQ((parts{"one", std::string(70000, 'x')}), near_.recv_parts());
        EXPECT_EQ("two", near_.recv());
        EXPECT_EQ(0, poll(0));
    }
}

TEST_P(poll_connection_test, a_receive_after_a_poll_waits_for_the_connection)
{
    std::jthread peer([this] {
        for (int i = 0; i < 300; ++i) {
            far_.send("first");
            ASSERT_EQ("go on", far_.recv());
            far_.send("second");
            ASSERT_EQ("go on", far_.recv());
        }
    });
    for (int i = 0; i < 300; ++i) {
        ASSERT_EQ(ZMQ_POLLIN, poll());
        ASSERT_EQ("first", near_.recv());
        near_.send("go on");
        ASSERT_EQ("second", near_.recv());
        near_.send("go on");
    }
}

TEST_P(poll_connection_test, ends_in_time_when_nothing_comes)
{
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(0, poll(30));
    EXPECT_LE(std::chrono::milliseconds(30), std::chrono::steady_clock::now() - start);
    far_.send("later");
    EXPECT_EQ(ZMQ_POLLIN, poll());
}

TEST_P(poll_connection_test, a_message_on_the_other_socket_ends_it)
{
    socket talker = ctx_.open(ZMQ_PAIR);
    talker.connect(quiet_.last_endpoint());
    for (int i = 0; i < 100; ++i) {
        std::jthread sender([&] { talker.send("here"); });
        zmq_pollitem_t items[] = {{near_, 0, ZMQ_POLLIN, 0}, {quiet_, 0, ZMQ_POLLIN, 0}};
        ASSERT_EQ(1, zmq_poll(items, 2, patience_ms));
        EXPECT_EQ(0, items[0].revents);
        EXPECT_EQ("here", quiet_.recv());
    }
}

TEST_P(poll_connection_test, the_same_socket_may_be_listed_twice)
{
    for (int i = 0; i < 100; ++i) {
        std::jthread sender([&] { far_.send("once"); });
        zmq_pollitem_t items[] = {{near_, 0, ZMQ_POLLIN, 0}, {near_, 0, ZMQ_POLLIN | ZMQ_POLLOUT, 0}};
        while (!(items[0].revents & ZMQ_POLLIN)) ASSERT_LT(0, zmq_poll(items, 2, patience_ms));
        EXPECT_EQ("once", near_.recv());
    }
}

// A publisher's connection brings subscriptions, but no input.
TEST_P(poll_connection_test, a_publisher_has_no_input_whatever_its_subscriber_says)
{
    context another;  // as the endpoint is in use in this one
    socket pub = another.open(ZMQ_PUB), sub = another.open(ZMQ_SUB), end = ctx_.open(ZMQ_PAIR),
           ended = ctx_.open(ZMQ_PAIR);
    sub.connect(pub.bind(GetParam()));
    end.connect(ended.bind(unique_inproc()));
    std::jthread subscriber([&] {
        for (int i = 0; i < 100; ++i) sub.subscribe(std::to_string(i));
        end.send("all");
    });
    zmq_pollitem_t items[] = {{pub, 0, ZMQ_POLLIN, 0}, {ended, 0, ZMQ_POLLIN, 0}};
    EXPECT_EQ(1, zmq_poll(items, 2, patience_ms));
    EXPECT_EQ(0, items[0].revents);
    EXPECT_EQ(0, zmq_poll(items, 1, 30));
}

using poll_reconnect_test = zmq_test;

TEST_F(poll_reconnect_test, a_lost_connection_is_made_again_while_it_is_polled)
{
    temp_directory directory;
    for (const std::string& bound : {std::string("tcp://127.0.0.1:*"), "ipc://" + directory.file("socket")}) {
        socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH), quiet = ctx_.open(ZMQ_PAIR);
        quiet.bind(unique_inproc());
        pull.set(ZMQ_RECONNECT_IVL, 1);
        const std::string where = push.bind(bound);
        pull.connect(where);
        push.send("before");
        zmq_pollitem_t items[] = {{pull, 0, ZMQ_POLLIN, 0}, {quiet, 0, ZMQ_POLLIN, 0}};
        ASSERT_EQ(1, zmq_poll(items, 2, patience_ms)) << where;
        EXPECT_EQ("before", pull.recv());
        std::jthread peer([&] {
            push.close();
            push = ctx_.open(ZMQ_PUSH);
            EXPECT_TRUE(eventually([&] { return zmq_bind(push, where.c_str()) == 0; })) << where;
            push.send("after");
        });
        ASSERT_EQ(1, zmq_poll(items, 2, patience_ms)) << where;
        EXPECT_EQ("after", pull.recv());
    }
}

TEST_P(poll_connection_test, the_end_of_the_context_ends_it)
{
    context ctx;
    socket one = ctx.open(ZMQ_PAIR), other = ctx.open(ZMQ_PAIR);
    other.connect(one.bind(GetParam()));
    other.send("connected");
    EXPECT_EQ("connected", one.recv());
    std::jthread ending([&] { zmq_ctx_shutdown(ctx); });
    zmq_pollitem_t item{one, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(-1, zmq_poll(&item, 1, patience_ms));
    EXPECT_EQ(ETERM, zmq_errno());
}

INSTANTIATE_TEST_SUITE_P(transports, poll_connection_test,
                         testing::Values("tcp://127.0.0.1:*", "ipc://*", "inproc://near"), scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
