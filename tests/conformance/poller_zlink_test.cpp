// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The draft calls for waiting: zmq_poller_* and zmq_ppoll, which stock builds of libzmq do not export.

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif

#include "support/zmq_fixture.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

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
        ::close(fds_[1]);
    }

    int reading_end() const { return fds_[0]; }
    int writing_end() const { return fds_[1]; }
    void write() { EXPECT_EQ(1, ::write(fds_[1], "x", 1)); }

private:
    std::array<int, 2> fds_{-1, -1};
};

class poller_test : public zmq_test {
protected:
    void SetUp() override
    {
        ASSERT_NE(nullptr, poller_);
        sender_.connect(receiver_.bind(unique_inproc()));
    }

    void TearDown() override
    {
        if (poller_ != nullptr) {
            EXPECT_EQ(0, zmq_poller_destroy(&poller_));
            EXPECT_EQ(nullptr, poller_);
        }
    }

    /// 0 or the errno of a call that returns -1 for failure.
    static int outcome(int rc) { return rc == -1 ? zmq_errno() : 0; }

    int wait(long timeout) { return outcome(zmq_poller_wait(poller_, &event_, timeout)); }

    socket receiver_ = ctx_.open(ZMQ_PAIR);
    socket sender_ = ctx_.open(ZMQ_PAIR);
    void* poller_ = zmq_poller_new();
    zmq_poller_event_t event_{};
    int mark_ = 0;  ///< its address serves as user data
};

TEST_F(poller_test, checks_its_handle)
{
    void* none = nullptr;
    char blank_memory[1024] = {};
    void* blank = blank_memory;
    zmq_fd_t fd = -1;
    EXPECT_EQ(EFAULT, outcome(zmq_poller_destroy(nullptr)));
    EXPECT_EQ(EFAULT, outcome(zmq_poller_destroy(&none)));
    EXPECT_EQ(EFAULT, outcome(zmq_poller_destroy(&blank)));
    for (void* handle : {none, blank}) {
        EXPECT_EQ(EFAULT, outcome(zmq_poller_size(handle)));
        EXPECT_EQ(EFAULT, outcome(zmq_poller_add(handle, receiver_, nullptr, ZMQ_POLLIN)));
        EXPECT_EQ(EFAULT, outcome(zmq_poller_modify(handle, receiver_, ZMQ_POLLIN)));
        EXPECT_EQ(EFAULT, outcome(zmq_poller_remove(handle, receiver_)));
        EXPECT_EQ(EFAULT, outcome(zmq_poller_add_fd(handle, 0, nullptr, ZMQ_POLLIN)));
        EXPECT_EQ(EFAULT, outcome(zmq_poller_modify_fd(handle, 0, ZMQ_POLLIN)));
        EXPECT_EQ(EFAULT, outcome(zmq_poller_remove_fd(handle, 0)));
        EXPECT_EQ(EFAULT, outcome(zmq_poller_wait(handle, &event_, 0)));
        EXPECT_EQ(EFAULT, outcome(zmq_poller_wait_all(handle, &event_, 1, 0)));
        EXPECT_EQ(EFAULT, outcome(zmq_poller_fd(handle, &fd)));
    }
}

TEST_F(poller_test, checks_the_socket)
{
    EXPECT_EQ(ENOTSOCK, outcome(zmq_poller_add(poller_, nullptr, nullptr, ZMQ_POLLIN)));
    EXPECT_EQ(ENOTSOCK, outcome(zmq_poller_modify(poller_, nullptr, ZMQ_POLLIN)));
    EXPECT_EQ(ENOTSOCK, outcome(zmq_poller_remove(poller_, nullptr)));
}

TEST_F(poller_test, checks_the_descriptor)
{
    EXPECT_EQ(EBADF, outcome(zmq_poller_add_fd(poller_, -1, nullptr, ZMQ_POLLIN)));
    EXPECT_EQ(EBADF, outcome(zmq_poller_modify_fd(poller_, -1, ZMQ_POLLIN)));
    EXPECT_EQ(EBADF, outcome(zmq_poller_remove_fd(poller_, -1)));
}

TEST_F(poller_test, checks_the_events)
{
    constexpr short unknown = 0x40;
    EXPECT_EQ(EINVAL, outcome(zmq_poller_add(poller_, receiver_, nullptr, unknown)));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_add_fd(poller_, 0, nullptr, unknown)));
    EXPECT_EQ(0, outcome(zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN)));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_modify(poller_, receiver_, unknown)));
    EXPECT_EQ(1, zmq_poller_size(poller_));
}

TEST_F(poller_test, checks_where_the_events_go)
{
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
    EXPECT_EQ(EFAULT, outcome(zmq_poller_wait(poller_, nullptr, 0)));
    EXPECT_EQ(EFAULT, outcome(zmq_poller_wait_all(poller_, nullptr, 1, 0)));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_wait_all(poller_, &event_, -1, 0)));
}

TEST_F(poller_test, knows_each_socket_once)
{
    EXPECT_EQ(0, zmq_poller_size(poller_));
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN)));
    EXPECT_EQ(1, zmq_poller_size(poller_));
    EXPECT_EQ(0, zmq_poller_remove(poller_, receiver_));
    EXPECT_EQ(0, zmq_poller_size(poller_));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_remove(poller_, receiver_)));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_modify(poller_, receiver_, ZMQ_POLLIN)));
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
}

TEST_F(poller_test, knows_each_descriptor_once)
{
    os_pipe pipe;
    EXPECT_EQ(0, zmq_poller_add_fd(poller_, pipe.reading_end(), nullptr, ZMQ_POLLIN));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_add_fd(poller_, pipe.reading_end(), nullptr, ZMQ_POLLIN)));
    EXPECT_EQ(1, zmq_poller_size(poller_));
    EXPECT_EQ(0, zmq_poller_remove_fd(poller_, pipe.reading_end()));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_remove_fd(poller_, pipe.reading_end())));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_modify_fd(poller_, pipe.reading_end(), ZMQ_POLLIN)));
    EXPECT_EQ(0, zmq_poller_size(poller_));
}

TEST_F(poller_test, with_nothing_to_wait_for_refuses_to_wait_for_ever)
{
    EXPECT_EQ(EFAULT, wait(-1)) << "nothing is registered";
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, 0));
    EXPECT_EQ(EFAULT, wait(-1)) << "nothing is asked for";
    EXPECT_EQ(EAGAIN, wait(0));
}

TEST_F(poller_test, times_out_with_eagain)
{
    EXPECT_EQ(EAGAIN, wait(0));
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, &mark_, ZMQ_POLLIN));
    EXPECT_EQ(EAGAIN, wait(0));
    const auto start = clock::now();
    EXPECT_EQ(EAGAIN, wait(50));
    EXPECT_GE(clock::now() - start, milliseconds(45));
    EXPECT_EQ(EAGAIN, outcome(zmq_poller_wait_all(poller_, &event_, 1, 0)));
}

TEST_F(poller_test, event_of_a_timeout_is_blank)
{
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, &mark_, ZMQ_POLLIN));
    event_ = {receiver_, 5, &mark_, ZMQ_POLLIN};
    EXPECT_EQ(EAGAIN, wait(0));
    EXPECT_EQ(nullptr, event_.socket);
    EXPECT_EQ(-1, event_.fd);
    EXPECT_EQ(nullptr, event_.user_data);
    EXPECT_EQ(0, event_.events);
}

TEST_F(poller_test, describes_a_socket_event)
{
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, &mark_, ZMQ_POLLIN));
    sender_.send("x");
    ASSERT_EQ(0, wait(patience_ms));
    EXPECT_EQ(static_cast<void*>(receiver_), event_.socket);
    EXPECT_EQ(-1, event_.fd);
    EXPECT_EQ(&mark_, event_.user_data);
    EXPECT_EQ(ZMQ_POLLIN, event_.events);
    EXPECT_EQ(0, wait(patience_ms)) << "level-triggered";
    EXPECT_EQ("x", receiver_.recv());
    EXPECT_EQ(EAGAIN, wait(0));
}

TEST_F(poller_test, describes_a_descriptor_event)
{
    os_pipe pipe;
    EXPECT_EQ(0, zmq_poller_add_fd(poller_, pipe.reading_end(), &mark_, ZMQ_POLLIN));
    EXPECT_EQ(EAGAIN, wait(0));
    pipe.write();
    ASSERT_EQ(0, wait(patience_ms));
    EXPECT_EQ(nullptr, event_.socket);
    EXPECT_EQ(pipe.reading_end(), event_.fd);
    EXPECT_EQ(&mark_, event_.user_data);
    EXPECT_EQ(ZMQ_POLLIN, event_.events);
}

TEST_F(poller_test, modify_changes_what_is_waited_for)
{
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN | ZMQ_POLLOUT));
    ASSERT_EQ(0, wait(patience_ms));
    EXPECT_EQ(ZMQ_POLLOUT, event_.events);
    EXPECT_EQ(0, zmq_poller_modify(poller_, receiver_, ZMQ_POLLIN));
    EXPECT_EQ(EAGAIN, wait(0));
    EXPECT_EQ(0, zmq_poller_modify(poller_, receiver_, 0));
    sender_.send("x");
    EXPECT_EQ(EAGAIN, wait(20)) << "disabled";
    EXPECT_EQ(0, zmq_poller_modify(poller_, receiver_, ZMQ_POLLIN | ZMQ_POLLOUT));
    ASSERT_EQ(0, wait(patience_ms));
    EXPECT_EQ(ZMQ_POLLIN | ZMQ_POLLOUT, event_.events);

    os_pipe pipe;
    EXPECT_EQ(0, zmq_poller_remove(poller_, receiver_));
    EXPECT_EQ(0, zmq_poller_add_fd(poller_, pipe.writing_end(), nullptr, ZMQ_POLLIN));
    EXPECT_EQ(EAGAIN, wait(0));
    EXPECT_EQ(0, zmq_poller_modify_fd(poller_, pipe.writing_end(), ZMQ_POLLOUT));
    EXPECT_EQ(0, wait(patience_ms));
}

TEST_F(poller_test, removed_sockets_say_nothing)
{
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
    EXPECT_EQ(0, zmq_poller_add(poller_, sender_, nullptr, ZMQ_POLLIN));
    EXPECT_EQ(0, zmq_poller_remove(poller_, receiver_));
    sender_.send("x");
    EXPECT_EQ(EAGAIN, wait(20));
}

TEST_F(poller_test, message_ends_a_wait)
{
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
    std::thread sending([&] { sender_.send("x"); });
    EXPECT_EQ(0, wait(-1));
    EXPECT_EQ(static_cast<void*>(receiver_), event_.socket);
    sending.join();
}

TEST_F(poller_test, descriptor_ends_a_wait_that_also_watches_a_socket)
{
    os_pipe pipe;
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
    EXPECT_EQ(0, zmq_poller_add_fd(poller_, pipe.reading_end(), nullptr, ZMQ_POLLIN));
    std::thread writing([&] { pipe.write(); });
    EXPECT_EQ(0, wait(-1));
    EXPECT_EQ(pipe.reading_end(), event_.fd);
    writing.join();
}

TEST_F(poller_test, wait_all_tells_every_event)
{
    os_pipe pipe;
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
    EXPECT_EQ(0, zmq_poller_add(poller_, sender_, nullptr, ZMQ_POLLIN | ZMQ_POLLOUT));
    EXPECT_EQ(0, zmq_poller_add_fd(poller_, pipe.reading_end(), nullptr, ZMQ_POLLIN));
    EXPECT_EQ(3, zmq_poller_size(poller_));
    sender_.send("x");
    pipe.write();
    std::array<zmq_poller_event_t, 4> events{};
    ASSERT_EQ(3, zmq_poller_wait_all(poller_, events.data(), 4, patience_ms));
    bool saw_receiver = false;
    bool saw_sender = false;
    bool saw_pipe = false;
    for (int i = 0; i < 3; ++i) {
        const auto& event = events[static_cast<std::size_t>(i)];
        saw_receiver |= event.socket == static_cast<void*>(receiver_) && event.events == ZMQ_POLLIN;
        saw_sender |= event.socket == static_cast<void*>(sender_) && event.events == ZMQ_POLLOUT;
        saw_pipe |= event.socket == nullptr && event.fd == pipe.reading_end() && event.events == ZMQ_POLLIN;
    }
    EXPECT_TRUE(saw_receiver && saw_sender && saw_pipe);
}

TEST_F(poller_test, wait_all_tells_no_more_than_there_is_room_for)
{
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLOUT));
    EXPECT_EQ(0, zmq_poller_add(poller_, sender_, nullptr, ZMQ_POLLOUT));
    std::array<zmq_poller_event_t, 2> events{};
    EXPECT_EQ(1, zmq_poller_wait_all(poller_, events.data(), 1, patience_ms));
    EXPECT_EQ(nullptr, events[1].socket);
    EXPECT_EQ(2, zmq_poller_wait_all(poller_, events.data(), 2, patience_ms));
}

TEST_F(poller_test, has_no_descriptor_without_a_thread_safe_socket)
{
    zmq_fd_t fd = -1;
    EXPECT_EQ(EINVAL, outcome(zmq_poller_fd(poller_, &fd)));
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_fd(poller_, &fd)));
    EXPECT_EQ(EINVAL, outcome(zmq_poller_fd(poller_, nullptr)));
}

TEST_F(poller_test, says_eterm_after_shutdown)
{
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
    int error = 0;
    std::thread waiting([&] { error = wait(-1); });
    ctx_.shutdown();
    waiting.join();
    EXPECT_EQ(ETERM, error);
    EXPECT_EQ(ETERM, wait(0));
}

TEST_F(poller_test, may_be_destroyed_with_sockets_registered)
{
    EXPECT_EQ(0, zmq_poller_add(poller_, receiver_, nullptr, ZMQ_POLLIN));
    EXPECT_EQ(0, zmq_poller_destroy(&poller_));
    EXPECT_EQ(nullptr, poller_);
    sender_.send("x");
    EXPECT_EQ("x", receiver_.recv()) << "the socket is as good as before";
}

TEST_F(poller_test, serves_many_sockets)
{
    std::vector<socket> receivers;
    std::vector<socket> senders;
    constexpr std::size_t count = 50;
    for (std::size_t i = 0; i < count; ++i) {
        receivers.push_back(ctx_.open(ZMQ_PULL));
        senders.push_back(ctx_.open(ZMQ_PUSH));
        senders.back().connect(receivers.back().bind(unique_inproc()));
        ASSERT_EQ(0, zmq_poller_add(poller_, receivers.back(), nullptr, ZMQ_POLLIN));
    }
    for (socket& sender : senders) sender.send("x");
    std::size_t received = 0;
    while (received < count) {
        ASSERT_EQ(0, wait(patience_ms));
        char byte;
        ASSERT_EQ(1, zmq_recv(event_.socket, &byte, 1, ZMQ_DONTWAIT));
        ++received;
    }
    EXPECT_EQ(EAGAIN, wait(0));
}

class ppoll_test : public zmq_test {
protected:
    void SetUp() override { sender_.connect(receiver_.bind(unique_inproc())); }

    socket receiver_ = ctx_.open(ZMQ_PAIR);
    socket sender_ = ctx_.open(ZMQ_PAIR);
};

TEST_F(ppoll_test, without_a_mask_is_zmq_poll)
{
    zmq_pollitem_t item{receiver_, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(0, zmq_ppoll(&item, 1, 0, nullptr));
    EXPECT_EQ(0, zmq_ppoll(&item, 1, 20, nullptr));
    sender_.send("x");
    EXPECT_EQ(1, zmq_ppoll(&item, 1, -1, nullptr));
    EXPECT_EQ(ZMQ_POLLIN, item.revents);
    EXPECT_EQ(0, zmq_ppoll(nullptr, 0, 0, nullptr));
    EXPECT_EQ(-1, zmq_ppoll(nullptr, 1, 0, nullptr));
    EXPECT_EQ(EFAULT, zmq_errno());
}

TEST_F(ppoll_test, looks_at_sockets_and_descriptors)
{
    os_pipe pipe;
    pipe.write();
    sigset_t none;
    sigemptyset(&none);
    zmq_pollitem_t items[] = {{receiver_, 0, ZMQ_POLLIN, 0}, {nullptr, pipe.reading_end(), ZMQ_POLLIN, 0}};
    EXPECT_EQ(1, zmq_ppoll(items, 2, patience_ms, &none));
    EXPECT_EQ(0, items[0].revents);
    EXPECT_EQ(ZMQ_POLLIN, items[1].revents);
}

TEST_F(ppoll_test, signal_that_the_mask_lets_through_interrupts)
{
    // SIGUSR1 is blocked for the thread and pending; only the mask of the call lets it in.
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = [](int) {};
    ASSERT_EQ(0, sigaction(SIGUSR1, &action, &before));
    sigset_t blocked;
    sigset_t old_mask;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    ASSERT_EQ(0, pthread_sigmask(SIG_BLOCK, &blocked, &old_mask));
    ASSERT_EQ(0, pthread_kill(pthread_self(), SIGUSR1));

    zmq_pollitem_t item{receiver_, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(0, zmq_ppoll(&item, 1, 20, &blocked)) << "still blocked";
    sigset_t none;
    sigemptyset(&none);
    EXPECT_EQ(-1, zmq_ppoll(&item, 1, patience_ms, &none));
    EXPECT_EQ(EINTR, zmq_errno());

    pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
    sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(ppoll_test, says_eterm_after_shutdown)
{
    ctx_.shutdown();
    zmq_pollitem_t item{receiver_, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(-1, zmq_ppoll(&item, 1, -1, nullptr));
    EXPECT_EQ(ETERM, zmq_errno());
}

}  // namespace
}  // namespace zlink::test
