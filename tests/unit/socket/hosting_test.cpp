// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A hosted context: its steps, who is told, and its end.
#include "socket/hosting.hpp"

#include "message/frame.hpp"
#include "socket/context.hpp"
#include "socket/socket.hpp"

#include <zmq.h>

#include <gtest/gtest.h>

#include <poll.h>

#include <chrono>
#include <optional>
#include <string>

namespace zlink::socket {
namespace {

using namespace std::chrono_literals;

class hosting_test : public testing::Test {
protected:
    hosting_test()
    {
        auto made =
            context::create_hosted({this, [](void* self) noexcept { ++static_cast<hosting_test*>(self)->opened_; }});
        EXPECT_TRUE(made);
        context_ = *made;
    }
    ~hosting_test() override
    {
        if (context_) (void)context_->drop();
    }
    [[nodiscard]] socket& make(int type)
    {
        auto s = context_->open_socket(type);
        EXPECT_TRUE(s);
        return **s;
    }
    [[nodiscard]] bool readable(std::chrono::milliseconds at_most)
    {
        pollfd fd{context_->hosted()->descriptor(), POLLIN, 0};
        return ::poll(&fd, 1, int(at_most.count())) == 1;
    }
    /// Until there is nothing to do. False: nothing lives any more.
    bool step()
    {
        while (true) {
            const auto pause = context_->step(1ms);
            if (!pause) return false;
            if (pause->count() > 0) return true;
        }
    }

    context* context_ = nullptr;
    int opened_ = 0;
};

TEST_F(hosting_test, host_is_told_of_sockets_and_of_their_end)
{
    EXPECT_FALSE(step()) << "nothing lives in it";
    EXPECT_EQ(0, opened_);
    socket& s = make(ZMQ_PAIR);
    EXPECT_EQ(1, opened_);
    EXPECT_TRUE(step());
    EXPECT_FALSE(readable(0ms));
    s.close();
    EXPECT_TRUE(readable(0ms)) << "the last one has gone";
    EXPECT_FALSE(step());
}

TEST_F(hosting_test, calls_that_wait_make_steps)
{
    socket &bound = make(ZMQ_PAIR), &connected = make(ZMQ_PAIR);
    EXPECT_EQ(errc::none, bound.bind("tcp://127.0.0.1:*"));
    char endpoint[100];
    std::size_t size = sizeof endpoint;
    EXPECT_EQ(errc::none, bound.get(ZMQ_LAST_ENDPOINT, endpoint, &size));
    EXPECT_EQ(errc::none, connected.connect(endpoint));
    {
        const waits_by_steps stepping(context_->hosted());
        EXPECT_NE(nullptr, runtime::driver::of_this_thread());
        const waits_by_steps once_more(context_->hosted());
    }
    EXPECT_EQ(nullptr, runtime::driver::of_this_thread());
    const waits_by_steps without_effect(nullptr);
    EXPECT_EQ(nullptr, runtime::driver::of_this_thread());
    bound.close();
    connected.close();
}

// An event loop that waits for the descriptor has to learn what such a call has left behind.
TEST_F(hosting_test, end_of_the_last_one_in_a_call_is_told)
{
    socket& s = make(ZMQ_PAIR);
    EXPECT_TRUE(step());
    {
        const waits_by_steps stepping(context_->hosted());
        s.close();
        (void)runtime::driver::of_this_thread()->step({});
    }
    EXPECT_TRUE(readable(0ms));
}

TEST_F(hosting_test, drop_leaves_an_open_socket_for_later)
{
    socket& s = make(ZMQ_PAIR);
    EXPECT_EQ(0U, context_->drop());
    context_ = nullptr;
    EXPECT_EQ(errc::terminated, s.bind("tcp://127.0.0.1:*"));
    s.close();
    auto other = context::create_hosted({});
    ASSERT_TRUE(other);
    EXPECT_EQ(0U, (*other)->drop()) << "and ends that one";
}

TEST_F(hosting_test, terminate_makes_steps)
{
    make(ZMQ_PAIR).close();
    EXPECT_EQ(errc::none, context_->terminate());
    context_ = nullptr;
}

TEST(hosting_of_others_test, context_with_threads_is_not_hosted)
{
    context* const c = context::create();
    EXPECT_EQ(nullptr, c->hosted());
    EXPECT_EQ(errc::none, c->terminate());
}

}  // namespace
}  // namespace zlink::socket
