// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/xsub.hpp"

namespace zlink::pattern {

errc xsub::receive(pipe::delivery& to)
{
    pipe::incoming f;
    pipe::pipe_end* end = subscriber_.next(f);
    if (!end) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    subscriber_.pop(*end, f);
    return errc::none;
}

bool xsub::can_receive()
{
    pipe::incoming f;
    return subscriber_.next(f) != nullptr;
}

}  // namespace zlink::pattern
