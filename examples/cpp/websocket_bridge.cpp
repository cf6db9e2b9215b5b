// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A bridge to browsers: a WebSocket server by Boost.Beast, with a SUB socket for each connection. A client's messages are
// topics to subscribe to; what is published under them goes to it. One thread does all of it.
//
//     c++ -std=c++20 websocket_bridge.cpp -lzmq -o websocket_bridge && ./websocket_bridge 8080 tcp://127.0.0.1:5555
#include <zlink/awaitable.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace net = boost::asio;
namespace beast = boost::beast;
using browser = beast::websocket::stream<beast::tcp_stream>;

namespace {

net::awaitable<void> take_topics(browser& from, zlink::async_socket& socket)
{
    for (beast::flat_buffer buffer;; buffer.clear()) {
        co_await from.async_read(buffer, net::use_awaitable);
        socket.set(zlink::opt::subscribe(beast::buffers_to_string(buffer.data())));
    }
}

net::awaitable<void> pass_on(zlink::async_socket& socket, browser& to)
{
    for (zlink::message m;;) {
        co_await zlink::receive(socket, m);
        co_await to.async_write(net::buffer(m.data(), m.size()), net::use_awaitable);
    }
}

net::awaitable<void> serve(net::ip::tcp::socket accepted, zlink::async_socket socket)
{
    using net::experimental::awaitable_operators::operator||;
    browser client(std::move(accepted));
    co_await client.async_accept(net::use_awaitable);
    co_await (take_topics(client, socket) || pass_on(socket, client));  // ends by an exception, with the connection
}

net::awaitable<void> accept(net::ip::tcp::acceptor acceptor, zlink::io_group& group, std::string publisher)
{
    const auto executor = co_await net::this_coro::executor;
    while (true) {
        auto accepted = co_await acceptor.async_accept(net::use_awaitable);
        zlink::async_socket socket(executor, group, zlink::socket_type::sub);
        socket.connect(publisher);
        net::co_spawn(executor, serve(std::move(accepted), std::move(socket)), net::detached);
    }
}

}  // namespace

int main(int count, char** arguments)
try {
    if (count != 3) {
        std::cerr << "usage: websocket_bridge PORT ENDPOINT\n";
        return 2;
    }
    net::io_context context(1);
    zlink::io_group group(context);
    net::ip::tcp::acceptor acceptor(context, {net::ip::address_v4::loopback(), std::uint16_t(std::stoi(arguments[1]))});
    std::cout << "ws://127.0.0.1:" << acceptor.local_endpoint().port() << std::endl;
    net::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](const auto&, int) { context.stop(); });
    net::co_spawn(context, accept(std::move(acceptor), group, arguments[2]), net::detached);
    context.run();
    std::cout << "ended" << std::endl;
} catch (const std::exception& e) {
    std::cerr << "websocket_bridge: " << e.what() << '\n';
    return 1;
}
