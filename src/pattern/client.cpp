// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/client.hpp"

namespace zlink::pattern {

bool client::attach(pipe::pipe_end& end, const attachment&)
{
    if (!queue_.attach(end)) return false;
    if (balancer_.attach(end)) return true;
    queue_.remove(end);
    return false;
}

void client::on_peer_closed(pipe::pipe_end& end)
{
    balancer_.remove(end);
    queue_.peer_closed(end);
}

void client::on_drained(pipe::pipe_end& end)
{
    balancer_.remove(end);
    host_.give_up(end);
}

void client::detach(pipe::pipe_end& end)
{
    balancer_.remove(end);
    queue_.remove(end);
}

}  // namespace zlink::pattern
