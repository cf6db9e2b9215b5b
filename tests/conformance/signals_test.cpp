// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A signal that comes while a call waits. The call returns what it waits for if that is there, else EINTR, though
// something else comes at the same time.
#include "support/sleeping_thread.hpp"
#include "support/zmq_fixture.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <optional>

namespace zlink::test {
namespace {

// What the handler and the thread that signals tell each other.
std::atomic<int> handlers_begun{0};
std::atomic<int> handlers_answered{0};

// A handler that returns only when the other thread has done something behind the back of the one it interrupts.
void await_answer(int)
{
    const int mine = handlers_begun.fetch_add(1) + 1;
    while (handlers_answered.load() < mine) ::sched_yield();
}

class signals_test : public zmq_test {
protected:
    void SetUp() override
    {
        handlers_begun = handlers_answered = 0;
        struct sigaction action {};
        action.sa_handler = await_answer;
        ASSERT_EQ(0, ::sigaction(SIGUSR1, &action, &before_));
    }
    void TearDown() override { ::sigaction(SIGUSR1, &before_, nullptr); }

    // What the peer is told to do is a change that the waiting socket hears of: nothing to receive, and no room to
    // send. Runs `call` while another thread signals this one whenever it sleeps (which it may do before the sleep that
    // is meant). Has `meanwhile` done while the handler runs. Returns the errno of `call`, 0 if it succeeded.
    static int interrupt(const std::function<int()>& call, const std::function<void()>& meanwhile)
    {
        std::atomic<bool> over{false};
        const pthread_t waiting = ::pthread_self();
        const pid_t waiting_id = ::gettid();
        std::thread signalling([&] {
            for (int n = 1; !over; ++n) {
                ::pthread_kill(waiting, SIGUSR1);
                while (handlers_begun.load() < n) ::sched_yield();
                meanwhile();
                handlers_answered = n;
                while (!over && !sleeps(waiting_id)) ::sched_yield();
            }
        });
        const int rc = call();
        const int error = rc < 0 ? zmq_errno() : 0;
        over = true;
        signalling.join();
        return error;
    }

private:
    struct sigaction before_ {};
};

TEST_F(signals_test, end_a_receive_though_the_peer_does_something_at_the_same_time)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    char octet;
    EXPECT_EQ(EINTR, interrupt([&] { return zmq_recv(pull, &octet, 1, 0); }, [&] { push.set(ZMQ_SNDHWM, 1000); }));
}

TEST_F(signals_test, end_a_send_though_the_peer_does_something_at_the_same_time)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.set(ZMQ_SNDHWM, 1);
    pull.set(ZMQ_RCVHWM, 1);
    pull.connect(push.bind(unique_inproc()));
    while (push.try_send("x") == 0) {
    }
    EXPECT_EQ(EINTR, interrupt([&] { return zmq_send(push, "x", 1, 0); }, [&] { pull.set(ZMQ_RCVHWM, 1); }));
}

TEST_F(signals_test, end_a_poll_though_a_peer_does_something_at_the_same_time)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    std::array<int, 2> quiet{};
    ASSERT_EQ(0, ::pipe2(quiet.data(), O_CLOEXEC));
    for (const int items : {1, 2}) {
        zmq_pollitem_t item[] = {{pull, 0, ZMQ_POLLIN, 0}, {nullptr, quiet[0], ZMQ_POLLIN, 0}};
        handlers_begun = handlers_answered = 0;
        EXPECT_EQ(EINTR,
                  interrupt([&] { return zmq_poll(item, items, patience_ms); }, [&] { push.set(ZMQ_SNDHWM, 1000); }))
            << items;
    }
    ::close(quiet[0]);
    ::close(quiet[1]);
}

TEST_F(signals_test, end_a_pollers_wait_and_a_proxy_though_a_peer_does_something_at_the_same_time)
{
    socket front = ctx_.open(ZMQ_PULL), back = ctx_.open(ZMQ_PUSH), push = ctx_.open(ZMQ_PUSH);
    push.connect(front.bind(unique_inproc()));
    void* poller = zmq_poller_new();
    ASSERT_EQ(0, zmq_poller_add(poller, front, nullptr, ZMQ_POLLIN));
    zmq_poller_event_t event;
    EXPECT_EQ(EINTR, interrupt([&] { return zmq_poller_wait(poller, &event, patience_ms); },
                               [&] { push.set(ZMQ_SNDHWM, 1000); }));
    EXPECT_EQ(0, zmq_poller_destroy(&poller));
    handlers_begun = handlers_answered = 0;
    EXPECT_EQ(EINTR, interrupt([&] { return zmq_proxy(front, back, nullptr); }, [&] { push.set(ZMQ_SNDHWM, 1000); }));
}

TEST_F(signals_test, end_a_receive_from_a_connection_though_another_comes_at_the_same_time)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    push.connect(endpoint);
    push.send("first");
    EXPECT_EQ("first", pull.recv());
    std::vector<socket> more;
    char octet;
    EXPECT_EQ(EINTR, interrupt([&] { return zmq_recv(pull, &octet, 1, 0); },
                               [&] {
                                   more.push_back(ctx_.open(ZMQ_PUSH));
                                   more.back().connect(endpoint);
                                   EXPECT_TRUE(more.back().writable());
                               }));
}

TEST_F(signals_test, do_not_hide_the_message_that_comes_with_them)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.connect(pull.bind(unique_inproc()));
    zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(0, interrupt([&] { return zmq_poll(&item, 1, patience_ms); }, [&] { push.try_send("x"); }));
    EXPECT_EQ(ZMQ_POLLIN, item.revents);
    (void)pull.drain();
    handlers_begun = handlers_answered = 0;
    char octet;
    EXPECT_EQ(0, interrupt([&] { return zmq_recv(pull, &octet, 1, 0); }, [&] { push.try_send("x"); }));
}

// Ctrl-C goes to a broker and to its clients: these may have ended before the broker's thread runs.
class signals_with_ends_test : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        ASSERT_TRUE(kernel_tells_of_system_calls());
        struct sigaction action {};
        action.sa_handler = [](int) {};
        ASSERT_EQ(0, ::sigaction(SIGUSR1, &action, &before_));
    }
    void TearDown() override { ::sigaction(SIGUSR1, &before_, nullptr); }

    // The errno of `call`, made by another thread, when a signal comes and then the peer ends.
    int end_peer_during(const std::function<int(socket&)>& call)
    {
        socket pull = ctx_.open(ZMQ_PULL);
        std::optional<socket> push = ctx_.open(ZMQ_PUSH);
        push->connect(pull.bind(GetParam() == std::string("inproc") ? unique_inproc() : GetParam()));
        push->send("hello");
        EXPECT_EQ("hello", pull.recv());
        pull.set(ZMQ_RCVTIMEO, -1);
        std::atomic<pid_t> id{0};
        int error = 0;
        std::thread waiting([&] {
            id = ::gettid();
            if (call(pull) < 0) error = zmq_errno();
        });
        EXPECT_TRUE(comes_to_sleep_heeding_signals(id));
        ::pthread_kill(waiting.native_handle(), SIGUSR1);
        push.reset();
        waiting.join();
        return error;
    }

private:
    context ctx_;
    struct sigaction before_ {};
};

TEST_P(signals_with_ends_test, end_a_poll_though_the_peer_ends_before_it_runs)
{
    for (int round = 0; round < 20 && !HasFailure(); ++round) {
        EXPECT_EQ(EINTR, end_peer_during([](socket& pull) {
                      zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
                      return zmq_poll(&item, 1, -1) == 0 ? 0 : -1;
                  }));
    }
}

TEST_P(signals_with_ends_test, end_a_receive_though_the_peer_ends_before_it_runs)
{
    for (int round = 0; round < 20 && !HasFailure(); ++round) {
        EXPECT_EQ(EINTR, end_peer_during([](socket& pull) {
                      char octet;
                      return zmq_recv(pull, &octet, 1, 0);
                  }));
    }
}

INSTANTIATE_TEST_SUITE_P(transports, signals_with_ends_test, testing::Values("inproc", "ipc://*", "tcp://127.0.0.1:*"),
                         [](const auto& p) { return std::string(p.param).substr(0, std::string(p.param).find(':')); });

}  // namespace
}  // namespace zlink::test
