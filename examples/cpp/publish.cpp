// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A publisher that waits for slow subscribers instead of dropping their messages: an XPUB with xpub_nodrop. A send waits
// while the queue of one subscriber is full. Publisher and subscribers are coroutines on one thread here.
//
//     c++ -std=c++20 publish.cpp -lzmq -o publish && ./publish
#include <zlink/awaitable.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace net = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr int messages = 2000;

net::awaitable<void> publish(zlink::async_socket socket)
{
    co_await socket.async_wait({zlink::wait_type::subscribers, 2}, net::use_awaitable);
    for (int i = 0; i < messages; ++i) co_await zlink::send(socket, zlink::message("number " + std::to_string(i)));
}

net::awaitable<int> count(zlink::async_socket socket, std::chrono::microseconds pause)
{
    net::steady_timer timer(co_await net::this_coro::executor);
    zlink::message m;
    for (int i = 0; i < messages; ++i) {
        co_await zlink::receive(socket, m);
        if (m.view() != "number " + std::to_string(i)) co_return i;
        if (i % 100 != 0) continue;
        timer.expires_after(pause);
        co_await timer.async_wait(net::use_awaitable);
    }
    co_return messages;
}

}  // namespace

int main()
try {
    net::io_context context(1);
    zlink::io_group group(context);
    zlink::async_socket publisher(context, group, zlink::socket_type::xpub);
    publisher.set(zlink::opt::xpub_nodrop(true));
    publisher.set(zlink::opt::sndhwm(10));
    publisher.bind("tcp://127.0.0.1:*");
    const std::string endpoint = publisher.get<zlink::opt::last_endpoint>();

    for (const auto pause : {1us, 5000us}) {
        zlink::async_socket subscriber(context, group, zlink::socket_type::sub);
        subscriber.set(zlink::opt::rcvhwm(10));
        subscriber.set(zlink::opt::subscribe("number"));
        subscriber.connect(endpoint);
        net::co_spawn(context, count(std::move(subscriber), pause), [pause](std::exception_ptr failed, int got) {
            if (failed) std::rethrow_exception(failed);
            std::cout << "pauses of " << pause.count() << " us: " << got << " of " << messages << '\n';
        });
    }
    net::co_spawn(context, publish(std::move(publisher)), [](std::exception_ptr failed) {
        if (failed) std::rethrow_exception(failed);
    });
    context.run();
} catch (const std::exception& e) {
    std::cerr << "publish: " << e.what() << '\n';
    return 1;
}
