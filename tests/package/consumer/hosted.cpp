// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sends itself a message over tcp by the C++ API, on an io_context that hosts the group: no thread but this one. Prints
// the version of libzmq that the library stands for.
#include <zlink/asio.hpp>

#include <zmq.h>

#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <filesystem>
#include <iterator>

int main()
{
    boost::asio::io_context context(1);
    zlink::message received;
    {
        zlink::io_group group(context);
        zlink::async_socket left(context, group, zlink::socket_type::pair);
        zlink::async_socket right(context, group, zlink::socket_type::pair);
        left.bind("tcp://127.0.0.1:*");
        right.connect(left.get<zlink::opt::last_endpoint>());
        bool done = false;
        left.async_receive(received, [&](boost::system::error_code ec) { done = !ec; });
        right.async_send(zlink::message("hello"), [](boost::system::error_code) {});
        while (!done && context.run_one() > 0) {
        }
    }
    if (received.view() != "hello") return 1;
    const std::filesystem::directory_iterator threads("/proc/self/task");
    if (std::distance(begin(threads), end(threads)) != 1) return 1;
    int major = 0, minor = 0, patch = 0;
    zmq_version(&major, &minor, &patch);
    std::printf("%d.%d.%d\n", major, minor, patch);
}
