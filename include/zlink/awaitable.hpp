// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file awaitable.hpp
 * For coroutines of Asio: send() and receive() that go on at once if they can, and a proxy. Boost.Asio from 1.81 on, or
 * standalone Asio from 1.24 on.
 *
 * An operation with a token, as `co_await socket.async_receive(m, use_awaitable)`, always goes through the executor:
 * Asio demands it. An io_context asks the system for news before each such turn, which takes longer than to take a
 * message. These functions suspend the coroutine only if they have to wait, and in one of 64 calls, so that others have
 * their turn. They throw what operations throw.
 */
#pragma once

#include <zlink/asio.hpp>

#if defined ASIO_STANDALONE || defined ZLINK_STANDALONE_ASIO
#include <asio/awaitable.hpp>
#include <asio/deferred.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#define ZLINK_ASIO_TAG with_standalone_asio
#else
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#define ZLINK_ASIO_TAG with_boost_asio
#endif

#include <utility>

namespace zlink {
inline namespace v1 {
inline namespace ZLINK_ASIO_TAG {

/// Receives a message, or a part of one.
template <class Executor>
[[nodiscard]] async::net::awaitable<void, Executor> receive(basic_socket<Executor>& socket, message& m)
{
    if (socket.goes_on_at_once(async::kind::receive) && socket.try_receive(m)) co_return;
    co_await socket.async_receive(m, async::net::deferred);
}
/// Receives all parts of a message.
template <class Executor>
[[nodiscard]] async::net::awaitable<void, Executor> receive(basic_socket<Executor>& socket, multipart& m)
{
    if (socket.goes_on_at_once(async::kind::receive) && socket.try_receive(m)) co_return;
    co_await socket.async_receive_multipart(m, async::net::deferred);
}
/// Sends a message. If it throws, the message has gone all the same.
template <class Executor>
[[nodiscard]] async::net::awaitable<void, Executor> send(basic_socket<Executor>& socket, message m)
{
    if (socket.goes_on_at_once(async::kind::send) && socket.try_send(m)) co_return;
    co_await socket.async_send(std::move(m), async::net::deferred);
}
/// Sends a message of several parts.
template <class Executor>
[[nodiscard]] async::net::awaitable<void, Executor> send(basic_socket<Executor>& socket, multipart m)
{
    if (socket.goes_on_at_once(async::kind::send) && socket.try_send(m)) co_return;
    co_await socket.async_send_multipart(std::move(m), async::net::deferred);
}

namespace async {

/// Takes a message only when there is room for it. So a cancellation loses none, unless the room has gone meanwhile.
template <class Executor>
[[nodiscard]] net::awaitable<void, Executor> forward(basic_socket<Executor>& from, basic_socket<Executor>& to)
{
    constexpr auto& use = net::deferred;
    constexpr int at_once = 64;
    multipart m;
    while (true) {
        co_await to.async_wait(wait_type::write, use);
        co_await from.async_receive_multipart(m, use);
        for (int left = at_once; left != 0; --left) {
            if (!to.try_send(m)) co_await to.async_send_multipart(std::move(m), use);
            short room = 0;
            if (core::socket_ready(to.native_handle(), core::event_out, room) != 0 || room == 0) break;
            if (!from.try_receive(m)) break;
        }
    }
}

}  // namespace async

/// Passes messages on in both directions, as zmq_proxy(3), until it is cancelled, or one of the sockets fails. It uses all
/// kinds of operations of both sockets.
template <class Executor>
[[nodiscard]] async::net::awaitable<void, Executor> proxy(basic_socket<Executor>& front, basic_socket<Executor>& back)
{
    using async::net::experimental::awaitable_operators::operator||;
    (void)co_await (async::forward(front, back) || async::forward(back, front));
}

}  // namespace ZLINK_ASIO_TAG
}  // namespace v1
}  // namespace zlink

#undef ZLINK_ASIO_TAG
