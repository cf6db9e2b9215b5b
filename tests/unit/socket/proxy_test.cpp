// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Proxies: what passes, what capture sees, and how a run is commanded and ends.
#include "socket/proxy.hpp"

#include "socket/context.hpp"
#include "socket/socket.hpp"
#include "unit/socket/whole_messages.hpp"

#include <zmq.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

namespace zlink::socket {
namespace {

using test::frames;
using test::next;
using numbers = std::vector<std::uint64_t>;

constexpr int patience_ms = 20'000;

class proxy_test : public testing::Test {
protected:
    ~proxy_test() override
    {
        // Ends a run that a failed test has left.
        if (running_.valid()) {
            context_->shutdown();
            running_.wait();
        }
        for (socket* s : sockets_) s->close();
        EXPECT_EQ(errc::none, context_->terminate());
    }

    struct joint {
        socket* inner;  ///< the proxy's
        socket* outer;
    };

    joint join(int inner, int outer)
    {
        const joint j{open(inner), open(outer)};
        const std::string endpoint = "inproc://" + std::to_string(sockets_.size());
        EXPECT_EQ(errc::none, j.inner->bind(endpoint));
        EXPECT_EQ(errc::none, j.outer->connect(endpoint));
        return j;
    }

    void run(socket* front, socket* back, socket* capture, socket* control)
    {
        running_ = std::async(std::launch::async, [=] { return proxy(*front, *back, capture, control).run(); });
    }

    errc outcome()
    {
        if (running_.wait_for(std::chrono::milliseconds(patience_ms)) != std::future_status::ready) {
            return errc::timed_out;
        }
        return running_.get();
    }

    static void send(socket* s, const frames& all)
    {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto* data = reinterpret_cast<const std::byte*>(all[i].data());
            EXPECT_EQ(errc::none, s->send({data, all[i].size(), i + 1 < all.size()}, false));
        }
    }

    /// Asks for them; the commands before have been obeyed once they are here.
    static numbers statistics(socket* control)
    {
        send(control, {"STATISTICS"});
        frames answer = next(control);
        while (answer == frames{""}) answer = next(control);  // of a command before
        numbers all;
        for (const std::string& f : answer) {
            std::uint64_t n = 0;
            EXPECT_EQ(sizeof n, f.size());
            std::memcpy(&n, f.data(), std::min(sizeof n, f.size()));
            all.push_back(n);
        }
        return all;
    }

    context* context_ = context::create();
    std::future<errc> running_;

private:
    socket* open(int type)
    {
        const auto opened = context_->open_socket(type);
        if (!opened) throw std::runtime_error("no socket");
        socket* s = sockets_.emplace_back(*opened);
        for (const int option : {ZMQ_RCVTIMEO, ZMQ_SNDTIMEO}) {
            EXPECT_EQ(errc::none, s->set(option, &patience_ms, sizeof patience_ms));
        }
        s->set_linger(0);
        return s;
    }

    std::vector<socket*> sockets_;
};

TEST_F(proxy_test, passes_whole_messages_both_ways_with_a_copy_to_capture)
{
    const joint front = join(ZMQ_PAIR, ZMQ_PAIR);
    const joint back = join(ZMQ_PAIR, ZMQ_PAIR);
    const joint capture = join(ZMQ_PUSH, ZMQ_PULL);
    run(front.inner, back.inner, capture.inner, nullptr);
    const frames down{"a", "", std::string(100'000, 'b')};
    const frames up{"", "c"};
    send(front.outer, down);
    EXPECT_EQ(down, next(back.outer));
    EXPECT_EQ(down, next(capture.outer));
    send(back.outer, up);
    EXPECT_EQ(up, next(front.outer));
    EXPECT_EQ(up, next(capture.outer));
}

TEST_F(proxy_test, both_sides_may_be_one_socket)
{
    const joint both = join(ZMQ_ROUTER, ZMQ_DEALER);
    const joint control = join(ZMQ_PAIR, ZMQ_PAIR);
    run(both.inner, both.inner, nullptr, control.inner);
    for (const char* text : {"one", "two", "three"}) {
        send(both.outer, {text, "more"});
        EXPECT_EQ((frames{text, "more"}), next(both.outer));
    }
    send(control.outer, {"TERMINATE"});
    EXPECT_EQ(errc::none, outcome());
}

TEST_F(proxy_test, passes_nothing_while_it_is_paused)
{
    const joint front = join(ZMQ_PULL, ZMQ_PUSH);
    const joint back = join(ZMQ_PUSH, ZMQ_PULL);
    const joint control = join(ZMQ_PAIR, ZMQ_PAIR);
    run(front.inner, back.inner, nullptr, control.inner);
    send(control.outer, {"PAUSE"});
    EXPECT_EQ(numbers(8, 0), statistics(control.outer));
    send(front.outer, {"kept"});
    EXPECT_EQ(numbers(8, 0), statistics(control.outer));
    EXPECT_EQ(frames{}, next(back.outer, true));
    send(control.outer, {"RESUME"});
    EXPECT_EQ(frames{"kept"}, next(back.outer));
    // A paused proxy obeys TERMINATE too.
    send(control.outer, {"PAUSE"});
    send(control.outer, {"TERMINATE"});
    EXPECT_EQ(errc::none, outcome());
}

TEST_F(proxy_test, counts_parts_and_octets_of_each_side)
{
    const joint front = join(ZMQ_PAIR, ZMQ_PAIR);
    const joint back = join(ZMQ_PAIR, ZMQ_PAIR);
    const joint control = join(ZMQ_PAIR, ZMQ_PAIR);
    run(front.inner, back.inner, nullptr, control.inner);
    for (int i = 0; i < 3; ++i) {
        send(front.outer, {"12", "345"});
        EXPECT_EQ((frames{"12", "345"}), next(back.outer));
    }
    send(back.outer, {"1234567"});
    EXPECT_EQ(frames{"1234567"}, next(front.outer));
    // Front: received, sent; back: received, sent.
    EXPECT_EQ((numbers{6, 15, 1, 7, 1, 7, 6, 15}), statistics(control.outer));
}

TEST_F(proxy_test, answers_each_command_of_a_requester)
{
    const joint front = join(ZMQ_PULL, ZMQ_PUSH);
    const joint back = join(ZMQ_PUSH, ZMQ_PULL);
    const joint control = join(ZMQ_REP, ZMQ_REQ);
    run(front.inner, back.inner, nullptr, control.inner);
    // The last two are no commands.
    for (const frames& command : {frames{"PAUSE"}, {"RESUME"}, {"terminate"}, {"stop", ""}}) {
        send(control.outer, command);
        EXPECT_EQ(frames{""}, next(control.outer)) << command[0];
    }
    send(front.outer, {"still there"});
    EXPECT_EQ(frames{"still there"}, next(back.outer));
    EXPECT_EQ((numbers{1, 11, 0, 0, 0, 0, 1, 11}), statistics(control.outer));
    send(control.outer, {"TERMINATE"});
    EXPECT_EQ(frames{""}, next(control.outer));
    EXPECT_EQ(errc::none, outcome());
}

TEST_F(proxy_test, ends_with_the_context_and_says_so)
{
    const joint front = join(ZMQ_PULL, ZMQ_PUSH);
    const joint back = join(ZMQ_PUSH, ZMQ_PULL);
    run(front.inner, back.inner, nullptr, nullptr);
    send(front.outer, {"it runs"});
    EXPECT_EQ(frames{"it runs"}, next(back.outer));
    context_->shutdown();
    EXPECT_EQ(errc::terminated, outcome());
}

}  // namespace
}  // namespace zlink::socket
