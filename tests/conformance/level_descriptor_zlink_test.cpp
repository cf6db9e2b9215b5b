// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZLINK_FD: readable while a receive would succeed. Event loops here sleep on the descriptor alone.

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

namespace zlink::test {
namespace {

using zlink::test::socket;

/// The descriptor of a socket, looked at as an event loop does, without a call on the socket.
class level {
public:
    explicit level(socket& s) : fd_(s.get_int(ZLINK_FD)) { EXPECT_LE(0, fd_); }

    bool is_up(int timeout_ms = 0) const
    {
        pollfd item{fd_, POLLIN, 0};
        return ::poll(&item, 1, timeout_ms) == 1 && (item.revents & POLLIN) != 0;
    }
    bool comes_up() const { return is_up(patience_ms); }
    int fd() const { return fd_; }

private:
    int fd_;
};

/// Receives without waiting: 0, or the errno.
int try_recv(socket& s, std::string* body = nullptr)
{
    const auto got = s.recv_frame(ZMQ_DONTWAIT);
    if (!got) return zmq_errno();
    if (body != nullptr) *body = *got;
    return 0;
}

/// Nothing is there. Another thread may be about to bring it up for something that has been received already: then the
/// next receive brings it down.
void expect_down(const level& l, socket& s, const place& where = place::current())
{
    const bool down = eventually([&] {
        if (!l.is_up()) return true;
        const int e = try_recv(s);
        return e != EAGAIN && e != EFSM && e != ENOTSUP;
    });
    if (!down || l.is_up()) ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "up for no message";
}

class level_descriptor_test : public zmq_test, public testing::WithParamInterface<const char*> {
protected:
    static std::string endpoint()
    {
        return std::string_view(GetParam()) == "inproc" ? unique_inproc() : std::string(GetParam());
    }
    /// Of a socket that has nothing to receive. What has raised it so far is not a message.
    static level quiet(socket& s)
    {
        const level l(s);
        while (l.is_up()) EXPECT_EQ(EAGAIN, try_recv(s));
        return l;
    }
};

INSTANTIATE_TEST_SUITE_P(transports, level_descriptor_test, testing::Values("inproc", "tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

TEST_P(level_descriptor_test, is_up_while_there_are_messages)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(endpoint()));
    const level l(pull);
    push.send("first");
    ASSERT_TRUE(l.comes_up());
    std::string body;
    while (try_recv(pull, &body) != 0) ASSERT_TRUE(l.comes_up()) << "for another reason";
    EXPECT_EQ("first", body);
    expect_down(l, pull);
    for (const char* text : {"a", "b", "c"}) push.send(text);
    for (const char* text : {"a", "b", "c"}) {
        while (try_recv(pull, &body) != 0) ASSERT_TRUE(l.comes_up());
        EXPECT_EQ(text, body);
    }
    expect_down(l, pull);
    EXPECT_EQ(EAGAIN, try_recv(pull));
    expect_down(l, pull);
}

TEST_P(level_descriptor_test, stays_up_after_a_part_of_what_is_there)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(endpoint()));
    push.send("one");
    push.send("two");
    push.send("three");
    ASSERT_TRUE(eventually([&] {
        zlink_stats_t stats{};
        stats.size = sizeof stats;
        return zlink_socket_stats(pull, &stats) == 0 && (pull.get_int(ZMQ_EVENTS) & ZMQ_POLLIN) != 0 &&
               stats.messages.messages_queued_in == 3;
    }));
    const level l(pull);
    EXPECT_TRUE(l.is_up());
    EXPECT_EQ("one", pull.recv());
    EXPECT_TRUE(l.is_up());
    EXPECT_EQ("two", pull.recv());
    EXPECT_TRUE(l.is_up());
    EXPECT_EQ("three", pull.recv());
    expect_down(l, pull);
}

TEST_P(level_descriptor_test, parts_that_are_left_count)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(endpoint()));
    const level l = quiet(pull);
    push.send_parts({"head", "body", "tail"});
    std::string body;
    while (try_recv(pull, &body) != 0) ASSERT_TRUE(l.comes_up());
    EXPECT_EQ("head", body);
    EXPECT_TRUE(l.is_up());
    EXPECT_EQ("body", pull.recv());
    EXPECT_TRUE(l.is_up());
    EXPECT_EQ("tail", pull.recv());
    expect_down(l, pull);
}

TEST_P(level_descriptor_test, a_message_that_does_not_fit_is_still_there)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(endpoint()));
    const level l = quiet(pull);
    push.send_parts({"a", "b"});
    std::array<zmq_msg_t, 2> parts;
    for (zmq_msg_t& part : parts) zmq_msg_init(&part);
    std::size_t count = 1;
    while (zlink_recv_parts(pull, parts.data(), &count, ZMQ_DONTWAIT) == -1 && zmq_errno() == EAGAIN) {
        ASSERT_TRUE(l.comes_up());
        count = 1;
    }
    EXPECT_EQ(EMSGSIZE, zmq_errno());
    EXPECT_TRUE(l.is_up());
    count = 2;
    EXPECT_EQ(0, zlink_recv_parts(pull, parts.data(), &count, ZMQ_DONTWAIT));
    expect_down(l, pull);
    push.send("c");
    push.send("d");
    for (std::size_t got = 0; got != 2;) {
        ASSERT_TRUE(l.comes_up());
        count = 2 - got;
        if (zlink_recv_many(pull, parts.data(), &count, ZMQ_DONTWAIT) > 0) got += count;
    }
    expect_down(l, pull);
    for (zmq_msg_t& part : parts) zmq_msg_close(&part);
}

// As asyncio's add_reader() and other loops do that hear of a state again and again.
TEST_P(level_descriptor_test, a_loop_may_take_one_message_a_turn)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(endpoint()));
    const level l(pull);
    constexpr int messages = 2000;
    std::thread sender([&] {
        for (int i = 0; i < messages; ++i) {
            push.send(std::to_string(i));
            if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    for (int next = 0; next < messages && !HasFailure();) {
        EXPECT_TRUE(l.comes_up()) << next;
        std::string body;
        if (try_recv(pull, &body) == 0) {
            EXPECT_EQ(std::to_string(next), body);
            ++next;
        }
    }
    sender.join();
    expect_down(l, pull);
}

TEST_P(level_descriptor_test, a_loop_that_is_told_of_each_change_once_drains)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(endpoint()));
    const int set = ::epoll_create1(EPOLL_CLOEXEC);
    epoll_event each_change{};
    each_change.events = EPOLLIN | EPOLLET;
    ASSERT_EQ(0, ::epoll_ctl(set, EPOLL_CTL_ADD, pull.get_int(ZLINK_FD), &each_change));
    constexpr int messages = 2000;
    std::thread sender([&] {
        for (int i = 0; i < messages; ++i) {
            push.send(std::to_string(i));
            if (i % 7 == 0) std::this_thread::yield();
        }
    });
    for (int next = 0; next < messages && !HasFailure();) {
        std::string body;
        int e = try_recv(pull, &body);
        for (; e == 0; e = try_recv(pull, &body)) EXPECT_EQ(std::to_string(next++), body);
        EXPECT_EQ(EAGAIN, e);
        if (next == messages) break;
        epoll_event told;
        EXPECT_EQ(1, ::epoll_wait(set, &told, 1, patience_ms)) << next;
    }
    sender.join();
    ::close(set);
}

TEST_P(level_descriptor_test, select_sees_it)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(endpoint()));
    const level l = quiet(pull);
    const auto selected = [&](long seconds) {
        fd_set readable;
        FD_ZERO(&readable);
        FD_SET(l.fd(), &readable);
        timeval time{seconds, 0};
        return ::select(l.fd() + 1, &readable, nullptr, nullptr, &time);
    };
    EXPECT_EQ(0, selected(0));
    push.send("x");
    EXPECT_EQ(1, selected(patience_ms / 1000));
}

// Several senders, so that lanes come and go at the fair queue.
TEST_P(level_descriptor_test, many_peers_are_heard)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    const std::string bound = router.bind(endpoint());
    const level l(router);
    constexpr int peers = 5, rounds = 50;
    std::vector<socket> dealers;
    for (int i = 0; i < peers; ++i) {
        dealers.push_back(ctx_.open(ZMQ_DEALER));
        dealers.back().connect(bound);
    }
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
        for (int i = 0; i <= round % peers; ++i) dealers[std::size_t(i)].send("x");
        for (int frames = 0; frames < 2 * (round % peers + 1) && !HasFailure();) {
            EXPECT_TRUE(l.comes_up()) << round;
            if (try_recv(router) == 0) ++frames;
        }
        expect_down(l, router);
    }
}

TEST_P(level_descriptor_test, publishers_that_come_later_are_subscribed_to)
{
    socket sub = ctx_.open(ZMQ_SUB), pub = ctx_.open(ZMQ_XPUB);
    sub.subscribe("a");
    const std::string bound = sub.bind(endpoint());
    const level l(sub);
    pub.connect(bound);
    // The loop hears of the publisher, and its receive subscribes.
    while (!pub.readable(1)) {
        if (l.is_up()) {
            EXPECT_EQ(EAGAIN, try_recv(sub));
        }
    }
    pub.recv();
    pub.send("b: not for it");
    pub.send("a: for it");
    std::string body;
    while (try_recv(sub, &body) != 0) ASSERT_TRUE(l.comes_up());
    EXPECT_EQ("a: for it", body);
    expect_down(l, sub);
}

TEST_P(level_descriptor_test, a_rep_is_up_when_it_is_its_turn)
{
    socket rep = ctx_.open(ZMQ_REP), first = ctx_.open(ZMQ_REQ), second = ctx_.open(ZMQ_REQ);
    const std::string bound = rep.bind(endpoint());
    first.connect(bound);
    second.connect(bound);
    const level l = quiet(rep);
    first.send("one");
    while (try_recv(rep) != 0) ASSERT_TRUE(l.comes_up());
    second.send("two");
    // It may come up for what it cannot receive now, once.
    (void)l.is_up(100);
    EXPECT_EQ(EFSM, try_recv(rep));
    expect_down(l, rep);
    rep.send("answer");
    std::string body;
    while (try_recv(rep, &body) != 0) ASSERT_TRUE(l.comes_up());
    EXPECT_EQ("two", body);
    expect_down(l, rep);
    EXPECT_EQ("answer", first.recv());
}

TEST_P(level_descriptor_test, a_req_comes_up_for_its_reply)
{
    socket rep = ctx_.open(ZMQ_REP), req = ctx_.open(ZMQ_REQ);
    req.connect(rep.bind(endpoint()));
    const level l(req);
    for (int i = 0; i < 20 && !HasFailure(); ++i) {
        while (l.is_up()) EXPECT_EQ(EFSM, try_recv(req));
        req.send("question");
        EXPECT_EQ("question", rep.recv());
        rep.send("answer");
        int e = EAGAIN;
        while ((e = try_recv(req)) == EAGAIN && !HasFailure()) EXPECT_TRUE(l.comes_up());
        EXPECT_EQ(0, e);
        expect_down(l, req);
    }
}

TEST_P(level_descriptor_test, the_end_of_the_context_brings_it_up_for_good)
{
    socket pull = ctx_.open(ZMQ_PULL);
    pull.bind(endpoint());
    const level l = quiet(pull);
    ctx_.shutdown();
    EXPECT_TRUE(l.comes_up());
    EXPECT_EQ(ETERM, try_recv(pull));
    EXPECT_TRUE(l.is_up());
    EXPECT_EQ(ETERM, try_recv(pull));
    EXPECT_TRUE(l.is_up());
}

TEST_P(level_descriptor_test, other_ways_to_wait_and_zmq_fd_work_beside_it)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(endpoint()));
    const level l = quiet(pull);
    const int changes = pull.get_int(ZMQ_FD);
    EXPECT_NE(l.fd(), changes);
    EXPECT_EQ(l.fd(), pull.get_int(ZLINK_FD)) << "the same at each call";
    for (int i = 0; i < 20; ++i) {
        push.send("polled");
        EXPECT_TRUE(pull.readable(patience_ms));
        EXPECT_TRUE(l.is_up());
        EXPECT_EQ(ZMQ_POLLIN, pull.get_int(ZMQ_EVENTS));
        EXPECT_TRUE(l.is_up());
        EXPECT_EQ("polled", pull.recv());
        expect_down(l, pull);
        push.send("waited for");
        EXPECT_EQ("waited for", pull.recv());
        expect_down(l, pull);
        while (pull.get_int(ZMQ_EVENTS) != 0) ASSERT_FALSE(HasFailure());
        push.send("told");
        pollfd item{changes, POLLIN, 0};
        EXPECT_EQ(1, ::poll(&item, 1, patience_ms));
        EXPECT_EQ("told", pull.recv());
    }
}

TEST_P(level_descriptor_test, threads_that_share_the_socket_see_one_state)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    pull.set(ZLINK_SHARED, 1);
    push.connect(pull.bind(endpoint()));
    const level l = quiet(pull);
    constexpr int messages = 200;
    std::atomic<int> received{0};
    std::thread other([&] {
        while (received < messages) {
            if (zmq_recv(pull, nullptr, 0, ZMQ_DONTWAIT) != -1) ++received;
            std::this_thread::yield();
        }
    });
    std::thread sender([&] {
        for (int i = 0; i < messages; ++i) push.send("x");
    });
    while (received < messages) {
        if (l.is_up(1) && zmq_recv(pull, nullptr, 0, ZMQ_DONTWAIT) != -1) ++received;
    }
    other.join();
    sender.join();
    expect_down(l, pull);
    push.send("last");
    EXPECT_TRUE(l.comes_up());
}

TEST_P(level_descriptor_test, clients_and_servers_have_one)
{
    socket server = ctx_.open(ZMQ_SERVER), client = ctx_.open(ZMQ_CLIENT);
    client.connect(server.bind(endpoint()));
    const level at_server = quiet(server), at_client = quiet(client);
    for (int i = 0; i < 20; ++i) {
        client.send("question");
        zmq_msg_t message;
        zmq_msg_init(&message);
        while (zmq_msg_recv(&message, server, ZMQ_DONTWAIT) == -1) ASSERT_TRUE(at_server.comes_up());
        expect_down(at_server, server);
        EXPECT_NE(-1, zmq_msg_send(&message, server, 0));
        while (try_recv(client) != 0) ASSERT_TRUE(at_client.comes_up());
        expect_down(at_client, client);
    }
}

TEST_P(level_descriptor_test, of_a_socket_that_only_sends_it_goes_down_again)
{
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_SNDHWM, 1);
    const std::string bound = push.bind(endpoint());
    const level l(push);
    socket pull = ctx_.open(ZMQ_PULL);
    pull.connect(bound);
    for (int i = 0; i < 100; ++i) {
        push.send("x");
        EXPECT_EQ("x", pull.recv());
    }
    expect_down(l, push);
}

class level_descriptor_option_test : public zmq_test {};

TEST_F(level_descriptor_option_test, is_read_only_and_an_int)
{
    socket pull = ctx_.open(ZMQ_PULL);
    int value = 0;
    EXPECT_EQ(-1, zmq_setsockopt(pull, ZLINK_FD, &value, sizeof value));
    EXPECT_EQ(EINVAL, zmq_errno());
    std::size_t size = 2;
    EXPECT_EQ(-1, zmq_getsockopt(pull, ZLINK_FD, &value, &size));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST_F(level_descriptor_option_test, goes_with_the_socket)
{
    int fd = -1;
    {
        socket pull = ctx_.open(ZMQ_PULL);
        fd = pull.get_int(ZLINK_FD);
        EXPECT_EQ(FD_CLOEXEC, ::fcntl(fd, F_GETFD));
    }
    EXPECT_EQ(-1, ::fcntl(fd, F_GETFD));
}

// A publisher that pays no heed to subscriptions.
TEST_F(level_descriptor_option_test, a_message_of_no_subscription_brings_it_up_once_at_most)
{
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("wanted");
    const level l(sub);
    ASSERT_EQ(0, zmq_bind(sub, "tcp://127.0.0.1:*"));
    raw_peer pub = raw_peer::connect_to(sub.last_endpoint());
    pub.handshake(zmtp_version::v3_1, "PUB");
    for (int i = 0; i < 10; ++i) {
        pub.send_message({"something else"});
        if (l.is_up(20)) {
            EXPECT_EQ(EAGAIN, try_recv(sub));
        }
    }
    expect_down(l, sub);
    pub.send_message({"wanted"});
    std::string body;
    while (try_recv(sub, &body) != 0) ASSERT_TRUE(l.comes_up());
    EXPECT_EQ("wanted", body);
    expect_down(l, sub);
}

// The thread that receives keeps the read tokens of its connections for a while. Once there is a descriptor, the I/O
// threads have them.
TEST_F(level_descriptor_option_test, connections_that_the_thread_has_read_itself_are_seen)
{
    socket rep = ctx_.open(ZMQ_DEALER), req = ctx_.open(ZMQ_DEALER);
    ASSERT_EQ(0, zmq_bind(rep, "tcp://127.0.0.1:*"));
    req.connect(rep.last_endpoint());
    std::thread other([&] {
        for (int i = 0; i < 200; ++i) {
            EXPECT_EQ("x", req.recv());
            req.send("y");
        }
        EXPECT_EQ("last", req.recv());
        req.send("seen");
    });
    for (int i = 0; i < 200; ++i) {
        rep.send("x");
        EXPECT_EQ("y", rep.recv());
    }
    const level l(rep);
    rep.send("last");
    std::string body;
    while (try_recv(rep, &body) != 0 && !HasFailure()) EXPECT_TRUE(l.comes_up());
    EXPECT_EQ("seen", body);
    other.join();
}

TEST_F(level_descriptor_option_test, a_message_that_waits_when_it_is_asked_for_is_shown)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    push.send("x");
    EXPECT_TRUE(level(pull).is_up());
    EXPECT_EQ("x", pull.recv());
    EXPECT_FALSE(level(pull).is_up());
}

// Over inproc in one thread, where no other thread brings news.
TEST_F(level_descriptor_option_test, is_up_exactly_while_a_receive_would_succeed)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    EXPECT_EQ(EAGAIN, try_recv(pull));
    const level l(pull);
    for (int round = 0; round < 200; ++round) {
        ASSERT_FALSE(l.is_up()) << round;
        for (int i = 0; i <= round % 3; ++i) push.send("x");
        for (int i = 0; i <= round % 3; ++i) {
            ASSERT_TRUE(l.is_up()) << round;
            ASSERT_EQ("x", pull.recv());
        }
    }
}

TEST_F(level_descriptor_option_test, the_newest_message_alone_is_there)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    pull.set(ZMQ_CONFLATE, 1);
    push.set(ZMQ_CONFLATE, 1);
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    const level l(pull);
    std::string body;
    push.send("1");
    while (try_recv(pull, &body) != 0) ASSERT_TRUE(l.comes_up());
    for (int i = 2; i <= 50; ++i) push.send(std::to_string(i));
    while (body != "50" && !HasFailure()) {
        EXPECT_TRUE(l.comes_up());
        (void)try_recv(pull, &body);
    }
    expect_down(l, pull);
}

}  // namespace
}  // namespace zlink::test
