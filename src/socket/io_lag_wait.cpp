// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/io_lag_wait.hpp"

#include "runtime/brief_wait.hpp"
#include "runtime/clock.hpp"

#include <algorithm>
#include <chrono>

namespace zlink::socket {

namespace {

// Writes the messages of the pipe, if this thread may. True: no other thread has to be waited for.
bool write_for_io_thread(pipe::pipe_end& end) noexcept
{
    using written = pipe::pipe_end::written;
    const written what = end.write_published();
    return what == written::all || (what == written::left && end.parent().io.write_token.offered());
}

}  // namespace

bool io_lag_wait::make_room(pipe::pipe_end& end) noexcept
{
    if (end.writer.has_room()) return true;
    if (write_for_io_thread(end) || may_wait_ == 0) return end.writer.has_room();
    return wait_for_room(end);
}

bool io_lag_wait::wait_for_room(pipe::pipe_end& end) noexcept
{
    using load::limits::io_patience::longest;
    const auto ended = [&end] {
        return end.writer.has_room() || !end.parent().io.io_thread_writes() || write_for_io_thread(end);
    };
    const auto begun = runtime::clock::now();
    const auto timeout = may_wait_ < 0 ? longest : std::min(longest, std::chrono::milliseconds(may_wait_));
    const auto allowed = patience_.allowed(begun, timeout);
    if (allowed == allowed.zero() || ended()) return end.writer.has_room();
    const bool in_vain = !runtime::brief_wait(begun + allowed, ended);
    const auto now = runtime::clock::now();
    patience_.waited(now, now - begun, in_vain);
    counts_.io_waits.add(1);
    return end.writer.has_room();
}

}  // namespace zlink::socket
