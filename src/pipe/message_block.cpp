// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/message_block.hpp"

#include "base/invariant.hpp"

#include <utility>

namespace zlink::pipe {

void release_block(message_block* block) noexcept
{
    for (span* s = block->first; s;) {
        span* const after = s->next.load(std::memory_order_relaxed);
        release_span(s);
        s = after;
    }
}

block_queue::~block_queue()
{
    while (front_) release_block(pop());
}

void block_queue::push(message_block* block) noexcept
{
    (front_ ? back_->next : front_) = block;
    back_ = block;
    all_ += {1, block->octets};
}

message_block* block_queue::pop() noexcept
{
    invariant([this] { return front_ != nullptr; });
    message_block* const block = front_;
    front_ = std::exchange(block->next, nullptr);
    --all_.messages;
    all_.octets -= block->octets;
    return block;
}

}  // namespace zlink::pipe
