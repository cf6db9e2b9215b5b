// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_poll over sockets and descriptors, and ZMQ_FD with ZMQ_EVENTS as an event loop of the application uses them.

#include "support/zmq_fixture.hpp"

#include <fcntl.h>

#include <array>
#include <thread>

namespace zlink::test {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A pipe of the system, for polling descriptors together with sockets.
class os_pipe {
public:
    os_pipe() { EXPECT_EQ(0, ::pipe2(fds_.data(), O_CLOEXEC)); }
    os_pipe(const os_pipe&) = delete;
    os_pipe& operator=(const os_pipe&) = delete;

    ~os_pipe()
    {
        ::close(fds_[0]);
        if (fds_[1] != -1) ::close(fds_[1]);
    }

    int reading_end() const { return fds_[0]; }
    int writing_end() const { return fds_[1]; }
    void write() { EXPECT_EQ(1, ::write(fds_[1], "x", 1)); }

    void read()
    {
        char byte;
        EXPECT_EQ(1, ::read(fds_[0], &byte, 1));
    }

    void hang_up() { ::close(std::exchange(fds_[1], -1)); }

private:
    std::array<int, 2> fds_{-1, -1};
};

class poll_test : public zmq_test {
protected:
    void SetUp() override { sender_.connect(receiver_.bind(unique_inproc())); }

    zmq_pollitem_t reading() { return {receiver_, 0, ZMQ_POLLIN, 0}; }

    socket receiver_ = ctx_.open(ZMQ_PAIR);
    socket sender_ = ctx_.open(ZMQ_PAIR);
};

TEST_F(poll_test, without_items_returns_nothing)
{
    zmq_pollitem_t item{};
    EXPECT_EQ(0, zmq_poll(nullptr, 0, 0));
    EXPECT_EQ(0, zmq_poll(&item, 0, 0));
}

TEST_F(poll_test, without_items_sleeps_for_the_timeout)
{
    const auto start = clock::now();
    EXPECT_EQ(0, zmq_poll(nullptr, 0, 40));
    EXPECT_GE(clock::now() - start, milliseconds(35));
}

TEST_F(poll_test, checks_its_arguments)
{
    zmq_pollitem_t item{};
    EXPECT_EQ(-1, zmq_poll(nullptr, 1, 0));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(-1, zmq_poll(&item, -1, 0));
    EXPECT_EQ(EINVAL, zmq_errno());
}

TEST_F(poll_test, timeout_of_zero_only_looks)
{
    auto item = reading();
    item.revents = ZMQ_POLLOUT;
    EXPECT_EQ(0, zmq_poll(&item, 1, 0));
    EXPECT_EQ(0, item.revents) << "cleared first";
    sender_.send("x");
    EXPECT_EQ(1, zmq_poll(&item, 1, 0));
    EXPECT_EQ(ZMQ_POLLIN, item.revents);
}

TEST_F(poll_test, timeout_is_waited_out)
{
    auto item = reading();
    const auto start = clock::now();
    EXPECT_EQ(0, zmq_poll(&item, 1, 60));
    EXPECT_GE(clock::now() - start, milliseconds(55));
    EXPECT_EQ(0, item.revents);
}

TEST_F(poll_test, infinite_timeout_ends_with_the_message)
{
    std::thread sending([&] { sender_.send("x"); });
    auto item = reading();
    EXPECT_EQ(1, zmq_poll(&item, 1, -1));
    EXPECT_EQ(ZMQ_POLLIN, item.revents);
    sending.join();
}

TEST_F(poll_test, is_level_triggered)
{
    sender_.send("a");
    sender_.send("b");
    auto item = reading();
    EXPECT_EQ(1, zmq_poll(&item, 1, patience_ms));
    EXPECT_EQ(1, zmq_poll(&item, 1, patience_ms)) << "nothing was received";
    EXPECT_EQ("a", receiver_.recv());
    EXPECT_EQ(1, zmq_poll(&item, 1, patience_ms)) << "one is left";
    EXPECT_EQ("b", receiver_.recv());
    EXPECT_EQ(0, zmq_poll(&item, 1, 0));
}

TEST_F(poll_test, stays_readable_in_the_middle_of_a_multipart)
{
    sender_.send_parts({"a", "b"});
    EXPECT_EQ("a", receiver_.recv());
    EXPECT_TRUE(receiver_.readable());
    EXPECT_EQ("b", receiver_.recv());
    EXPECT_FALSE(receiver_.readable());
}

TEST_F(poll_test, counts_items_not_events)
{
    sender_.send("x");
    zmq_pollitem_t items[] = {{receiver_, 0, ZMQ_POLLIN | ZMQ_POLLOUT, 0}, {sender_, 0, ZMQ_POLLOUT, 0}};
    EXPECT_EQ(2, zmq_poll(items, 2, patience_ms));
    EXPECT_EQ(ZMQ_POLLIN | ZMQ_POLLOUT, items[0].revents);
    EXPECT_EQ(ZMQ_POLLOUT, items[1].revents);
}

TEST_F(poll_test, tells_only_what_was_asked_for)
{
    sender_.send("x");
    zmq_pollitem_t items[] = {{receiver_, 0, ZMQ_POLLOUT, 0}, {receiver_, 0, 0, 0}};
    EXPECT_EQ(1, zmq_poll(items, 2, patience_ms));
    EXPECT_EQ(ZMQ_POLLOUT, items[0].revents);
    EXPECT_EQ(0, items[1].revents);
}

TEST_F(poll_test, err_and_pri_say_nothing_for_sockets)
{
    sender_.send("x");
    zmq_pollitem_t item{receiver_, 0, ZMQ_POLLERR | ZMQ_POLLPRI, 0};
    EXPECT_EQ(0, zmq_poll(&item, 1, 0));
}

TEST_F(poll_test, out_goes_at_the_high_water_mark_and_comes_back)
{
    while (sender_.try_send("fill") == 0) {
    }
    EXPECT_FALSE(sender_.writable());
    EXPECT_FALSE(sender_.writable(30));
    receiver_.drain();
    EXPECT_TRUE(sender_.writable(patience_ms));
    EXPECT_EQ(0, sender_.try_send("again"));
}

TEST(poll_over_tcp_test, out_goes_at_the_high_water_mark_and_comes_back)
{
    context ctx;
    socket receiver = ctx.open(ZMQ_PULL);
    socket sender = ctx.open(ZMQ_PUSH);
    receiver.set(ZMQ_RCVHWM, 10);
    sender.set(ZMQ_SNDHWM, 10);
    sender.connect(receiver.bind("tcp://127.0.0.1:*"));
    const std::string body(100000, 'x');
    int sent = 0;
    while (sender.writable(200)) {
        ASSERT_EQ(0, sender.try_send(body));
        ++sent;
        ASSERT_LT(sent, 10000) << "no back-pressure";
    }
    for (int i = 0; i < sent; ++i) ASSERT_EQ(body.size(), receiver.recv().size());
    EXPECT_TRUE(sender.writable(patience_ms));
}

TEST_F(poll_test, descriptors_and_sockets_together)
{
    os_pipe pipe;
    zmq_pollitem_t items[] = {{receiver_, 0, ZMQ_POLLIN, 0},
                              {nullptr, pipe.reading_end(), ZMQ_POLLIN, 0},
                              {nullptr, pipe.writing_end(), ZMQ_POLLOUT, 0}};
    EXPECT_EQ(1, zmq_poll(items, 3, patience_ms));
    EXPECT_EQ(0, items[0].revents);
    EXPECT_EQ(0, items[1].revents);
    EXPECT_EQ(ZMQ_POLLOUT, items[2].revents);

    pipe.write();
    sender_.send("x");
    EXPECT_EQ(3, zmq_poll(items, 3, patience_ms));
    EXPECT_EQ(ZMQ_POLLIN, items[0].revents);
    EXPECT_EQ(ZMQ_POLLIN, items[1].revents);
    EXPECT_EQ(ZMQ_POLLOUT, items[2].revents);
}

TEST_F(poll_test, descriptor_wakes_a_poll_that_also_watches_a_socket)
{
    os_pipe pipe;
    zmq_pollitem_t items[] = {{receiver_, 0, ZMQ_POLLIN, 0}, {nullptr, pipe.reading_end(), ZMQ_POLLIN, 0}};
    std::thread writing([&] { pipe.write(); });
    EXPECT_EQ(1, zmq_poll(items, 2, -1));
    EXPECT_EQ(ZMQ_POLLIN, items[1].revents);
    writing.join();
}

TEST_F(poll_test, socket_wakes_a_poll_that_also_watches_a_descriptor)
{
    os_pipe pipe;
    zmq_pollitem_t items[] = {{receiver_, 0, ZMQ_POLLIN, 0}, {nullptr, pipe.reading_end(), ZMQ_POLLIN, 0}};
    std::thread sending([&] { sender_.send("x"); });
    EXPECT_EQ(1, zmq_poll(items, 2, -1));
    EXPECT_EQ(ZMQ_POLLIN, items[0].revents);
    sending.join();
}

TEST_F(poll_test, socket_takes_precedence_over_a_descriptor)
{
    os_pipe pipe;
    pipe.write();
    zmq_pollitem_t item{receiver_, pipe.reading_end(), ZMQ_POLLIN, 0};
    EXPECT_EQ(0, zmq_poll(&item, 1, 0));
}

TEST_F(poll_test, hung_up_descriptor_is_an_error)
{
    os_pipe pipe;
    pipe.hang_up();
    zmq_pollitem_t item{nullptr, pipe.reading_end(), ZMQ_POLLIN | ZMQ_POLLERR, 0};
    EXPECT_EQ(1, zmq_poll(&item, 1, patience_ms));
    EXPECT_NE(0, item.revents & ZMQ_POLLERR);
}

TEST_F(poll_test, several_ready_sockets)
{
    std::vector<socket> senders;
    std::vector<socket> receivers;
    std::vector<zmq_pollitem_t> items;
    constexpr std::size_t count = 40;
    static_assert(count > ZMQ_POLLITEMS_DFLT);
    for (std::size_t i = 0; i < count; ++i) {
        receivers.push_back(ctx_.open(ZMQ_PULL));
        senders.push_back(ctx_.open(ZMQ_PUSH));
        senders.back().connect(receivers.back().bind(unique_inproc()));
        items.push_back({receivers.back(), 0, ZMQ_POLLIN, 0});
    }
    for (std::size_t i = 0; i < count; i += 3) senders[i].send("x");
    EXPECT_EQ(14, zmq_poll(items.data(), static_cast<int>(count), patience_ms));
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(i % 3 == 0 ? ZMQ_POLLIN : 0, items[i].revents) << i;
}

TEST_F(poll_test, says_eterm_after_shutdown)
{
    ctx_.shutdown();
    auto item = reading();
    EXPECT_EQ(-1, zmq_poll(&item, 1, 0));
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_EQ(-1, zmq_poll(&item, 1, -1));
    EXPECT_EQ(ETERM, zmq_errno());
}

TEST_F(poll_test, says_eterm_while_waiting_with_a_descriptor)
{
    os_pipe pipe;
    int error = 0;
    std::thread waiting([&] {
        zmq_pollitem_t items[] = {{nullptr, pipe.reading_end(), ZMQ_POLLIN, 0}, {receiver_, 0, ZMQ_POLLIN, 0}};
        EXPECT_EQ(-1, zmq_poll(items, 2, -1));
        error = zmq_errno();
    });
    ctx_.shutdown();
    waiting.join();
    EXPECT_EQ(ETERM, error);
}

TEST_F(poll_test, subscriber_is_readable_only_for_what_it_subscribed)
{
    socket pub = ctx_.open(ZMQ_PUB);
    socket sub = ctx_.open(ZMQ_SUB);
    sub.subscribe("yes");
    sub.connect(pub.bind(unique_inproc()));
    sync_subscription(pub, sub, "yes");
    pub.send("no");
    EXPECT_FALSE(sub.readable(30));
    pub.send("yes");
    EXPECT_TRUE(sub.readable(patience_ms));
}

TEST_F(poll_test, requester_follows_its_turns)
{
    socket rep = ctx_.open(ZMQ_REP);
    socket req = ctx_.open(ZMQ_REQ);
    req.connect(rep.bind(unique_inproc()));
    EXPECT_TRUE(req.writable(patience_ms));
    EXPECT_FALSE(rep.writable());
    req.send("question");
    EXPECT_FALSE(req.writable());
    EXPECT_TRUE(rep.readable(patience_ms));
    EXPECT_EQ("question", rep.recv());
    EXPECT_FALSE(rep.readable());
    EXPECT_TRUE(rep.writable());
    rep.send("answer");
    EXPECT_TRUE(req.readable(patience_ms));
    EXPECT_FALSE(req.writable());
    EXPECT_EQ("answer", req.recv());
    EXPECT_TRUE(req.writable());
}

/// The loop an application writes around ZMQ_FD: after every wake-up, and after every send or receive, ZMQ_EVENTS is
/// asked again. Only when it shows nothing does the loop go back to poll(2).
class event_loop {
public:
    explicit event_loop(socket& s) : socket_(s), fd_(s.get_int(ZMQ_FD)) {}

    /// False when `events` did not show within the time.
    bool await(int events)
    {
        const auto deadline = clock::now() + milliseconds(patience_ms);
        while ((socket_.get_int(ZMQ_EVENTS) & events) == 0) {
            const auto left = std::chrono::duration_cast<milliseconds>(deadline - clock::now()).count();
            pollfd item{fd_, POLLIN, 0};
            if (left <= 0 || ::poll(&item, 1, static_cast<int>(left)) != 1) return false;
        }
        return true;
    }

    /// Whether the descriptor signals at this moment.
    bool is_signalled() const
    {
        pollfd item{fd_, POLLIN, 0};
        return ::poll(&item, 1, 0) == 1;
    }

private:
    socket& socket_;
    int fd_;
};

class event_loop_test : public ::testing::TestWithParam<std::string> {
protected:
    std::string endpoint() const { return GetParam() == "inproc" ? unique_inproc() : GetParam(); }

    context ctx_;
};

TEST_P(event_loop_test, descriptor_stays_the_same)
{
    socket s = ctx_.open(ZMQ_DEALER);
    const int fd = s.get_int(ZMQ_FD);
    EXPECT_GE(fd, 0);
    s.bind(endpoint());
    EXPECT_EQ(fd, s.get_int(ZMQ_FD));
}

TEST_P(event_loop_test, receives_every_message)
{
    socket receiver = ctx_.open(ZMQ_PULL);
    socket sender = ctx_.open(ZMQ_PUSH);
    event_loop loop(receiver);
    sender.connect(receiver.bind(endpoint()));
    constexpr int count = 20000;
    std::thread sending([&] {
        for (int i = 0; i < count; ++i) sender.send(std::to_string(i));
    });
    for (int received = 0; received < count;) {
        ASSERT_TRUE(loop.await(ZMQ_POLLIN)) << "after " << received;
        while (auto body = receiver.recv_frame(ZMQ_DONTWAIT)) ASSERT_EQ(std::to_string(received++), *body);
        ASSERT_EQ(EAGAIN, zmq_errno());
    }
    sending.join();
}

TEST_P(event_loop_test, receives_one_message_for_each_look_at_the_events)
{
    socket receiver = ctx_.open(ZMQ_PULL);
    socket sender = ctx_.open(ZMQ_PUSH);
    event_loop loop(receiver);
    sender.connect(receiver.bind(endpoint()));
    for (int i = 0; i < 2000; ++i) {
        sender.send(std::to_string(i));
        ASSERT_TRUE(loop.await(ZMQ_POLLIN)) << i;
        ASSERT_EQ(std::to_string(i), receiver.recv());
    }
}

TEST_P(event_loop_test, sends_past_the_high_water_mark)
{
    socket receiver = ctx_.open(ZMQ_PULL);
    socket sender = ctx_.open(ZMQ_PUSH);
    receiver.set(ZMQ_RCVHWM, 5);
    sender.set(ZMQ_SNDHWM, 5);
    event_loop loop(sender);
    sender.connect(receiver.bind(endpoint()));
    constexpr int count = 3000;
    std::thread receiving([&] {
        for (int i = 0; i < count; ++i) ASSERT_EQ(std::to_string(i), receiver.recv());
    });
    for (int i = 0; i < count; ++i) {
        if (!loop.await(ZMQ_POLLOUT)) {
            ADD_FAILURE() << "never writable again after " << i;
            break;
        }
        EXPECT_EQ(0, sender.try_send(std::to_string(i)));
    }
    receiving.join();
}

TEST_P(event_loop_test, ping_pong_in_one_thread_each)
{
    socket server = ctx_.open(ZMQ_REP);
    socket client = ctx_.open(ZMQ_REQ);
    event_loop server_loop(server);
    event_loop client_loop(client);
    client.connect(server.bind(endpoint()));
    constexpr int rounds = 2000;
    std::thread serving([&] {
        for (int i = 0; i < rounds; ++i) {
            ASSERT_TRUE(server_loop.await(ZMQ_POLLIN)) << i;
            server.send(server.recv());
        }
    });
    for (int i = 0; i < rounds; ++i) {
        ASSERT_TRUE(client_loop.await(ZMQ_POLLOUT)) << i;
        client.send(std::to_string(i));
        ASSERT_TRUE(client_loop.await(ZMQ_POLLIN)) << i;
        ASSERT_EQ(std::to_string(i), client.recv());
    }
    serving.join();
}

TEST_P(event_loop_test, descriptor_is_quiet_once_the_events_were_read)
{
    socket receiver = ctx_.open(ZMQ_PULL);
    socket sender = ctx_.open(ZMQ_PUSH);
    event_loop loop(receiver);
    sender.connect(receiver.bind(endpoint()));
    sender.send("x");
    ASSERT_TRUE(loop.await(ZMQ_POLLIN));
    EXPECT_EQ(ZMQ_POLLIN, receiver.get_int(ZMQ_EVENTS));
    EXPECT_FALSE(loop.is_signalled()) << "edge-triggered: the event was told, the message is still there";
    EXPECT_EQ(ZMQ_POLLIN, receiver.get_int(ZMQ_EVENTS)) << "ZMQ_EVENTS itself tells the level";
    EXPECT_EQ("x", receiver.recv());
    EXPECT_EQ(0, receiver.get_int(ZMQ_EVENTS));
}

TEST_P(event_loop_test, tells_the_end_of_the_context)
{
    socket receiver = ctx_.open(ZMQ_PULL);
    const int fd = receiver.get_int(ZMQ_FD);
    receiver.bind(endpoint());
    EXPECT_EQ(0, receiver.get_int(ZMQ_EVENTS));
    ctx_.shutdown();
    pollfd item{fd, POLLIN, 0};
    EXPECT_EQ(1, ::poll(&item, 1, patience_ms));
    int events = 0;
    std::size_t size = sizeof events;
    EXPECT_EQ(-1, zmq_getsockopt(receiver, ZMQ_EVENTS, &events, &size));
    EXPECT_EQ(ETERM, zmq_errno());
}

INSTANTIATE_TEST_SUITE_P(transports, event_loop_test, ::testing::Values("inproc", "tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<std::string>);

}  // namespace
}  // namespace zlink::test
