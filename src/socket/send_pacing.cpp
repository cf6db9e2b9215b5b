// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/send_pacing.hpp"

#include "runtime/pause.hpp"

#include <algorithm>
#include <array>

namespace zlink::socket {

namespace {

// The amounts that a socket's first peers have written and read by now.
class flows_of {
public:
    explicit flows_of(std::span<pipe::pipe_end* const> pipes) noexcept : size_(pipes.size())
    {
        for (std::size_t i = 0; i < size_; ++i) {
            const auto& writer = pipes[i]->writer;
            flows_[i] = {.peer = pipes[i],
                         .written = writer.large_bytes_written(),
                         .read = writer.large_bytes_read(),
                         .received = pipes[i]->reader.messages_read(),
                         .messages = writer.written()};
        }
    }

    // NOLINTNEXTLINE(google-explicit-constructor)
    operator load::pause_policy::flows() const noexcept { return {flows_.data(), size_}; }

private:
    std::array<load::flow, load::limits::pauses::most_peers> flows_;
    std::size_t size_;
};

// A sleep of `nap` takes `sleeps_for` with the kernel's usual timer slack.
constexpr std::chrono::microseconds nap{20};
constexpr std::chrono::microseconds sleeps_for{100};

// For an application that does nothing but read.
constexpr std::chrono::microseconds time_to_read(std::size_t size) noexcept
{
    return std::chrono::microseconds(size / load::limits::pauses::read_in_a_microsecond);
}

}  // namespace

send_pacing::send_pacing(load::socket_counts& counts, bool yields, runtime::core_contention& contention) noexcept
    : counts_(counts),
      contention_(contention),
      one_core_(runtime::has_one_core()),
      spin_(yields, yields_for, contention),
      backlog_spin_(yields, yields_for, contention)
{}

void send_pacing::operator()(ends pipes, std::size_t size) noexcept
{
    pipes = pipes.first(std::min(pipes.size(), load::limits::pauses::most_peers));
    const flows_of flows(pipes);
    policy_.sent(flows);
    const bool io_threads_write = any_that_counts(pipes, [](pipe::pipe_end& end, std::size_t) {
        return end.writer.large_bytes_unread() != 0 && end.parent().io.write_token.offered();
    });
    if (!io_threads_write && !policy_.is_ahead(flows)) return;
    const auto now = clock::now();
    if (io_threads_write) {
        // Once an I/O thread has written the backlog of a connection, this thread hands large messages to the kernel
        // itself, uncopied. If there are small messages among them, those would then leave one by one.
        const auto owes = [&](pipe::pipe_end& end, std::size_t i) {
            return policy_.all_large(i) && end.left_to_io_thread();
        };
        if (any_that_counts(pipes, owes)) (void)backlog_spin_([&] { return !any_that_counts(pipes, owes); });
    }
    if (!wants_pause(pipes, now)) return;
    spin_.yield_for(std::clamp(time_to_read(size), runtime::yield_spin::default_longest, yields_for));
    if (spin_([&] { return !wants_pause(pipes, now); })) return;
    // An application that reads from this one directly gains nothing by sleeps (docs/decisions/0020-no-cliffs.md).
    if (!any_that_counts(pipes, [](pipe::pipe_end& end, std::size_t) { return end.parent().io.write_token.offered(); }))
        return;
    // If other programs want the only core, a thread that sleeps loses more than cold memory costs.
    if (!one_core_ || !contention_.other_programs(now)) sleep(pipes, now);
}

template <class Holds>
bool send_pacing::any_that_counts(ends pipes, Holds holds) const noexcept
{
    for (std::size_t i = 0; i < pipes.size(); ++i) {
        if (policy_.counts(i) && holds(*pipes[i], i)) return true;
    }
    return false;
}

bool send_pacing::wants_pause(ends pipes, clock::time_point now) const noexcept
{
    return policy_.wants_pause(flows_of(pipes), now);
}

void send_pacing::sleep(ends pipes, clock::time_point begun) noexcept
{
    const flows_of before(pipes);
    const auto start = clock::now();
    auto now = start;
    do {
        runtime::nap(nap);
        now = clock::now();
    } while (now - begun + sleeps_for < load::limits::pauses::longest && wants_pause(pipes, begun));
    policy_.paused(before, flows_of(pipes), now - start, now);
    counts_.pauses.add(1);
}

}  // namespace zlink::socket
