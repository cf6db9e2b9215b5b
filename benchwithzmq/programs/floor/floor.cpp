// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The floor under all libraries: the same measurements without one. tcp and ipc are blocking sockets, written in pieces
// of at least 64 KB that hold whole messages; inproc is a ring with futexes. The octets are counted, not compared.
#include "floor/ring.hpp"
#include "floor/stream_socket.hpp"
#include "harness/latency.hpp"
#include "harness/throughput.hpp"

#include <algorithm>
#include <vector>

namespace {

using bench::rig;
using bench::settings;
using bench::shared_state;

struct floor_pattern : bench::pattern_defaults {
    static constexpr const char* name = "FLOOR";
};

struct no_context {
    explicit no_context(const settings&) {}
};

constexpr std::size_t piece = 65536;
constexpr std::size_t most_alone = 16384;

void stream_socket_cell(rig& with, const settings& of)
{
    auto [near, far] = bench::connected_pair(of.transport);
    const std::size_t per_write = std::max<std::size_t>(piece / of.size, 1);
    const auto send = [&, &out = near](no_context&) {
        const std::vector<char> batch(per_write * of.size, 'x');
        shared_state& state = with.state();
        const bench::message_quota quota(of);
        bench::marker marks(state.sender_marks, quota, 1);
        std::uint64_t sent = 0;
        while (!state.stop.load(std::memory_order_relaxed) && sent < quota.total) {
            const std::uint64_t next = std::min({sent + per_write, quota.total, marks.next()});
            out.send(batch.data(), (next - sent) * of.size);
            state.sent.store(sent = next, std::memory_order_relaxed);
            marks.passed(sent);
        }
        out.end_sending();
        with.wait_for([&] { return state.receiver_finished.load(); });
    };
    const auto receive = [&, &in = far](no_context&) {
        std::vector<char> buffer(std::max(piece, of.size));
        shared_state& state = with.state();
        bench::marker marks(state.receiver_marks, bench::message_quota(of), 1);
        state.met = true;
        std::uint64_t octets = 0;
        while (const std::size_t got = in.receive_some(buffer.data(), buffer.size())) {
            octets += got;
            state.received.store(octets / of.size, std::memory_order_relaxed);
            if (octets / of.size >= marks.next()) marks.passed(marks.next());
        }
    };
    with.run<no_context>(send, receive, [&] { bench::measure_stream<floor_pattern>(with, of); });
}

void ring_cell(rig& with, const settings& of)
{
    bench::ring there(of.size);
    constexpr std::uint64_t shown_every = 16;
    const auto send = [&](no_context&) {
        const std::vector<char> message(of.size, 'x');
        std::vector<char> end(of.size, 'y');
        shared_state& state = with.state();
        const bench::message_quota quota(of);
        std::uint64_t sent = 0;
        while (!state.stop.load(std::memory_order_relaxed) && sent < quota.total) {
            there.write(message.data(), ++sent % shown_every == 0);
            state.sent.store(sent, std::memory_order_relaxed);
        }
        there.write(end.data());
    };
    const auto receive = [&](no_context&) {
        std::vector<char> message(of.size);
        shared_state& state = with.state();
        bench::marker marks(state.receiver_marks, bench::message_quota(of), 1);
        state.met = true;
        for (std::uint64_t received = 0;;) {
            there.read(message.data());
            if (message[0] == 'y') break;
            state.received.store(++received, std::memory_order_relaxed);
            marks.passed(received);
        }
    };
    with.run<no_context>(send, receive, [&] { bench::measure_stream<floor_pattern>(with, of); });
}

// Turns between two threads or processes, by what they send and receive with.
template <class Near, class Far, class End>
void ping_pong(rig& with, const settings& of, Near near, Far far, End end)
{
    shared_state& state = with.state();
    const auto ping = [&](no_context&) {
        std::vector<char> message(of.size, 'x');
        bench::log_turns(state, bench::latency_span(of, 0.5), [&](std::uint64_t) { near(message.data()); });
        end();
        with.wait_for([&] { return state.receiver_finished.load(); });
    };
    const auto echo = [&](no_context&) {
        std::vector<char> message(of.size);
        while (far(message.data())) {
        }
    };
    with.run<no_context>(ping, echo, [&] { with.wait_for([&] { return state.receiver_finished.load(); }); });
    bench::print_latencies(of, floor_pattern::name, state.samples.sorted());
}

void stream_socket_latency(rig& with, const settings& of)
{
    auto [one, two] = bench::connected_pair(of.transport);
    const auto turn = [&, &near = one](char* message) {
        near.send(message, of.size);
        bench::must(near.receive_all(message, of.size), "recv");
    };
    const auto answer = [&, &far = two](char* message) {
        if (!far.receive_all(message, of.size)) return false;
        far.send(message, of.size);
        return true;
    };
    ping_pong(with, of, turn, answer, [&near = one] { near.end_sending(); });
    // One thread cannot send with blocking calls what the kernel does not hold at once.
    if (of.two_process || of.size > most_alone) return;
    std::vector<char> message(of.size, 'x');
    auto fresh = bench::connected_pair(of.transport);
    with.run_alone<no_context>([&](no_context&) {
        bench::log_turns(with.state(), bench::latency_span(of, 0.1), [&](std::uint64_t) {
            fresh.first.send(message.data(), of.size);
            bench::must(fresh.second.receive_all(message.data(), of.size), "recv");
            fresh.second.send(message.data(), of.size);
            bench::must(fresh.first.receive_all(message.data(), of.size), "recv");
        });
    });
    bench::print_result(of, floor_pattern::name, "one_thread_latency_p50_us",
                        bench::percentile_us(with.state().samples.sorted(), 0.5));
}

void ring_latency(rig& with, const settings& of)
{
    bench::ring there(of.size);
    bench::ring back(of.size);
    const auto turn = [&](char* message) {
        message[0] = 'x';
        there.write(message);
        back.read(message);
    };
    const auto answer = [&](char* message) {
        there.read(message);
        back.write(message);
        return message[0] == 'x';
    };
    const auto end = [&] {
        const std::vector<char> message(of.size, 'y');
        there.write(message.data());
    };
    ping_pong(with, of, turn, answer, end);
    with.run_alone<no_context>([&](no_context&) {
        bench::ring forth(of.size);
        bench::ring home(of.size);
        std::vector<char> message(of.size, 'x');
        bench::log_turns(with.state(), bench::latency_span(of, 0.1), [&](std::uint64_t) {
            forth.write(message.data());
            forth.read(message.data());
            home.write(message.data());
            home.read(message.data());
        });
    });
    bench::print_result(of, floor_pattern::name, "one_thread_latency_p50_us",
                        bench::percentile_us(with.state().samples.sorted(), 0.5));
}

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const settings of = bench::parse_settings(argc, argv, {.transports = "tcp ipc inproc"});
    bench::print_info("library_version", "none");
    bench::print_settings(of);
    rig with(of);
    const bool inproc = of.transport == "inproc";
    if (of.throughput) inproc ? ring_cell(with, of) : stream_socket_cell(with, of);
    if (of.latency) inproc ? ring_latency(with, of) : stream_socket_latency(with, of);
    return 0;
}
