// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// If the frames of a wire are not the lane's, the octets that come are decoded and written into the lane.
#pragma once

#include "wire/frame_decoder.hpp"
#include "wire/inbound.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace zlink::wire {

class decoded_inbound final : public inbound {
public:
    /// `max_transfer`: octets per read, at most; 0: no cap.
    decoded_inbound(std::unique_ptr<frame_decoder> how, std::size_t max_transfer) noexcept
        : decoder_(std::move(how)),
          max_transfer_(max_transfer)
    {}

    [[nodiscard]] bool prepare(receive_arena& arena, pipe::lane_writer& lane, scratch& spare,
                               room& to) noexcept override;
    [[nodiscard]] outcome accept(std::size_t got, bool full, receive_arena& arena, pipe::lane_writer& lane,
                                 const scratch& spare, command_handler* commands) noexcept override;
    [[nodiscard]] bool feed(std::span<const std::byte> octets) noexcept override;
    [[nodiscard]] bool has_unread() const noexcept override { return !fed_.empty(); }

private:
    std::unique_ptr<frame_decoder> decoder_;
    std::vector<std::byte> fed_;
    std::size_t max_transfer_;
};

}  // namespace zlink::wire
