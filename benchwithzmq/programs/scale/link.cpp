// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One end of a PUSH and PULL over any link: the two programs may run on two machines or in two network namespaces.
//   scale_zlink_link LABEL receive ENDPOINT SIZE    binds, prints the results
//   scale_zlink_link LABEL send ENDPOINT SIZE       connects, sends for BENCH_SECONDS
#include "harness/meeting.hpp"
#include "harness/report.hpp"
#include "harness/zmq_ends.hpp"

#include <cstdio>
#include <string>

namespace {

constexpr const char* pattern = "SCALE_LINK";
constexpr int patience_ms = 20'000;

[[noreturn]] void fail_timed(const char* call)
{
    if (zmq_errno() == EAGAIN) bench::fail(bench::exit_status::timed_out, "%s: no progress for 20 s", call);
    bench::fail_call(call);
}

void send(bench::zmq_context& context, const bench::settings& of, const std::string& endpoint)
{
    constexpr std::uint64_t between_looks = 16;
    bench::zmq_handle push(context, ZMQ_PUSH, of);
    push.set(ZMQ_SNDTIMEO, patience_ms);
    push.set(ZMQ_LINGER, patience_ms);
    constexpr char departures[] = "inproc://departures";
    if (zmq_socket_monitor(push.get(), departures, ZMQ_EVENT_DISCONNECTED) != 0) bench::fail_call("zmq_socket_monitor");
    bench::zmq_handle monitor(context, ZMQ_PAIR, of);
    monitor.set(ZMQ_RCVTIMEO, patience_ms);
    monitor.connect(departures);
    push.connect(endpoint);
    bench::payload out(of.size);
    const auto put = [&](std::size_t size) {
        if (zmq_send(push.get(), out.data(), size, 0) < 0) fail_timed("zmq_send");
    };
    std::uint64_t sequence = 0;
    for (const auto until = bench::now_ns() + static_cast<std::uint64_t>(1e9 * of.seconds); bench::now_ns() < until;) {
        for (std::uint64_t i = 0; i < between_looks; ++i) {
            out.number(sequence++);
            put(of.size);
        }
    }
    put(bench::end_size(of.size));
    // The receiver leaves once it has all. If its peer leaves first, libzmq throws away what it has not read from an
    // ipc connection, as happens while its queue is full.
    char event[16];
    if (zmq_recv(monitor.get(), event, sizeof event, 0) < 0) fail_timed("zmq_recv of the receiver's leaving");
}

void receive(bench::zmq_context& context, const bench::settings& of, const std::string& endpoint)
{
    bench::zmq_handle pull(context, ZMQ_PULL, of);
    pull.set(ZMQ_RCVTIMEO, patience_ms);
    if (zmq_bind(pull.get(), endpoint.c_str()) != 0) bench::fail_call(("zmq_bind to " + endpoint).c_str());
    bench::inbox in(of.size);
    // Points on the way: the first one of all, the first one after the link has filled, the latest one.
    struct point {
        std::uint64_t time = 0;
        std::uint64_t received = 0;
    };
    constexpr std::uint64_t between_points = 16;
    const auto warm_up = static_cast<std::uint64_t>(0.25e9 * of.seconds);
    point first, start, last;
    for (std::uint64_t received = 0;; ++received) {
        const int got = zmq_recv(pull.get(), in.data(), in.capacity(), 0);
        if (got < 0) fail_timed("zmq_recv");
        const auto size = static_cast<std::size_t>(got);
        if (size == bench::end_size(of.size)) break;
        if (size != of.size || !in.holds(received)) bench::fail_message(in, size, received);
        if (received % between_points != 0) continue;
        last = {bench::now_ns(), received};
        if (first.time == 0) first = last;
        if (start.time == 0 && last.time - first.time >= warm_up) start = last;
    }
    if (start.time == 0 || last.time == start.time) {
        bench::fail(bench::exit_status::failed, "too few messages came to tell a rate: raise BENCH_SECONDS");
    }
    const double seconds = 1e-9 * static_cast<double>(last.time - start.time);
    const double rate = static_cast<double>(last.received - start.received) / seconds;
    bench::print_result(of, pattern, "throughput", rate);
    bench::print_result(of, pattern, "mb_per_s", rate * static_cast<double>(of.size) * 1e-6);
}

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const std::string role = argc == 5 ? argv[2] : "";
    if (role != "send" && role != "receive") {
        bench::fail(bench::exit_status::usage, "usage: %s LABEL send|receive ENDPOINT SIZE",
                    bench::program_name().c_str());
    }
    bench::settings of;
    bench::read_environment(of);
    of.label = argv[1];
    of.transport = std::string(argv[3]).substr(0, std::string(argv[3]).find(":"));
    of.size = bench::parse_number("size", argv[4], 1, std::uint64_t{1} << 30);
    bench::zmq_context context(of);
    if (role == "send") {
        send(context, of, argv[3]);
    } else {
        bench::zmq_context::introduce(of);
        receive(context, of, argv[3]);
    }
    return 0;
}
