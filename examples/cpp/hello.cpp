// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A request and a reply in one program, without coroutines.
//
//     c++ -std=c++20 hello.cpp -lzmq -o hello
#include <zlink/zlink.hpp>

#include <exception>
#include <iostream>
#include <thread>

int main()
try {
    zlink::io_group group;
    zlink::socket reply(group, zlink::socket_type::rep);
    reply.bind("tcp://127.0.0.1:*");
    const auto endpoint = reply.get<zlink::opt::last_endpoint>();

    std::jthread client([&] {
        zlink::socket request(group, zlink::socket_type::req);
        request.connect(endpoint);
        request.send(zlink::message("hello"));
        std::cout << "the reply: " << request.receive().view() << '\n';
    });
    zlink::message m = reply.receive();
    reply.send(std::move(m));
    client.join();
} catch (const std::exception& e) {
    std::cerr << "hello: " << e.what() << '\n';
    return 1;
}
