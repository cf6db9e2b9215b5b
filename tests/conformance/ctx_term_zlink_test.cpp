// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_ctx_term(): a context's end that waits for so long, and says what it waits for.
#include "support/sleeping_thread.hpp"
#include "support/zmq_fixture.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

int end_within(void* ctx, int ms)
{
    return zlink_ctx_term(ctx, ms) == 0 ? 0 : zmq_errno();
}

class ctx_term_test : public testing::Test {
protected:
    ~ctx_term_test() override { EXPECT_EQ(nullptr, ctx_); }

    socket open(int type) { return socket(ctx_, type); }
    void end()
    {
        EXPECT_EQ(0, end_within(ctx_, patience_ms));
        ctx_ = nullptr;
    }
    std::string why_not()
    {
        EXPECT_EQ(EAGAIN, end_within(ctx_, 0));
        return zlink_last_error();
    }
    /// The same, once it contains `text`.
    std::string why_not_at_last(const std::string& text)
    {
        std::string words;
        EXPECT_TRUE(eventually([&] {
            words = why_not();
            return words.find(text) != std::string::npos;
        })) << words
            << " without " << text;
        return words;
    }

    void* ctx_ = zmq_ctx_new();
    temp_directory folder_;
};

TEST_F(ctx_term_test, ends_at_once_what_has_no_sockets)
{
    EXPECT_EQ(0, end_within(ctx_, 0));
    ctx_ = zmq_ctx_new();
    {
        const socket s = open(ZMQ_REP);
    }
    EXPECT_EQ(0, end_within(ctx_, -1));
    ctx_ = nullptr;
}

TEST_F(ctx_term_test, names_open_sockets_and_may_be_repeated)
{
    socket rep = open(ZMQ_REP), xpub = open(ZMQ_XPUB);
    rep.bind("tcp://127.0.0.1:*");
    std::string words = why_not();
    EXPECT_TRUE(words == "2 sockets open: a REP; an XPUB" || words == "2 sockets open: an XPUB; a REP") << words;
    EXPECT_EQ(-1, zmq_send(xpub, "a", 1, 0));
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_EQ(nullptr, zmq_socket(ctx_, ZMQ_PUB));
    EXPECT_EQ(ETERM, zmq_errno());
    rep.close();
    EXPECT_EQ("1 socket open: an XPUB", why_not_at_last("1 socket open"));
    xpub.close();
    end();
}

TEST_F(ctx_term_test, does_not_count_monitors)
{
    socket rep = open(ZMQ_REP);
    EXPECT_EQ(0, zmq_socket_monitor(rep, "inproc://monitor-of-rep", ZMQ_EVENT_ALL));
    EXPECT_EQ("1 socket open: a REP", why_not());
    rep.close();
    end();
}

TEST_F(ctx_term_test, tells_of_messages_that_wait)
{
    const std::string nobody = "ipc://" + folder_.file("nobody");
    socket push = open(ZMQ_PUSH);
    push.set(ZMQ_LINGER, -1);
    push.connect(nobody);
    for (int i = 0; i < 17; ++i) push.send("message");
    EXPECT_EQ("1 socket open: a PUSH with 17 messages for " + nobody, why_not_at_last("17"));
    push.close();
    EXPECT_EQ("1 closed socket not done: a PUSH with 17 messages for " + nobody + ", linger -1",
              why_not_at_last("linger"));

    context other;
    socket pull = other.open(ZMQ_PULL);
    pull.bind(nobody);
    for (int i = 0; i < 17; ++i) EXPECT_EQ("message", pull.recv());
    end();
}

TEST_F(ctx_term_test, tells_of_messages_that_a_connected_peer_does_not_take)
{
    context other;
    socket pull = other.open(ZMQ_PULL), push = open(ZMQ_PUSH);
    pull.set(ZMQ_RCVHWM, 1);
    push.set(ZMQ_SNDHWM, 0);
    push.set(ZMQ_LINGER, -1);
    push.connect(pull.bind("ipc://" + folder_.file("slow")));
    const std::string large(100000, 'x');
    constexpr int count = 200;
    for (int i = 0; i < count; ++i) push.send(large);
    push.close();
    const std::string words = why_not_at_last("1 closed socket not done: a PUSH with up to ");
    EXPECT_NE(std::string::npos, words.find("linger -1")) << words;
    for (int i = 0; i < count; ++i) EXPECT_EQ(large.size(), pull.recv().size());
    end();
}

TEST_F(ctx_term_test, goes_on_when_the_last_socket_is_closed)
{
    socket s = open(ZMQ_DEALER);
    s.set(ZMQ_RCVTIMEO, -1);
    std::thread owner([&] {
        EXPECT_FALSE(s.recv_frame());
        EXPECT_EQ(ETERM, zmq_errno());
        s.close();
    });
    end();
    owner.join();
}

TEST_F(ctx_term_test, does_not_give_up_before_the_time)
{
    socket s = open(ZMQ_DEALER);
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(EAGAIN, end_within(ctx_, 120));
    EXPECT_LE(std::chrono::milliseconds(120), std::chrono::steady_clock::now() - begun);
    s.close();
    end();
}

TEST_F(ctx_term_test, is_interrupted_by_a_signal)
{
    socket s = open(ZMQ_DEALER);
    struct sigaction action {
    }, before{};
    action.sa_handler = [](int) {};
    ASSERT_EQ(0, ::sigaction(SIGUSR1, &action, &before));
    std::atomic<pid_t> id{0};
    const auto wait = [&] {
        id = ::gettid();
        return end_within(ctx_, -1);
    };
    std::atomic<int> error{0};
    std::thread waiting([&] { error = wait(); });
    ASSERT_TRUE(comes_to_sleep(id));
    while (error == 0) {
        ::pthread_kill(waiting.native_handle(), SIGUSR1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    waiting.join();
    EXPECT_EQ(EINTR, error);
    ::sigaction(SIGUSR1, &before, nullptr);
    s.close();
    end();
}

TEST_F(ctx_term_test, refuses_what_is_no_context)
{
    EXPECT_EQ(EFAULT, end_within(nullptr, 0));
    socket s = open(ZMQ_DEALER);
    EXPECT_EQ(EFAULT, end_within(s, 0));
    s.close();
    end();
}

}  // namespace
}  // namespace zlink::test
