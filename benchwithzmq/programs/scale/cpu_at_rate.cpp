// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CPU time where there is little to do: a PULL that gets 1,000 messages of SIZE octets a second from another process.
// Also 100 connected sockets on which nothing happens while a thread polls them.
#include "harness/clock.hpp"
#include "harness/own_process.hpp"
#include "harness/payload.hpp"
#include "harness/report.hpp"
#include "harness/rig.hpp"
#include "harness/zmq_ends.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace {

constexpr const char* pattern = "SCALE_CPU_AT_RATE";
constexpr std::uint64_t rate = 1000;
constexpr std::uint64_t interval_ns = 1'000'000'000 / rate;
constexpr std::size_t idle_sockets = 100;

void print_share(const bench::settings& of, const char* metric, const bench::moment& first, const bench::moment& last)
{
    const bench::usage used = last.used.since(first.used);
    bench::print_result(of, pattern, metric,
                        100.0 * static_cast<double>(used.user_ns + used.system_ns) /
                            static_cast<double>(last.time - first.time));
}

// The other process: sends at the rate until it is ended.
[[noreturn]] void be_sender(bench::rig& with, const bench::settings& of)
{
    ::prctl(PR_SET_TIMERSLACK, 1);
    bench::zmq_context context(of);
    bench::zmq_handle push(context, ZMQ_PUSH, of);
    push.connect(with.await_endpoint());
    bench::payload out(of.size);
    std::uint64_t next = bench::now_ns();
    for (std::uint64_t sequence = 0;; ++sequence) {
        out.number(sequence);
        bench::send_frame(push.get(), out.data(), out.size());
        next += interval_ns;  // what was late is made up for, so that the rate is kept
        bench::sleep_until_ns(next);
    }
}

void receive_at_rate(bench::rig& with, bench::zmq_context& context, const bench::settings& of)
{
    bench::zmq_handle pull(context, ZMQ_PULL, of);
    with.tell_endpoint(pull.bind(of.transport));
    bench::inbox in(of.size);
    std::uint64_t received = 0;
    const auto receive_for = [&](double seconds) {
        const auto until = bench::now_ns() + static_cast<std::uint64_t>(1e9 * seconds);
        do {
            if (bench::receive_frame(pull.get(), in.data(), in.capacity()) != of.size || !in.holds(received)) {
                bench::fail(bench::exit_status::failed, "message %llu is not what was sent",
                            static_cast<unsigned long long>(received));
            }
            with.state().received.store(++received, std::memory_order_relaxed);
        } while (bench::now_ns() < until);
    };
    receive_for(std::max(0.2, 0.1 * of.seconds));
    const std::uint64_t before = received;
    const bench::moment first = bench::moment::now();
    receive_for(of.seconds);
    const bench::moment last = bench::moment::now();
    const auto count = static_cast<double>(received - before);
    const bench::usage used = last.used.since(first.used);
    bench::print_result(of, pattern, "throughput", count * 1e9 / static_cast<double>(last.time - first.time));
    bench::print_result(of, pattern, "cpu_ns_per_msg", static_cast<double>(used.user_ns + used.system_ns) / count);
    print_share(of, "cpu_percent_at_1000", first, last);
}

void idle(bench::rig& with, bench::zmq_context& context, const bench::settings& of)
{
    std::vector<bench::zmq_handle> sockets;
    std::vector<zmq_pollitem_t> items;
    for (std::size_t i = 0; i < idle_sockets; i += 2) {
        bench::zmq_handle& bound = sockets.emplace_back(context, ZMQ_PAIR, of);
        const std::string endpoint = bound.bind(of.transport);
        sockets.emplace_back(context, ZMQ_PAIR, of).connect(endpoint);
    }
    // One message each way shows that they are connected.
    for (std::size_t i = 0; i < idle_sockets; ++i) {
        char octet;
        bench::send_frame(sockets[i].get(), "x", 1);
        (void)bench::receive_frame(sockets[i ^ 1].get(), &octet, 1);
        with.state().steps.fetch_add(1);
    }
    for (bench::zmq_handle& socket : sockets) items.push_back({socket.get(), 0, ZMQ_POLLIN, 0});
    constexpr double settling = 0.3;
    std::thread poller([&] {
        const auto timeout = static_cast<long>(1e3 * (of.seconds + 3 * settling));
        if (zmq_poll(items.data(), static_cast<int>(items.size()), timeout) < 0) bench::fail_call("zmq_poll");
    });
    bench::sleep_ns(static_cast<std::uint64_t>(1e9 * settling));
    const bench::moment first = bench::moment::now();
    for (double left = of.seconds; left > 0; left -= 1) {
        with.wait_until(bench::now_ns() + static_cast<std::uint64_t>(1e9 * std::min(left, 1.0)));
    }
    print_share(of, "cpu_percent_idle_100", first, bench::moment::now());
    poller.join();
}

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const bench::settings of =
        bench::parse_settings(argc, argv, {.transports = "tcp ipc curve+tcp curve+ipc tls ws wss curve+ws"});
    bench::zmq_context::introduce(of);
    bench::print_settings(of);
    bench::rig with(of);
    const pid_t sender = bench::fork_bound();
    if (sender == 0) be_sender(with, of);
    with.run_alone<bench::zmq_context>([&](bench::zmq_context& context) { receive_at_rate(with, context, of); });
    ::kill(sender, SIGKILL);
    ::waitpid(sender, nullptr, 0);
    with.run_alone<bench::zmq_context>([&](bench::zmq_context& context) { idle(with, context, of); });
    return 0;
}
