// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/sub.hpp"

#include "pattern/routing/most_dropped.hpp"

namespace zlink::pattern {

// The next frame that matches, still in its pipe; messages that do not match are dropped.
pipe::pipe_end* sub::next(pipe::incoming& f)
{
    for (int dropped = 0; dropped < routing::most_dropped; ++dropped) {
        pipe::pipe_end* const end = subscriber_.next(f);
        if (!end || end == sender_ || subscriber_.matches(f) != invert_) return end;
        subscriber_.skip(*end, f);
    }
    return nullptr;
}

errc sub::receive(pipe::delivery& to)
{
    pipe::incoming f;
    pipe::pipe_end* end = next(f);
    if (!end) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    subscriber_.pop(*end, f);
    sender_ = f.more ? end : nullptr;
    return errc::none;
}

bool sub::can_receive()
{
    pipe::incoming f;
    return next(f) != nullptr;
}

void sub::detach(pipe::pipe_end& end)
{
    if (sender_ == &end) sender_ = nullptr;
    subscriber_.detach(end);
}

}  // namespace zlink::pattern
