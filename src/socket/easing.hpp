// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Soft back-pressure: while peers drain, a sender of large messages lets them, for a moment at most, rather than fill memory
// up to the high-water mark with bodies that have left the cache when they are sent. Never blocks.
//
// Waiting is for the peers that the message went to, and not in a conversation: a peer whose messages this thread has received
// since the last one waits for this one, and bounds by itself what is under way.
//
// Waiting is for peers that are fast, on this machine or over a fast link. One that is slow, or slower than others of the
// same socket, or does not read at all, is left alone for a while, longer each time: a slow subscriber costs its publisher
// a wait a second, and so does, to itself, a thread that owns both ends.
//
// Threads: the socket's owner.
#pragma once

#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "runtime/crowding.hpp"
#include "runtime/yield_spin.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zlink::socket {

class easing {
public:
    /// Octets of large bodies under way to one peer from which on it is waited for.
    static constexpr std::uint64_t above = 1024 * 1024;
    /// How long yielding is tried, and how long a wait takes at most.
    static constexpr std::chrono::microseconds yields_for{200};
    static constexpr std::chrono::microseconds longest{4000};
    /// Octets a second, of all pipes that are looked at, below which waiting ends.
    static constexpr std::uint64_t fast = 200'000'000;
    /// What a pipe takes of the fastest one's octets at least to be waited for, once that has taken so many.
    static constexpr unsigned share_of_fastest = 4;
    static constexpr std::uint64_t compared_from = 4 * above;
    /// How long a pipe is left alone that was waited for in vain.
    static constexpr std::chrono::milliseconds first_pause{1};
    static constexpr std::chrono::milliseconds longest_pause{1000};
    /// Only so many pipes of a socket are looked at.
    static constexpr std::size_t most_pipes = 16;

    /// Without `yields` it sleeps at once.
    explicit easing(bool yields = true, runtime::crowding& crowd = runtime::crowding::of_process()) noexcept;

    /// After each large message, of a call that may wait.
    void operator()(std::span<pipe::pipe_end* const> pipes) noexcept;

    /// Waits so far that went beyond yielding.
    [[nodiscard]] std::uint64_t waits() const noexcept { return waits_; }

private:
    using clock = runtime::clock;

    // What is known of a pipe from waiting for it.
    struct backlog {
        const pipe::pipe_end* of = nullptr;  ///< to compare with, it may be gone
        bool counts = false;                 ///< the last message went to it, and it is in no conversation
        std::uint64_t written = 0;           ///< octets, when a message was sent last
        std::uint64_t received = 0;          ///< messages, then
        std::uint64_t read_before = 0;       ///< octets, when the last wait began
        std::uint64_t taken = 0;             ///< octets, while it was waited for; halved now and then
        std::chrono::milliseconds pause{0};  ///< 0: waiting helps
        clock::time_point left_alone_until{};
    };

    void choose(std::span<pipe::pipe_end* const> pipes) noexcept;
    [[nodiscard]] backlog& backlog_of(std::size_t i, std::span<pipe::pipe_end* const> pipes) noexcept;
    [[nodiscard]] bool any_too_far_ahead(std::span<pipe::pipe_end* const> pipes, clock::time_point now) noexcept;
    void wait_asleep(std::span<pipe::pipe_end* const> pipes) noexcept;
    void judge(std::span<pipe::pipe_end* const> pipes, clock::duration waited, clock::time_point now) noexcept;

    runtime::crowding& crowd_;
    const bool one_core_;
    runtime::yield_spin spin_;
    runtime::yield_spin backlog_spin_;  ///< while an I/O thread writes what large messages are queued
    std::array<backlog, most_pipes> backlogs_{};
    std::uint64_t waits_ = 0;
};

}  // namespace zlink::socket
