// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/easing.hpp"

#include "runtime/pause.hpp"

#include <algorithm>

namespace zlink::socket {

namespace {

using ends = std::span<pipe::pipe_end* const>;

// A sleep takes 70 to 120 us with the kernel's usual timer slack; a megabyte lasts a peer 200 us or more.
constexpr std::chrono::microseconds pause{20};

// So long without a body read: nobody drains there. (Of eight subscribers each has its turn every millisecond, at 256 KB.)
constexpr std::chrono::microseconds longest_idle{3000};

}  // namespace

easing::easing(bool yields, runtime::crowding& crowd) noexcept
    : crowd_(crowd),
      one_core_(runtime::has_one_core()),
      spin_(yields, yields_for, crowd),
      backlog_spin_(yields, yields_for, crowd)
{}

void easing::operator()(ends pipes) noexcept
{
    pipes = pipes.first(std::min(pipes.size(), most_pipes));
    choose(pipes);
    const auto any = [&](auto holds) {
        for (std::size_t i = 0; i < pipes.size(); ++i) {
            if (backlogs_[i].counts && holds(*pipes[i])) return true;
        }
        return false;
    };
    // Once an I/O thread has written what a connection owes, large messages go to the kernel from here, uncopied.
    if (any([](pipe::pipe_end& end) {
            return end.writer.large_bytes_unread() != 0 && end.parent().write_token.offered();
        })) {
        (void)backlog_spin_([&] { return !any([](pipe::pipe_end& end) { return end.left_to_io_thread(); }); });
    }
    if (!any([](pipe::pipe_end& end) { return end.writer.large_bytes_unread() > above; })) return;
    const auto now = clock::now();
    if (!any_too_far_ahead(pipes, now)) return;
    if (spin_([&] { return !any_too_far_ahead(pipes, now); })) return;
    // Beside strangers who want the only core, a thread that sleeps loses more than cold memory costs.
    if (!one_core_ || !crowd_.strangers(now)) wait_asleep(pipes);
}

void easing::choose(ends pipes) noexcept
{
    for (std::size_t i = 0; i < pipes.size(); ++i) {
        backlog& b = backlog_of(i, pipes);
        const std::uint64_t written = pipes[i]->writer.large_bytes_written();
        const std::uint64_t received = pipes[i]->reader.messages_read();
        b.counts = written != b.written && received == b.received;
        b.written = written;
        b.received = received;
    }
}

// What is known of a pipe that has gone, or stands elsewhere now, does not count for the one in its place.
easing::backlog& easing::backlog_of(std::size_t i, ends pipes) noexcept
{
    backlog& b = backlogs_[i];
    if (b.of != pipes[i]) {
        b = {};
        b.of = pipes[i];
        b.received = pipes[i]->reader.messages_read();
    }
    return b;
}

// Whether there is one to wait for.
bool easing::any_too_far_ahead(ends pipes, clock::time_point now) noexcept
{
    for (std::size_t i = 0; i < pipes.size(); ++i) {
        if (!backlogs_[i].counts || pipes[i]->writer.large_bytes_unread() <= above) continue;
        if (now >= backlog_of(i, pipes).left_alone_until) return true;
    }
    return false;
}

void easing::wait_asleep(ends pipes) noexcept
{
    ++waits_;
    const auto sum_read = [pipes] {
        std::uint64_t sum = 0;
        for (const pipe::pipe_end* end : pipes) sum += end->writer.large_bytes_read();
        return sum;
    };
    for (std::size_t i = 0; i < pipes.size(); ++i) {
        backlog_of(i, pipes).read_before = pipes[i]->writer.large_bytes_read();
    }
    const auto start = clock::now();
    auto now = start;
    auto last_read = start;
    std::uint64_t read = sum_read();
    bool far = true;
    do {
        runtime::nap(pause);
        now = clock::now();
        if (const std::uint64_t read_now = sum_read(); read_now != read) {
            read = read_now;
            last_read = now;
        }
        far = any_too_far_ahead(pipes, start);
    } while (far && now - last_read < longest_idle && now - start < longest);
    judge(pipes, now - start, now);
}

void easing::judge(ends pipes, clock::duration waited, clock::time_point now) noexcept
{
    std::uint64_t sum = 0;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
        backlog& b = backlogs_[i];
        const std::uint64_t read = pipes[i]->writer.large_bytes_read() - b.read_before;
        sum += read;
        b.taken += read;
        most = std::max(most, b.taken);
    }
    const auto us = std::uint64_t(std::chrono::duration_cast<std::chrono::microseconds>(waited).count());
    const bool all_slow = sum * 1'000'000 < fast * us;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
        backlog& b = backlogs_[i];
        const bool slow = all_slow || (most >= compared_from && b.taken < most / share_of_fastest);
        const bool drains = !slow || pipes[i]->writer.large_bytes_unread() <= above;
        if (b.counts && drains) b.pause = {};
        if (b.counts && !drains && now >= b.left_alone_until) {
            b.pause = std::clamp(2 * b.pause, first_pause, longest_pause);
            b.left_alone_until = now + b.pause;
        }
        if (most >= 4 * compared_from) b.taken /= 2;
    }
}

}  // namespace zlink::socket
