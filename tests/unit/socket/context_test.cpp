// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Contexts: what they hand out, when they refuse, and that their end waits for everything that is theirs.
#include "socket/context.hpp"

#include "socket/socket.hpp"

#include <zmq.h>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <future>
#include <set>
#include <thread>
#include <vector>

namespace zlink::socket {
namespace {

constexpr auto patience = std::chrono::seconds(20);

class context_test : public testing::Test {
protected:
    ~context_test() override
    {
        if (context_) end();
    }

    void end() { EXPECT_EQ(errc::none, std::exchange(context_, nullptr)->terminate()); }

    socket* open(int type = ZMQ_PAIR)
    {
        const auto opened = context_->open_socket(type);
        EXPECT_TRUE(opened) << to_errno(opened.error());
        return opened ? *opened : nullptr;
    }

    context* context_ = context::create();
};

TEST_F(context_test, is_told_from_other_memory)
{
    EXPECT_TRUE(context::valid(context_));
    EXPECT_FALSE(context::valid(nullptr));
    alignas(8) const std::array<char, sizeof(context)> zeros{};
    EXPECT_FALSE(context::valid(zeros.data()));
}

TEST_F(context_test, keeps_options)
{
    EXPECT_EQ(errc::none, context_->set(ZMQ_MAX_SOCKETS, 7));
    int value = 0;
    EXPECT_EQ(errc::none, context_->get(ZMQ_MAX_SOCKETS, value));
    EXPECT_EQ(7, value);
    EXPECT_EQ(errc::invalid_argument, context_->set(ZMQ_MAX_SOCKETS, 0));
    EXPECT_EQ(errc::invalid_argument, context_->set(12345, 1));
    EXPECT_EQ(errc::invalid_argument, context_->get(12345, value));
}

TEST_F(context_test, opens_sockets_of_every_type)
{
    for (int type = ZMQ_PAIR; type <= ZMQ_STREAM; ++type) {
        socket* s = open(type);
        ASSERT_NE(nullptr, s);
        EXPECT_EQ(type, int(s->type()));
        EXPECT_TRUE(socket::valid(s));
        s->close();
        EXPECT_FALSE(socket::valid(s));
    }
    for (const int type : {-1, ZMQ_STREAM + 100}) {
        EXPECT_EQ(errc::invalid_argument, context_->open_socket(type).error()) << type;
    }
}

TEST_F(context_test, opens_no_more_sockets_than_allowed_at_a_time)
{
    ASSERT_EQ(errc::none, context_->set(ZMQ_MAX_SOCKETS, 2));
    socket* first = open();
    socket* second = open();
    EXPECT_EQ(errc::too_many_files, context_->open_socket(ZMQ_PAIR).error());
    first->close();
    socket* third = open();
    EXPECT_EQ(errc::too_many_files, context_->open_socket(ZMQ_PAIR).error());
    second->close();
    third->close();
}

TEST_F(context_test, opens_nothing_after_its_shutdown)
{
    context_->shutdown();
    EXPECT_EQ(errc::terminated, context_->open_socket(ZMQ_PAIR).error());
    context_->shutdown();
    EXPECT_EQ(errc::terminated, context_->open_socket(ZMQ_PAIR).error());
}

TEST_F(context_test, its_shutdown_ends_what_sockets_do)
{
    socket* s = open();
    ASSERT_EQ(errc::none, s->bind("inproc://here"));
    context_->shutdown();
    EXPECT_EQ(errc::terminated, s->bind("inproc://there"));
    EXPECT_EQ(errc::terminated, s->connect("inproc://here"));
    s->close();
}

// --- I/O threads
// ----------------------------------------------------------------------------------------------------------

TEST_F(context_test, starts_its_threads_with_the_first_socket)
{
    ASSERT_EQ(errc::none, context_->set(ZMQ_IO_THREADS, 3));
    EXPECT_EQ(nullptr, context_->choose_worker(0));
    open()->close();
    std::set<engine::io_worker*> workers;
    for (const unsigned bit : {0, 1, 2}) {
        engine::io_worker* w = context_->choose_worker(std::uint64_t{1} << bit);
        ASSERT_NE(nullptr, w);
        EXPECT_EQ(w, context_->choose_worker(std::uint64_t{1} << bit));
        workers.insert(w);
    }
    EXPECT_EQ(3u, workers.size());
    EXPECT_EQ(nullptr, context_->choose_worker(std::uint64_t{1} << 3));
    EXPECT_EQ(nullptr, context_->choose_worker(std::uint64_t{1} << 63));
}

TEST_F(context_test, chooses_the_least_loaded_thread_of_the_mask)
{
    ASSERT_EQ(errc::none, context_->set(ZMQ_IO_THREADS, 3));
    open()->close();
    engine::io_worker* w[3];
    for (const unsigned bit : {0, 1, 2}) w[bit] = context_->choose_worker(std::uint64_t{1} << bit);
    w[0]->load += 2;
    w[1]->load += 1;
    EXPECT_EQ(w[2], context_->choose_worker(0));
    EXPECT_EQ(w[2], context_->choose_worker(7));
    EXPECT_EQ(w[1], context_->choose_worker(3));
    EXPECT_EQ(w[0], context_->choose_worker(1));
    w[0]->load -= 2;
    w[1]->load -= 1;
}

TEST_F(context_test, may_have_no_threads_at_all)
{
    ASSERT_EQ(errc::none, context_->set(ZMQ_IO_THREADS, 0));
    socket* s = open();
    EXPECT_EQ(nullptr, context_->choose_worker(0));
    EXPECT_EQ(errc::none, s->bind("inproc://no-threads"));
    EXPECT_EQ(errc::no_thread, s->bind("tcp://127.0.0.1:*"));
    s->close();
}

// --- the end
// --------------------------------------------------------------------------------------------------------------

TEST_F(context_test, ends_at_once_when_nothing_is_left)
{
    end();
    context_ = context::create();
    ASSERT_NE(nullptr, context_);
    open()->close();
    end();
}

TEST_F(context_test, its_end_waits_for_sockets_and_for_whatever_counts_as_alive)
{
    socket* s = open();
    context_->alive().add();
    runtime::latch& alive = context_->alive();
    context* const ending = std::exchange(context_, nullptr);
    auto ended = std::async(std::launch::async, [ending] { return ending->terminate(); });
    // The end begins with a shutdown, which the socket sees.
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (s->bind("inproc://x") != errc::terminated && std::chrono::steady_clock::now() < deadline) {
        (void)s->end_endpoints("inproc://x");
    }
    EXPECT_EQ(std::future_status::timeout, ended.wait_for(std::chrono::seconds(0)));
    s->close();
    EXPECT_EQ(std::future_status::timeout, ended.wait_for(std::chrono::seconds(0)));
    alive.remove();
    ASSERT_EQ(std::future_status::ready, ended.wait_for(patience));
    EXPECT_EQ(errc::none, ended.get());
}

// A child has none of the threads that would have to end.
TEST_F(context_test, ends_at_once_in_a_child_of_fork)
{
    socket* s = open();
    ASSERT_EQ(errc::none, s->bind("tcp://127.0.0.1:*"));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::alarm(20);
        ::_exit(context_->terminate() == errc::none ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    // Nothing has changed here.
    EXPECT_TRUE(context::valid(context_));
    EXPECT_EQ(errc::none, s->bind("tcp://127.0.0.1:*"));
    s->close();
}

TEST_F(context_test, threads_open_and_close_sockets_while_it_ends_stress)
{
    for (int round = 0; round < 20; ++round) {
        context* c = context::create();
        ASSERT_NE(nullptr, c);
        std::vector<std::jthread> threads;
        runtime::latch running;  // threads that may still ask for sockets
        for (int t = 0; t < 3; ++t) {
            running.add();
            threads.emplace_back([&, t] {
                for (int i = 0;; ++i) {
                    const auto opened = c->open_socket(ZMQ_PAIR);
                    if (!opened) {
                        EXPECT_EQ(errc::terminated, opened.error());
                        break;
                    }
                    const std::string name = "inproc://" + std::to_string(t) + std::to_string(i);
                    const errc bound = (*opened)->bind(name);
                    EXPECT_TRUE(bound == errc::none || bound == errc::terminated);
                    (*opened)->close();
                }
                running.remove();
            });
        }
        for (int i = 0; i < round; ++i) std::this_thread::yield();
        c->shutdown();
        EXPECT_TRUE(running.wait());
        EXPECT_EQ(errc::none, c->terminate());
    }
}

}  // namespace
}  // namespace zlink::socket
