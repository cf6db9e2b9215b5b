// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets of standalone Asio, in a program that has those of Boost.Asio as well (async_test.cpp).
#define ASIO_STANDALONE
#include <zlink/asio.hpp>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace zlink::test {

std::string echo_by_standalone_asio(const io_group& group, const std::string& endpoint)
{
    asio::io_context context;
    async_socket reply(context, group, socket_type::rep), request(context, group, socket_type::req);
    reply.bind(endpoint);
    request.connect(endpoint);
    std::string got;
    const auto rethrow = [](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
    };
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
            message m;
            co_await reply.async_receive(m, asio::use_awaitable);
            co_await reply.async_send(std::move(m), asio::use_awaitable);
        },
        rethrow);
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
            co_await request.async_send(message("echo"), asio::use_awaitable);
            message m;
            co_await request.async_receive(m, asio::use_awaitable);
            got = m.view();
        },
        rethrow);
    context.run_for(std::chrono::seconds(10));
    return got;
}

}  // namespace zlink::test
