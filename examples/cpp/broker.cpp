// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A broker between clients and workers: requests come to a ROUTER, and a DEALER hands them to workers in turn. All of it,
// connections as well, runs on one thread: the group is hosted by the program's io_context. It ends by SIGINT or SIGTERM.
//
//     c++ -std=c++20 broker.cpp -lzmq -o broker && ./broker tcp://127.0.0.1:5555 tcp://127.0.0.1:5556
#include <zlink/awaitable.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <chrono>
#include <exception>
#include <iostream>

namespace net = boost::asio;

int main(int count, char** arguments)
try {
    using namespace std::chrono_literals;
    net::io_context context(1);
    zlink::io_group group(context);
    {
        zlink::async_socket clients(context, group, zlink::socket_type::router);
        zlink::async_socket workers(context, group, zlink::socket_type::dealer);
        clients.bind(count > 1 ? arguments[1] : "tcp://127.0.0.1:*");
        workers.bind(count > 2 ? arguments[2] : "tcp://127.0.0.1:*");
        std::cout << "clients at " << clients.get<zlink::opt::last_endpoint>() << '\n'
                  << "workers at " << workers.get<zlink::opt::last_endpoint>() << std::endl;

        net::cancellation_signal end;
        net::signal_set signals(context, SIGINT, SIGTERM);
        signals.async_wait([&](const auto&, int) { end.emit(net::cancellation_type::terminal); });
        const auto ended = [&](std::exception_ptr) { context.stop(); };
        net::co_spawn(context, zlink::proxy(clients, workers), net::bind_cancellation_slot(end.slot(), ended));
        context.run();
    }
    std::cout << (group.close(2s) ? "ended" : "ended, and messages are lost") << std::endl;
} catch (const std::exception& e) {
    std::cerr << "broker: " << e.what() << '\n';
    return 1;
}
