// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A service that computes on a pool of threads. One thread has the sockets; it answers each request as soon as that is
// done, so a long one holds up no other. It ends by SIGINT or SIGTERM.
//
//     c++ -std=c++20 worker_pool.cpp -lzmq -o worker_pool && ./worker_pool tcp://127.0.0.1:5555
#include <zlink/asio.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace net = boost::asio;

namespace {

/// The largest prime that divides a number.
std::string factor_of(std::string_view text)
{
    std::uint64_t n = std::strtoull(std::string(text).c_str(), nullptr, 10), largest = 1;
    for (std::uint64_t p = 2; p * p <= n; ++p) {
        for (; n % p == 0; n /= p) largest = p;
    }
    return std::to_string(n > 1 ? n : largest);
}

net::awaitable<void> serve(zlink::async_socket& socket, net::thread_pool& pool)
{
    const auto here = co_await net::this_coro::executor;
    while (true) {
        zlink::multipart request;  // routing id, empty part, number
        co_await socket.async_receive_multipart(request, net::use_awaitable);
        if (request.size() != 3) continue;
        net::post(pool, [&socket, here, m = std::make_shared<zlink::multipart>(std::move(request))] {
            m->parts()[2] = zlink::message(factor_of(m->parts()[2].view()));
            // Back to the thread of the socket. A ROUTER never waits for room.
            net::post(here, [&socket, m] { (void)socket.try_send(*m); });
        });
    }
}

}  // namespace

int main(int count, char** arguments)
try {
    net::io_context context(1);
    net::thread_pool pool(2);
    zlink::io_group group(context);
    zlink::async_socket socket(context, group, zlink::socket_type::router);
    socket.bind(count > 1 ? arguments[1] : "tcp://127.0.0.1:*");
    std::cout << "bound to " << socket.get<zlink::opt::last_endpoint>() << std::endl;
    net::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](const auto&, int) { context.stop(); });
    net::co_spawn(context, serve(socket, pool), [](std::exception_ptr failed) {
        if (failed) std::rethrow_exception(failed);
    });
    context.run();
    pool.join();
    std::cout << "ended" << std::endl;
} catch (const std::exception& e) {
    std::cerr << "worker_pool: " << e.what() << '\n';
    return 1;
}
