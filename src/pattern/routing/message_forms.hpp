// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The forms of messages: socket types have messages of any number of frames, or of one frame (RFCs 41, 49, 51, 52).
//
// Code that differs in nothing else is written once for both forms. It works on a fair_queue or a sole_peer.
#pragma once

#include "base/errc.hpp"
#include "pattern/routing/most_dropped.hpp"
#include "pipe/delivery.hpp"
#include "pipe/outgoing.hpp"
#include "pipe/pipe.hpp"

namespace zlink::pattern::routing {

struct any_frames {
    /// Whether the program may send such a frame.
    [[nodiscard]] static constexpr bool allows(const pipe::outgoing&) noexcept { return true; }

    /// The next frame of a message of this form, still in its pipe. Null: there is none.
    template <class Queue>
    [[nodiscard]] static pipe::pipe_end* next(Queue& from, pipe::incoming& f)
    {
        return from.next(f);
    }
};

/// A peer's messages of several frames are dropped.
struct single_frames {
    [[nodiscard]] static bool allows(const pipe::outgoing& frame) noexcept { return !frame.more; }

    /// The same. Null after most_dropped others, too.
    template <class Queue>
    [[nodiscard]] static pipe::pipe_end* next(Queue& from, pipe::incoming& f)
    {
        for (int dropped = 0; dropped < most_dropped; ++dropped) {
            pipe::pipe_end* const end = from.next(f);
            if (!end || !f.more) [[likely]]
                return end;
            from.skip(*end, f);
        }
        return nullptr;
    }
};

/// Takes the next frame. errc::again: there is none.
template <class Form, class Queue>
[[nodiscard]] errc receive_next(Queue& from, pipe::delivery& to)
{
    pipe::incoming f;
    pipe::pipe_end* const end = Form::next(from, f);
    if (!end) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    from.pop(*end, f);
    return errc::none;
}

template <class Form, class Queue>
[[nodiscard]] bool has_next(Queue& from)
{
    pipe::incoming f;
    return Form::next(from, f) != nullptr;
}

}  // namespace zlink::pattern::routing
