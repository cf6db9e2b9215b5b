// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The body that closes a span: content of the span's last frame that lies outside of the span's chunk.
//
// The fields belong to the writer until the body is published, and to the reader until end(). After that they are the
// writer's again.
#pragma once

#include "base/invariant.hpp"
#include "message/buffer.hpp"

#include <atomic>
#include <cstddef>

namespace zlink::pipe {

struct span_body {
    static constexpr std::size_t most = ~std::size_t{0} >> 2;  ///< of `size`; more than any memory has

    message::buffer* owner = nullptr;  ///< holds the octets; one reference; null: there is no body
    std::byte* data = nullptr;
    std::size_t size : 62 = 0;
    bool shared : 1 = false;  ///< other frames may hold the same body: ZMQ_SHARED reports this
    bool light : 1 = false;   ///< it does not count as large (lane::bytes_read)

    /// Writer, or a reader that has seen the span's end: there is a body. Of a body that a reader still has, the writer
    /// cannot tell whether it is read.
    [[nodiscard]] bool there() const noexcept { return owner != nullptr; }
    /// Octets of it that count as large.
    [[nodiscard]] std::size_t large_size() const noexcept { return owner && !light ? size : 0; }

    /// Writer: takes over one reference of `of`.
    void set(message::buffer* of, std::byte* at, std::size_t octets) noexcept
    {
        invariant([&] { return !owner && octets <= most; });
        owner = of;
        data = at;
        size = octets & most;
    }
    /// Writer, before it has published the body: drops it.
    void drop() noexcept
    {
        owner->release();
        owner = nullptr;
    }

    /// Writer: the reader has not finished the body, so no octets may follow in this span. Acquires what end()
    /// releases.
    [[nodiscard]] bool in_use() noexcept { return std::atomic_ref(owner).load(std::memory_order_acquire) != nullptr; }
    /// Reader: is done with the body and its fields.
    void end() noexcept { std::atomic_ref(owner).store(nullptr, std::memory_order_release); }
};

}  // namespace zlink::pipe
