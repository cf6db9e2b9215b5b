// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Streams messages from several threads that share the sending socket, which its type allows, to one receiver. The
// messages of each thread must come in order.
#pragma once

#include "harness/run.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>

namespace bench {

inline constexpr unsigned sharing_threads = 4;

// A message's number has its thread in the lowest bits.
static_assert((sharing_threads & (sharing_threads - 1)) == 0);
[[nodiscard]] constexpr std::uint64_t shared_number(std::uint64_t sequence, unsigned thread)
{
    return sequence * sharing_threads + thread;
}

// One thread's part; returns how many it has sent.
template <class Pattern>
std::uint64_t send_share(rig& with, typename Pattern::sender& sender, std::size_t size, unsigned thread,
                         std::uint64_t most)
{
    payload out(size);
    std::uint64_t sent = 0;
    while (!with.state().stop.load(std::memory_order_relaxed) && sent < most) {
        out.number(shared_number(sent++, thread));
        sender.send(out.data(), size);
    }
    return sent;
}

template <class Pattern>
void stream_out_shared(rig& with, typename Pattern::context& context, const settings& of)
{
    const std::size_t size = of.size;
    const message_quota quota(of);
    typename Pattern::sender sender(context, of);
    inbox replies(size);
    join<Pattern>(with, sender, true);
    greet<Pattern>(with, of, sender, replies);

    with.state().sender_marks[0] = moment::now();
    std::array<std::uint64_t, sharing_threads> sent{};
    {
        std::array<std::jthread, sharing_threads> threads;
        for (unsigned i = 0; i < sharing_threads; ++i) {
            const std::uint64_t most = quota.total / sharing_threads + (i < quota.total % sharing_threads ? 1 : 0);
            threads[i] = std::jthread([&, i, most] { sent[i] = send_share<Pattern>(with, sender, size, i, most); });
        }
    }
    with.state().sent = std::accumulate(sent.begin(), sent.end(), std::uint64_t{0});
    with.state().sender_marks[1] = moment::now();
    finish<Pattern>(with, sender, size);
}

template <class Pattern>
void stream_in_shared(rig& with, typename Pattern::context& context, const settings& of)
{
    shared_state& state = with.state();
    const std::size_t size = of.size;
    typename Pattern::receiver receiver(context, of);
    inbox in(size);
    join<Pattern>(with, receiver, false);
    await_hellos<Pattern>(with, receiver, size, in);

    marker marks(state.receiver_marks, message_quota(of), 1);
    lane_counters due(sharing_threads);
    std::uint64_t received = 0;
    while (true) {
        const std::size_t got = receiver.receive(in);
        if (got != size) [[unlikely]] {
            if (is_end(receiver, got, size)) break;
            continue;
        }
        const unsigned thread = static_cast<unsigned char>(in.message()[0]) % sharing_threads;
        const std::uint64_t expected = shared_number(due[thread], thread);
        if (!in.holds(expected)) [[unlikely]]
            fail_message(in, got, expected);
        due.advance(thread);
        state.received.store(++received, std::memory_order_relaxed);
        marks.passed(received);
    }
}

// main() of the programs that measure this; there is no latency.
template <class Pattern>
int run_shared(int argc, char** argv)
{
    set_program_name(argv[0]);
    const settings of = parse_settings(argc, argv);
    if (!of.throughput) fail(exit_status::usage, "%s has no latency: --metrics throughput", Pattern::name);
    Pattern::context::introduce(of);
    print_settings(of);
    rig with(of);
    with.run<typename Pattern::context>([&](auto& context) { stream_out_shared<Pattern>(with, context, of); },
                                        [&](auto& context) { stream_in_shared<Pattern>(with, context, of); },
                                        [&] { measure_stream<Pattern>(with, of); });
    return 0;
}

}  // namespace bench
