// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/descriptor_handler.hpp"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>

namespace zlink::runtime {

namespace {

// The kernel (before 5.11), or what keeps system calls from us, has no epoll_pwait2. One way, a hint: no partner.
std::atomic<bool> lacks_pwait2{false};

// As epoll_wait(2), to the nanosecond where the kernel can.
int wait_for_events(int set, epoll_event* events, int room, std::chrono::nanoseconds limit) noexcept
{
    if (limit <= limit.zero()) return std::max(::epoll_wait(set, events, room, 0), 0);
    if (limit != limit.max() && !lacks_pwait2.load(std::memory_order_relaxed)) {
#ifdef SYS_epoll_pwait2
        const timespec t{time_t(limit.count() / 1'000'000'000), long(limit.count() % 1'000'000'000)};
        const auto found = int(::syscall(SYS_epoll_pwait2, set, events, room, &t, nullptr, std::size_t{0}));
        if (found >= 0 || (errno != ENOSYS && errno != EPERM)) return std::max(found, 0);
#endif
        lacks_pwait2.store(true, std::memory_order_relaxed);
        return 0;
    }
    return std::max(::epoll_wait(set, events, room, -1), 0);
}

}  // namespace

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

bool descriptor_reports::wait(int set, std::chrono::nanoseconds limit) noexcept
{
    if (!any()) next_ = count_ = 0;
    const int room = most - count_;
    full_ = room == 0;
    if (full_) return false;
    epoll_event events[most];
    const int found = wait_for_events(set, events, room, limit);
    full_ = found == room;
    const int before = count_;
    for (int i = 0; i < found; ++i) {
        if (auto* const to = static_cast<descriptor_handler*>(events[i].data.ptr))
            all_[count_++] = {to, events[i].events};
    }
    return count_ != before;
}

bool descriptor_reports::waits_exactly() noexcept
{
    return !lacks_pwait2.load(std::memory_order_relaxed);
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
