// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A service in a coroutine: it answers each request with its text in capitals, and ends by SIGINT or SIGTERM. The request
// in hand is answered, and the last answers go out, before the program ends.
//
//     c++ -std=c++20 service.cpp -lzmq -o service && ./service tcp://127.0.0.1:5555
#include <zlink/asio.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <iostream>
#include <utility>

namespace net = boost::asio;

namespace {

net::awaitable<void> serve(zlink::async_socket& socket, const bool& ending)
{
    zlink::message m;
    while (!ending) {
        const auto [failed] = co_await socket.async_receive(m, net::as_tuple(net::use_awaitable));
        if (failed) break;  // the signal has cancelled it
        char* const text = static_cast<char*>(m.data());
        std::transform(text, text + m.size(), text, [](unsigned char c) { return char(std::toupper(c)); });
        co_await socket.async_send(std::move(m), net::use_awaitable);
    }
    std::cout << "ended" << std::endl;
}

}  // namespace

int main(int count, char** arguments)
try {
    using namespace std::chrono_literals;
    zlink::io_group group;
    net::io_context context(1);
    zlink::async_socket socket(context, group, zlink::socket_type::rep);
    socket.set(zlink::opt::linger(2s));
    socket.bind(count > 1 ? arguments[1] : "tcp://127.0.0.1:*");
    std::cout << "bound to " << socket.get<zlink::opt::last_endpoint>() << std::endl;

    net::signal_set signals(context, SIGINT, SIGTERM);
    bool ending = false;
    signals.async_wait([&](const auto&, int) {
        ending = true;
        socket.cancel();
    });
    net::co_spawn(context, serve(socket, ending), net::detached);
    context.run();
} catch (const std::exception& e) {
    std::cerr << "service: " << e.what() << '\n';
    return 1;
}
