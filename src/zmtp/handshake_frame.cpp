// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Collecting one handshake frame.
#include "zmtp/handshake_frame.hpp"

#include "base/byte_order.hpp"
#include "message/frame_header.hpp"

#include <algorithm>

namespace zlink::zmtp {

std::size_t handshake_frame_reader::advance(std::span<const std::byte> in, std::size_t limit)
{
    std::size_t taken = 0;
    while (state_ == state::in_progress && taken < in.size()) {
        if (!header_complete_) {
            header_complete_ = take_header(in[taken++], limit);
        } else {
            const std::size_t n = std::min(body_size_ - body_.size(), in.size() - taken);
            body_.insert(body_.end(), in.begin() + std::ptrdiff_t(taken), in.begin() + std::ptrdiff_t(taken + n));
            taken += n;
        }
        if (state_ == state::in_progress && header_complete_ && body_.size() == body_size_) state_ = state::complete;
    }
    return taken;
}

bool handshake_frame_reader::take_header(std::byte octet, std::size_t limit) noexcept
{
    header_[header_read_++] = octet;
    if ((flags() & message::flags_reserved) != 0) {
        state_ = state::reserved_flags;
        return false;
    }
    const bool is_long = (flags() & message::flag_long) != 0;
    if (header_read_ < (is_long ? message::long_header_size : message::short_header_size)) return false;

    const std::uint64_t size = is_long ? load_be64(&header_[1]) : std::uint64_t(header_[1]);
    if (size > limit) {
        state_ = state::too_large;
        return false;
    }
    body_size_ = std::size_t(size);
    return true;
}

std::vector<std::byte> handshake_frame_reader::octets() const
{
    std::vector<std::byte> out(header_.begin(), header_.begin() + header_read_);
    out.insert(out.end(), body_.begin(), body_.end());
    return out;
}

void handshake_frame_reader::reset() noexcept
{
    header_read_ = 0;
    header_complete_ = false;
    state_ = state::in_progress;
    body_size_ = 0;
    body_.clear();
}

}  // namespace zlink::zmtp
