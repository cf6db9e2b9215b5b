// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PING and PONG on their way to a peer that takes no octets now. Of PING only the newest waits. Of PONG, at most
// `most_of_pongs` octets wait; if the room is too small, newer ones replace all. If a peer asks without reading the
// answers, nothing grows.
#pragma once

#include "zmtp/heartbeat.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace zlink::engine {

/// Not thread-safe.
class pending_commands {
public:
    /// Octets of PONG that wait, at most.
    static constexpr std::size_t most_of_pongs = 4096;

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

    /// Takes over all that `newer` has; nothing waits there afterwards.
    void take(pending_commands& newer) noexcept
    {
        if (newer.ping_.size != 0) ping_ = newer.ping_;
        put_pongs(newer.pongs_);
        if (!newer.control_.empty()) control_.swap(newer.control_);
        newer.clear();
    }

    [[nodiscard]] bool empty() const noexcept { return ping_.size == 0 && pongs_.empty() && control_.empty(); }
    void clear() noexcept
    {
        ping_.size = 0;
        std::vector<std::byte>().swap(pongs_);
        std::vector<std::byte>().swap(control_);
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
};

}  // namespace zlink::engine
