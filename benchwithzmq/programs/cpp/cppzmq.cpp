// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// cppzmq on libzmq, with calls that wait: messages a second, and round trips between two threads. Modes: blocking, ping.
#include "cpp/measure.hpp"

#include <zmq.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

using bench_cpp::arguments;
using bench_cpp::counter;

std::string bind(zmq::socket_t& s)
{
    s.bind("tcp://127.0.0.1:*");
    return s.get(zmq::sockopt::last_endpoint);
}

double throughput(const arguments& a)
{
    counter count(a);
    zmq::context_t context, of_sender;
    zmq::socket_t s(context, zmq::socket_type::pair);
    const std::string endpoint = bind(s);
    std::atomic<bool> stop{false};
    std::thread sender([&] {
        zmq::socket_t out(of_sender, zmq::socket_type::pair);
        out.set(zmq::sockopt::sndtimeo, 20);
        out.set(zmq::sockopt::linger, 0);
        out.connect(endpoint);
        std::vector<std::byte> content(a.size);
        for (std::uint64_t number = 0; !stop;) {
            std::memcpy(content.data(), &number, sizeof number);
            if (out.send(zmq::buffer(content), zmq::send_flags::none)) ++number;
        }
    });
    for (zmq::message_t m; s.recv(m) && !count.took({m.data<std::byte>(), m.size()});) {
    }
    stop = true;
    sender.join();
    return count.per_second();
}

double round_trips(const arguments& a)
{
    counter count(a);
    zmq::context_t context;
    zmq::socket_t s(context, zmq::socket_type::pair), answers(context, zmq::socket_type::pair);
    answers.connect(bind(s));
    std::thread thread([&] {
        for (zmq::message_t m; answers.recv(m) && m.to_string_view() != "end";)
            (void)answers.send(std::move(m), zmq::send_flags::none);
    });
    const std::string content(a.size, 'x');
    zmq::message_t m;
    do {
        (void)s.send(zmq::buffer(content), zmq::send_flags::none);
        if (!s.recv(m) || m.size() != a.size) bench_cpp::fail("a message has another size");
    } while (!count.turned());
    (void)s.send(zmq::str_buffer("end"), zmq::send_flags::none);
    thread.join();
    return count.per_second();
}

}  // namespace

int main(int argc, char** argv)
{
    const arguments a = bench_cpp::parse(argc, argv, "blocking ping");
    if (a.mode == "blocking") {
        bench_cpp::print(a, "messages_per_s", throughput(a));
    } else if (a.mode == "ping") {
        bench_cpp::print(a, "round_trip_us", 1e6 / round_trips(a));
    } else {
        bench_cpp::fail("there is no such mode");
    }
}
