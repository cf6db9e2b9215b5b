// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Makes blocks of the messages of a lane (message_block.hpp).
#pragma once

#include "pipe/lane_reader.hpp"
#include "pipe/message_block.hpp"

#include <cstddef>
#include <vector>

namespace zlink::pipe {

class block_maker {
public:
    block_maker() = default;
    block_maker(const block_maker&) = delete;
    block_maker& operator=(const block_maker&) = delete;
    ~block_maker() { forget_pieces(); }

    /// Takes the next message of `from`, which is there. Its octets stay as they are, so that as many leave a relay as
    /// have come; bodies by reference stay references. Null: memory is short, and the message is lost.
    [[nodiscard]] message_block* take(lane_reader& from) noexcept;

private:
    /// Octets of frames, and perhaps a body by reference behind them.
    struct piece {
        std::size_t octets = 0;
        span_body body{};
    };

    void collect(const incoming& f, const std::byte* at);
    [[nodiscard]] message_block* assemble() noexcept;
    void forget_pieces() noexcept;

    // Of the message that is being taken.
    std::vector<std::byte> octets_;
    std::vector<piece> pieces_;
    message::metadata* properties_ = nullptr;
};

}  // namespace zlink::pipe
