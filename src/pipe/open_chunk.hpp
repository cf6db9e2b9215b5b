// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The chunk of a lane's tail. Frames lie in it from its beginning upwards, spans from its end downwards.
#pragma once

#include "base/invariant.hpp"
#include "message/buffer.hpp"
#include "pipe/span.hpp"

#include <cstddef>
#include <cstdint>
#include <new>

namespace zlink::pipe {

/// The writer's thread. Of a tail that is ended, the chunk is forgotten: its last span has the reference.
class open_chunk {
public:
    explicit operator bool() const noexcept { return chunk_ != nullptr; }
    [[nodiscard]] message::buffer* buffer() const noexcept { return chunk_; }
    /// Spans lie from here upwards.
    [[nodiscard]] std::byte* top() const noexcept { return top_; }

    /// Whether `octets` fit between `at` and the lowest span.
    [[nodiscard]] bool has_room(const std::byte* at, std::size_t octets) const noexcept
    {
        invariant([&] { return chunk_ && at <= top_; });
        return std::size_t(top_ - at) >= octets;
    }

    /// Goes on in `fresh`, and takes over one reference. The spans of the last chunk keep its reference.
    void begin(message::buffer* fresh) noexcept
    {
        chunk_ = fresh;
        top_ = fresh->data() + fresh->capacity();
    }
    /// A new span below the others. There is room: span_room suffices.
    [[nodiscard]] span* place_span() noexcept
    {
        const auto at = (reinterpret_cast<std::uintptr_t>(top_) - sizeof(span)) & ~std::uintptr_t(alignof(span) - 1);
        top_ = reinterpret_cast<std::byte*>(at);
        invariant([this] { return top_ >= chunk_->data(); });
        return new (top_) span;
    }

    void forget() noexcept
    {
        chunk_ = nullptr;
        top_ = nullptr;
    }

private:
    message::buffer* chunk_ = nullptr;
    std::byte* top_ = nullptr;
};

}  // namespace zlink::pipe
