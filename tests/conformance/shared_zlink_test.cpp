// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets that threads share (ZLINK_SHARED), whole messages, and peers that are named to be let go.
#include "support/sleeping_thread.hpp"
#include "support/whole_message.hpp"
#include "support/zmq_fixture.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

using namespace std::string_literals;

int outcome(int result)
{
    return result >= 0 ? 0 : zmq_errno();
}

socket shared(socket s)
{
    s.set(ZLINK_SHARED, 1);
    return s;
}

class shared_test : public zmq_test {};

TEST_F(shared_test, is_set_before_bind_connect_and_descriptor_and_stays)
{
    socket s = ctx_.open(ZMQ_DEALER);
    const int on = 1, off = 0, odd = 2;
    EXPECT_EQ(0, s.get_int(ZLINK_SHARED));
    EXPECT_EQ(0, s.get_int(ZMQ_THREAD_SAFE));
    EXPECT_EQ(0, outcome(zmq_setsockopt(s, ZLINK_SHARED, &off, sizeof off)));
    EXPECT_EQ(EINVAL, outcome(zmq_setsockopt(s, ZLINK_SHARED, &odd, sizeof odd)));
    EXPECT_EQ(EINVAL, outcome(zmq_setsockopt(s, ZLINK_SHARED, &on, 1)));
    EXPECT_EQ(EINVAL, outcome(zmq_setsockopt(s, ZLINK_SHARED, nullptr, 0)));
    EXPECT_EQ(0, outcome(zmq_setsockopt(s, ZLINK_SHARED, &on, sizeof on)));
    EXPECT_EQ(1, s.get_int(ZLINK_SHARED));
    EXPECT_EQ(1, s.get_int(ZMQ_THREAD_SAFE));
    EXPECT_EQ(0, outcome(zmq_setsockopt(s, ZLINK_SHARED, &on, sizeof on)));
    EXPECT_EQ(EINVAL, outcome(zmq_setsockopt(s, ZLINK_SHARED, &off, sizeof off)));

    socket bound = ctx_.open(ZMQ_DEALER);
    bound.bind(unique_inproc());
    EXPECT_EQ(EINVAL, outcome(zmq_setsockopt(bound, ZLINK_SHARED, &on, sizeof on)));
    socket connected = ctx_.open(ZMQ_DEALER);
    connected.connect(unique_inproc());
    EXPECT_EQ(EINVAL, outcome(zmq_setsockopt(connected, ZLINK_SHARED, &on, sizeof on)));
    socket watched = ctx_.open(ZMQ_DEALER);
    (void)watched.get_int(ZMQ_FD);
    EXPECT_EQ(EINVAL, outcome(zmq_setsockopt(watched, ZLINK_SHARED, &on, sizeof on)));
}

TEST_F(shared_test, more_parts_and_a_descriptor_are_invalid)
{
    socket s = shared(ctx_.open(ZMQ_DEALER));
    s.bind(unique_inproc());
    EXPECT_EQ(EINVAL, outcome(zmq_send(s, "a", 1, ZMQ_SNDMORE)));
    EXPECT_EQ(EINVAL, outcome(zmq_send_const(s, "a", 1, ZMQ_SNDMORE)));
    message_array one(1);
    EXPECT_EQ(EINVAL, outcome(zmq_msg_send(one.data(), s, ZMQ_SNDMORE)));
    EXPECT_EQ(EINVAL, outcome(zlink_send_parts(s, one.data(), 1, ZMQ_SNDMORE)));
    int fd = -1;
    std::size_t size = sizeof fd;
    EXPECT_EQ(EINVAL, outcome(zmq_getsockopt(s, ZMQ_FD, &fd, &size)));
}

// All calls, on a shared handle in use, and on it when it is closed.
TEST_F(shared_test, every_call_does_what_it_does_and_a_closed_handle_is_none)
{
    const std::string where = unique_inproc();
    socket peer = ctx_.open(ZMQ_ROUTER);
    socket s = shared(ctx_.open(ZMQ_DEALER));
    message_array one(1);
    char octet = 'x';
    int value = 0;
    std::size_t size = sizeof value, count = 1;
    iovec piece{&octet, 1};
    void* const handle = s;
    const auto every = [&](auto&& check) {
        const auto run = [&](const char* name, int expected, int result) { check(name, expected, outcome(result)); };
        run("zmq_bind", 0, zmq_bind(handle, where.c_str()));
        run("zmq_unbind", 0, zmq_unbind(handle, where.c_str()));
        run("zmq_connect", 0, zmq_connect(handle, "inproc://nobody"));
        run("zmq_disconnect", 0, zmq_disconnect(handle, "inproc://nobody"));
        run("zmq_setsockopt", 0, zmq_setsockopt(handle, ZMQ_LINGER, &value, sizeof value));
        run("zmq_getsockopt", 0, zmq_getsockopt(handle, ZMQ_EVENTS, &value, &(size = sizeof value)));
        value = 0;
        run("zmq_send", EAGAIN, zmq_send(handle, "a", 1, ZMQ_DONTWAIT));
        run("zmq_send_const", EAGAIN, zmq_send_const(handle, "a", 1, ZMQ_DONTWAIT));
        run("zmq_recv", EAGAIN, zmq_recv(handle, &octet, 1, ZMQ_DONTWAIT));
        run("zmq_msg_send", EAGAIN, zmq_msg_send(one.data(), handle, ZMQ_DONTWAIT));
        run("zmq_msg_recv", EAGAIN, zmq_msg_recv(one.data(), handle, ZMQ_DONTWAIT));
        run("zmq_sendmsg", EAGAIN, zmq_sendmsg(handle, one.data(), ZMQ_DONTWAIT));
        run("zmq_recvmsg", EAGAIN, zmq_recvmsg(handle, one.data(), ZMQ_DONTWAIT));
        run("zmq_sendiov", EAGAIN, zmq_sendiov(handle, &piece, 1, ZMQ_DONTWAIT));
        run("zmq_recviov", EAGAIN, zmq_recviov(handle, &piece, &(count = 1), ZMQ_DONTWAIT));
        run("zlink_send_parts", EAGAIN, zlink_send_parts(handle, one.data(), 1, ZMQ_DONTWAIT));
        run("zlink_recv_parts", EAGAIN, zlink_recv_parts(handle, one.data(), &(count = 1), ZMQ_DONTWAIT));
        run("zlink_send_many", EAGAIN, zlink_send_many(handle, one.data(), 1, ZMQ_DONTWAIT));
        run("zlink_recv_many", EAGAIN, zlink_recv_many(handle, one.data(), &(count = 1), ZMQ_DONTWAIT));
        run("zlink_disconnect_peer", ENOTSUP, zlink_disconnect_peer(handle, "a", 1));
        run("zmq_socket_monitor", 0, zmq_socket_monitor(handle, nullptr, 0));
        run("zlink_socket_monitor", 0, zlink_socket_monitor(handle, nullptr, 0, 0));
        zmq_pollitem_t item{handle, -1, ZMQ_POLLIN, 0};
        run("zmq_poll", 0, zmq_poll(&item, 1, 0));
    };
    every([](const char* name, int expected, int got) { EXPECT_EQ(expected, got) << name; });
    s.close();
    every([](const char* name, int, int got) { EXPECT_EQ(ENOTSOCK, got) << name; });
    EXPECT_EQ(ENOTSOCK, outcome(zmq_close(handle)));
}

TEST_F(shared_test, an_old_handle_does_not_become_a_socket_of_one_thread)
{
    for (const bool from_the_start : {true, false}) {
        socket s = from_the_start ? ctx_.open(ZMQ_CLIENT) : shared(ctx_.open(ZMQ_DEALER));
        void* const old = s;
        s.close();
        std::vector<socket> others;
        for (int i = 0; i < 8; ++i) EXPECT_NE(old, static_cast<void*>(others.emplace_back(ctx_.open(ZMQ_DEALER))));
        char octet;
        EXPECT_EQ(ENOTSOCK, outcome(zmq_recv(old, &octet, 1, ZMQ_DONTWAIT)));
    }
}

TEST_F(shared_test, a_message_of_several_parts_stays_for_recv_parts)
{
    socket s = shared(ctx_.open(ZMQ_PULL));
    socket push = ctx_.open(ZMQ_PUSH);
    push.connect(s.bind(unique_inproc()));
    push.send_parts({"a", "b", "c"});
    push.send("d");
    char buffer[8];
    EXPECT_EQ(EMSGSIZE, outcome(zmq_recv(s, buffer, sizeof buffer, 0)));
    message_array one(1);
    EXPECT_EQ(EMSGSIZE, outcome(zmq_msg_recv(one.data(), s, 0)));
    std::size_t count = 1;
    EXPECT_EQ(EMSGSIZE, outcome(zlink_recv_parts(s, one.data(), &count, 0)));
    EXPECT_EQ(3u, count);
    EXPECT_TRUE(s.readable());
    EXPECT_EQ(ZMQ_POLLIN, s.get_int(ZMQ_EVENTS) & ZMQ_POLLIN);
    EXPECT_EQ((parts{"a", "b", "c"}), receive_whole(s));
    EXPECT_EQ("d", s.recv());
    EXPECT_FALSE(s.readable());
}

TEST_F(shared_test, send_goes_on_beside_a_receive_that_waits)
{
    socket s = shared(ctx_.open(ZMQ_DEALER));
    socket peer = ctx_.open(ZMQ_DEALER);
    peer.connect(s.bind("tcp://127.0.0.1:*"));
    auto received = std::async(std::launch::async, [&] { return s.recv(); });
    for (int i = 0; i < 100; ++i) s.send(std::to_string(i));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(std::to_string(i), peer.recv());
    peer.send("answer");
    EXPECT_EQ("answer", received.get());
}

// A thread that receives again and again reads the connection itself. When it stops, another thread's wait, poll or
// look finds what comes next.
TEST_F(shared_test, a_thread_that_stops_receiving_keeps_nothing_from_the_others)
{
    socket s = shared(ctx_.open(ZMQ_PULL));
    socket push = ctx_.open(ZMQ_PUSH);
    push.connect(s.bind("tcp://127.0.0.1:*"));
    constexpr int rounds = 60, messages = 200;
    for (int i = 0; i < rounds; ++i) {
        std::thread reader([&] {
            for (int m = 0; m < messages; ++m) EXPECT_EQ("in turn", s.recv());
        });
        for (int m = 0; m < messages; ++m) push.send("in turn");
        reader.join();
        push.send("next");
        if (i % 3 == 0) {
            zmq_pollitem_t item{s, -1, ZMQ_POLLIN, 0};
            EXPECT_EQ(1, zmq_poll(&item, 1, patience_ms));
        } else if (i % 3 == 1) {
            char text[4];
            while (zmq_recv(s, text, sizeof text, ZMQ_DONTWAIT) != 4) ASSERT_EQ(EAGAIN, zmq_errno());
            continue;
        }
        EXPECT_EQ("next", s.recv());
    }
}

TEST_F(shared_test, waits_end_in_time)
{
    socket s = shared(ctx_.open(ZMQ_DEALER));
    s.set(ZMQ_RCVTIMEO, 20);
    s.set(ZMQ_SNDTIMEO, 20);
    char octet;
    EXPECT_EQ(EAGAIN, outcome(zmq_recv(s, &octet, 1, 0)));
    EXPECT_EQ(EAGAIN, outcome(zmq_send(s, &octet, 1, 0)));
    std::size_t count = 0;
    EXPECT_EQ(EAGAIN, outcome(zlink_recv_parts(s, nullptr, &count, 0)));
}

// Each waits in another way: both receives, a send, a poll.
class shared_end_test : public zmq_test {
protected:
    void start()
    {
        s_ = shared(ctx_.open(ZMQ_DEALER));
        s_.set(ZMQ_RCVTIMEO, -1);
        s_.set(ZMQ_SNDTIMEO, -1);
        handle_ = s_;
        wait_in([this] {
            char octet;
            return zmq_recv(handle_, &octet, 1, 0);
        });
        wait_in([this] { return receive_whole(handle_).empty() ? -1 : 0; });
        wait_in([this] { return zmq_send(handle_, "a", 1, 0); });
        wait_in([this] {
            zmq_pollitem_t item{handle_, -1, ZMQ_POLLIN, 0};
            return zmq_poll(&item, 1, -1);
        });
        for (auto& t : threads_) t->await_sleep();
    }
    void expect_all(int error)
    {
        for (auto& t : threads_) EXPECT_EQ(error, t->result());
    }

    socket s_;
    void* handle_ = nullptr;

private:
    class waiting {
    public:
        template <class Call>
        explicit waiting(Call call)
        {
            thread_ = std::thread([this, call] {
                id_.store(::gettid());
                error_ = outcome(call());
            });
        }
        ~waiting() { thread_.join(); }
        void await_sleep()
        {
            EXPECT_TRUE(eventually([this] { return id_.load() != 0; }));
            EXPECT_TRUE(eventually([this] { return sleeps(id_.load()); }));
        }
        int result()
        {
            EXPECT_TRUE(eventually([this] { return error_.load() != none; }));
            return error_;
        }

    private:
        static constexpr int none = -1;
        std::atomic<pid_t> id_{0};
        std::atomic<int> error_{none};
        std::thread thread_;
    };

    template <class Call>
    void wait_in(Call call)
    {
        threads_.push_back(std::make_unique<waiting>(call));
    }

    std::vector<std::unique_ptr<waiting>> threads_;
};

TEST_F(shared_end_test, close_ends_the_calls_that_wait)
{
    start();
    s_.close();
    expect_all(ENOTSOCK);
}

TEST_F(shared_end_test, shutdown_of_the_context_ends_the_calls_that_wait)
{
    start();
    ctx_.shutdown();
    expect_all(ETERM);
    s_.close();
}

/// Uses the socket `hint` while it frees a body.
void use_and_free(void* data, void* hint)
{
    int type = 0;
    std::size_t size = sizeof type;
    EXPECT_EQ(0, zmq_getsockopt(hint, ZMQ_TYPE, &type, &size));
    std::free(data);
}

TEST_F(shared_test, the_free_functions_of_messages_may_use_the_socket)
{
    socket s = shared(ctx_.open(ZMQ_DEALER));
    socket peer = ctx_.open(ZMQ_DEALER);
    peer.connect(s.bind(unique_inproc()));
    const auto fill = [&](zmq_msg_t* m, std::size_t size) {
        zmq_msg_close(m);
        zmq_msg_init_data(m, std::calloc(1, size), size, use_and_free, static_cast<void*>(s));
    };
    constexpr std::size_t copied = 1000, referred_to = 100'000;
    message_array one(1);
    for (const std::size_t size : {copied, referred_to}) {
        fill(one.data(), size);
        EXPECT_EQ(int(size), zmq_msg_send(one.data(), s, 0));
        fill(one.data(), size);
        EXPECT_EQ(0, zlink_send_parts(s, one.data(), 1, 0));
        for (int i = 0; i < 2; ++i) EXPECT_EQ(size, peer.recv().size());
        // It replaces what the message held; then a body is freed that came as a reference.
        peer.send("a");
        fill(one.data(), size);
        EXPECT_EQ(1, zmq_msg_recv(one.data(), s, 0));
        peer.send("b");
        fill(one.data(), size);
        std::size_t count = 1;
        EXPECT_EQ(0, zlink_recv_parts(s, one.data(), &count, 0));
        EXPECT_EQ("b", one.text(0));
        for (int i = 0; i < 2; ++i) {
            fill(one.data(), size);
            EXPECT_EQ(int(size), zmq_msg_send(one.data(), peer, 0));
        }
        char octet;
        EXPECT_EQ(int(size), zmq_recv(s, &octet, 1, 0));
        iovec piece{};
        EXPECT_EQ(1, zmq_recviov(s, &piece, &(count = 1), 0) > 0);
        std::free(piece.iov_base);
    }
}

TEST_F(shared_test, a_proxy_passes_whole_messages_while_others_send)
{
    socket front = shared(ctx_.open(ZMQ_ROUTER));
    socket back = shared(ctx_.open(ZMQ_DEALER));
    socket control = ctx_.open(ZMQ_PAIR);
    socket steers = ctx_.open(ZMQ_PAIR);
    steers.connect(control.bind(unique_inproc()));
    socket client = ctx_.open(ZMQ_REQ);
    socket server = ctx_.open(ZMQ_REP);
    client.connect(front.bind(unique_inproc()));
    server.connect(back.bind(unique_inproc()));
    std::thread proxy([&] { EXPECT_EQ(0, zmq_proxy_steerable(front, back, nullptr, control)); });
    for (int i = 0; i < 50; ++i) {
        client.send_parts({"a", std::to_string(i)});
        EXPECT_EQ((parts{"a", std::to_string(i)}), server.recv_parts());
        server.send("b");
        EXPECT_EQ("b", client.recv());
        EXPECT_EQ(1, back.get_int(ZLINK_SHARED));
    }
    steers.send("TERMINATE");
    proxy.join();
}

TEST_F(shared_test, pollers_and_polls_see_shared_sockets_beside_others)
{
    socket s = shared(ctx_.open(ZMQ_PULL));
    socket plain = ctx_.open(ZMQ_PULL);
    socket to_shared = ctx_.open(ZMQ_PUSH);
    socket to_plain = ctx_.open(ZMQ_PUSH);
    to_shared.connect(s.bind("tcp://127.0.0.1:*"));
    to_plain.connect(plain.bind("tcp://127.0.0.1:*"));
    for (int i = 0; i < 20; ++i) {
        socket& from = i % 2 ? to_plain : to_shared;
        socket& to = i % 2 ? plain : s;
        std::thread sender([&] { from.send("a"); });
        zmq_pollitem_t items[] = {{s, -1, ZMQ_POLLIN, 0}, {plain, -1, ZMQ_POLLIN, 0}};
        EXPECT_EQ(1, zmq_poll(items, 2, patience_ms));
        EXPECT_EQ(i % 2 ? 0 : ZMQ_POLLIN, items[0].revents);
        EXPECT_EQ("a", to.recv());
        sender.join();
    }
    void* poller = zmq_poller_new();
    EXPECT_EQ(0, zmq_poller_add(poller, s, nullptr, ZMQ_POLLIN));
    to_shared.send("b");
    zmq_poller_event_t event;
    EXPECT_EQ(0, zmq_poller_wait(poller, &event, patience_ms));
    EXPECT_EQ(static_cast<void*>(s), event.socket);
    EXPECT_EQ(0, zmq_poller_destroy(&poller));
}

bool is_readable(int fd, int timeout)
{
    pollfd p{fd, POLLIN, 0};
    return ::poll(&p, 1, timeout) == 1;
}

TEST_F(shared_test, a_pollers_descriptor_tells_of_messages_that_other_threads_leave)
{
    socket s = ctx_.open(ZMQ_PULL);
    s.set(ZLINK_SHARED, 1);
    socket push = ctx_.open(ZMQ_PUSH);
    push.connect(s.bind("tcp://127.0.0.1:*"));
    void* poller = zmq_poller_new();
    zmq_fd_t fd = -1;
    EXPECT_EQ(EINVAL, outcome(zmq_poller_fd(poller, &fd)));
    EXPECT_EQ(0, zmq_poller_add(poller, s, nullptr, ZMQ_POLLIN));
    EXPECT_EQ(EFAULT, outcome(zmq_poller_fd(poller, nullptr)));
    ASSERT_EQ(0, zmq_poller_fd(poller, &fd));
    zmq_poller_event_t event;
    for (int i = 0; i < 20; ++i) {
        // Until there is nothing, it may be readable in vain.
        while (zmq_poller_wait(poller, &event, 0) == 0) EXPECT_EQ("a", s.recv());
        std::thread sender([&] {
            push.send("a");
            push.send("a");
        });
        EXPECT_TRUE(is_readable(fd, patience_ms));
        EXPECT_EQ("a", s.recv());  // the other one is left
        EXPECT_EQ(0, zmq_poller_wait(poller, &event, patience_ms));
        EXPECT_TRUE(is_readable(fd, 0));
        EXPECT_EQ("a", s.recv());
        sender.join();
    }
    EXPECT_EQ(0, zmq_poller_remove(poller, s));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_fd(poller, &fd)));
    EXPECT_EQ(0, zmq_poller_destroy(&poller));
}

class poller_fd_test : public zmq_test {
protected:
    ~poller_fd_test() override { zmq_poller_destroy(&poller_); }
    /// Registers `s`, and returns the poller's descriptor.
    int watch(socket& s, short events)
    {
        EXPECT_EQ(0, zmq_poller_add(poller_, s, nullptr, events));
        zmq_fd_t fd = -1;
        EXPECT_EQ(0, zmq_poller_fd(poller_, &fd));
        return fd;
    }
    bool finds() { return zmq_poller_wait(poller_, &event_, 0) == 0; }

    void* poller_ = zmq_poller_new();
    zmq_poller_event_t event_{};
};

TEST_F(poller_fd_test, is_quiet_after_a_look_that_finds_nothing_new)
{
    socket s = shared(ctx_.open(ZMQ_PULL));
    socket push = ctx_.open(ZMQ_PUSH);
    const int fd = watch(s, ZMQ_POLLIN);
    EXPECT_FALSE(finds());
    EXPECT_FALSE(is_readable(fd, 0));
    push.connect(s.bind(unique_inproc()));
    push.send("a");
    EXPECT_TRUE(is_readable(fd, patience_ms));
    EXPECT_TRUE(finds());
    EXPECT_TRUE(is_readable(fd, 0));  // the message is still there
    EXPECT_EQ("a", s.recv());
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(finds());
    EXPECT_FALSE(is_readable(fd, 0));
}

TEST_F(poller_fd_test, tells_its_poller_what_calls_of_others_have_taken_in)
{
    socket s = shared(ctx_.open(ZMQ_DEALER));
    const int fd = watch(s, ZMQ_POLLOUT);
    EXPECT_FALSE(finds());
    EXPECT_FALSE(is_readable(fd, 0));
    socket peer = ctx_.open(ZMQ_DEALER);
    peer.connect(s.bind(unique_inproc()));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(ZMQ_POLLOUT, s.get_int(ZMQ_EVENTS));
        EXPECT_TRUE(is_readable(fd, 0));
    }
    EXPECT_TRUE(finds());
}

std::chrono::nanoseconds time_used_by(std::thread& t)
{
    clockid_t its_clock;
    timespec used{};
    EXPECT_EQ(0, ::pthread_getcpuclockid(t.native_handle(), &its_clock));
    EXPECT_EQ(0, ::clock_gettime(its_clock, &used));
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

TEST_F(poller_fd_test, does_not_keep_a_thread_busy_that_waits_in_a_receive)
{
    socket s = shared(ctx_.open(ZMQ_PULL));
    s.set(ZMQ_RCVTIMEO, -1);
    s.bind(unique_inproc());
    (void)watch(s, ZMQ_POLLIN);
    void* const handle = s;
    std::thread waits([handle] {
        char octet;
        EXPECT_EQ(ENOTSOCK, outcome(zmq_recv(handle, &octet, 1, 0)));
    });
    // While it sleeps, it uses nothing for any length of time.
    const auto sleeps = [&] {
        const auto before = time_used_by(waits);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return before.count() != 0 && time_used_by(waits) == before;
    };
    EXPECT_TRUE(eventually(sleeps));
    s.close();
    waits.join();
}

// Sockets whose callers are checked. The environment is read once, so each of these is a process of its own.

/// Returns what is wrong; 0: nothing.
int uses_of_a_checked_socket()
{
    context ctx;
    socket pull = ctx.open(ZMQ_PULL);
    socket push = ctx.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    std::atomic<bool> received{false};
    std::thread receiver([&] { received = pull.recv() == "a"; });
    int value = 0;
    std::size_t size = sizeof value;
    const auto refused = [](int result) { return result == -1 && zmq_errno() == EFSM; };
    // The thread is inside at some time, and stays there until a message comes.
    if (!eventually([&] { return refused(zmq_getsockopt(pull, ZMQ_TYPE, &value, &(size = sizeof value))); })) return 1;
    if (std::string(zlink_last_error()).find("another thread") == std::string::npos) return 2;
    char octet;
    zmq_pollitem_t item{pull, -1, ZMQ_POLLIN, 0};
    if (!refused(zmq_recv(pull, &octet, 1, ZMQ_DONTWAIT))) return 3;
    if (!refused(zmq_poll(&item, 1, 0))) return 4;
    if (!refused(zmq_close(pull))) return 5;
    push.send("a");
    receiver.join();
    if (!received) return 6;
    push.send("b");
    if (zmq_poll(&item, 1, patience_ms) != 1 || pull.recv() != "b") return 7;
    for (int i = 0; i < 200; ++i) {  // past the number from which a plain socket takes shortcuts
        push.send("c");
        if (pull.recv() != "c") return 8;
    }
    return 0;
}

/// A thread comes by the handle while another one closes the socket, again and again. Returns how many calls found
/// something else than a socket that is in use, closed or empty.
int calls_beside_close_of_a_checked_socket()
{
    context ctx;
    std::atomic<void*> handle{nullptr};
    std::atomic<bool> over{false};
    int odd = 0;
    std::thread calls([&] {
        char octet;
        while (!over.load()) {
            if (zmq_recv(handle.load(), &octet, 1, ZMQ_DONTWAIT) >= 0) ++odd;
            if (zmq_errno() != ENOTSOCK && zmq_errno() != EFSM && zmq_errno() != EAGAIN) ++odd;
        }
    });
    for (int i = 0; i < 20'000; ++i) {
        void* const s = zmq_socket(ctx, ZMQ_PULL);
        handle = s;
        while (zmq_close(s) != 0) std::this_thread::yield();
    }
    over = true;
    calls.join();
    return odd;
}

TEST(checked_threads_test, a_call_beside_close_finds_a_socket_or_none)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            ::setenv("ZLINK_CHECK_THREADS", "1", 1);
            std::_Exit(calls_beside_close_of_a_checked_socket() != 0);
        },
        testing::ExitedWithCode(0), "");
}

TEST(checked_threads_test, a_second_thread_inside_is_refused)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            ::setenv("ZLINK_CHECK_THREADS", "1", 1);
            std::_Exit(uses_of_a_checked_socket());
        },
        testing::ExitedWithCode(0), "");
}

// Whole messages, also of sockets that are not shared

class whole_messages_test : public zmq_test {};

TEST_F(whole_messages_test, go_and_come_on_any_socket)
{
    socket pull = ctx_.open(ZMQ_PULL);
    socket push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    message_array sent(parts{"a", "", "c"});
    EXPECT_EQ(0, zlink_send_parts(push, sent.data(), sent.size(), 0));
    EXPECT_EQ((parts{"", "", ""}), sent.first(3));
    EXPECT_EQ((parts{"a", "", "c"}), pull.recv_parts());
    EXPECT_EQ(0, send_whole(push, {"d"}));
    EXPECT_EQ((parts{"d"}), receive_whole(pull));
}

TEST_F(whole_messages_test, a_message_that_does_not_fit_can_be_taken_frame_by_frame)
{
    socket pull = ctx_.open(ZMQ_PULL);
    socket push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    push.send_parts({"a", "b", "c"});
    push.send("d");
    std::size_t count = 0;
    EXPECT_EQ(EMSGSIZE, outcome(zlink_recv_parts(pull, nullptr, &count, 0)));
    EXPECT_EQ(3u, count);
    EXPECT_EQ((parts{"a", "b", "c"}), pull.recv_parts());
    EXPECT_EQ("d", pull.recv());
}

TEST_F(whole_messages_test, the_rest_of_a_message_is_one)
{
    socket pull = ctx_.open(ZMQ_PULL);
    socket push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    push.send_parts({"a", "b", "c"});
    EXPECT_EQ("a", pull.recv());
    EXPECT_TRUE(pull.more());
    EXPECT_EQ((parts{"b", "c"}), receive_whole(pull));
    EXPECT_FALSE(pull.more());
}

TEST_F(whole_messages_test, the_rest_of_a_message_that_did_not_fit_is_the_last_of_it)
{
    socket pull = ctx_.open(ZMQ_PULL);
    socket push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    push.send_parts({"a", "b", "c"});
    std::size_t count = 0;
    EXPECT_EQ(EMSGSIZE, outcome(zlink_recv_parts(pull, nullptr, &count, 0)));
    EXPECT_EQ("a", pull.recv());
    EXPECT_TRUE(pull.more());
    EXPECT_EQ((parts{"b", "c"}), receive_whole(pull));
    EXPECT_FALSE(pull.more());
}

TEST_F(whole_messages_test, all_or_none_goes_out)
{
    socket push = ctx_.open(ZMQ_PUSH);
    message_array kept(parts{"a", "b"});
    EXPECT_EQ(EAGAIN, outcome(zlink_send_parts(push, kept.data(), 2, ZMQ_DONTWAIT)));
    EXPECT_EQ((parts{"a", "b"}), kept.first(2));
    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    EXPECT_EQ(EHOSTUNREACH, send_whole(router, {"nobody", "b"}));
}

// Of the types whose messages have two parts.
TEST_F(whole_messages_test, a_message_of_another_form_leaves_nothing_behind)
{
    socket dgram = ctx_.open(ZMQ_DGRAM), other = ctx_.open(ZMQ_DGRAM);
    dgram.bind("udp://127.0.0.1:*");
    const std::string address = other.bind("udp://127.0.0.1:*").substr(6);
    EXPECT_EQ(EINVAL, send_whole(dgram, {address}));
    EXPECT_EQ(EINVAL, send_whole(dgram, {address, "no", "more"}));
    ASSERT_EQ(0, send_whole(dgram, {address, "datagram"}));
    EXPECT_EQ("datagram", other.recv_parts().back());
    for (const int type : {ZMQ_STREAM, ZMQ_ROUTER}) {
        socket s = ctx_.open(type);
        if (type == ZMQ_ROUTER) s.set(ZMQ_ROUTER_RAW, 1);
        tcp_peer peer = tcp_peer::connect(s.bind("tcp://127.0.0.1:*"));
        peer.write("x");
        const std::string id = s.recv_parts().front();
        EXPECT_EQ(EINVAL, send_whole(s, {id})) << type;
        EXPECT_EQ(EINVAL, send_whole(s, {id, "no", "more"})) << type;
        EXPECT_EQ(EINVAL, send_whole(s, {id, "no", "more", "of these"})) << type;
        ASSERT_EQ(0, send_whole(s, {id, "octets"})) << type;
        EXPECT_EQ("octets", peer.read(6)) << type;
    }
}

TEST_F(whole_messages_test, the_parts_sent_before_count)
{
    socket dgram = ctx_.open(ZMQ_DGRAM), other = ctx_.open(ZMQ_DGRAM);
    dgram.bind("udp://127.0.0.1:*");
    const std::string address = other.bind("udp://127.0.0.1:*").substr(6);
    EXPECT_EQ(0, dgram.try_send(address, ZMQ_SNDMORE));
    EXPECT_EQ(EINVAL, send_whole(dgram, {"no", "more"}));
    ASSERT_EQ(0, send_whole(dgram, {"datagram"}));
    EXPECT_EQ("datagram", other.recv_parts().back());
}

TEST_F(whole_messages_test, wrong_arguments_are_told)
{
    socket s = ctx_.open(ZMQ_DEALER);
    message_array one(1);
    zmq_msg_t blank{};
    std::size_t count = 1;
    EXPECT_EQ(EFAULT, outcome(zlink_send_parts(s, nullptr, 1, 0)));
    EXPECT_EQ(EINVAL, outcome(zlink_send_parts(s, one.data(), 0, 0)));
    EXPECT_EQ(EFAULT, outcome(zlink_send_parts(s, &blank, 1, 0)));
    EXPECT_EQ(EFAULT, outcome(zlink_recv_parts(s, one.data(), nullptr, 0)));
    EXPECT_EQ(EFAULT, outcome(zlink_recv_parts(s, nullptr, &count, 0)));
    EXPECT_EQ(EFAULT, outcome(zlink_recv_parts(s, &blank, &count, 0)));
    EXPECT_EQ(ENOTSOCK, outcome(zlink_send_parts(nullptr, one.data(), 1, 0)));
    EXPECT_EQ(ENOTSOCK, outcome(zlink_recv_parts(nullptr, one.data(), &count, 0)));
    EXPECT_EQ(ENOTSOCK, outcome(zlink_disconnect_peer(nullptr, "a", 1)));
    socket router = ctx_.open(ZMQ_ROUTER);
    EXPECT_EQ(EFAULT, outcome(zlink_disconnect_peer(router, nullptr, 1)));
    EXPECT_EQ(EINVAL, outcome(zlink_disconnect_peer(router, "a", 0)));
    EXPECT_EQ(EHOSTUNREACH, outcome(zlink_disconnect_peer(router, "a", 1)));
}

// Peers that are let go

class disconnect_peer_test : public zmq_test {};

TEST_F(disconnect_peer_test, ends_one_peer_of_a_router)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    const std::string where = router.bind("tcp://127.0.0.1:*");
    std::vector<socket> peers;
    for (const char* name : {"one", "two"}) {
        socket& peer = peers.emplace_back(ctx_.open(ZMQ_DEALER));
        peer.set(ZMQ_ROUTING_ID, std::string_view(name));
        peer.set(ZMQ_RECONNECT_IVL, -1);
        peer.connect(where);
        peer.send("hello");
        EXPECT_EQ((parts{name, "hello"}), router.recv_parts());
    }
    EXPECT_EQ(0, outcome(zlink_disconnect_peer(router, "one", 3)));
    EXPECT_EQ(EHOSTUNREACH, outcome(zlink_disconnect_peer(router, "one", 3)));
    EXPECT_EQ(EHOSTUNREACH, send_whole(router, {"one", "a"}));
    EXPECT_EQ(0, send_whole(router, {"two", "a"}));
    EXPECT_EQ("a", peers[1].recv());
}

TEST_F(disconnect_peer_test, ends_one_peer_of_a_stream)
{
    socket stream = ctx_.open(ZMQ_STREAM);
    const std::string where = stream.bind("tcp://127.0.0.1:*");
    socket client = ctx_.open(ZMQ_STREAM);
    client.connect(where);
    const std::string name = stream.recv_parts().at(0);
    EXPECT_EQ("", client.recv_parts().at(1));
    EXPECT_EQ(0, outcome(zlink_disconnect_peer(stream, name.data(), name.size())));
    EXPECT_EQ("", client.recv_parts().at(1));  // it sees the end
    EXPECT_EQ(EHOSTUNREACH, outcome(zlink_disconnect_peer(stream, name.data(), name.size())));
}

TEST_F(disconnect_peer_test, ends_one_subscriber_by_the_id_that_it_announces)
{
    for (const char* const where : {"tcp://127.0.0.1:*", "inproc"}) {
        socket pub = ctx_.open(ZMQ_XPUB);
        const std::string endpoint = pub.bind(where == std::string("inproc") ? unique_inproc() : where);
        socket kept = ctx_.open(ZMQ_SUB), dropped = ctx_.open(ZMQ_SUB);
        dropped.set(ZMQ_ROUTING_ID, "dropped");
        dropped.set(ZMQ_RECONNECT_IVL, -1);
        kept.subscribe("a");
        dropped.subscribe("b");
        kept.connect(endpoint);
        EXPECT_EQ("\1a", pub.recv());
        dropped.connect(endpoint);
        EXPECT_EQ("\1b", pub.recv());
        EXPECT_EQ(EHOSTUNREACH, outcome(zlink_disconnect_peer(pub, "other", 5)));
        EXPECT_EQ(0, outcome(zlink_disconnect_peer(pub, "dropped", 7)));
        EXPECT_EQ("\0b"s, pub.recv());
        pub.send("a");
        EXPECT_EQ("a", kept.recv());
    }
}

}  // namespace
}  // namespace zlink::test
