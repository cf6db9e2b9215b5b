// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A run of wire-encoded frames (ZMTP 3.x framing) that lie back to back in one chunk. A frame with a body that is a
// reference may close the run. Then the run's last octets are that frame's header, and `body` holds its octets. Lanes
// are chains of spans. A span lives inside the chunk that it describes, so it costs no allocation.
//
// Written by the lane's writer. The lane's reader sees only the octets before `published`.
//   published  whole messages end here. Released by lane_writer::publish_all(), write_small() and publish_chain(),
//              acquired by lane_reader::advance(), gather() and commit().
//   end        null while the writer may append; set once, before `next`. Released by lane_writer::seal(), acquired by
//              lane_reader::next_span(), gather() and commit(): the fields below are constant from then on.
//   next       the next span. Released by lane_writer::link() and close(), acquired where the reader goes on (same
//   partners).
//   body       and its fields: the writer's until published, then the reader's until end_body().
//   the rest   written before `end` is set or before the span is reachable, constant afterwards.
#pragma once

#include "message/buffer.hpp"
#include "message/metadata.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink::pipe {

struct span {
    std::atomic<std::byte*> published{nullptr};
    std::atomic<std::byte*> end{nullptr};
    std::atomic<span*> next{nullptr};
    std::byte* begin = nullptr;
    message::buffer* body = nullptr;
    std::byte* body_data = nullptr;
    std::size_t body_size = 0;
    message::buffer* chunk = nullptr;       ///< memory of span and bytes; null for the sentinel
    message::metadata* metadata = nullptr;  ///< holds from this span on, until the next that has one; owned
    std::uint32_t messages = 0;             ///< messages that end in this span; valid once `end` is set
    bool releases_chunk = false;            ///< the lane's reference of `chunk` goes with this span
    bool ends_message = true;               ///< whether the last frame ends a message; valid once `end` is set
    bool closes_lane = false;               ///< no message follows, ever
    struct {
        bool shared : 1 = false;  ///< other frames may hold the same body: ZMQ_SHARED reports this
        bool light : 1 = false;   ///< it does not count as large (lane::bytes_read)
    } of_body;

    /// Writer: the reader has not finished the body, so no octets may follow in this span. Acquires what end_body()
    /// releases: the body's fields are the writer's again.
    [[nodiscard]] bool has_body() noexcept { return std::atomic_ref(body).load(std::memory_order_acquire) != nullptr; }
    /// Reader: is done with the body and its fields.
    void end_body() noexcept { std::atomic_ref(body).store(nullptr, std::memory_order_release); }
};

/// The most that a span takes of its chunk, wherever the chunk ends.
inline constexpr std::size_t span_room = sizeof(span) + alignof(span);

/// Drops the references that a span holds. The span itself lies in the chunk: nothing of it may be touched afterwards.
inline void release_span(span* s) noexcept
{
    if (s->body) s->body->release();
    if (s->metadata) s->metadata->release();
    if (s->releases_chunk) s->chunk->release();
}

}  // namespace zlink::pipe
