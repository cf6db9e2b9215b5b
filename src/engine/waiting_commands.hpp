// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PING and PONG on their way to a peer that takes no octets now. Of each kind the newest waits, and no other: whoever asks
// without reading the answers makes nothing grow.
#pragma once

#include "zmtp/heartbeat.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zlink::engine {

/// Not thread-safe.
class waiting_commands {
public:
    /// Each takes the place of an earlier one. `frame`: whole, header included.
    void put_ping(std::span<const std::byte> frame) noexcept { ping_.assign(frame); }
    void put_pong(std::span<const std::byte> frame) noexcept { pong_.assign(frame); }

    /// A frame of WebSocket's own, as a command: a pong, or after that a close.
    void put_control(std::vector<std::byte> frame) noexcept { control_.swap(frame); }

    /// What `newer` has, too; nothing waits there afterwards.
    void take(waiting_commands& newer) noexcept
    {
        if (newer.ping_.size != 0) ping_ = newer.ping_;
        if (newer.pong_.size != 0) pong_ = newer.pong_;
        if (!newer.control_.empty()) control_.swap(newer.control_);
        newer.clear();
    }

    [[nodiscard]] bool empty() const noexcept { return ping_.size == 0 && pong_.size == 0 && control_.empty(); }
    void clear() noexcept
    {
        ping_.size = pong_.size = 0;
        std::vector<std::byte>().swap(control_);
    }

    /// Behind what `to` holds. May throw std::bad_alloc, with nothing changed.
    void append_to(std::vector<std::byte>& to) const
    {
        to.reserve(to.size() + ping_.size + pong_.size + control_.size());
        for (const one* f : {&ping_, &pong_}) to.insert(to.end(), f->octets.begin(), f->octets.begin() + f->size);
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
    one pong_;
    std::vector<std::byte> control_;
};

}  // namespace zlink::engine
