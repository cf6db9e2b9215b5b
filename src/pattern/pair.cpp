// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/pair.hpp"

namespace zlink::pattern {

errc pair::receive(pipe::delivery& to)
{
    pipe::incoming f;
    if (!peer_.next(f)) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    peer_.pop(f);
    return errc::none;
}

bool pair::can_receive()
{
    pipe::incoming f;
    return peer_.next(f);
}

}  // namespace zlink::pattern
