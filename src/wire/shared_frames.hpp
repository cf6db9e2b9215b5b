// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames of a lane on their way to a peer that shares memory: those with a large body go out as references, once the
// body has been copied there. All others go out as they lie in the lane. If a lost connection has cut a message, it is
// still in the lane.
//
// Used by the thread that holds the connection's write token. The lane is in octet mode.
#pragma once

#include "pipe/lane_reader.hpp"
#include "shm/body_reference.hpp"
#include "shm/sending_arena.hpp"

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace zlink::wire {

/// Wants to know that a body has found no place, and that another segment might help. Any thread that writes.
class segment_maker {
public:
    virtual void segment_wanted() noexcept = 0;

protected:
    ~segment_maker() = default;
};

class shared_frames final : private pipe::frame_substitutes {
public:
    /// Both are there for every gather().
    shared_frames(shm::sending_arena& arena, segment_maker& maker) noexcept : arena_(arena), maker_(maker) {}

    /// As lane_reader::gather().
    [[nodiscard]] pipe::lane_reader::gathered gather(pipe::lane_reader& lane, iovec* to, int max_count,
                                                     std::size_t max_bytes, std::size_t max_after_large) noexcept;
    /// The last batch has references in it.
    [[nodiscard]] bool in_batch() const noexcept { return !all_.empty() && all_.front().before != not_in_batch; }
    /// The stream has taken so many octets of the last batch: how many octets of the lane these are.
    [[nodiscard]] std::size_t accept(std::size_t octets) noexcept;
    /// Octets in the lane of a frame that has gone out in part; 0: there is none.
    [[nodiscard]] std::size_t begun() const noexcept;

private:
    static constexpr std::size_t not_in_batch = std::size_t(-1);

    struct substitute {
        const std::byte* header;  ///< in the lane, where the frame is found again
        std::size_t in_lane;      ///< octets
        std::size_t before;       ///< octets of the batch before it
        std::size_t accepted;     ///< of its octets
        std::array<std::byte, shm::reference_frame_size> octets;
    };

    [[nodiscard]] std::span<const std::byte> in_place_of(const std::byte* header, const pipe::span_body& body,
                                                         std::size_t before) noexcept override;
    void not_in_place_of(const std::byte* header) noexcept override
    {
        std::erase_if(all_, [&](const substitute& s) { return s.header == header; });
    }
    [[nodiscard]] substitute* make(const std::byte* header, const pipe::span_body& body) noexcept;

    shm::sending_arena& arena_;
    segment_maker& maker_;
    std::vector<substitute> all_;  ///< in the order of the lane; none of them has gone out whole
};

}  // namespace zlink::wire
