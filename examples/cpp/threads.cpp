// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Threads and blocking calls, without Asio: two workers take numbers and return squares. The group's end stops them.
//
//     c++ -std=c++20 threads.cpp -lzmq -pthread -o threads && ./threads
#include <zlink/zlink.hpp>

#include <iostream>
#include <string>
#include <system_error>
#include <thread>

namespace {

void work(const zlink::io_group& group)
try {
    zlink::socket numbers(group, zlink::socket_type::pull), results(group, zlink::socket_type::push);
    numbers.connect("inproc://numbers");
    results.connect("inproc://results");
    while (true) {
        const int n = std::stoi(std::string(numbers.receive().view()));
        results.send(zlink::message(std::to_string(n * n)));
    }
} catch (const std::system_error& e) {
    if (e.code() != zlink::errc::terminated) std::cerr << "worker: " << e.what() << '\n';
}

}  // namespace

int main()
{
    zlink::io_group group(0);  // no I/O thread: inproc alone
    zlink::socket numbers(group, zlink::socket_type::push), results(group, zlink::socket_type::pull);
    numbers.bind("inproc://numbers");
    results.bind("inproc://results");
    std::jthread first([&] { work(group); }), second([&] { work(group); });

    constexpr int count = 1000;
    for (int i = 1; i <= count; ++i) numbers.send(zlink::message(std::to_string(i)));
    long sum = 0;
    for (int i = 1; i <= count; ++i) sum += std::stol(std::string(results.receive().view()));
    std::cout << "the sum of squares: " << sum << std::endl;
    group.shutdown();  // wakes the workers
}
