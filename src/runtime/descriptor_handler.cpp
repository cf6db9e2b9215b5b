// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/descriptor_handler.hpp"

#include <sys/epoll.h>

#include <algorithm>

namespace zlink::runtime {

void handler_queue::push(descriptor_handler& handler) noexcept
{
    handler.requeued_in_ = this;
    handler.requeued_before_ = last_;
    handler.requeued_behind_ = nullptr;
    (last_ ? last_->requeued_behind_ : first_) = &handler;
    last_ = &handler;
    ++size_;
}

void handler_queue::remove(descriptor_handler& handler) noexcept
{
    if (handler.requeued_in_ != this) return;
    descriptor_handler* const before = handler.requeued_before_;
    descriptor_handler* const behind = handler.requeued_behind_;
    (before ? before->requeued_behind_ : first_) = behind;
    (behind ? behind->requeued_before_ : last_) = before;
    handler.requeued_in_ = nullptr;
    --size_;
}

void handler_queue::pass_on() noexcept
{
    --told_next_;
    descriptor_handler* const handler = first_;
    if (!handler) return;
    remove(*handler);
    handler->on_ready(EPOLLIN);
}

int descriptor_reports::look(int set) noexcept
{
    epoll_event events[most];
    count_ = std::max(::epoll_wait(set, events, most, 0), 0);
    next_ = 0;
    for (int i = 0; i < count_; ++i) all_[i] = {static_cast<descriptor_handler*>(events[i].data.ptr), events[i].events};
    return count_;
}

void descriptor_reports::pass_on() noexcept
{
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
