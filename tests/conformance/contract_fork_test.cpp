// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Contexts and sockets across fork. A child may close what it inherited, whatever the parent's threads were doing, and
// use contexts of its own; the parent notices nothing.
#include "support/curve_keys.hpp"
#include "support/zap_handler.hpp"
#include "support/zmq_fixture.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <fstream>

namespace zlink::test {
namespace {

class contract_fork_test : public zmq_test {};

// Waits for a child process; its exit status, or -1 if it was killed or never ended.
int await_exit(pid_t child)
{
    int status = 0;
    if (!eventually([&] { return waitpid(child, &status, WNOHANG) == child; }, 2 * patience_ms)) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// How often each other thread of the process has gone to sleep; empty while one is awake.
std::string sleeps_of_other_threads()
{
    std::string sleeps;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        if (task.path().filename() == std::to_string(gettid())) {
            continue;
        }
        std::ifstream status(task.path() / "status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("State:") && line.find('S', 6) == std::string::npos) {
                return {};
            }
            if (line.starts_with("voluntary_ctxt_switches:")) {
                sleeps += task.path().filename().string() + line.substr(line.find(':'));
            }
        }
    }
    return sleeps;
}

// Waits until the other threads have slept through a while: no timer of theirs is about to wake them. Before a fork
// whose child allocates memory. AddressSanitizer's locks, unlike malloc's, stay locked in the child if a thread of the
// parent holds them at that moment.
void await_quiet_threads()
{
    EXPECT_TRUE(eventually([] {
        const std::string before = sleeps_of_other_threads();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the while
        return !before.empty() && sleeps_of_other_threads() == before;
    }));
}

TEST_F(contract_fork_test, a_forked_child_may_close_what_it_inherited_and_the_parent_goes_on)
{
    for (const char* where : {"inproc://x", "tcp://127.0.0.1:*", "ipc://*"}) {
        context ctx;
        socket push = ctx.open(ZMQ_PUSH), pull = ctx.open(ZMQ_PULL);
        push.connect(pull.bind(where));
        push.send("before");
        EXPECT_EQ("before", pull.recv());
        push.send("under way");
        const pid_t child = fork();
        ASSERT_NE(-1, child);
        if (child == 0) {
            alarm(patience_ms / 1000);
            zmq_close(push.release());
            zmq_close(pull.release());
            zmq_ctx_term(ctx);
            _exit(0);
        }
        EXPECT_EQ(0, await_exit(child)) << where;
        EXPECT_EQ("under way", pull.recv());
        for (int i = 0; i < 100; ++i) {
            push.send(std::to_string(i));
            EXPECT_EQ(std::to_string(i), pull.recv());
        }
    }
}

// Whatever the child sends on them: with CURVE it would be under numbers that the parent uses, too.
TEST_F(contract_fork_test, nothing_a_forked_child_sends_goes_out_on_inherited_connections)
{
    for (const bool sealed : {false, true}) {
        if (sealed && !zmq_has("curve")) continue;
        context ctx;
        socket push = ctx.open(ZMQ_PUSH), pull = ctx.open(ZMQ_PULL);
        if (sealed) {
            const curve_keys server, client;
            be_curve_server(pull, server);
            be_curve_client(push, client, server.open);
        }
        monitor events(ctx, pull, failed_handshake | ZMQ_EVENT_DISCONNECTED);
        push.connect(pull.bind("tcp://127.0.0.1:*"));
        push.send("before");
        EXPECT_EQ("before", pull.recv());
        await_quiet_threads();
        const pid_t child = fork();
        ASSERT_NE(-1, child);
        if (child == 0) {
            alarm(patience_ms / 1000);
            for (int i = 0; i < 10; ++i) zmq_send(push, "child", 5, ZMQ_DONTWAIT);
            _exit(0);
        }
        EXPECT_EQ(0, await_exit(child));
        for (int i = 0; i < 100; ++i) {
            push.send(std::to_string(i));
            EXPECT_EQ(std::to_string(i), pull.recv());
        }
        EXPECT_FALSE(events.next(0));
    }
}

TEST_F(contract_fork_test, a_forked_child_may_use_a_context_of_its_own)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    push.connect(endpoint);
    push.send("parent");
    EXPECT_EQ("parent", pull.recv());
    await_quiet_threads();
    const pid_t child = fork();
    ASSERT_NE(-1, child);
    if (child == 0) {
        alarm(patience_ms / 1000);
        void* ctx = zmq_ctx_new();
        void* own = zmq_socket(ctx, ZMQ_PUSH);
        bool good = zmq_connect(own, endpoint.c_str()) == 0 && zmq_send(own, "child", 5, 0) == 5;
        good = zmq_close(own) == 0 && zmq_ctx_term(ctx) == 0 && good;
        _exit(good ? 0 : 1);
    }
    EXPECT_EQ("child", pull.recv());
    EXPECT_EQ(0, await_exit(child));
    push.send("parent again");
    EXPECT_EQ("parent again", pull.recv());
}

TEST_F(contract_fork_test, a_forked_child_that_leaves_at_once_does_no_harm)
{
    socket a = ctx_.open(ZMQ_PAIR), b = ctx_.open(ZMQ_PAIR);
    b.connect(a.bind("tcp://127.0.0.1:*"));
    for (int i = 0; i < 10; ++i) {
        a.send(std::to_string(i));
        const pid_t child = fork();
        ASSERT_NE(-1, child);
        if (child == 0) {
            _exit(0);
        }
        EXPECT_EQ(std::to_string(i), b.recv());
        EXPECT_EQ(0, await_exit(child));
    }
}

// Threads that run at the moment of a fork may hold any lock and be in the middle of anything.
TEST_F(contract_fork_test, a_forked_child_may_close_what_it_inherited_while_the_parents_threads_are_busy)
{
    for (const char* where : {"inproc://x", "tcp://127.0.0.1:*", "ipc://*"}) {
        socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL), other = ctx_.open(ZMQ_PUSH);
        push.connect(pull.bind(where));
        monitor events(ctx_, pull);
        std::atomic<bool> done{false};
        std::thread traffic([&] {
            for (std::string body = "x"; !done; body.resize(body.size() * 3 % 70000)) {
                push.send(body);
            }
        });
        std::thread opening([&] {
            while (!done) {
                socket a = ctx_.open(ZMQ_PAIR), b = ctx_.open(ZMQ_PAIR);
                b.connect(a.bind("tcp://127.0.0.1:*"));
                b.send("x");
                a.recv();
            }
        });
        for (int turn = 0; turn < 20 && !HasFailure(); ++turn) {
            for (int i = 0; i < 20; ++i) {
                pull.recv();
            }
            const pid_t child = fork();
            ASSERT_NE(-1, child);
            if (child == 0) {
                alarm(patience_ms / 1000);
                zmq_ctx_shutdown(ctx_);
                zmq_close(other.release());
                zmq_close(push.release());
                zmq_close(pull.release());
                zmq_ctx_term(ctx_);
                _exit(0);
            }
            EXPECT_EQ(0, await_exit(child)) << where;
        }
        done = true;
        pull.drain();  // makes room for a sender that waits for it
        traffic.join();
        opening.join();
    }
}

// What a program does that makes its context first and becomes a daemon afterwards.
TEST_F(contract_fork_test, a_context_without_sockets_goes_on_in_the_child)
{
    socket pull = ctx_.open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    context unused;
    await_quiet_threads();
    const pid_t child = fork();
    ASSERT_NE(-1, child);
    if (child == 0) {
        alarm(patience_ms / 1000);
        void* push = zmq_socket(unused, ZMQ_PUSH);
        bool good = zmq_connect(push, endpoint.c_str()) == 0;
        for (int i = 0; i < 100; ++i) {
            good = zmq_send(push, "child", 5, 0) == 5 && good;
        }
        good = zmq_close(push) == 0 && zmq_ctx_term(unused) == 0 && good;  // the messages linger
        _exit(good ? 0 : 1);
    }
    for (int i = 0; i < 100 && !HasFailure(); ++i) {
        EXPECT_EQ("child", pull.recv());
    }
    EXPECT_EQ(0, await_exit(child));
    socket push = unused.open(ZMQ_PUSH);
    push.connect(endpoint);
    push.send("parent");
    EXPECT_EQ("parent", pull.recv());
}

TEST_F(contract_fork_test, an_inherited_context_opens_no_sockets)
{
    socket pair = ctx_.open(ZMQ_PAIR);
    const pid_t child = fork();
    ASSERT_NE(-1, child);
    if (child == 0) {
        alarm(patience_ms / 1000);
        _exit(zmq_socket(ctx_, ZMQ_PAIR) == nullptr && errno == ETERM ? 0 : 1);
    }
    EXPECT_EQ(0, await_exit(child));
}

// Closing a descriptor that watches descriptors of the parent's would change what the parent sees.
TEST_F(contract_fork_test, a_child_that_closes_leaves_the_parents_event_descriptor_alone)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    pollfd ready{pull.get_int(ZMQ_FD), POLLIN, 0};
    (void)pull.get_int(ZMQ_EVENTS);
    const pid_t child = fork();
    ASSERT_NE(-1, child);
    if (child == 0) {
        alarm(patience_ms / 1000);
        zmq_close(pull.release());
        zmq_ctx_term(ctx_);
        _exit(0);
    }
    EXPECT_EQ(0, await_exit(child));
    push.send("x");
    while (!pull.readable()) {
        ASSERT_EQ(1, ::poll(&ready, 1, patience_ms));
    }
    EXPECT_EQ("x", pull.recv());
}

}  // namespace
}  // namespace zlink::test
