// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers known by a number that this side gives them, as in SERVER and PEER (RFCs 41 and 51). Messages are single
// frames; a received one carries the number of its sender, and one that is sent carries that of its receiver.
#pragma once

#include "base/errc.hpp"
#include "pattern/routing/addressed_peers.hpp"
#include "pipe/delivery.hpp"

#include <cstdint>
#include <string_view>

namespace zlink::pattern::routing {

/// The table is by the octets of the number.
class numbered_peers final : public addressed_peers {
public:
    explicit numbered_peers(owner& o) noexcept : addressed_peers(o) {}

    /// Gives the peer a number that no other has. False when memory is short.
    [[nodiscard]] bool add(pipe::pipe_end& end) noexcept;

    /// Null: there is none of this number, or it has left.
    [[nodiscard]] pipe::pipe_end* find(std::uint32_t number) noexcept;

    /// Queues a message from this peer that the library makes up, with the properties of the peer's messages. Lost when
    /// memory is short.
    void tell(pipe::pipe_end& end, std::string_view body) noexcept;

    /// errc::again: there is none.
    [[nodiscard]] errc receive(pipe::delivery& to);
    [[nodiscard]] bool can_receive();
    /// The only peer that messages may come from, or null. Its messages carry routing_record::number.
    [[nodiscard]] pipe::pipe_end* sole_source() const noexcept { return backlog_.empty() ? queue_.sole() : nullptr; }
};

}  // namespace zlink::pattern::routing
