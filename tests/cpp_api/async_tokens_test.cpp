// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Each operation of a socket with each kind of token, in a group with threads and in a hosted one: it ends at once, it
// waits first, and it is cancelled while it waits.
#include <zlink/asio.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/experimental/promise.hpp>
#include <boost/asio/experimental/use_promise.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace zlink::test {

namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using error_code = boost::system::error_code;

constexpr auto patience = 10s;

/// Two sockets, with room for one message on each way, and what their operations work on.
struct sockets {
    sockets(net::io_context& context, io_group& group)
        : a(context, group, socket_type::pair),
          b(context, group, socket_type::pair)
    {
        for (async_socket* each : {&a, &b}) {
            each->set(opt::linger(0ms));
            each->set(opt::sndhwm(1));
            each->set(opt::rcvhwm(1));
        }
        a.begin_monitor(event_kind::connected | event_kind::disconnected);
    }
    void join()
    {
        b.bind("inproc://tokens");
        a.connect("inproc://tokens");
    }
    void fill()
    {
        message out("fills");
        while (a.try_send(out)) out = message("fills");
    }
    void put(std::string_view text)
    {
        message out(text);
        EXPECT_TRUE(b.try_send(out));
    }
    void empty()
    {
        message in;
        while (b.try_receive(in)) {
        }
    }

    async_socket a, b;
    message m;
    multipart parts;
    std::array<message, 4> some;
    event e;
};

// Operations of `a`. After ready(), it goes on. After blocks() on new sockets, it waits.

struct sends {
    static void blocks(sockets& s) { s.fill(); }
    static void ready(sockets& s) { s.empty(); }
    template <class Token>
    static auto begin(sockets& s, Token&& token)
    {
        return s.a.async_send(message("sent"), std::forward<Token>(token));
    }
};
struct sends_parts {
    static void blocks(sockets& s) { s.fill(); }
    static void ready(sockets& s) { s.empty(); }
    template <class Token>
    static auto begin(sockets& s, Token&& token)
    {
        return s.a.async_send_multipart(multipart{"sent", "too"}, std::forward<Token>(token));
    }
};
struct receives {
    static void blocks(sockets&) {}
    static void ready(sockets& s) { s.put("one"); }
    template <class Token>
    static auto begin(sockets& s, Token&& token)
    {
        return s.a.async_receive(s.m, std::forward<Token>(token));
    }
};
struct receives_parts {
    static void blocks(sockets&) {}
    static void ready(sockets& s) { s.put("one"); }
    template <class Token>
    static auto begin(sockets& s, Token&& token)
    {
        return s.a.async_receive_multipart(s.parts, std::forward<Token>(token));
    }
};
struct receives_some {
    static void blocks(sockets&) {}
    static void ready(sockets& s) { s.put("one"); }
    template <class Token>
    static auto begin(sockets& s, Token&& token)
    {
        return s.a.async_receive_some(s.some, std::forward<Token>(token));
    }
};
struct waits_for_input {
    static void blocks(sockets&) {}
    static void ready(sockets& s) { s.put("one"); }
    template <class Token>
    static auto begin(sockets& s, Token&& token)
    {
        return s.a.async_wait(wait_type::read, std::forward<Token>(token));
    }
};
struct waits_for_room {
    static void blocks(sockets& s) { s.fill(); }
    static void ready(sockets& s) { s.empty(); }
    template <class Token>
    static auto begin(sockets& s, Token&& token)
    {
        return s.a.async_wait(wait_type::write, std::forward<Token>(token));
    }
};

/// What an operation ended with, by any token.
struct outcome {
    std::optional<error_code> ec;
    std::size_t count = 1;
};

net::awaitable<void> note(net::awaitable<void> operation, outcome& to)
{
    try {
        co_await std::move(operation);
        to.ec = error_code();
    } catch (const boost::system::system_error& e) {
        to.ec = e.code();
    }
}
net::awaitable<void> note(net::awaitable<std::size_t> operation, outcome& to)
{
    try {
        to.count = co_await std::move(operation);
        to.ec = error_code();
    } catch (const boost::system::system_error& e) {
        to.ec = e.code();
    }
}
net::awaitable<void> note(net::awaitable<std::tuple<error_code>> operation, outcome& to)
{
    to.ec = std::get<0>(co_await std::move(operation));
}
net::awaitable<void> note(net::awaitable<std::tuple<error_code, std::size_t>> operation, outcome& to)
{
    const auto [ec, count] = co_await std::move(operation);
    to.count = count;
    to.ec = ec;
}

// Tokens

[[nodiscard]] auto handler_of(outcome& to)
{
    return [&to](error_code ec, std::size_t count = 1) {
        EXPECT_FALSE(to.ec) << "called twice";
        to.count = count;
        to.ec = ec;
    };
}

struct by_callback {
    template <class Operation>
    static void begin(net::io_context&, sockets& s, net::cancellation_slot slot, outcome& to)
    {
        Operation::begin(s, net::bind_cancellation_slot(slot, handler_of(to)));
    }
};
struct by_awaitable {
    template <class Operation>
    static void begin(net::io_context& context, sockets& s, net::cancellation_slot slot, outcome& to)
    {
        net::co_spawn(context, note(Operation::begin(s, net::use_awaitable), to),
                      net::bind_cancellation_slot(slot, [](std::exception_ptr) {}));
    }
};
struct by_tuple {
    template <class Operation>
    static void begin(net::io_context& context, sockets& s, net::cancellation_slot slot, outcome& to)
    {
        net::co_spawn(context, note(Operation::begin(s, net::as_tuple(net::use_awaitable)), to),
                      net::bind_cancellation_slot(slot, [](std::exception_ptr) {}));
    }
};
struct by_deferred {
    template <class Operation>
    static void begin(net::io_context&, sockets& s, net::cancellation_slot slot, outcome& to)
    {
        auto later = Operation::begin(s, net::deferred);
        std::move(later)(net::bind_cancellation_slot(slot, handler_of(to)));
    }
};
struct by_promise {
    template <class Operation>
    static void begin(net::io_context&, sockets& s, net::cancellation_slot slot, outcome& to)
    {
        // A promise that goes cancels its operation.
        auto promised = Operation::begin(s, net::experimental::use_promise);
        const auto kept = std::make_shared<decltype(promised)>(std::move(promised));
        std::move (*kept)(
            net::bind_cancellation_slot(slot, [kept, end = handler_of(to)](auto... with) { end(with...); }));
    }
};
struct in_parallel_group {
    template <class Operation>
    static void begin(net::io_context&, sockets& s, net::cancellation_slot slot, outcome& to)
    {
        net::experimental::make_parallel_group(Operation::begin(s, net::deferred))
            .async_wait(
                net::experimental::wait_for_all(),
                net::bind_cancellation_slot(slot, [end = handler_of(to)](auto, auto... with) { end(with...); }));
    }
};
struct by_redirected_error {
    template <class Operation>
    static void begin(net::io_context&, sockets& s, net::cancellation_slot slot, outcome& to)
    {
        const auto where = std::make_shared<error_code>();
        Operation::begin(s, net::redirect_error(net::bind_cancellation_slot(slot,
                                                                            [&to, where](std::size_t count = 1) {
                                                                                to.count = count;
                                                                                to.ec = *where;
                                                                            }),
                                                *where));
    }
};

template <class Token, bool Hosted>
struct row {
    using token = Token;
    static constexpr bool hosted = Hosted;
};

template <class Row>
class async_tokens_test : public testing::Test {
protected:
    async_tokens_test()
    {
        if constexpr (Row::hosted) group_ = io_group(context_);
    }
    void run(const std::function<bool()>& done)
    {
        const auto until = std::chrono::steady_clock::now() + patience;
        context_.restart();
        while (!done() && context_.run_one_until(until) != 0) {
        }
        EXPECT_TRUE(done());
    }
    void poll()
    {
        for (int i = 0; i < 5; ++i) {
            context_.restart();
            context_.poll();
        }
    }

    enum class course { at_once, after_a_wait, cancelled };
    template <class Operation>
    void expect(course which)
    {
        sockets s(context_, group_);
        net::cancellation_signal signal;
        outcome to;
        s.join();
        if (which == course::at_once) {
            Operation::ready(s);
        } else {
            Operation::blocks(s);
        }
        Row::token::template begin<Operation>(context_, s, signal.slot(), to);
        if (which != course::at_once) {
            poll();
            EXPECT_FALSE(to.ec) << "it waits";
            if (which == course::cancelled) {
                signal.emit(net::cancellation_type::terminal);
            } else {
                Operation::ready(s);
            }
        }
        run([&] { return to.ec.has_value(); });
        if (which == course::cancelled) {
            EXPECT_EQ(*to.ec, net::error::operation_aborted);
        } else {
            EXPECT_FALSE(*to.ec) << to.ec->message();
            EXPECT_EQ(1u, to.count);
        }
        s.a.close();
        s.b.close();
        poll();
    }
    template <class Operation>
    void expect_all()
    {
        expect<Operation>(course::at_once);
        expect<Operation>(course::after_a_wait);
        expect<Operation>(course::cancelled);
    }

    net::io_context context_{1};
    io_group group_;
};

using all_rows =
    testing::Types<row<by_callback, false>, row<by_callback, true>, row<by_awaitable, false>, row<by_awaitable, true>,
                   row<by_tuple, false>, row<by_tuple, true>, row<by_deferred, false>, row<by_deferred, true>,
                   row<by_promise, false>, row<by_promise, true>, row<in_parallel_group, false>,
                   row<in_parallel_group, true>, row<by_redirected_error, false>, row<by_redirected_error, true>>;
TYPED_TEST_SUITE(async_tokens_test, all_rows);

TYPED_TEST(async_tokens_test, sends)
{
    this->template expect_all<sends>();
    this->template expect_all<sends_parts>();
}

TYPED_TEST(async_tokens_test, receives)
{
    this->template expect_all<receives>();
    this->template expect_all<receives_parts>();
    this->template expect_all<receives_some>();
}

TYPED_TEST(async_tokens_test, waits)
{
    this->template expect_all<waits_for_input>();
    this->template expect_all<waits_for_room>();
}

}  // namespace
}  // namespace zlink::test
