// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The memory of a peer in which bodies come. Nothing that the peer says is trusted: each figure is checked against what
// was agreed upon. The octets of a body may change while they are read, if the peer is hostile; so they are copied out
// before anything is decided by them.
//
// Threads: the holder of the connection's read token. A body is released by any thread, also after the connection's end.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "message/buffer.hpp"
#include "runtime/shared_memory.hpp"
#include "shm/body_reference.hpp"
#include "shm/budget.hpp"
#include "shm/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace zlink::shm {

class foreign_segment;

class receiving_arena {
public:
    explicit receiving_arena(std::shared_ptr<budget> of, incoming_bodies handed = incoming_bodies::copied) noexcept
        : budget_(std::move(of)),
          handed_(handed)
    {}
    receiving_arena(const receiving_arena&) = delete;
    receiving_arena& operator=(const receiving_arena&) = delete;
    ~receiving_arena();

    /// Whether a segment like this may come.
    [[nodiscard]] bool has_room_for(const segment_layout& l) const noexcept;
    /// Its descriptor has come: takes the segment in. The page of returns, to be sent. Error protocol_error: it is not
    /// what was agreed upon; otherwise the system has no memory for it.
    [[nodiscard]] result<unique_fd> take_segment(const segment_layout& l, int descriptor) noexcept;
    /// No body will come in this segment. Bodies that are there keep their memory. False: there is no such segment.
    [[nodiscard]] bool retire(std::uint32_t id) noexcept;

    /// The body of a reference; one reference, for the caller. When the last one goes, the slot is returned. Errors:
    /// protocol_error, out_of_memory.
    [[nodiscard]] result<message::buffer*> body_of(const body_reference& r) noexcept;

private:
    static constexpr std::size_t most_segments = 64;

    [[nodiscard]] result<unique_fd> map_segment(const segment_layout& l, int descriptor) noexcept;

    const std::shared_ptr<budget> budget_;
    const incoming_bodies handed_;
    std::vector<foreign_segment*> segments_;  ///< one reference each
};

}  // namespace zlink::shm
