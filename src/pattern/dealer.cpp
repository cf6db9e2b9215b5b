// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/dealer.hpp"

#include "pattern/routing/whole_message.hpp"

namespace zlink::pattern {

template <class Form>
bool dealer_of<Form>::attach(pipe::pipe_end& end, const attachment&)
{
    if (!queue_.attach(end)) return false;
    if (!balancer_.attach(end)) {
        queue_.remove(end);
        return false;
    }
    if (probe_router_) routing::write_whole(end, {});
    return true;
}

template <class Form>
void dealer_of<Form>::on_peer_closed(pipe::pipe_end& end)
{
    balancer_.remove(end);
    queue_.peer_closed(end);
}

template <class Form>
void dealer_of<Form>::on_drained(pipe::pipe_end& end)
{
    balancer_.remove(end);
    host_.give_up(end);
}

template <class Form>
void dealer_of<Form>::detach(pipe::pipe_end& end)
{
    balancer_.remove(end);
    queue_.remove(end);
}

template class dealer_of<routing::any_frames>;
template class dealer_of<routing::single_frames>;

}  // namespace zlink::pattern
