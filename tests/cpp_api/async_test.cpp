// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets on an executor of Boost.Asio: every operation with every kind of token, cancellation, lifetimes, executors
// and allocators, and misuse. All in one file, as Asio's headers take long to compile.
#include <zlink/asio.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/experimental/promise.hpp>
#include <boost/asio/experimental/use_promise.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/version.hpp>
#if BOOST_VERSION >= 108200
#include <boost/asio/bind_immediate_executor.hpp>
#endif
#if BOOST_VERSION >= 108800
#include <boost/asio/experimental/coro.hpp>
#include <boost/asio/experimental/use_coro.hpp>
#endif

#include <gtest/gtest.h>

#include <zmq.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace zlink::test {

// Of async_standalone_test.cpp: a message through sockets of the other Asio.
std::string echo_by_standalone_asio(const io_group& group, const std::string& endpoint);

namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using error_code = boost::system::error_code;
using boost::system::system_error;
using tcp_socket = basic_socket<net::io_context::executor_type>;

constexpr auto patience = 10s;
constexpr const char* any_port = "tcp://127.0.0.1:*";

template <class Socket>
void join(Socket& bound, Socket& connected, const char* endpoint)
{
    bound.bind(endpoint);
    connected.connect(bound.template get<opt::last_endpoint>());
}

class async_test : public testing::Test {
protected:
    [[nodiscard]] async_socket make(socket_type type)
    {
        async_socket s(context_, group_, type);
        s.set(opt::linger(0ms));
        return s;
    }
    /// Runs until there is nothing to do, or `done`.
    void run(const std::function<bool()>& done = [] { return false; })
    {
        context_.restart();
        const auto until = std::chrono::steady_clock::now() + patience;
        while (!done() && std::chrono::steady_clock::now() < until && context_.run_one_until(until) != 0) {
        }
        EXPECT_LT(std::chrono::steady_clock::now(), until) << "it would go on for ever";
    }
    /// Runs a coroutine to its end.
    template <class Coroutine>
    void run_coroutine(Coroutine&& coroutine)
    {
        std::exception_ptr failed;
        net::co_spawn(context_, std::forward<Coroutine>(coroutine), [&](std::exception_ptr e) { failed = e; });
        run();
        if (failed) std::rethrow_exception(failed);
    }

    io_group group_;
    net::io_context context_{1};
};

/// What a handler was called with, and how often.
struct called {
    int times = 0;
    error_code ec = {};
    std::size_t count = 0;

    [[nodiscard]] auto handler()
    {
        return [this](error_code e, std::size_t n = 0) {
            ++times;
            ec = e;
            count = n;
        };
    }
};

// --- tokens

class async_transport_test : public async_test, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(over, async_transport_test, testing::Values(any_port, "inproc://async"),
                         [](const auto& test) { return std::string(test.param).substr(0, 3); });

TEST_P(async_transport_test, callbacks)
{
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    join(a, b, GetParam());
    called sent, received, sent_parts, received_parts, waits, room;
    message m;
    a.async_receive(m, received.handler());
    a.async_wait(wait_type::write, room.handler());
    EXPECT_EQ(0, received.times);
    b.async_send(message("hello"), sent.handler());
    EXPECT_EQ(0, sent.times) << "no handler is called from inside a call";
    run();
    EXPECT_EQ(1, room.times);
    EXPECT_EQ(1, sent.times);
    EXPECT_FALSE(sent.ec) << sent.ec.message();
    EXPECT_EQ(1, received.times);
    EXPECT_FALSE(received.ec);
    EXPECT_EQ("hello", m.view());
    a.async_wait(wait_type::read, waits.handler());
    context_.restart();
    context_.poll();
    EXPECT_EQ(0, waits.times);
    b.async_send(message("waited for"), sent.handler());
    run();
    EXPECT_EQ(1, waits.times);
    EXPECT_TRUE(a.try_receive(m));

    multipart parts;
    b.async_send_multipart(multipart{"1", "2", "3", "4", "5"}, sent_parts.handler());
    a.async_receive_multipart(parts, received_parts.handler());
    run();
    EXPECT_EQ(2, sent.times);
    EXPECT_EQ(1, sent_parts.times);
    EXPECT_EQ(1, received_parts.times);
    ASSERT_EQ(5u, parts.size());
    EXPECT_EQ("5", parts[4].view());
}

TEST_P(async_transport_test, awaitables)
{
    async_socket a = make(socket_type::rep), b = make(socket_type::req);
    join(a, b, GetParam());
    int served = 0;
    const auto serve = [&]() -> net::awaitable<void> {
        for (; served < 100; ++served) {
            message m;
            co_await a.async_receive(m, net::use_awaitable);
            co_await a.async_send(std::move(m), net::use_awaitable);
        }
    };
    net::co_spawn(context_, serve, net::detached);
    run_coroutine([&]() -> net::awaitable<void> {
        for (int i = 0; i < 100; ++i) {
            co_await b.async_send(message(std::to_string(i)), net::use_awaitable);
            message m;
            co_await b.async_receive(m, net::use_awaitable);
            EXPECT_EQ(std::to_string(i), m.view());
        }
        // It is not this one's turn.
        message m;
        try {
            co_await b.async_receive(m, net::use_awaitable);
            ADD_FAILURE() << "received";
        } catch (const system_error& e) {
            // Boost's value() of codes of other categories is not theirs.
            EXPECT_EQ(EFSM, std::error_code(e.code()).value());
            EXPECT_TRUE(e.code() == errc::wrong_state);
            EXPECT_NE(std::string::npos, e.code().message().find("turn"));
        }
    });
    EXPECT_EQ(100, served);
}

TEST_F(async_test, futures)
{
    net::thread_pool pool(1);
    const auto executor = net::make_strand(pool);
    async_socket a(executor, group_, socket_type::pair), b(executor, group_, socket_type::pair);
    join(a, b, any_port);
    message m;
    std::array<message, 4> some;
    multipart parts;
    event e;
    const auto on = [&](auto&& begin) {
        // Operations are begun on the executor.
        std::promise<decltype(begin())> begun;
        net::post(executor, [&] { begun.set_value(begin()); });
        return begun.get_future().get().get();
    };
    on([&] { return b.async_wait({wait_type::peers, 1}, net::use_future); });
    on([&] { return b.async_send(message("f"), net::use_future); });
    on([&] { return a.async_wait(wait_type::read, net::use_future); });
    on([&] { return a.async_receive(m, net::use_future); });
    EXPECT_EQ("f", m.view());
    on([&] { return b.async_send_multipart(multipart{"x", "y"}, net::use_future); });
    on([&] { return a.async_receive_multipart(parts, net::use_future); });
    EXPECT_EQ(2u, parts.size());
    on([&] { return b.async_send(message("s"), net::use_future); });
    EXPECT_EQ(1u, on([&] { return a.async_receive_some(some, net::use_future); }));
    EXPECT_EQ("s", some[0].view());
    on([&] { return b.async_wait(wait_type::drained, net::use_future); });
    on([&] { return b.async_wait(wait_type::write, net::use_future); });
    EXPECT_THROW(on([&] { return b.async_wait(wait_type::subscribers, net::use_future); }), system_error);
    on([&] {
        a.begin_monitor(event_kind::disconnected);
        b.close();
        return a.async_monitor(e, net::use_future);
    });
    EXPECT_EQ(event_kind::disconnected, e.kind);
    on([&] {
        a.close();
        return std::async(std::launch::deferred, [] {});
    });
    pool.join();
}

TEST_F(async_test, deferred_and_as_tuple)
{
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    join(a, b, "inproc://deferred");
    run_coroutine([&]() -> net::awaitable<void> {
        constexpr auto tuple = net::as_tuple(net::use_awaitable);
        multipart parts;
        std::array<message, 2> some;
        message m;
        auto sends = b.async_send(message("later"), net::deferred);
        auto [nothing_yet] = co_await a.async_wait(wait_type::write, tuple);
        EXPECT_FALSE(nothing_yet);
        EXPECT_FALSE(a.try_receive(m)) << "a deferred operation has not begun";
        co_await std::move(sends)(net::use_awaitable);
        auto receives = a.async_receive(m, net::deferred);
        co_await std::move(receives)(net::use_awaitable);
        EXPECT_EQ("later", m.view());
        multipart two{"a", "b"}, three{"a", "b", "c"};  // GCC 12 has no initializer lists in a co_await
        auto [e1] = co_await b.async_send_multipart(std::move(two), tuple);
        EXPECT_FALSE(e1);
        auto [e2] = co_await a.async_receive_multipart(parts, tuple);
        EXPECT_FALSE(e2);
        EXPECT_EQ(2u, parts.size());
        (void)co_await b.async_send_multipart(std::move(three), net::deferred)(tuple);
        auto [e3, none] = co_await a.async_receive_some(some, tuple);
        EXPECT_EQ(e3, make_error_code(errc::message_too_long));
        EXPECT_EQ(0u, none);
        auto [e4] = co_await a.async_receive_multipart(parts, tuple);
        EXPECT_FALSE(e4);
        EXPECT_EQ(3u, parts.size()) << "it has stayed";
        error_code e5;
        co_await a.async_wait({wait_type::peers, 1}, net::redirect_error(net::use_awaitable, e5));
        EXPECT_FALSE(e5);
    });
}

TEST_F(async_test, default_tokens_are_those_of_the_executor)
{
    using executor = net::use_awaitable_t<>::executor_with_default<net::any_io_executor>;
    async_socket::rebind_executor<executor>::other a(executor(context_.get_executor()), group_, socket_type::pair),
        b(executor(context_.get_executor()), group_, socket_type::pair);
    join(a, b, "inproc://defaults");
    run_coroutine([&]() -> net::awaitable<void> {
        co_await a.async_send(message("x"));
        message m;
        co_await b.async_receive(m);
        EXPECT_EQ("x", m.view());
    });
}

TEST_F(async_test, parallel_groups)
{
    namespace ex = net::experimental;
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    a.begin_monitor();
    join(a, b, any_port);
    run_coroutine([&]() -> net::awaitable<void> {
        message m;
        std::array<message, 2> some;
        multipart parts, two{"1", "2"};
        event e;
        const auto [order, sent, received, room, told] =
            co_await ex::make_parallel_group(
                a.async_send(message("all"), net::deferred), b.async_receive(m, net::deferred),
                b.async_wait(wait_type::write, net::deferred), a.async_monitor(e, net::deferred))
                .async_wait(ex::wait_for_all(), net::use_awaitable);
        EXPECT_FALSE(sent || received || room || told);
        EXPECT_EQ("all", m.view());
        net::steady_timer timer(context_, 5ms);
        const auto [first, none, batch, count, late] =
            co_await ex::make_parallel_group(a.async_receive_multipart(parts, net::deferred),
                                             b.async_receive_some(some, net::deferred), timer.async_wait(net::deferred))
                .async_wait(ex::wait_for_one(), net::use_awaitable);
        EXPECT_EQ(2u, first[0]);
        EXPECT_EQ(none, net::error::operation_aborted);
        EXPECT_EQ(batch, net::error::operation_aborted);
        EXPECT_EQ(0u, count);
        EXPECT_FALSE(late);
        const auto [winner, gone, got] =
            co_await ex::make_parallel_group(b.async_send_multipart(std::move(two), net::deferred),
                                             b.async_receive(m, net::deferred))
                .async_wait(ex::wait_for_one_success(), net::use_awaitable);
        EXPECT_EQ(0u, winner[0]);
        EXPECT_FALSE(gone);
        EXPECT_EQ(got, net::error::operation_aborted);
        co_await a.async_receive_multipart(parts, net::use_awaitable);
        EXPECT_EQ(2u, parts.size()) << "nothing was lost";
    });
}

TEST_F(async_test, promises)
{
    using net::experimental::use_promise;
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    join(a, b, any_port);
    run_coroutine([&]() -> net::awaitable<void> {
        message m;
        auto receives = a.async_receive(m, use_promise);
        auto sends = b.async_send(message("promised"), use_promise);
        co_await std::move(sends)(net::use_awaitable);
        co_await std::move(receives)(net::use_awaitable);
        EXPECT_EQ("promised", m.view());
    });
}

#if BOOST_VERSION >= 108800  // Boost 1.81 cannot return a value there
// A function, as the coroutine keeps its arguments alone.
net::experimental::coro<void> echo_by_coro(net::io_context&, async_socket& a, async_socket& b, std::string& got,
                                           std::size_t& count)
{
    using net::experimental::use_coro;
    message m;
    multipart parts;
    std::array<message, 2> some;
    co_await b.async_send(message("1"), use_coro);
    co_await a.async_wait(wait_type::read, use_coro);
    co_await a.async_receive(m, use_coro);
    got += m.view();
    multipart two{"2", "3"};
    co_await b.async_send_multipart(std::move(two), use_coro);
    co_await a.async_receive_multipart(parts, use_coro);
    got += parts[1].view();
    co_await b.async_send(message("4"), use_coro);
    count = co_await a.async_receive_some(some, use_coro);
    got += some[0].view();
    b.close();
    // Boost's use_coro drops an error code that comes alone.
    const auto [error] = co_await b.async_receive(m, net::as_tuple(use_coro));
    if (error == make_error_code(errc::not_a_socket)) got += " and an error";
}

TEST_F(async_test, coroutines_of_use_coro)
{
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    join(a, b, any_port);
    std::string got;
    std::size_t count = 0;
    auto coroutine = echo_by_coro(context_, a, b, got, count);
    int ended = 0;
    coroutine.async_resume([&](std::exception_ptr e) {
        EXPECT_FALSE(e);
        ++ended;
    });
    run();
    EXPECT_EQ("134 and an error", got);
    EXPECT_EQ(1u, count);
    EXPECT_EQ(1, ended);
}
#endif

// --- what operations do

TEST_F(async_test, a_batch_takes_one_resumption)
{
    async_socket in = make(socket_type::pull), out = make(socket_type::push);
    join(in, out, any_port);
    constexpr int total = 1000;
    int got = 0, resumed = 0;
    net::co_spawn(
        context_,
        [&]() -> net::awaitable<void> {
            for (int i = 0; i < total; ++i) co_await out.async_send(message(std::to_string(i)), net::use_awaitable);
        },
        net::detached);
    run_coroutine([&]() -> net::awaitable<void> {
        std::vector<message> some(256);
        while (got < total) {
            const std::size_t n = co_await in.async_receive_some(some, net::use_awaitable);
            ++resumed;
            for (std::size_t i = 0; i < n; ++i, ++got) {
                if (some[i].view() != std::to_string(got)) ADD_FAILURE() << some[i].view() << " is not " << got;
            }
        }
    });
    EXPECT_EQ(total, got);
    EXPECT_LT(resumed, total);
}

// Each side sends more than fits before it receives, so both wait for room, next to messages that nobody takes yet.
TEST_F(async_test, a_send_waits_for_room_next_to_unread_messages)
{
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    for (async_socket* s : {&a, &b}) {
        s->set(opt::sndhwm(10));
        s->set(opt::rcvhwm(10));
        s->set(opt::sndbuf(4096));
        s->set(opt::rcvbuf(4096));
    }
    join(a, b, any_port);
    constexpr int total = 300;
    int sent = 0;
    const auto send = [&](async_socket& s) -> net::awaitable<void> {
        for (int i = 0; i < total; ++i, ++sent)
            co_await s.async_send(message(std::string(4000, 'r')), net::use_awaitable);
    };
    const auto receive = [&](async_socket& s) -> net::awaitable<void> {
        message m;
        for (int i = 0; i < total; ++i) co_await s.async_receive(m, net::use_awaitable);
    };
    for (async_socket* s : {&a, &b}) net::co_spawn(context_, send(*s), net::detached);
    // Until both wait.
    for (int before = -1; before != sent || sent == 0;) {
        before = sent;
        context_.run_for(30ms);
    }
    EXPECT_LT(sent, 2 * total);
    const auto idle = context_.poll();
    EXPECT_LE(idle, 4u) << "it does not look again and again";
    for (async_socket* s : {&a, &b}) net::co_spawn(context_, receive(*s), net::detached);
    run();
    EXPECT_EQ(2 * total, sent);
}

TEST_F(async_test, other_calls_do_not_take_an_operations_news_away)
{
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    join(a, b, any_port);
    for (int i = 0; i < 200; ++i) {
        called received;
        message m, other("to b"), none;
        a.async_receive(m, received.handler());
        message sent(std::to_string(i));
        ASSERT_TRUE(b.try_send(sent));
        // Calls that may take in that the message has come.
        while (!a.try_send(other)) {
        }
        (void)a.get<opt::type>();
        run([&] { return received.times != 0; });
        ASSERT_EQ(1, received.times);
        EXPECT_EQ(std::to_string(i), m.view());
        while (!b.try_receive(none)) {
        }
    }
}

TEST_F(async_test, both_directions_wait_at_once)
{
    async_socket a = make(socket_type::dealer), b = make(socket_type::router);
    join(b, a, any_port);
    int echoed = 0;
    net::co_spawn(
        context_,
        [&]() -> net::awaitable<void> {
            multipart m;
            for (int i = 0; i < 500; ++i) {
                co_await b.async_receive_multipart(m, net::use_awaitable);
                co_await b.async_send_multipart(std::move(m), net::use_awaitable);
            }
        },
        net::detached);
    net::co_spawn(
        context_,
        [&]() -> net::awaitable<void> {
            for (int i = 0; i < 500; ++i) co_await a.async_send(message(std::to_string(i)), net::use_awaitable);
        },
        net::detached);
    run_coroutine([&]() -> net::awaitable<void> {
        message m;
        for (; echoed < 500; ++echoed) {
            co_await a.async_receive(m, net::use_awaitable);
            EXPECT_EQ(std::to_string(echoed), m.view());
        }
    });
    EXPECT_EQ(500, echoed);
}

TEST_F(async_test, waits_for_peers_subscribers_and_an_empty_queue)
{
    async_socket pub = make(socket_type::pub), sub = make(socket_type::sub);
    sub.set(opt::subscribe(""));
    run_coroutine([&]() -> net::awaitable<void> {
        pub.bind(any_port);
        sub.connect(pub.get<opt::last_endpoint>());
        co_await pub.async_wait(wait_type::subscribers, net::use_awaitable);
        co_await sub.async_wait({wait_type::peers, 1}, net::use_awaitable);
        co_await pub.async_send(message("x"), net::use_awaitable);
        co_await pub.async_wait(wait_type::drained, net::use_awaitable);
        co_await sub.async_wait(wait_type::read, net::use_awaitable);
        message m;
        EXPECT_TRUE(sub.try_receive(m));
    });
}

TEST_F(async_test, shared_sockets_and_thread_safe_types)
{
    async_socket server = make(socket_type::server), client = make(socket_type::client);
    server.set(opt::sndhwm(1));
    client.set(opt::rcvhwm(1));
    join(server, client, "inproc://server");
    int got = 0;
    run_coroutine([&]() -> net::awaitable<void> {
        using namespace net::experimental::awaitable_operators;
        message m;
        co_await (server.async_receive(m, net::use_awaitable) && client.async_send(message("?"), net::use_awaitable));
        const std::uint32_t peer = m.routing_id();
        EXPECT_NE(0u, peer);
        const auto answer = [&]() -> net::awaitable<void> {
            for (int i = 0; i < 20; ++i) {
                message reply("!");
                reply.set_routing_id(peer);
                error_code ec = make_error_code(errc::again);
                co_await server.async_send(std::move(reply), net::redirect_error(net::use_awaitable, ec));
                EXPECT_FALSE(ec) << ec.message();
            }
        };
        const auto take = [&]() -> net::awaitable<void> {
            message reply;
            for (; got < 20; ++got) co_await client.async_receive(reply, net::use_awaitable);
        };
        co_await (answer() && take());
    });
    EXPECT_EQ(20, got);
}

TEST_F(async_test, the_monitor_tells_of_peers)
{
    async_socket a = make(socket_type::dealer), b = make(socket_type::dealer);
    b.set(opt::routing_id("b"));
    a.bind(any_port);
    a.begin_monitor(event_kind::handshake_succeeded | event_kind::disconnected);
    run_coroutine([&]() -> net::awaitable<void> {
        event e;
        b.connect(a.get<opt::last_endpoint>());
        co_await a.async_monitor(e, net::use_awaitable);
        EXPECT_EQ(event_kind::handshake_succeeded, e.kind);
        EXPECT_EQ("b", e.routing_id);
        b.close();
        co_await a.async_monitor(e, net::use_awaitable);
        EXPECT_EQ(event_kind::disconnected, e.kind);
    });
}

TEST_F(async_test, the_group_ends_operations)
{
    async_socket a = make(socket_type::pair);
    called received;
    message m;
    a.async_receive(m, received.handler());
    group_.shutdown();
    run();
    EXPECT_EQ(1, received.times);
    EXPECT_EQ(received.ec, make_error_code(errc::terminated));
}

// --- cancellation

TEST_F(async_test, a_cancelled_receive_loses_nothing_and_a_cancelled_send_sends_nothing)
{
    for (const auto type :
         {net::cancellation_type::terminal, net::cancellation_type::partial, net::cancellation_type::total}) {
        async_socket a = make(socket_type::pair), b = make(socket_type::pair);
        called received, sent, waits, many, events, parts, sent_parts;
        message m;
        multipart mp;
        event e;
        std::array<message, 2> some;
        const auto cancelled = [&](called& of, auto&& begin) {
            net::cancellation_signal signal;
            begin(net::bind_cancellation_slot(signal.slot(), of.handler()));
            context_.poll();
            context_.restart();
            EXPECT_EQ(0, of.times);
            signal.emit(type);
            signal.emit(type);
            EXPECT_EQ(0, of.times) << "not from inside of emit";
            run();
            EXPECT_EQ(1, of.times);
            EXPECT_EQ(of.ec, net::error::operation_aborted);
            signal.emit(type);
        };
        a.begin_monitor();
        cancelled(received, [&](auto&& token) { a.async_receive(m, std::move(token)); });
        cancelled(parts, [&](auto&& token) { a.async_receive_multipart(mp, std::move(token)); });
        cancelled(many, [&](auto&& token) { a.async_receive_some(some, std::move(token)); });
        cancelled(sent, [&](auto&& token) { a.async_send(message("never"), std::move(token)); });
        cancelled(sent_parts, [&](auto&& token) { a.async_send_multipart(multipart{"n", "n"}, std::move(token)); });
        cancelled(waits, [&](auto&& token) { a.async_wait(wait_type::peers, std::move(token)); });
        cancelled(waits = {}, [&](auto&& token) { a.async_wait(wait_type::read, std::move(token)); });
        cancelled(events, [&](auto&& token) { a.async_monitor(e, std::move(token)); });
        join(a, b, "inproc://cancelled");
        message out("first");
        ASSERT_TRUE(b.try_send(out));
        ASSERT_TRUE(a.try_receive(m));
        EXPECT_EQ("first", m.view());
        out = message("second");
        ASSERT_TRUE(a.try_send(out));
        ASSERT_TRUE(b.try_receive(m));
        EXPECT_EQ("second", m.view());
    }
}

TEST_F(async_test, the_quicker_of_two_wins)
{
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    join(a, b, any_port);
    run_coroutine([&]() -> net::awaitable<void> {
        using namespace net::experimental::awaitable_operators;
        message m;
        net::steady_timer timer(context_, 20ms);
        const auto late = co_await (a.async_receive(m, net::use_awaitable) || timer.async_wait(net::use_awaitable));
        EXPECT_EQ(1u, late.index()) << "a deadline";
        co_await b.async_send(message("in time"), net::use_awaitable);
        timer.expires_after(patience);
        const auto early = co_await (a.async_receive(m, net::use_awaitable) || timer.async_wait(net::use_awaitable));
        EXPECT_EQ(0u, early.index());
        EXPECT_EQ("in time", m.view());
    });
}

TEST_F(async_test, a_signal_may_come_after_the_socket_has_gone)
{
    net::cancellation_signal signal;
    called received;
    message m;
    auto a = std::make_unique<async_socket>(make(socket_type::pair));
    a->async_receive(m, net::bind_cancellation_slot(signal.slot(), received.handler()));
    context_.poll();
    a.reset();
    signal.emit(net::cancellation_type::all);  // between the close and the handler
    EXPECT_EQ(0, received.times);
    run();
    EXPECT_EQ(1, received.times);
    EXPECT_EQ(received.ec, net::error::operation_aborted);
    signal.emit(net::cancellation_type::all);
}

// --- lifetimes

TEST_F(async_test, a_socket_that_goes_ends_its_operations)
{
    called received, sent, waits, events;
    message m;
    event e;
    {
        async_socket a = make(socket_type::pair);
        a.async_receive(m, received.handler());
        a.async_send(message("x"), sent.handler());
        a.async_wait(wait_type::peers, waits.handler());
        a.async_monitor(e, events.handler());
        async_socket moved = std::move(a);
        EXPECT_FALSE(a.is_open());
        EXPECT_TRUE(moved.is_open());
        context_.poll();
        EXPECT_EQ(0, received.times + sent.times + waits.times + events.times);
    }
    EXPECT_EQ(0, received.times + sent.times + waits.times + events.times);
    run();
    for (const called* each : {&received, &sent, &waits, &events}) {
        EXPECT_EQ(1, each->times);
        EXPECT_EQ(each->ec, net::error::operation_aborted);
    }
}

TEST_F(async_test, an_io_context_may_go_first_if_handlers_own_the_sockets)
{
    struct counted {
        explicit counted(int& n) noexcept : alive(&n) { ++*alive; }
        counted(const counted& other) noexcept : alive(other.alive) { ++*alive; }
        ~counted() { --*alive; }
        int* alive;
    };
    int alive = 0;
    {
        net::io_context context;
        const auto owned = [&](socket_type type) { return std::make_shared<async_socket>(context, group_, type); };
        auto s = owned(socket_type::pair), t = owned(socket_type::pair), u = owned(socket_type::pair);
        auto* const m = new message;
        auto* const e = new event;
        const std::shared_ptr<message> keeps(m);
        const std::shared_ptr<event> keeps_too(e);
        s->async_receive(*m, [s, keeps, c = counted(alive)](error_code) { ADD_FAILURE(); });
        s->async_send(message("x"), [s, c = counted(alive)](error_code) { ADD_FAILURE(); });
        t->async_wait(wait_type::peers, [t, c = counted(alive)](error_code) { ADD_FAILURE(); });
        u->async_monitor(*e, [u, keeps_too, c = counted(alive)](error_code) { ADD_FAILURE(); });
        net::co_spawn(
            context,
            [](io_group& group, net::any_io_executor executor) -> net::awaitable<void> {
                async_socket mine(executor, group, socket_type::rep);
                mine.bind("inproc://coroutine");
                message request;
                co_await mine.async_receive(request, net::use_awaitable);
            }(group_, context.get_executor()),
            net::detached);
        context.poll();
        EXPECT_EQ(4, alive);
    }
    EXPECT_EQ(0, alive);
    EXPECT_TRUE(group_.close(patience)) << "no socket is left";
}

TEST_F(async_test, a_handler_may_end_its_socket_and_begin_again)
{
    auto a = std::make_unique<async_socket>(make(socket_type::pair));
    async_socket b = make(socket_type::pair);
    join(*a, b, "inproc://ends");
    message m, n;
    int left = 3;
    std::function<void(error_code)> again = [&](error_code ec) {
        EXPECT_FALSE(ec);
        if (--left != 0) {
            a->async_receive(m, again);
        } else {
            a.reset();
        }
    };
    a->async_receive(m, again);
    for (int i = 0; i < 3; ++i) b.async_send(message("x"), [](error_code) {});
    run();
    for (int i = 0; left != 0 && i < 2; ++i) {
        message out("x");
        EXPECT_TRUE(b.try_send(out));
        run();
    }
    EXPECT_EQ(0, left);
    EXPECT_EQ(nullptr, a);
}

TEST_F(async_test, run_returns_when_nothing_waits)
{
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    join(a, b, "inproc://returns");
    called received;
    message m, n;
    a.async_receive(m, received.handler());
    context_.poll();
    a.cancel();
    run();
    EXPECT_EQ(1, received.times);
    a.async_receive(m, received.handler());
    message out("x");
    EXPECT_TRUE(b.try_send(out));
    run();
    EXPECT_EQ(2, received.times);
    EXPECT_FALSE(received.ec);
}

TEST_F(async_test, exceptions_of_handlers_leave_run_and_nothing_else)
{
    const auto executor = net::make_strand(context_);
    basic_socket<decltype(net::make_strand(context_))> a(executor, group_, socket_type::pair),
        b(executor, group_, socket_type::pair);
    join(a, b, "inproc://throws");
    message m;
    called received;
    a.async_receive(m, [](error_code) { throw std::runtime_error("of a handler"); });
    context_.poll();
    message out("1");
    EXPECT_TRUE(b.try_send(out));
    context_.restart();
    EXPECT_THROW(context_.run_for(patience), std::runtime_error);
    a.async_receive(m, received.handler());
    out = message("2");
    EXPECT_TRUE(b.try_send(out));
    run();
    EXPECT_EQ(1, received.times);
    EXPECT_EQ("2", m.view());
}

// --- executors, allocators

template <class T>
struct counting_allocator {
    using value_type = T;
    explicit counting_allocator(int& n) noexcept : taken(&n) {}
    template <class U>
    counting_allocator(const counting_allocator<U>& other) noexcept : taken(other.taken)
    {}
    T* allocate(std::size_t n)
    {
        ++*taken;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept { std::allocator<T>().deallocate(p, n); }
    [[nodiscard]] bool operator==(const counting_allocator&) const = default;
    int* taken;
};

TEST_F(async_test, handlers_run_on_their_executors_and_use_their_allocators)
{
    net::thread_pool pool(1);
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    join(a, b, "inproc://executors");
    std::promise<std::thread::id> ran_at_once, ran_later;
    message m;
    int taken = 0;
    a.async_receive(m, net::bind_allocator(counting_allocator<void>(taken),
                                           net::bind_executor(pool.get_executor(), [&](error_code ec) {
                                               EXPECT_FALSE(ec);
                                               ran_later.set_value(std::this_thread::get_id());
                                           })));
    b.async_send(message("x"), net::bind_executor(pool.get_executor(), [&](error_code) {
                     ran_at_once.set_value(std::this_thread::get_id());
                 }));
    run();
    EXPECT_NE(std::this_thread::get_id(), ran_at_once.get_future().get());
    EXPECT_NE(std::this_thread::get_id(), ran_later.get_future().get());
    EXPECT_LT(0, taken);
    pool.join();
}

#if BOOST_VERSION >= 108200
TEST_F(async_test, an_immediate_executor_runs_handlers_of_operations_that_do_not_wait)
{
    async_socket a = make(socket_type::pair), b = make(socket_type::pair);
    join(a, b, "inproc://immediate");
    const net::system_executor at_once;
    called sent, received, waited;
    message m;
    a.async_receive(m, net::bind_immediate_executor(at_once, waited.handler()));
    EXPECT_EQ(0, waited.times) << "there is nothing to receive";
    b.async_send(message("1"), net::bind_immediate_executor(at_once, sent.handler()));
    EXPECT_EQ(1, sent.times);
    run();
    EXPECT_EQ(1, waited.times);
    EXPECT_EQ("1", m.view());
    message out("2");
    EXPECT_TRUE(b.try_send(out));
    a.async_receive(m, net::bind_immediate_executor(at_once, received.handler()));
    EXPECT_EQ(1, received.times);
    EXPECT_FALSE(received.ec);
    EXPECT_EQ("2", m.view());
}
#endif

// --- misuse

TEST_F(async_test, a_second_operation_of_a_kind_is_refused)
{
    async_socket a = make(socket_type::pair);
    message m, n;
    event e;
    called first, second;
    a.async_receive(m, first.handler());
    a.async_receive(n, second.handler());
    context_.poll();
    EXPECT_EQ(0, first.times);
    EXPECT_EQ(1, second.times);
    EXPECT_EQ(second.ec, make_error_code(errc::busy));
    a.async_send(message("x"), first.handler());
    a.async_send(message("x"), second.handler());
    a.async_wait(wait_type::read, first.handler());
    a.async_wait(wait_type::peers, second.handler());
    a.async_monitor(e, first.handler());
    a.async_monitor(e, second.handler());
    context_.restart();
    context_.poll();
    EXPECT_EQ(0, first.times);
    EXPECT_EQ(4, second.times);
    EXPECT_EQ(second.ec, make_error_code(errc::busy));
    a.close();
    run();
    EXPECT_EQ(4, first.times);
}

TEST_F(async_test, operations_of_a_socket_that_is_none_fail)
{
    async_socket a = make(socket_type::pair);
    async_socket b = std::move(a);
    called received, events;
    message m;
    event e;
    a.async_receive(m, received.handler());
    a.async_monitor(e, events.handler());
    std::array<message, 1> some;
    auto later = b.async_receive_some(some, net::deferred);
    b.close();
    called after_close;
    std::move(later)(after_close.handler());
    run();
    for (const called* each : {&received, &events, &after_close}) {
        EXPECT_EQ(1, each->times);
        EXPECT_EQ(each->ec, make_error_code(errc::not_a_socket));
    }
    EXPECT_FALSE(b.is_open());
    EXPECT_THROW(b.bind(any_port), std::system_error);
    std::error_code ec;
    const async_socket c(context_, group_, socket_type(77), ec);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_TRUE(error_code(ec) == std::errc::invalid_argument);
    EXPECT_THROW(tcp_socket(context_, group_, socket_type(77)), std::system_error);
}

// --- two Asios

TEST_F(async_test, another_asio_may_be_in_the_same_program)
{
    EXPECT_EQ("echo", echo_by_standalone_asio(group_, "inproc://other_asio"));
}

}  // namespace
}  // namespace zlink::test
