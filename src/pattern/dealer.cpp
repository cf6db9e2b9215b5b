// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/dealer.hpp"

#include "pattern/routing/whole_message.hpp"

namespace zlink::pattern {

errc dealer::receive(pipe::delivery& to)
{
    pipe::incoming f;
    pipe::pipe_end* end = queue_.next(f);
    if (!end) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    queue_.pop(*end, f);
    return errc::none;
}

bool dealer::attach(pipe::pipe_end& end, const attachment&)
{
    if (!queue_.attach(end)) return false;
    if (!balancer_.attach(end)) {
        queue_.remove(end);
        return false;
    }
    if (probe_router_) routing::write_whole(end, {});
    return true;
}

void dealer::on_peer_closed(pipe::pipe_end& end)
{
    balancer_.remove(end);
    queue_.peer_closed(end);
}

void dealer::on_drained(pipe::pipe_end& end)
{
    balancer_.remove(end);
    host_.give_up(end);
}

void dealer::detach(pipe::pipe_end& end)
{
    balancer_.remove(end);
    queue_.remove(end);
}

void dealer::options_changed(const pattern_options& options)
{
    probe_router_ = options.probe_router;
}

}  // namespace zlink::pattern
