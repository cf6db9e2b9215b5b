// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory that connections read into: one chunk, filled from below with octets and from above with the spans that
// describe them. One arena serves all connections of an I/O thread in turn, so that a quiet connection holds no buffer.
// A chunk lives on while lanes or messages refer to it.
#pragma once

#include "message/buffer.hpp"
#include "pipe/span.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace zlink::wire {

class receive_arena {
public:
    /// `shared`: many connections take from one chunk, so a few octets of one connection can prevent its reuse.
    explicit receive_arena(bool shared = false) noexcept : shared_(shared) {}
    receive_arena(const receive_arena&) = delete;
    receive_arena& operator=(const receive_arena&) = delete;
    ~receive_arena() { drop(); }

    /// Room for at least `size` octets and one span behind those that were taken. False when memory is short.
    [[nodiscard]] bool reserve(std::size_t size) noexcept
    {
        if (chunk_ && room() >= size) return true;
        // All messages of the chunk are gone: it is used again, while it is in the cache.
        if (chunk_ && chunk_->unique() && chunk_->capacity() >= size + 2 * span_room) {
            rewind();
            return true;
        }
        drop();
        // Few sizes, so that blocks of the pool fit again.
        const std::size_t whole = sizeof(message::buffer) + std::max(smallest_chunk, size + 2 * span_room);
        chunk_ =
            message::buffer::allocate((whole + chunk_step - 1) / chunk_step * chunk_step - sizeof(message::buffer));
        if (!chunk_) return false;
        rewind();
        return true;
    }

    /// The place of the next octets, and how many may go there if one more span is to fit.
    [[nodiscard]] std::byte* at() const noexcept { return at_; }
    [[nodiscard]] std::size_t room() const noexcept
    {
        const auto free = std::size_t(top_ - at_);
        return free > span_room ? free - span_room : 0;
    }
    /// Octets up to `end` are in use.
    void take(std::byte* end) noexcept { at_ = end; }

    /// Memory for one span above `end` (of the octets in use or about to be). Null if there is not enough room.
    [[nodiscard]] void* take_span(const std::byte* end) noexcept
    {
        const auto place = (reinterpret_cast<std::uintptr_t>(top_) - sizeof(pipe::span)) & ~(alignof(pipe::span) - 1);
        if (place < reinterpret_cast<std::uintptr_t>(end)) return nullptr;
        top_ = reinterpret_cast<std::byte*>(place);
        return top_;
    }

    [[nodiscard]] message::buffer* chunk() const noexcept { return chunk_; }
    [[nodiscard]] bool shared() const noexcept { return shared_; }

private:
    static constexpr std::size_t span_room = sizeof(pipe::span) + alignof(pipe::span);
    static constexpr std::size_t smallest_chunk = 64 * 1024;
    static constexpr std::size_t chunk_step = 8 * 1024;

    void rewind() noexcept
    {
        chunk_->end_distribution();
        at_ = chunk_->data();
        top_ = chunk_->data() + chunk_->capacity();
    }

    void drop() noexcept
    {
        if (chunk_) chunk_->release();
        chunk_ = nullptr;
    }

    const bool shared_;
    message::buffer* chunk_ = nullptr;
    std::byte* at_ = nullptr;
    std::byte* top_ = nullptr;
};

}  // namespace zlink::wire
