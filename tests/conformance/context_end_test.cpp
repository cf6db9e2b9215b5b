// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How a context ends: shutdown, termination, what they wake, wait for and leave behind, and signals meanwhile.
#include "support/zmq_fixture.hpp"

#include <signal.h>

#include <thread>

namespace zlink::test {
namespace {

class context_end_test : public zmq_test {};

TEST_F(context_end_test, shutdown_makes_later_calls_fail_with_eterm)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    ctx_.shutdown();
    int value = 0;
    std::size_t size = sizeof value;
    char buffer[8] = {};
    const auto ended = [](int rc) { return rc == -1 && zmq_errno() == ETERM; };
    EXPECT_TRUE(ended(zmq_send(pair, "x", 1, 0)));
    EXPECT_TRUE(ended(zmq_send(pair, "x", 1, ZMQ_DONTWAIT)));
    EXPECT_TRUE(ended(zmq_recv(pair, buffer, sizeof buffer, 0)));
    EXPECT_TRUE(ended(zmq_recv(pair, buffer, sizeof buffer, ZMQ_DONTWAIT)));
    EXPECT_TRUE(ended(zmq_bind(pair, "inproc://late")));
    EXPECT_TRUE(ended(zmq_connect(pair, "inproc://late")));
    EXPECT_TRUE(ended(zmq_unbind(pair, "inproc://late")));
    EXPECT_TRUE(ended(zmq_disconnect(pair, "inproc://late")));
    EXPECT_TRUE(ended(zmq_setsockopt(pair, ZMQ_SNDHWM, &value, sizeof value)));
    EXPECT_TRUE(ended(zmq_getsockopt(pair, ZMQ_SNDHWM, &value, &size)));
    EXPECT_TRUE(ended(zmq_socket_monitor(pair, "inproc://late-monitor", ZMQ_EVENT_ALL)));
    zmq_pollitem_t item{pair, 0, ZMQ_POLLIN, 0};
    EXPECT_TRUE(ended(zmq_poll(&item, 1, 0)));
}

TEST_F(context_end_test, shutdown_refuses_new_sockets)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    ctx_.shutdown();
    EXPECT_EQ(nullptr, zmq_socket(ctx_, ZMQ_PAIR));
    EXPECT_EQ(ETERM, zmq_errno());
}

TEST_F(context_end_test, shutdown_before_the_first_socket_refuses_it_too)
{
    ctx_.shutdown();
    EXPECT_EQ(nullptr, zmq_socket(ctx_, ZMQ_PAIR));
    EXPECT_EQ(ETERM, zmq_errno());
}

TEST_F(context_end_test, shutdown_may_be_repeated)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    ctx_.shutdown();
    ctx_.shutdown();
    EXPECT_EQ(1, zmq_ctx_get(ctx_, ZMQ_IO_THREADS)) << "options stay readable";
}

TEST_F(context_end_test, shutdown_wakes_a_blocked_receiver)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    pair.set(ZMQ_RCVTIMEO, -1);
    pair.bind("tcp://127.0.0.1:*");
    int error = 0;
    std::thread blocked([&] {
        char byte = 0;
        EXPECT_EQ(-1, zmq_recv(pair, &byte, 1, 0));
        error = zmq_errno();
    });
    ctx_.shutdown();
    blocked.join();
    EXPECT_EQ(ETERM, error);
}

TEST_F(context_end_test, shutdown_wakes_a_blocked_sender)
{
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_SNDTIMEO, -1);
    int error = 0;
    std::thread blocked([&] {
        EXPECT_EQ(-1, zmq_send(push, "x", 1, 0));
        error = zmq_errno();
    });
    ctx_.shutdown();
    blocked.join();
    EXPECT_EQ(ETERM, error);
}

TEST_F(context_end_test, shutdown_wakes_a_blocked_poll)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    int error = 0;
    std::thread blocked([&] {
        zmq_pollitem_t item{pair, 0, ZMQ_POLLIN, 0};
        EXPECT_EQ(-1, zmq_poll(&item, 1, -1));
        error = zmq_errno();
    });
    ctx_.shutdown();
    blocked.join();
    EXPECT_EQ(ETERM, error);
}

TEST_F(context_end_test, term_wakes_blocked_calls_and_waits_for_the_socket_to_close)
{
    void* const pair = zmq_socket(ctx_, ZMQ_PAIR);
    ASSERT_NE(nullptr, pair);
    std::atomic<bool> closed{false};
    std::thread blocked([&] {
        char byte = 0;
        EXPECT_EQ(-1, zmq_recv(pair, &byte, 1, 0));
        EXPECT_EQ(ETERM, zmq_errno());
        closed = true;
        EXPECT_EQ(0, zmq_close(pair));
    });
    ctx_.terminate();
    EXPECT_TRUE(closed);
    blocked.join();
}

TEST_F(context_end_test, term_after_shutdown_succeeds)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    ctx_.shutdown();
    pair.close();
    ctx_.terminate();
}

TEST_F(context_end_test, term_of_a_context_without_sockets_returns_at_once)
{
    ctx_.terminate();
}

TEST_F(context_end_test, term_waits_for_lingering_messages)
{
    context receiving;
    socket puller = receiving.open(ZMQ_PULL);
    const std::string endpoint = puller.bind("tcp://127.0.0.1:*");
    socket pusher = ctx_.open(ZMQ_PUSH);
    pusher.set(ZMQ_LINGER, -1);
    pusher.connect(endpoint);
    constexpr int count = 500;
    for (int i = 0; i < count; ++i) pusher.send(std::to_string(i));
    pusher.close();
    ctx_.terminate();
    for (int i = 0; i < count; ++i) ASSERT_EQ(std::to_string(i), puller.recv());
}

TEST_F(context_end_test, term_gives_up_when_the_linger_period_ends)
{
    socket pusher = ctx_.open(ZMQ_PUSH);
    pusher.set(ZMQ_LINGER, 50);
    pusher.connect("tcp://127.0.0.1:1");
    pusher.send("for nobody");
    pusher.close();
    ctx_.terminate();
}

// zmq_ctx_term() in a thread of its own, called again as long as signals interrupt it.
class interrupted_termination {
public:
    explicit interrupted_termination(void* handle)
    {
        struct sigaction ignoring {};
        ignoring.sa_handler = [](int) {};
        sigaction(SIGUSR1, &ignoring, &before_);
        thread_ = std::thread([this, handle] {
            while ((rc_ = zmq_ctx_term(handle)) == -1 && zmq_errno() == EINTR) interrupted_ = true;
        });
    }
    interrupted_termination(const interrupted_termination&) = delete;
    interrupted_termination& operator=(const interrupted_termination&) = delete;

    // A signal that comes before the wait has begun is none to it, so there may have to be several.
    bool interrupt()
    {
        return eventually([this] {
            pthread_kill(thread_.native_handle(), SIGUSR1);
            return interrupted_.load();
        });
    }

    // What the last call returned.
    int result()
    {
        thread_.join();
        return rc_;
    }

    ~interrupted_termination()
    {
        if (thread_.joinable()) thread_.join();
        sigaction(SIGUSR1, &before_, nullptr);
    }

private:
    struct sigaction before_ {};
    std::atomic<bool> interrupted_{false};
    int rc_ = 0;
    std::thread thread_;
};

TEST(interrupted_termination_test, waits_for_sockets_when_called_again)
{
    void* const ctx = zmq_ctx_new();
    void* const pair = zmq_socket(ctx, ZMQ_PAIR);
    ASSERT_NE(nullptr, pair);
    interrupted_termination ending(ctx);
    EXPECT_TRUE(ending.interrupt());
    EXPECT_EQ(1, zmq_ctx_get(ctx, ZMQ_IO_THREADS));
    char byte = 0;
    EXPECT_EQ(-1, zmq_recv(pair, &byte, 1, 0));
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_EQ(0, zmq_close(pair));
    EXPECT_EQ(0, ending.result());
}

TEST(interrupted_termination_test, waits_for_lingering_messages_when_called_again)
{
    const temp_directory directory;
    const std::string endpoint = "ipc://" + directory.file("late");
    void* const ctx = zmq_ctx_new();
    socket pusher(ctx, ZMQ_PUSH);
    pusher.set(ZMQ_LINGER, patience_ms);
    pusher.set(ZMQ_RECONNECT_IVL, 10);
    pusher.connect(endpoint);
    pusher.send("late");
    pusher.close();
    interrupted_termination ending(ctx);
    EXPECT_TRUE(ending.interrupt());
    context receiving;
    socket puller = receiving.open(ZMQ_PULL);
    puller.bind(endpoint);
    EXPECT_EQ("late", puller.recv());
    EXPECT_EQ(0, ending.result());
}

}  // namespace
}  // namespace zlink::test
