// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// For types whose messages have one frame (RFCs 41, 49, 51): a peer's messages of several frames are dropped.
#pragma once

#include "base/errc.hpp"
#include "pattern/routing/fair_queue.hpp"
#include "pattern/routing/most_dropped.hpp"
#include "pipe/delivery.hpp"

namespace zlink::pattern::routing {

/// As fair_queue::next(), for the next message of one frame. Null after most_dropped others, too.
[[nodiscard]] inline pipe::pipe_end* next_single(fair_queue& from, pipe::incoming& f)
{
    for (int dropped = 0; dropped < most_dropped; ++dropped) {
        pipe::pipe_end* const end = from.next(f);
        if (!end || !f.more) [[likely]]
            return end;
        from.skip(*end, f);
    }
    return nullptr;
}

/// Takes the next message of one frame. errc::again: there is none.
[[nodiscard]] inline errc receive_single(fair_queue& from, pipe::delivery& to)
{
    pipe::incoming f;
    pipe::pipe_end* const end = next_single(from, f);
    if (!end) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    from.pop(*end, f);
    return errc::none;
}

[[nodiscard]] inline bool has_single(fair_queue& from)
{
    pipe::incoming f;
    return next_single(from, f) != nullptr;
}

}  // namespace zlink::pattern::routing
