// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Requests and replies between coroutines, all of it in one thread: the group is hosted by the io_context. The client
// asks a service that is slow at times, waits for half a second at most, and then asks again over a new connection.
//
//     c++ -std=c++20 request.cpp -lzmq -o request && ./request
#include <zlink/asio.hpp>
#include <zlink/awaitable.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>

namespace net = boost::asio;

namespace {

using namespace std::chrono_literals;
using namespace net::experimental::awaitable_operators;

/// Answers each request but the second one, as if that took too long.
net::awaitable<void> serve(zlink::async_socket& socket)
{
    for (int number = 1;; ++number) {
        zlink::multipart request;
        co_await zlink::receive(socket, request);
        if (number != 2) co_await zlink::send(socket, std::move(request));
    }
}

/// The reply; empty if there is none in time.
net::awaitable<std::string> ask(net::io_context& context, const zlink::io_group& group, std::string endpoint,
                                std::string question)
{
    zlink::async_socket socket(context, group, zlink::socket_type::req);
    socket.set(zlink::opt::linger(0ms));
    socket.connect(endpoint);
    co_await zlink::send(socket, zlink::message(question));
    net::steady_timer deadline(context, 500ms);
    (void)co_await (socket.async_wait(zlink::wait_type::read, net::use_awaitable) ||
                    deadline.async_wait(net::use_awaitable));
    zlink::message reply;
    co_return socket.try_receive(reply) ? std::string(reply.view()) : std::string();
}

net::awaitable<void> ask_all(net::io_context& context, const zlink::io_group& group, std::string endpoint)
{
    for (const std::string question : {"one", "two", "three"}) {
        std::string reply;
        while ((reply = co_await ask(context, group, endpoint, question)).empty()) std::cout << "asked again\n";
        std::cout << reply << '\n';
    }
}

}  // namespace

int main()
try {
    net::io_context context(1);
    zlink::io_group group(context);
    zlink::async_socket service(context, group, zlink::socket_type::router);
    service.bind("tcp://127.0.0.1:*");
    // What ends first ends both.
    net::co_spawn(context, serve(service) || ask_all(context, group, service.get<zlink::opt::last_endpoint>()),
                  [&](std::exception_ptr failed, const auto&) {
                      service.close();  // nothing is left to do, so run() returns
                      if (failed) std::rethrow_exception(failed);
                  });
    context.run();
} catch (const std::exception& e) {
    std::cerr << "request: " << e.what() << '\n';
    return 1;
}
