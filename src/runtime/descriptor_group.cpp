// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/descriptor_group.hpp"

#include <sys/epoll.h>

#include <cerrno>

namespace zlink::runtime {

result<void> descriptor_group::open() noexcept
{
    set_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!set_) return from_errno(errno);
    return {};
}

result<void> descriptor_group::add(int fd) noexcept
{
    epoll_event e{};
    e.events = EPOLLIN;
    if (::epoll_ctl(set_.get(), EPOLL_CTL_ADD, fd, &e) != 0 && errno != EEXIST) return from_errno(errno);
    return {};
}

void descriptor_group::remove(int fd) noexcept
{
    (void)::epoll_ctl(set_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

}  // namespace zlink::runtime
