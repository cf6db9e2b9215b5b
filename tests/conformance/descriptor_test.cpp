// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMQ_FD in an event loop that is told of each change once. Whatever call changes what a socket is ready for, the loop
// hears of it.
#include "support/zmq_fixture.hpp"

#include <sys/epoll.h>
#include <unistd.h>

namespace zlink::test {
namespace {

// Watches a socket's descriptor, as such a loop does.
class edges {
public:
    explicit edges(socket& s) : socket_(s), set_(::epoll_create1(EPOLL_CLOEXEC))
    {
        epoll_event each_time{};
        each_time.events = EPOLLIN | EPOLLET;
        EXPECT_EQ(0, ::epoll_ctl(set_, EPOLL_CTL_ADD, s.get_int(ZMQ_FD), &each_time));
    }
    ~edges() { ::close(set_); }
    edges(const edges&) = delete;
    edges& operator=(const edges&) = delete;

    bool comes(int timeout_ms)
    {
        epoll_event told;
        return ::epoll_wait(set_, &told, 1, timeout_ms) == 1;
    }

    // Looks at the socket until it is ready for nothing and the descriptor is quiet.
    void settle()
    {
        do {
            EXPECT_EQ(0, socket_.get_int(ZMQ_EVENTS));
        } while (comes(0));
    }

    // Whether the loop, which sleeps now, comes to know that the socket is ready for `events`.
    bool tell(int events)
    {
        while (comes(patience_ms / 5)) {
            if ((socket_.get_int(ZMQ_EVENTS) & events) == events) return true;
        }
        return false;
    }

private:
    socket& socket_;
    int set_;
};

// A port that nobody listens at.
std::string free_endpoint(context& ctx)
{
    socket s = ctx.open(ZMQ_PAIR);
    return s.bind("tcp://127.0.0.1:*");
}

class descriptor_test : public zmq_test {};

TEST_F(descriptor_test, tells_of_room_that_a_connect_made)
{
    const temp_directory directory;
    const std::string endpoints[] = {free_endpoint(ctx_), "ipc://" + directory.file("nobody"), unique_inproc()};
    for (const std::string& endpoint : endpoints) {
        for (const int type : {ZMQ_PUSH, ZMQ_DEALER, ZMQ_REQ, ZMQ_PAIR}) {
            socket s = ctx_.open(type);
            edges loop(s);
            loop.settle();
            s.connect(endpoint);
            EXPECT_TRUE(loop.tell(ZMQ_POLLOUT)) << endpoint << ", type " << type;
        }
    }
}

TEST_F(descriptor_test, tells_of_a_peer_that_had_been_waiting_for_the_bind)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    const std::string endpoint = unique_inproc();
    pull.connect(endpoint);
    edges loop(push);
    loop.settle();
    push.bind(endpoint);
    EXPECT_TRUE(loop.tell(ZMQ_POLLOUT));
}

TEST_F(descriptor_test, tells_of_a_peer_that_comes_when_another_has_gone)
{
    for (const std::string& endpoint : {unique_inproc(), std::string("tcp://127.0.0.1:*")}) {
        socket push = ctx_.open(ZMQ_PUSH);
        const std::string bound = push.bind(endpoint);
        edges loop(push);
        for (int i = 0; i < 3; ++i) {
            loop.settle();
            socket pull = ctx_.open(ZMQ_PULL);
            pull.connect(bound);
            EXPECT_TRUE(loop.tell(ZMQ_POLLOUT)) << bound << " " << i;
            pull.close();
            while (push.get_int(ZMQ_EVENTS) != 0) ASSERT_TRUE(loop.comes(patience_ms));
        }
    }
}

TEST_F(descriptor_test, tells_of_room_that_a_higher_mark_made)
{
    for (const std::string& endpoint : {unique_inproc(), free_endpoint(ctx_)}) {
        socket push = ctx_.open(ZMQ_PUSH);
        push.set(ZMQ_SNDHWM, 1);
        edges loop(push);
        push.connect(endpoint);
        while (push.try_send("x") == 0) {
        }
        loop.settle();
        push.set(ZMQ_SNDHWM, 10);
        EXPECT_TRUE(loop.tell(ZMQ_POLLOUT)) << endpoint;
    }
}

TEST_F(descriptor_test, tells_of_what_an_option_allows)
{
    socket req = ctx_.open(ZMQ_REQ), rep = ctx_.open(ZMQ_REP);
    req.connect(rep.bind(unique_inproc()));
    edges loop(req);
    req.send("question");
    loop.settle();
    req.set(ZMQ_REQ_RELAXED, 1);
    EXPECT_TRUE(loop.tell(ZMQ_POLLOUT));

    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    edges routers_loop(router);
    routers_loop.settle();
    router.set(ZMQ_ROUTER_MANDATORY, 0);
    EXPECT_TRUE(routers_loop.tell(ZMQ_POLLOUT));
}

// Each of these calls may take in what the descriptor has told of, before the loop gets to it.
TEST_F(descriptor_test, tells_of_a_message_though_another_call_came_first)
{
    socket sub = ctx_.open(ZMQ_SUB), pub = ctx_.open(ZMQ_XPUB);
    sub.subscribe("");
    const std::string endpoint = pub.bind(unique_inproc());
    sub.connect(endpoint);
    EXPECT_EQ(std::string(1, '\1'), pub.recv());
    edges loop(sub);
    const std::function<void()> calls[] = {
        [&] { sub.subscribe("more"); },
        [&] { (void)sub.get_int(ZMQ_TOPICS_COUNT); },
        [&] { sub.bind("tcp://127.0.0.1:*"); },
        [&] { sub.connect(unique_inproc()); },
        [&] { EXPECT_EQ(-1, zmq_disconnect(sub, "inproc://nobody-knows")); },
        [&] { sub.set(ZMQ_RCVHWM, 500); },
    };
    for (const auto& call : calls) {
        loop.settle();
        pub.send("news");
        call();
        EXPECT_TRUE(loop.tell(ZMQ_POLLIN)) << "call " << &call - calls;
        EXPECT_EQ("news", sub.recv());
        (void)pub.drain();
    }
}

}  // namespace
}  // namespace zlink::test
