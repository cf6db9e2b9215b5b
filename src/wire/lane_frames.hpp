// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The whole frames among the octets that a lane in octet mode shows. Each has a header, and the body behind it or in a
// piece of its own. Nothing is taken.
#pragma once

#include "message/frame_header.hpp"
#include "pipe/lane_reader.hpp"

#include <sys/uio.h>

#include <cstddef>
#include <limits>
#include <span>

namespace zlink::wire {

class lane_frames {
public:
    explicit lane_frames(pipe::lane_reader& lane) noexcept
        : count_(lane.gather(pieces_, most_pieces, no_limit, no_limit).count)
    {}

    struct found {
        std::span<const std::byte> body;
        bool more;
        std::size_t octets;  ///< with the header
    };

    /// False: no whole frame is left.
    [[nodiscard]] bool next(found& f) noexcept
    {
        if (at_ == count_) return false;
        const iovec& piece = pieces_[at_];
        const std::byte* const header = static_cast<const std::byte*>(piece.iov_base) + offset_;
        const message::frame_header h = message::decode_header(header);
        const auto size = std::size_t(h.body_size);
        f.more = h.flags & message::flag_more;
        f.octets = h.size + size;
        const std::size_t left = piece.iov_len - offset_ - h.size;
        if (size <= left) {
            f.body = {header + h.size, size};
            move_to(at_, offset_ + f.octets);
            return true;
        }
        if (at_ + 1 == count_) return false;
        f.body = {static_cast<const std::byte*>(pieces_[at_ + 1].iov_base), size};
        move_to(at_ + 1, size);
        return true;
    }

private:
    // Pieces of the lane that are looked at for one batch.
    static constexpr int most_pieces = 64;
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max() / 2;

    void move_to(int piece, std::size_t offset) noexcept
    {
        at_ = piece;
        offset_ = offset;
        if (offset_ != pieces_[at_].iov_len) return;
        ++at_;
        offset_ = 0;
    }

    iovec pieces_[most_pieces];
    const int count_;
    int at_ = 0;
    std::size_t offset_ = 0;
};

}  // namespace zlink::wire
