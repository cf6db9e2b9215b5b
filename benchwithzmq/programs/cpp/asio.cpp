// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The floor of the C++ API: round trips between two coroutines over plain sockets of Asio. A message is its length and
// its content, sent at once. Modes: ping on one io_context, ping_threads on two with a thread each.
#include "cpp/measure.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <thread>
#include <vector>

namespace {

namespace net = boost::asio;
using bench_cpp::arguments;
using bench_cpp::counter;
using net::ip::tcp;

net::awaitable<void> ping(tcp::socket& s, counter& count, std::size_t size)
{
    std::vector<char> content(size), room;
    do {
        std::uint32_t length = std::uint32_t(size);
        const std::array parts{net::const_buffer(&length, sizeof length), net::const_buffer(content.data(), size)};
        co_await net::async_write(s, parts, net::use_awaitable);
        co_await net::async_read(s, net::buffer(&length, sizeof length), net::use_awaitable);
        room.resize(length);
        co_await net::async_read(s, net::buffer(room), net::use_awaitable);
        if (room.size() != size) bench_cpp::fail("a message has another size");
    } while (!count.turned());
    s.close();
}
net::awaitable<void> pong(tcp::socket& s)
{
    std::vector<char> room;
    while (true) {
        std::uint32_t length = 0;
        co_await net::async_read(s, net::buffer(&length, sizeof length), net::use_awaitable);
        room.resize(length);
        co_await net::async_read(s, net::buffer(room), net::use_awaitable);
        const std::array parts{net::const_buffer(&length, sizeof length), net::const_buffer(room.data(), room.size())};
        co_await net::async_write(s, parts, net::use_awaitable);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const arguments a = bench_cpp::parse(argc, argv, "ping ping_threads");
    const bool threads = a.mode == "ping_threads";
    if (!threads && a.mode != "ping") bench_cpp::fail("there is no such mode");
    counter count(a);
    net::io_context context(1), second(1);
    net::io_context& other = threads ? second : context;
    tcp::acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
    tcp::socket asks(context), answers(other);
    answers.connect(acceptor.local_endpoint());
    acceptor.accept(asks);
    for (tcp::socket* each : {&asks, &answers}) each->set_option(tcp::no_delay(true));
    net::co_spawn(context, ping(asks, count, a.size), net::detached);
    net::co_spawn(other, pong(answers), net::detached);  // ends with the connection
    std::thread thread;
    if (threads) thread = std::thread([&] { other.run(); });
    context.run();
    if (thread.joinable()) thread.join();
    bench_cpp::print(a, "round_trip_us", 1e6 / count.per_second());
}
