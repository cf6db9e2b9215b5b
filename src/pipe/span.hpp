// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A run of wire-encoded frames (ZMTP 3.x framing) that lie back to back in one chunk. A frame with a body that is a
// reference may close the run. Then the run's last octets are that frame's header, and `body` refers to its octets.
// Lanes are chains of spans. A span lives inside the chunk that it describes, so it costs no allocation.
//
// Written by the lane's writer. The lane's reader sees only the octets before `published`.
//   published  whole messages end here. Released by span_chain::show_in_tail() and show(), acquired by
//              lane_reader::advance(), gather() and commit().
//   end        null while the writer may append; set once, before `next`. Released by lane_writer::end_span(), acquired
//              by lane_reader::next_span(), gather() and commit(): the fields below are constant from then on.
//   next       the next span. Released by span_chain::link() and lane_writer::close(), acquired where the reader goes
//              on (same partners).
//   body       see span_body.hpp.
//   the rest   written before `end` is set or before the span is reachable, constant afterwards.
#pragma once

#include "base/invariant.hpp"
#include "message/buffer.hpp"
#include "message/metadata.hpp"
#include "pipe/span_body.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink::pipe {

struct span {
    std::atomic<std::byte*> published{nullptr};
    std::atomic<std::byte*> end{nullptr};
    std::atomic<span*> next{nullptr};
    std::byte* begin = nullptr;
    span_body body;
    message::buffer* chunk = nullptr;       ///< memory of span and bytes; null for the sentinel
    message::metadata* metadata = nullptr;  ///< holds from this span on, until the next that has one; owned
    std::uint32_t messages = 0;             ///< messages that end in this span; valid once `end` is set
    bool releases_chunk = false;            ///< the lane's reference of `chunk` goes with this span
    bool ends_message = true;               ///< whether the last frame ends a message; valid once `end` is set
};

/// The most that a span takes of its chunk, wherever the chunk ends.
inline constexpr std::size_t span_room = sizeof(span) + alignof(span);

/// Drops the references that a span holds. The span itself lies in the chunk: nothing of it may be touched afterwards.
inline void release_span(span* s) noexcept
{
    invariant([s] { return !s->releases_chunk || s->chunk; });
    if (s->body.there()) s->body.owner->release();
    if (s->metadata) s->metadata->release();
    if (s->releases_chunk) s->chunk->release();
}

}  // namespace zlink::pipe
