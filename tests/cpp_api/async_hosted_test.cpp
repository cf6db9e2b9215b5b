// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Groups that an execution context of the program hosts: no threads, linger, ends in any order, calls that wait, and
// async_close().
#include <zlink/asio.hpp>
#include <zlink/awaitable.hpp>
#include <zlink/poller.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <zmq.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

/// Of this thread, by operator new.
thread_local std::size_t allocations = 0;

}  // namespace

// Sanitizers have theirs.
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
void* operator new(std::size_t size)
{
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
#endif

namespace zlink::test {

namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using error_code = boost::system::error_code;

constexpr auto patience = 10s;
constexpr const char* any_port = "tcp://127.0.0.1:*";

std::ptrdiff_t entries_of(const char* directory)
{
    return std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator());
}
std::ptrdiff_t threads()
{
    return entries_of("/proc/self/task");
}
std::ptrdiff_t descriptors()
{
    return entries_of("/proc/self/fd");
}

template <class Socket>
std::string endpoint_of(Socket& s)
{
    return s.template get<opt::last_endpoint>();
}

/// An endpoint where nobody listens, and somebody may bind later.
std::string free_endpoint()
{
    io_group group;
    socket s(group, socket_type::pair);
    s.bind(any_port);
    return endpoint_of(s);
}

class hosted_test : public testing::Test {
protected:
    void TearDown() override
    {
        group_.reset();
        context_.reset();
    }
    /// Runs until there is nothing to do, or `done`. False: it took too long.
    bool run(const std::function<bool()>& done = [] { return false; })
    {
        context_->restart();
        const auto until = std::chrono::steady_clock::now() + patience;
        while (!done()) {
            if (std::chrono::steady_clock::now() >= until) return false;
            if (context_->run_one_until(until) == 0) return std::chrono::steady_clock::now() < until;
        }
        return true;
    }
    template <class Coroutine>
    void run_coroutine(Coroutine&& coroutine)
    {
        std::exception_ptr failed;
        net::co_spawn(*context_, std::forward<Coroutine>(coroutine), [&](std::exception_ptr e) { failed = e; });
        EXPECT_TRUE(run());
        if (failed) std::rethrow_exception(failed);
    }

    std::unique_ptr<net::io_context> context_ = std::make_unique<net::io_context>(1);
    std::optional<io_group> group_{std::in_place, *context_};
};

struct ended {
    int times = 0;
    error_code ec = {};
    [[nodiscard]] auto handler()
    {
        return [this](error_code e) {
            ++times;
            ec = e;
        };
    }
};

net::awaitable<void> echo(async_socket s, int count)
{
    message m;
    for (int i = 0; i < count; ++i) {
        co_await s.async_receive(m, net::use_awaitable);
        co_await s.async_send(std::move(m), net::use_awaitable);
    }
}

net::awaitable<void> ask(async_socket s, int count)
{
    message m;
    for (int i = 0; i < count; ++i) {
        co_await s.async_send(message(std::to_string(i)), net::use_awaitable);
        co_await s.async_receive(m, net::use_awaitable);
        EXPECT_EQ(std::to_string(i), m.view());
    }
}

template <class Group>
void ask_and_answer(net::io_context& context, Group& group, int count = 100)
{
    async_socket reply(context, group, socket_type::rep), request(context, group, socket_type::req);
    reply.bind(any_port);
    request.connect(endpoint_of(reply));
    net::co_spawn(context, echo(std::move(reply), count), net::detached);
    net::co_spawn(context, ask(std::move(request), count), net::detached);
}

// --- running

TEST_F(hosted_test, starts_no_thread)
{
    const auto before = threads();
    ask_and_answer(*context_, *group_);
    EXPECT_TRUE(run());
    EXPECT_EQ(before, threads());
    EXPECT_TRUE(group_->close(10s));
    EXPECT_EQ(before, threads());
}

TEST_F(hosted_test, resolver_starts_with_the_first_name)
{
    const auto before = threads();
    socket bound(*group_, socket_type::pull), by_address(*group_, socket_type::push),
        by_name(*group_, socket_type::push);
    bound.bind(any_port);
    const std::string endpoint = endpoint_of(bound);
    by_address.connect(endpoint);
    by_address.send(message("address"));
    EXPECT_EQ("address", bound.receive().view());
    EXPECT_EQ(before, threads());
    by_name.connect("tcp://localhost" + endpoint.substr(endpoint.rfind(':')));
    by_name.send(message("name"));
    std::optional<std::string> found;
    net::steady_timer look(*context_);
    const std::function<void(error_code)> try_again = [&](error_code) {
        message m;
        if (bound.try_receive(m)) {
            found = std::string(m.view());
            return;
        }
        look.expires_after(1ms);
        look.async_wait(try_again);
    };
    try_again({});
    EXPECT_TRUE(run([&] { return found.has_value(); }));
    EXPECT_EQ("name", found);
    EXPECT_EQ(before + 1, threads());
}

TEST_F(hosted_test, run_returns_once_sockets_have_gone)
{
    EXPECT_EQ(0U, context_->poll()) << "no socket: no work";
    {
        async_socket s(*context_, *group_, socket_type::pair);
        context_->restart();
        (void)context_->run_for(1ms);
        EXPECT_FALSE(context_->stopped());
    }
    EXPECT_TRUE(run());
    EXPECT_TRUE(context_->stopped());
    // And once more, over inproc, which has no connection that ends later.
    {
        async_socket a(*context_, *group_, socket_type::pair), b(*context_, *group_, socket_type::pair);
        a.bind("inproc://a");
        b.connect("inproc://a");
        message m;
        ended received;
        a.async_receive(m, received.handler());
        b.async_send(message("x"), [](error_code) {});
        EXPECT_TRUE(run([&] { return received.times != 0; }));
    }
    EXPECT_TRUE(run());
    EXPECT_TRUE(context_->stopped());
}

TEST_F(hosted_test, poll_one_stop_and_restart)
{
    ask_and_answer(*context_, *group_);
    // Single handlers, until something has happened.
    const auto until = std::chrono::steady_clock::now() + patience;
    for (int i = 0; i < 10 && std::chrono::steady_clock::now() < until;) i += int(context_->poll_one());
    net::post(*context_, [&] { context_->stop(); });
    context_->run();
    EXPECT_TRUE(context_->stopped());
    EXPECT_TRUE(run()) << "it goes on after a restart";
    EXPECT_TRUE(context_->stopped());
}

// Each handler has a turn of its own, also those that are called in the turn of their message.
TEST_F(hosted_test, one_handler_at_a_time)
{
    async_socket a(*context_, *group_, socket_type::pair), b(*context_, *group_, socket_type::pair);
    a.bind(any_port);
    b.connect(endpoint_of(a));
    int turns_of_a = 0, turns_of_b = 0;
    message at_a, at_b;
    const std::function<void(error_code)> on_a = [&](error_code ec) {
        ++turns_of_a;
        if (ec || turns_of_a == 100) return;
        a.async_send(message("x"), [](error_code) {});
        a.async_receive(at_a, on_a);
    };
    const std::function<void(error_code)> on_b = [&](error_code ec) {
        ++turns_of_b;
        if (ec) return;
        b.async_send(message("y"), [](error_code) {});
        if (turns_of_b != 100) b.async_receive(at_b, on_b);
    };
    const auto before = descriptors();
    a.async_receive(at_a, on_a);
    b.async_receive(at_b, on_b);
    EXPECT_EQ(before, descriptors()) << "a wait needs no descriptor";
    a.async_send(message("x"), [](error_code) {});
    const auto until = std::chrono::steady_clock::now() + patience;
    while (turns_of_a != 100 && std::chrono::steady_clock::now() < until) {
        const int turns = turns_of_a + turns_of_b;
        (void)context_->run_one_until(until);
        EXPECT_LE(turns_of_a + turns_of_b, turns + 1);
    }
    EXPECT_EQ(100, turns_of_a);
    EXPECT_EQ(100, turns_of_b);
}

TEST_F(hosted_test, waits_that_look_by_a_timer_leave_the_loop_alone)
{
    async_socket a(*context_, *group_, socket_type::pair), b(*context_, *group_, socket_type::pair);
    a.bind(any_port);
    message m;
    ended peers, received;
    a.async_wait({wait_type::peers, 2}, peers.handler());
    a.async_receive(m, received.handler());
    b.connect(endpoint_of(a));
    b.async_send(message("x"), [](error_code) {});
    EXPECT_TRUE(run([&] { return received.times == 1; }));
    a.async_receive(m, received.handler());
    constexpr int many = 20'000;
    int turns = 0;
    while (turns < many && context_->poll_one() != 0) ++turns;
    EXPECT_LT(turns, many);
    EXPECT_EQ(0, peers.times);
}

TEST_F(hosted_test, handler_ends_everything_in_the_turn_of_its_message)
{
    auto a = std::make_unique<async_socket>(*context_, *group_, socket_type::pair);
    auto b = std::make_unique<async_socket>(*context_, *group_, socket_type::pair);
    a->bind(any_port);
    b->connect(endpoint_of(*a));
    message m, never;
    int received = 0, aborted = 0;
    a->async_receive(m, [&](error_code ec) {
        received += int(!ec);
        a.reset();
        group_.reset();
        b.reset();
    });
    b->async_receive(never, [&](error_code ec) { aborted += int(ec == net::error::operation_aborted); });
    b->async_send(message("x"), [](error_code) {});
    EXPECT_TRUE(run());
    EXPECT_EQ(1, received);
    EXPECT_EQ(1, aborted);
}

TEST_F(hosted_test, handler_throws_in_the_turn_of_its_message)
{
    async_socket a(*context_, *group_, socket_type::pair), b(*context_, *group_, socket_type::pair);
    a.bind(any_port);
    b.connect(endpoint_of(a));
    message m;
    a.async_receive(m, [](error_code) { throw 1; });
    b.async_send(message("1"), [](error_code) {});
    EXPECT_THROW((void)run(), int);
    ended received;
    a.async_receive(m, received.handler());
    b.async_send(message("2"), [](error_code) {});
    EXPECT_TRUE(run([&] { return received.times != 0; }));
    EXPECT_EQ("2", m.view());
}

TEST_F(hosted_test, runs_on_another_thread_than_the_one_that_made_it)
{
    ask_and_answer(*context_, *group_);
    std::jthread([&] { EXPECT_TRUE(run()); }).join();
    ask_and_answer(*context_, *group_);
    EXPECT_TRUE(run()) << "and back";
}

TEST_F(hosted_test, groups_on_one_context)
{
    io_group other(*context_);
    async_socket a(*context_, *group_, socket_type::rep), b(*context_, other, socket_type::req);
    a.bind(any_port);
    b.connect(endpoint_of(a));
    net::co_spawn(*context_, echo(std::move(a), 20), net::detached);
    net::co_spawn(*context_, ask(std::move(b), 20), net::detached);
    EXPECT_TRUE(run());
}

TEST_F(hosted_test, strand_on_several_threads)
{
    auto strand = net::make_strand(*context_);
    io_group group(strand);
    async_socket a(strand, group, socket_type::rep), b(strand, group, socket_type::req);
    a.bind(any_port);
    b.connect(endpoint_of(a));
    net::co_spawn(strand, echo(std::move(a), 50), net::detached);
    net::co_spawn(strand, ask(std::move(b), 50), net::detached);
    std::vector<std::jthread> all;
    for (int i = 0; i < 3; ++i) all.emplace_back([&] { context_->run(); });
}

// The group's own executor is told of readiness, not that of a socket.
TEST_F(hosted_test, goes_on_without_its_first_socket)
{
    net::io_context elsewhere(1);  // which does not run
    std::optional<async_socket> first(std::in_place, elsewhere, *group_, socket_type::pair);
    first->bind(any_port);
    ask_and_answer(*context_, *group_, 3);
    EXPECT_TRUE(run([n = 0]() mutable { return ++n > 20; }));
    first.reset();
    EXPECT_TRUE(run());
}

TEST_F(hosted_test, programs_timers_come_in_a_flood)
{
    io_group threads_of_its_own;
    async_socket pull(*context_, *group_, socket_type::pull);
    pull.bind(any_port);
    std::jthread sender([&, endpoint = endpoint_of(pull)](const std::stop_token& stop) {
        socket push(threads_of_its_own, socket_type::push);
        push.set(opt::linger(0ms));
        push.connect(endpoint);
        message m;
        while (!stop.stop_requested()) {
            m = message("0123456789012345678901234567890123456789012345678901234567890123");
            while (!push.try_send(m) && !stop.stop_requested()) std::this_thread::sleep_for(100us);
        }
    });
    std::size_t messages = 0;
    bool ends = false;
    std::vector<message> batch(64);
    const std::function<void(error_code, std::size_t)> more = [&](error_code ec, std::size_t n) {
        messages += n;
        if (!ec && !ends) pull.async_receive_some(batch, more);
    };
    pull.async_receive_some(batch, more);
    int ticks = 0;
    net::steady_timer timer(*context_);
    const std::function<void(error_code)> tick = [&](error_code) {
        if (++ticks == 50) ends = true;
        timer.expires_after(1ms);
        if (!ends) timer.async_wait(tick);
    };
    tick({});
    EXPECT_TRUE(run([&] { return ends; }));
    EXPECT_NE(0U, messages);
}

// --- coroutines that go on at once

/// Sends and receives in turn.
net::awaitable<void> send_and_receive(async_socket& a, async_socket& b, int count, bool by_tokens)
{
    constexpr int at_once = 10;
    message m;
    for (int i = 0; i < count; i += at_once) {
        for (int k = 0; k < at_once; ++k) {
            if (by_tokens) {
                co_await a.async_send(message("message"), net::use_awaitable);
            } else {
                co_await send(a, message("message"));
            }
        }
        for (int k = 0; k < at_once; ++k) {
            if (by_tokens) {
                co_await b.async_receive(m, net::use_awaitable);
            } else {
                co_await receive(b, m);
            }
            EXPECT_EQ("message", m.view());
        }
    }
}

class steady_state_test : public hosted_test, public testing::WithParamInterface<std::tuple<bool, bool>> {};
INSTANTIATE_TEST_SUITE_P(by, steady_state_test, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param) ? "tokens" : "functions") +
                                    (std::get<1>(test.param) ? "_hosted" : "_with_threads");
                         });

TEST_P(steady_state_test, allocates_nothing_per_message)
{
    const bool by_tokens = std::get<0>(GetParam()), is_hosted = std::get<1>(GetParam());
    io_group threads_of_its_own;
    io_group& group = is_hosted ? *group_ : threads_of_its_own;
    run_coroutine([&]() -> net::awaitable<void> {
        async_socket a(*context_, group, socket_type::pair), b(*context_, group, socket_type::pair);
        b.bind(any_port);
        a.connect(endpoint_of(b));
        constexpr int count = 2000;
        co_await send_and_receive(a, b, count, by_tokens);
        const std::size_t before = allocations;
        co_await send_and_receive(a, b, count, by_tokens);
        EXPECT_LT(allocations - before, std::size_t(count) / 50);
    });
}

TEST_F(hosted_test, multiparts_that_go_on_at_once)
{
    run_coroutine([&]() -> net::awaitable<void> {
        async_socket a(*context_, *group_, socket_type::pair), b(*context_, *group_, socket_type::pair);
        b.bind(any_port);
        a.connect(endpoint_of(b));
        for (int i = 0; i < 100; ++i) {
            multipart parts{"1", "2"};
            co_await send(a, std::move(parts));
            multipart got;
            co_await receive(b, got);
            EXPECT_EQ(2U, got.size());
        }
    });
}

TEST_F(hosted_test, others_have_their_turn_among_messages_that_are_there)
{
    int others = 0;
    bool done = false;
    const std::function<void()> other = [&] {
        ++others;
        if (!done) net::post(*context_, other);
    };
    run_coroutine([&]() -> net::awaitable<void> {
        async_socket a(*context_, *group_, socket_type::pair), b(*context_, *group_, socket_type::pair);
        a.bind("inproc://turns");
        b.connect("inproc://turns");
        for (int i = 0; i < 640; ++i) {
            message m("x");
            EXPECT_TRUE(a.try_send(m));
        }
        other();
        message m;
        for (int i = 0; i < 640; ++i) co_await receive(b, m);
        done = true;
    });
    EXPECT_GE(others, 10);
}

TEST_F(hosted_test, second_receive_is_refused)
{
    message first;
    ended received;
    run_coroutine([&]() -> net::awaitable<void> {
        async_socket a(*context_, *group_, socket_type::pair), b(*context_, *group_, socket_type::pair);
        a.bind("inproc://second");
        b.connect("inproc://second");
        message second("x");
        a.async_receive(first, received.handler());
        EXPECT_TRUE(b.try_send(second));
        bool busy = false;
        try {
            co_await receive(a, second);
        } catch (const boost::system::system_error& e) {
            busy = std::error_code(e.code()) == errc::busy;
        }
        EXPECT_TRUE(busy);
    });
}

TEST_F(hosted_test, proxy_between_sockets)
{
    async_socket front(*context_, *group_, socket_type::router), back(*context_, *group_, socket_type::dealer);
    front.bind(any_port);
    back.bind(any_port);
    net::cancellation_signal signal;
    bool ended_by_signal = false;
    net::co_spawn(*context_, proxy(front, back), net::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e) {
        ended_by_signal = e != nullptr;
    }));
    int left = 2;
    for (int client = 0; client < 2; ++client) {
        async_socket reply(*context_, *group_, socket_type::rep), request(*context_, *group_, socket_type::req);
        reply.connect(endpoint_of(back));
        request.connect(endpoint_of(front));
        net::co_spawn(*context_, echo(std::move(reply), 100'000), net::detached);
        net::co_spawn(*context_, ask(std::move(request), 200), [&](std::exception_ptr) { --left; });
    }
    EXPECT_TRUE(run([&] { return left == 0; }));
    signal.emit(net::cancellation_type::terminal);
    EXPECT_TRUE(run([&] { return ended_by_signal; }));
}

// --- linger, and what is dropped

TEST_F(hosted_test, what_lingers_goes_out_after_the_last_socket)
{
    const std::string endpoint = free_endpoint();
    {
        async_socket s(*context_, *group_, socket_type::push);
        s.set(opt::reconnect_ivl(1ms));
        s.connect(endpoint);
        message m("last words");
        EXPECT_TRUE(s.try_send(m));
    }
    io_group threads_of_its_own;
    socket peer(threads_of_its_own, socket_type::pull);
    peer.set(opt::rcvtimeo(patience));
    peer.bind(endpoint);
    EXPECT_TRUE(run()) << "run() returns once it has gone out";
    EXPECT_EQ("last words", peer.receive().view());
}

TEST_F(hosted_test, destruction_drops_and_counts)
{
    const auto open = descriptors();
    const auto dropped = io_group::dropped();
    const auto begun = std::chrono::steady_clock::now();
    {
        io_group group(*context_);
        async_socket s(*context_, group, socket_type::push);
        s.connect(free_endpoint());
        for (int i = 0; i < 7; ++i) {
            message m("lost");
            EXPECT_TRUE(s.try_send(m));
        }
        run([n = 0]() mutable { return ++n > 3; });
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, patience) << "opt::linger is without a limit";
    EXPECT_EQ(dropped + 7, io_group::dropped());
    EXPECT_TRUE(run());
    EXPECT_EQ(open, descriptors());
}

TEST_F(hosted_test, close_sends_first)
{
    const std::string endpoint = free_endpoint();
    {
        socket s(*group_, socket_type::push);
        s.set(opt::reconnect_ivl(1ms));
        s.connect(endpoint);
        s.send(message("x"));
    }
    EXPECT_FALSE(group_->close(5ms)) << "nobody listens";
    io_group threads_of_its_own;
    socket peer(threads_of_its_own, socket_type::pull);
    peer.set(opt::rcvtimeo(patience));
    peer.bind(endpoint);
    EXPECT_TRUE(group_->close(patience));
    EXPECT_EQ("x", peer.receive().view());
    EXPECT_EQ(nullptr, group_->native_handle());
}

// --- async_close

TEST_F(hosted_test, async_close_sends_first)
{
    const std::string endpoint = free_endpoint();
    io_group threads_of_its_own;
    socket peer(threads_of_its_own, socket_type::pull);
    peer.set(opt::rcvtimeo(patience));
    run_coroutine([&]() -> net::awaitable<void> {
        {
            async_socket s(*context_, *group_, socket_type::push);
            s.set(opt::reconnect_ivl(1ms));
            s.connect(endpoint);
            co_await s.async_send(message("x"), net::use_awaitable);
        }
        peer.bind(endpoint);
        co_await group_->async_close(patience, net::use_awaitable);
    });
    EXPECT_EQ("x", peer.receive().view());
    EXPECT_EQ(nullptr, group_->native_handle());
    const auto again = [&]() -> net::awaitable<void> { co_await group_->async_close(-1ms, net::use_awaitable); };
    run_coroutine(again);  // it has ended already
}

TEST_F(hosted_test, async_close_of_a_group_without_sockets)
{
    ended never_had_any, had_some;
    io_group other(*context_);
    ask_and_answer(*context_, other, 1);
    EXPECT_TRUE(run());
    group_->async_close(-1ms, never_had_any.handler());
    other.async_close(-1ms, had_some.handler());
    EXPECT_EQ(0, never_had_any.times);
    EXPECT_TRUE(run());
    for (const ended* each : {&never_had_any, &had_some}) {
        EXPECT_EQ(1, each->times);
        EXPECT_FALSE(each->ec) << each->ec.message();
    }
}

TEST_F(hosted_test, late_async_close_leaves_the_group_and_nothing_else)
{
    const auto open = descriptors();
    {
        io_group group(*context_);
        {
            socket s(group, socket_type::push);
            s.connect(free_endpoint());
            s.send(message("x"));
        }
        for (int i = 0; i < 2; ++i) {
            ended late;
            group.async_close(1ms, late.handler());
            EXPECT_TRUE(run([&] { return late.times != 0; }));
            EXPECT_EQ(std::errc::timed_out, late.ec) << late.ec.message();
            EXPECT_NE(nullptr, group.native_handle());
        }
    }
    EXPECT_TRUE(run());
    EXPECT_EQ(open, descriptors());
}

TEST_F(hosted_test, async_close_ends_when_sockets_go)
{
    std::optional<async_socket> s(std::in_place, *context_, *group_, socket_type::pair);
    s->bind(any_port);
    message m;
    ended received, closed;
    s->async_receive(m, received.handler());
    group_->async_close(-1ms, closed.handler());
    EXPECT_TRUE(run([&] { return received.times != 0; }));
    EXPECT_EQ(std::error_code(errc::terminated), std::error_code(received.ec));
    EXPECT_EQ(0, closed.times);
    s.reset();
    EXPECT_TRUE(run());
    EXPECT_EQ(1, closed.times);
    EXPECT_FALSE(closed.ec);
}

TEST_F(hosted_test, async_close_is_cancelled)
{
    std::optional<async_socket> s(std::in_place, *context_, *group_, socket_type::pair);
    net::cancellation_signal signal;
    ended first, second, third;
    group_->async_close(-1ms, net::bind_cancellation_slot(signal.slot(), first.handler()));
    group_->async_close(-1ms, second.handler());
    EXPECT_TRUE(run([&] { return second.times != 0; }));
    EXPECT_EQ(std::error_code(errc::busy), std::error_code(second.ec)) << second.ec.message();
    signal.emit(net::cancellation_type::terminal);
    EXPECT_TRUE(run([&] { return first.times != 0; }));
    EXPECT_EQ(net::error::operation_aborted, first.ec);
    s.reset();
    group_->async_close(-1ms, third.handler());
    EXPECT_TRUE(run());
    EXPECT_EQ(1, third.times);
    EXPECT_FALSE(third.ec);
    signal.emit(net::cancellation_type::terminal);
}

TEST_F(hosted_test, async_close_next_to_close)
{
    ended closed;
    async_socket(*context_, *group_, socket_type::pair).close();
    group_->async_close(-1ms, closed.handler());
    EXPECT_TRUE(group_->close(patience));
    EXPECT_TRUE(run());
    EXPECT_EQ(1, closed.times);
    EXPECT_FALSE(closed.ec);
}

TEST_F(hosted_test, async_close_of_other_groups)
{
    io_group with_threads;
    run_coroutine([&]() -> net::awaitable<void> {
        const auto [ec] = co_await with_threads.async_close(1ms, net::as_tuple(net::use_awaitable));
        EXPECT_EQ(std::errc::not_supported, ec);
    });
}

// --- ends in any order

TEST_F(hosted_test, io_context_goes_first)
{
    const auto open = descriptors();
    std::string endpoint = free_endpoint();
    {
        auto context = std::make_unique<net::io_context>(1);
        auto strand = net::make_strand(*context);
        std::optional<io_group> plain(std::in_place, *context), on_strand(std::in_place, strand);
        std::vector<socket> sockets;
        for (io_group* each : {&*plain, &*on_strand}) {
            sockets.emplace_back(*each, socket_type::push);
            sockets.back().connect(endpoint);
            sockets.back().send(message("x"));
        }
        ended never;
        plain->async_close(-1ms, never.handler());
        context->poll();
        strand = net::make_strand(*context_);
        context.reset();
        EXPECT_EQ(0, never.times);
        on_strand.reset();
        sockets.erase(sockets.begin());
        plain.reset();
    }
    EXPECT_EQ(open, descriptors());
}

TEST_F(hosted_test, calls_that_wait_work_without_the_io_context)
{
    socket a(*group_, socket_type::pair), b(*group_, socket_type::pair);
    a.bind(any_port);
    b.connect(endpoint_of(a));
    context_.reset();
    b.send(message("x"));
    EXPECT_EQ("x", a.receive().view());
}

TEST_F(hosted_test, io_context_goes_first_and_takes_all_with_it)
{
    const auto open = descriptors();
    auto context = std::make_unique<net::io_context>(1);
    net::co_spawn(
        *context,
        [&context = *context]() -> net::awaitable<void> {
            io_group group(context);
            async_socket s(context, group, socket_type::pair);
            s.bind(any_port);
            message m;
            co_await s.async_receive(m, net::use_awaitable);
        },
        net::detached);
    net::co_spawn(
        *context,
        [&context = *context]() -> net::awaitable<void> {
            io_group group(context);
            async_socket s(context, group, socket_type::pair);
            co_await group.async_close(-1ms, net::use_awaitable);
        },
        net::detached);
    context->run_for(5ms);
    context.reset();
    EXPECT_EQ(open, descriptors());
}

TEST_F(hosted_test, socket_outlives_the_group)
{
    std::optional<async_socket> s(std::in_place, *context_, *group_, socket_type::pair);
    s->bind(any_port);
    io_group threads_of_its_own;
    socket peer(threads_of_its_own, socket_type::pair);
    peer.connect(endpoint_of(*s));
    peer.send(message("x"));
    group_.reset();
    message m;
    ended received;
    s->async_receive(m, received.handler());
    EXPECT_TRUE(run([&] { return received.times != 0; }));
    EXPECT_EQ("x", m.view());
    s.reset();
    EXPECT_TRUE(run());
}

// A socket of the C API that nobody has closed: zmq_ctx_term() would wait for it.
TEST_F(hosted_test, destruction_does_not_wait_for_sockets_of_the_c_api)
{
    const auto open = descriptors();
    void* left = nullptr;
    {
        io_group group(*context_);
        left = zmq_socket(group.native_handle(), ZMQ_PAIR);
        ASSERT_NE(nullptr, left);
        EXPECT_EQ(0, zmq_bind(left, any_port));
    }
    EXPECT_EQ(-1, zmq_send(left, "x", 1, ZMQ_DONTWAIT));
    EXPECT_EQ(ETERM, zmq_errno());
    EXPECT_EQ(0, zmq_close(left));
    (void)io_group(*context_);  // the next end takes that one with it
    EXPECT_EQ(open, descriptors());
}

TEST_F(hosted_test, free_function_ends_the_group)
{
    static thread_local std::function<void()> on_free;
    std::ptrdiff_t open = 0;
    for (int round = 0; round < 2; ++round) {  // the first one warms up
        auto group = std::make_unique<io_group>(*context_);
        io_group other(*context_);
        async_socket peer(*context_, other, socket_type::pull);
        peer.bind(any_port);
        bool freed = false;
        on_free = [&] {
            group.reset();
            freed = true;
        };
        {
            socket s(*group, socket_type::push);
            s.connect(endpoint_of(peer));
            static std::array<char, 1'000'000> large{};
            s.send(message::adopt(large.data(), large.size(), [](void*, void*) { on_free(); }, nullptr));
        }
        message m;
        ended received;
        peer.async_receive(m, received.handler());
        EXPECT_TRUE(run([&] { return freed && received.times != 0; }));
        peer.close();
        EXPECT_TRUE(other.close(patience));
        (void)io_group(*context_);  // an end takes what could not end in its step with it
        EXPECT_TRUE(run());
        if (round == 0) open = descriptors();
    }
    EXPECT_EQ(open, descriptors());
    on_free = {};
}

// --- calls that wait

TEST_F(hosted_test, calls_that_wait_do_the_io)
{
    socket reply(*group_, socket_type::rep), request(*group_, socket_type::req);
    reply.bind(any_port);
    request.connect(endpoint_of(reply));
    for (int i = 0; i < 20; ++i) {
        request.send(message("question"));
        EXPECT_EQ("question", reply.receive().view());
        reply.send(message("answer"));
        EXPECT_EQ("answer", request.receive().view());
    }
    socket none(*group_, socket_type::pull);
    none.bind(any_port);
    none.set(opt::rcvtimeo(1ms));
    std::error_code ec;
    message m;
    none.receive(m, ec);
    EXPECT_EQ(errc::again, ec);
}

TEST_F(hosted_test, polls_do_the_io)
{
    socket pull(*group_, socket_type::pull), push(*group_, socket_type::push);
    pull.bind(any_port);
    push.connect(endpoint_of(pull));
    push.send(message("x"));
    zmq_pollitem_t item{pull.native_handle(), 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(1, zmq_poll(&item, 1, 10'000));
    EXPECT_EQ("x", pull.receive().view());
    EXPECT_EQ(0, zmq_poll(&item, 1, 1));
    poller p;
    p.add(pull, poll_events::in);
    push.send(message("y"));
    std::array<poller::ready, 2> found{};
    EXPECT_EQ(1U, p.wait(found, 10s));
}

TEST_F(hosted_test, polls_do_the_io_of_several_groups)
{
    net::io_context another(1);
    io_group second(another);
    socket pull(*group_, socket_type::pull), push(*group_, socket_type::push);
    socket second_pull(second, socket_type::pull), second_push(second, socket_type::push);
    for (auto [from, to] : {std::pair{&push, &pull}, std::pair{&second_push, &second_pull}}) {
        to->bind(any_port);
        from->connect(endpoint_of(*to));
    }
    std::array items{zmq_pollitem_t{pull.native_handle(), 0, ZMQ_POLLIN, 0},
                     zmq_pollitem_t{second_pull.native_handle(), 0, ZMQ_POLLIN, 0}};
    const auto poll = [&](long ms) { return zmq_poll(items.data(), int(items.size()), ms); };
    for (int i = 0; i < 10; ++i) {
        second_push.send(message("second"));
        EXPECT_EQ(1, poll(10'000));
        EXPECT_EQ("second", second_pull.receive().view());
        push.send(message("first"));
        EXPECT_EQ(1, poll(10'000));
        EXPECT_EQ("first", pull.receive().view());
    }
    EXPECT_EQ(0, poll(1));
    // What the poll has left goes on by itself.
    async_socket waits(another, second, socket_type::pull);
    waits.bind(any_port);
    second_push.connect(endpoint_of(waits));
    message m;
    ended received;
    waits.async_receive(m, received.handler());
    EXPECT_EQ(0, poll(1));
    for (socket* each : {&second_push, &second_push}) each->send(message("x"));
    const auto until = std::chrono::steady_clock::now() + patience;
    while (received.times == 0 && std::chrono::steady_clock::now() < until) (void)another.run_one_until(until);
    EXPECT_EQ("x", m.view());
}

TEST_F(hosted_test, full_send_does_the_io)
{
    io_group threads_of_its_own;
    socket pull(threads_of_its_own, socket_type::pull), push(*group_, socket_type::push);
    push.set(opt::sndhwm(2));
    pull.set(opt::rcvhwm(2));
    pull.bind(any_port);
    push.connect(endpoint_of(pull));
    std::jthread reader([&] {
        for (int i = 0; i < 1000; ++i) (void)pull.receive();
    });
    for (int i = 0; i < 1000; ++i) EXPECT_NO_THROW(push.send(message("x")));
    push.close();
    EXPECT_TRUE(group_->close(patience));
}

TEST_F(hosted_test, publisher_knows_subscribers_that_came_before)
{
    socket pub(*group_, socket_type::pub), sub(*group_, socket_type::sub);
    pub.bind(any_port);
    sub.set(opt::subscribe(""));
    sub.set(opt::rcvtimeo(patience));
    sub.connect(endpoint_of(pub));
    std::size_t count = 0;
    EXPECT_EQ(0, core::socket_await(pub.native_handle(), core::condition::subscribers, nullptr, 1, 10'000, count));
    pub.send(message("x"));
    EXPECT_EQ("x", sub.receive().view());
}

// The child lets go of what it has inherited, and its parent's connections and waits go on.
TEST_F(hosted_test, child_of_fork_leaves_its_parents_loop_alone)
{
    auto a = std::make_unique<async_socket>(*context_, *group_, socket_type::pair);
    auto b = std::make_unique<async_socket>(*context_, *group_, socket_type::pair);
    a->bind(any_port);
    b->connect(endpoint_of(*a));
    message m;
    ended received;
    a->async_receive(m, received.handler());
    b->async_send(message("1"), [](error_code) {});
    EXPECT_TRUE(run([&] { return received.times == 1; }));
    a->async_receive(m, received.handler());
    context_->notify_fork(net::execution_context::fork_prepare);
    const pid_t child = ::fork();
    if (child == 0) {
        context_->notify_fork(net::execution_context::fork_child);
        (void)context_->poll();
        a.reset();
        (void)context_->poll();
        b.reset();
        group_.reset();
        context_.reset();
        std::_Exit(0);
    }
    context_->notify_fork(net::execution_context::fork_parent);
    int status = -1;
    EXPECT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    for (int i = 0; i < 10; ++i) {
        b->async_send(message("2"), [](error_code) {});
        EXPECT_TRUE(run([&] { return received.times == 2 + i; }));
        EXPECT_EQ("2", m.view());
        a->async_receive(m, received.handler());
    }
}

// After a call that waited, the io_context goes on where that left off.
TEST_F(hosted_test, calls_that_wait_in_a_handler)
{
    io_group threads_of_its_own;
    socket peer(threads_of_its_own, socket_type::pair);
    peer.bind(any_port);
    async_socket a(*context_, *group_, socket_type::pair);
    a.connect(endpoint_of(peer));
    socket b(*group_, socket_type::pair);
    b.bind(any_port);
    socket c(threads_of_its_own, socket_type::pair);
    c.connect(endpoint_of(b));
    message m;
    ended received;
    a.async_receive(m, received.handler());
    net::post(*context_, [&] {
        c.send(message("1"));
        EXPECT_EQ("1", b.receive().view());
        peer.send(message("2"));
    });
    EXPECT_TRUE(run([&] { return received.times != 0; }));
    EXPECT_EQ("2", m.view());
    // The last socket ends in such a call.
    a.close();
    b.close();
    EXPECT_TRUE(run());
}

}  // namespace

}  // namespace zlink::test
