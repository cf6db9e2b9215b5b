// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/descriptor_handler.hpp"

#include "base/invariant.hpp"

#include <sys/epoll.h>

#include <algorithm>

namespace zlink::runtime {

bool handler_queue::push(descriptor_handler& handler) noexcept
{
    if (handler.requeued_in_) return false;
    handler.requeued_in_ = this;
    handler.requeued_before_ = last_;
    handler.requeued_behind_ = nullptr;
    (last_ ? last_->requeued_behind_ : first_) = &handler;
    last_ = &handler;
    ++size_;
    return true;
}

bool handler_queue::remove(descriptor_handler& handler) noexcept
{
    if (handler.requeued_in_ != this) return false;
    descriptor_handler* const before = handler.requeued_before_;
    descriptor_handler* const behind = handler.requeued_behind_;
    (before ? before->requeued_behind_ : first_) = behind;
    (behind ? behind->requeued_before_ : last_) = before;
    handler.requeued_in_ = nullptr;
    --size_;
    return true;
}

void handler_queue::pass_on() noexcept
{
    invariant([this] { return any_in_batch(); });
    --told_next_;
    descriptor_handler* const handler = first_;
    if (!handler) return;
    (void)remove(*handler);
    handler->on_ready(EPOLLIN);
}

bool descriptor_reports::look(int set, bool waits) noexcept
{
    if (!any()) next_ = count_ = 0;
    const int room = most - count_;
    full_ = room == 0;
    if (full_) return false;
    epoll_event events[most];
    const int found = std::max(::epoll_wait(set, events, room, waits ? -1 : 0), 0);
    full_ = found == room;
    const int before = count_;
    for (int i = 0; i < found; ++i) {
        if (auto* const to = static_cast<descriptor_handler*>(events[i].data.ptr))
            all_[count_++] = {to, events[i].events};
    }
    return count_ != before;
}

void descriptor_reports::pass_on() noexcept
{
    invariant([this] { return any(); });
    const report& r = all_[next_++];
    if (r.to) r.to->on_ready(r.events);
}

void descriptor_reports::forget(const descriptor_handler& handler) noexcept
{
    for (int i = next_; i < count_; ++i) {
        if (all_[i].to == &handler) all_[i].to = nullptr;
    }
}

}  // namespace zlink::runtime
