// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/end_inbox.hpp"

#include "base/invariant.hpp"

namespace zlink::pipe {

end_inbox::~end_inbox()
{
    if (owner_) owner_->release();
}

void end_inbox::push(pipe_end& self, bool departure_alone) noexcept
{
    departure_alone ? owner_->push_departed(self) : owner_->push(self);
}

void end_inbox::tell(pipe_end& self, std::uint32_t raised) noexcept
{
    invariant([raised] { return raised != 0 && !(raised & (closed | unattached)); });
    if (events_.fetch_or(raised, std::memory_order_seq_cst) == 0) owner_->push(self);
}

void end_inbox::tell_departure(pipe_end& self, bool alone) noexcept
{
    invariant([this] { return peer_left_at() != not_yet; });
    if (events_.fetch_or(departure, std::memory_order_seq_cst) == 0) push(self, alone);
}

void end_inbox::attach(pipe_end& self, activation_queue& queue, bool alone) noexcept
{
    invariant([this] { return owner_ == nullptr; });
    queue.add_ref();
    owner_ = &queue;
    const std::uint32_t before = events_.fetch_and(~unattached, std::memory_order_seq_cst);
    if (before != unattached) push(self, alone && before == (unattached | departure));
}

std::uint32_t end_inbox::take() noexcept
{
    return events_.fetch_and(closed, std::memory_order_seq_cst) & ~closed;
}

bool end_inbox::close() noexcept
{
    const std::uint32_t before = events_.fetch_or(closed, std::memory_order_seq_cst);
    invariant([before] { return !(before & closed); });
    return before != 0 && !(before & unattached);
}

}  // namespace zlink::pipe
