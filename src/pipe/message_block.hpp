// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A whole message in memory of its own, and a queue of such messages: what a relay keeps.
#pragma once

#include "pipe/lane_traffic.hpp"
#include "pipe/span.hpp"

#include <cstdint>

namespace zlink::pipe {

/// It lies at the beginning of its memory. Behind it are the spans in which a lane's reader goes through the message,
/// and its frames. The memory goes with the last of the spans.
struct message_block {
    span* first = nullptr;
    span* last = nullptr;
    message_block* next = nullptr;
    std::uint64_t octets = 0;  ///< of its frames
};

/// Nobody reads the message. Releases its memory.
void release_block(message_block* block) noexcept;

/// Owns the messages in it. Not thread-safe.
class block_queue {
public:
    block_queue() = default;
    block_queue(const block_queue&) = delete;
    block_queue& operator=(const block_queue&) = delete;
    ~block_queue();

    void push(message_block* block) noexcept;
    /// Not empty. The block is the caller's.
    [[nodiscard]] message_block* pop() noexcept;
    /// Null: it is empty.
    [[nodiscard]] const message_block* front() const noexcept { return front_; }
    [[nodiscard]] const traffic& all() const noexcept { return all_; }

private:
    message_block* front_ = nullptr;
    message_block* back_ = nullptr;
    traffic all_;
};

}  // namespace zlink::pipe
