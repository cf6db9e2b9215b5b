// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One-way times. Of patterns that answer: half of each turn of a ping-pong. Of the others: from just before a message
// is sent until it is there. The messages have such a distance that each meets a quiet connection.
#pragma once

#include "harness/meeting.hpp"
#include "harness/report.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace bench {

// How long to go on: half of the seconds asked for, or so many samples.
struct latency_span {
    explicit latency_span(const settings& of, double share)
        : nanoseconds(static_cast<std::uint64_t>(1e9 * of.seconds * share)),
          warm_up(std::max<std::uint64_t>(nanoseconds / 10, 50'000'000)),
          samples(of.msg_count > 0 ? of.msg_count : sample_log::capacity)
    {}
    std::uint64_t nanoseconds;
    std::uint64_t warm_up;
    std::uint64_t samples;
};

// Calls `turn(sequence)` for the span, its warm-up first, and logs half of each turn's time. One look at the clock a
// turn.
template <class Turn>
void log_turns(shared_state& state, const latency_span& span, Turn turn)
{
    state.samples.warm_up();
    std::uint64_t sequence = 0;
    std::uint64_t time = now_ns();
    for (const std::uint64_t until = time + span.warm_up; time < until; time = now_ns()) {
        turn(sequence++);
        state.received.store(sequence, std::memory_order_relaxed);
    }
    const std::uint64_t until = time + span.nanoseconds;
    for (std::uint64_t left = span.samples; time < until && left > 0; --left) {
        turn(sequence++);
        const std::uint64_t now = now_ns();
        if (!state.samples.add((now - time) / 2)) break;
        time = now;
        state.received.store(sequence, std::memory_order_relaxed);
    }
}

template <class Pattern>
void ping(rig& with, typename Pattern::context& context, const settings& of)
{
    const std::size_t size = payload_size<Pattern>(of);
    typename Pattern::sender sender(context, of);
    payload out(size);
    inbox in(size);
    join<Pattern>(with, sender, true);
    greet<Pattern>(with, of, sender, in);
    log_turns(with.state(), latency_span(of, 0.5), [&](std::uint64_t sequence) {
        out.number(sequence);
        sender.send(out.data(), size);
        const std::size_t got = sender.receive(in);
        if (got != size || !in.holds(sequence)) [[unlikely]]
            fail_message(in, got, sequence);
    });
    finish<Pattern>(with, sender, size);
}

// Sends back what comes; the other end checks it.
template <class Pattern>
void echo(rig& with, typename Pattern::context& context, const settings& of)
{
    const std::size_t size = payload_size<Pattern>(of);
    typename Pattern::receiver receiver(context, of);
    inbox in(size);
    join<Pattern>(with, receiver, false);
    await_hellos<Pattern>(with, receiver, size, in);
    for (unsigned ends = 0; ends < receiver.lanes();) {
        const std::size_t got = receiver.receive(in);
        if (got == size) [[likely]] {
            receiver.send(in.message(), got);
        } else if (is_end(receiver, got, size)) {
            ++ends;
        }
    }
}

// Distance of stamped messages.
[[nodiscard]] inline std::uint64_t pace_ns(std::size_t size)
{
    return size <= 16384 ? 100'000 : 400'000;
}

template <class Pattern>
void send_paced(rig& with, typename Pattern::context& context, const settings& of)
{
    shared_state& state = with.state();
    const std::size_t size = payload_size<Pattern>(of);
    const latency_span span(of, 0.5);
    typename Pattern::sender sender(context, of);
    payload out(size);
    inbox replies(size);
    join<Pattern>(with, sender, true);
    greet<Pattern>(with, of, sender, replies);
    ::prctl(PR_SET_TIMERSLACK, 1);
    state.samples.warm_up();

    std::uint64_t sent = 0;
    std::uint64_t next = now_ns();
    const auto send_one = [&] {
        next = std::max(next + pace_ns(size), now_ns());  // after a pause no burst makes up for it
        sleep_until_ns(next);
        out.number(sent);
        state.stamp[sent % shared_state::stamps].store(now_ns(), std::memory_order_relaxed);
        sender.send(out.data(), size);
        state.sent.store(++sent, std::memory_order_relaxed);
    };
    for (const std::uint64_t until = next + span.warm_up; next < until;) send_one();
    state.skipped = sent * Pattern::copies(of);
    const std::uint64_t until = next + span.nanoseconds;
    for (std::uint64_t left = span.samples; next < until && left > 0; --left) send_one();
    finish<Pattern>(with, sender, size);
}

template <class Pattern>
void receive_paced(rig& with, typename Pattern::context& context, const settings& of)
{
    shared_state& state = with.state();
    const std::size_t size = payload_size<Pattern>(of);
    typename Pattern::receiver receiver(context, of);
    inbox in(size);
    join<Pattern>(with, receiver, false);
    await_hellos<Pattern>(with, receiver, size, in);
    lane_counters due(receiver.lanes());
    std::uint64_t received = 0;
    for (unsigned ends = 0; ends < receiver.lanes();) {
        const std::size_t got = receiver.receive(in);
        const std::uint64_t now = now_ns();
        if (got != size) [[unlikely]] {
            if (is_end(receiver, got, size)) ++ends;
            continue;
        }
        const std::uint64_t sequence = due[receiver.lane()];
        if (!in.holds(sequence)) [[unlikely]]
            fail_message(in, got, sequence);
        if (!state.samples.add(now - state.stamp[sequence % shared_state::stamps].load(std::memory_order_relaxed))) {
            fail(exit_status::failed, "too many samples: measure for a shorter time");
        }
        due.advance(receiver.lane());
        state.received.store(++received, std::memory_order_relaxed);
    }
}

// Both ends driven by one thread.
template <class Pattern>
void alone(rig& with, typename Pattern::context& context, const settings& of)
{
    const std::size_t size = payload_size<Pattern>(of);
    typename Pattern::receiver receiver(context, of);
    typename Pattern::sender sender(context, of);
    payload out(size);
    inbox in(size);
    inbox reply(size);
    join<Pattern>(with, receiver, false);
    join<Pattern>(with, sender, true);
    log_turns(with.state(), latency_span(of, 0.1), [&](std::uint64_t sequence) {
        out.number(sequence);
        sender.send(out.data(), size);
        const std::size_t got = receiver.receive(in);
        receiver.send(in.message(), got);
        const std::size_t back = sender.receive(reply);
        if (back != size || !reply.holds(sequence)) [[unlikely]]
            fail_message(reply, back, sequence);
    });
}

template <class Pattern>
void measure_latency(rig& with, const settings& of)
{
    using context = typename Pattern::context;
    shared_state& state = with.state();
    const auto until_done = [&] { with.wait_for([&] { return state.receiver_finished.load(); }); };
    if constexpr (Pattern::two_way) {
        with.run<context>([&](context& c) { ping<Pattern>(with, c, of); },
                          [&](context& c) { echo<Pattern>(with, c, of); }, until_done);
    } else {
        print_info("latency_pace_us", std::to_string(pace_ns(payload_size<Pattern>(of)) / 1000));
        with.run<context>([&](context& c) { send_paced<Pattern>(with, c, of); },
                          [&](context& c) { receive_paced<Pattern>(with, c, of); }, until_done);
    }
    print_latencies(of, Pattern::name, state.samples.sorted(state.skipped));
    if constexpr (Pattern::two_way) {
        if (of.two_process) return;
        with.run_alone<context>([&](context& c) { alone<Pattern>(with, c, of); });
        print_result(of, Pattern::name, "one_thread_latency_p50_us", percentile_us(state.samples.sorted(), 0.5));
    }
}

}  // namespace bench
