// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/channel.hpp"

#include "pattern/routing/most_dropped.hpp"

namespace zlink::pattern {

// The next message of one frame; others are dropped.
bool channel::next(pipe::incoming& f)
{
    for (int dropped = 0; dropped < routing::most_dropped; ++dropped) {
        if (!peer_.next(f)) return false;
        if (!f.more) return true;
        skip(f);
    }
    return false;
}

// Takes the frame that next() showed and the rest of its message, which is there as a whole.
void channel::skip(pipe::incoming f)
{
    peer_.pop(f);
    while (f.more && peer_.next(f)) peer_.pop(f);
}

errc channel::receive(pipe::delivery& to)
{
    pipe::incoming f;
    if (!next(f)) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    peer_.pop(f);
    return errc::none;
}

bool channel::can_receive()
{
    pipe::incoming f;
    return next(f);
}

}  // namespace zlink::pattern
