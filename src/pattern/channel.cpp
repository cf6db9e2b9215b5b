// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/channel.hpp"

namespace zlink::pattern {

// The next message of one frame; others are dropped.
bool channel::next(pipe::incoming& f)
{
    bool whole = true;  // no frame of f's message was dropped
    while (peer_.next(f)) {
        if (whole && !f.more) return true;
        whole = !f.more;
        peer_.pop(f);
    }
    return false;
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
