// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PING and PONG on their way to a peer that takes no octets now. Of PING only the newest waits. Of PONG, at most
// `most_of_pongs` octets wait; if the room is too small, newer ones replace all. If a peer asks without reading the
// answers, nothing grows.
#pragma once

#include "base/unique_fd.hpp"
#include "zmtp/heartbeat.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace zlink::engine {

/// Not thread-safe.
class pending_commands {
public:
    /// Octets of PONG that wait, at most.
    static constexpr std::size_t most_of_pongs = 4096;
    /// Commands about shared memory that wait, at most: several for each segment that is being agreed upon.
    static constexpr std::size_t most_of_exchange = 16;

    /// Takes the place of an earlier one. `frame`: whole, header included.
    void put_ping(std::span<const std::byte> frame) noexcept { ping_.assign(frame); }
    /// Comes behind earlier ones, or takes their place if the room is too small; if memory is short, they are lost.
    /// `frames`: as above.
    void put_pongs(std::span<const std::byte> frames) noexcept
    {
        if (pongs_.size() + frames.size() > most_of_pongs) pongs_.clear();
        try {
            pongs_.insert(pongs_.end(), frames.begin(), frames.end());
        } catch (const std::bad_alloc&) {
            // The peer learns from other octets that this side lives.
        }
    }

    /// A control (wire/control_command.hpp): a pong, or after that a close.
    void put_control(std::vector<std::byte> frame) noexcept { control_.swap(frame); }

    /// A command about shared memory, behind earlier ones; `descriptor` (may be empty) goes with it. False: it is lost,
    /// as too many wait (the peer asks and takes no octets), or memory is short.
    [[nodiscard]] bool put_exchange(std::span<const std::byte> frame, unique_fd descriptor) noexcept
    {
        if (exchange_.size() == most_of_exchange) return false;
        try {
            exchange_.push_back({{frame.begin(), frame.end()}, std::move(descriptor)});
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }
    struct exchange_command {
        std::vector<std::byte> frame;
        unique_fd descriptor;
    };
    /// They go out one by one, since the kernel joins a descriptor to the octets of one call.
    [[nodiscard]] std::vector<exchange_command>& exchange() noexcept { return exchange_; }

    /// Takes over all that `newer` has; nothing waits there afterwards.
    void take(pending_commands& newer) noexcept
    {
        if (newer.ping_.size != 0) ping_ = newer.ping_;
        put_pongs(newer.pongs_);
        if (!newer.control_.empty()) control_.swap(newer.control_);
        if (exchange_.empty()) exchange_.swap(newer.exchange_);
        for (exchange_command& c : newer.exchange_) (void)put_exchange(c.frame, std::move(c.descriptor));
        newer.clear();
    }

    [[nodiscard]] bool empty() const noexcept
    {
        return ping_.size == 0 && pongs_.empty() && control_.empty() && exchange_.empty();
    }
    void clear() noexcept
    {
        ping_.size = 0;
        std::vector<std::byte>().swap(pongs_);
        std::vector<std::byte>().swap(control_);
        std::vector<exchange_command>().swap(exchange_);
    }

    /// Appends all of them behind the contents of `to`. May throw std::bad_alloc, with nothing changed.
    void append_to(std::vector<std::byte>& to) const
    {
        to.reserve(to.size() + ping_.size + pongs_.size() + control_.size());
        to.insert(to.end(), ping_.octets.begin(), ping_.octets.begin() + ping_.size);
        to.insert(to.end(), pongs_.begin(), pongs_.end());
        to.insert(to.end(), control_.begin(), control_.end());
    }

private:
    struct one {
        std::array<std::byte, sizeof(zmtp::pong_frame::octets)> octets;
        std::uint8_t size = 0;  ///< 0: none

        void assign(std::span<const std::byte> from) noexcept
        {
            size = std::uint8_t(std::min(from.size(), octets.size()));
            std::copy_n(from.begin(), size, octets.begin());
        }
    };
    static_assert(2 + zmtp::ping_prefix_size <= sizeof(zmtp::pong_frame::octets));

    one ping_;
    std::vector<std::byte> pongs_;
    std::vector<std::byte> control_;
    std::vector<exchange_command> exchange_;
};

}  // namespace zlink::engine
