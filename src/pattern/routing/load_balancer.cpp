// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/load_balancer.hpp"

namespace zlink::pattern::routing {

void load_balancer::remove(pipe::pipe_end& end) noexcept
{
    if (target() == &end) {
        end.writer.rollback();
        phase_ = phase::swallowing;
    }
    pipes_.remove(end);
}

bool load_balancer::has_peer() const noexcept
{
    for (std::size_t i = 0; i < pipes_.size(); ++i) {
        if (!pipes_[i].peer_has_left()) return true;
    }
    return false;
}

void load_balancer::abandon() noexcept
{
    if (pipes_.front_size() != 0) pipes_.current().writer.rollback();
    phase_ = phase::between;
}

}  // namespace zlink::pattern::routing
