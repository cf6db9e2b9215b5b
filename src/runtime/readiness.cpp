// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/readiness.hpp"

#include "base/cancellation.hpp"

#include <sys/epoll.h>

#include <cerrno>
#include <ctime>

namespace zlink::runtime {

result<int> poll_now(pollfd* fds, unsigned count, const sigset_t* signal_mask) noexcept
{
    const cancellation_held_off hold;
    constexpr timespec at_once{};
    const int ready = ::ppoll(fds, count, &at_once, signal_mask);
    if (ready < 0) return from_errno(errno);
    return ready;
}

bool readiness_set::open() noexcept
{
    set_.reset(::epoll_create1(EPOLL_CLOEXEC));
    return bool(set_);
}

bool readiness_set::add(int fd) noexcept
{
    epoll_event input{};
    input.events = EPOLLIN;
    return ::epoll_ctl(set_.get(), EPOLL_CTL_ADD, fd, &input) == 0;
}

bool readiness_set::nothing_ready() const noexcept
{
    const cancellation_held_off hold;
    pollfd set{set_.get(), POLLIN, 0};
    return ::poll(&set, 1, 0) == 0;
}

}  // namespace zlink::runtime
