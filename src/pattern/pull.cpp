// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/pull.hpp"

namespace zlink::pattern {

errc pull::receive(pipe::delivery& to)
{
    pipe::incoming f;
    pipe::pipe_end* end = queue_.next(f);
    if (!end) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    queue_.pop(*end, f);
    return errc::none;
}

}  // namespace zlink::pattern
