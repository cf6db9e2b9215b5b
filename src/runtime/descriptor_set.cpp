// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/descriptor_set.hpp"

#include "runtime/events.hpp"

#include <sys/epoll.h>

#include <cerrno>

namespace zlink::runtime {

namespace {

static_assert(events::readable == EPOLLIN && events::writable == EPOLLOUT && events::failed == EPOLLERR &&
              events::hung_up == EPOLLHUP && events::ended == EPOLLRDHUP && events::urgent == EPOLLPRI);

int control(int set, int operation, int fd, std::uint32_t events, descriptor_handler* handler) noexcept
{
    epoll_event e{};
    e.events = events;
    e.data.ptr = handler;
    return ::epoll_ctl(set, operation, fd, &e);
}

}  // namespace

result<void> descriptor_set::open() noexcept
{
    set_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!set_) return from_errno(errno);
    return {};
}

result<void> descriptor_set::add(int fd, descriptor_handler& handler) noexcept
{
    if (control(set_.get(), EPOLL_CTL_ADD, fd, EPOLLONESHOT, &handler) != 0) return from_errno(errno);
    return {};
}

result<void> descriptor_set::add(const descriptor_set& inner, descriptor_handler& handler) noexcept
{
    if (control(set_.get(), EPOLL_CTL_ADD, inner.descriptor(), EPOLLIN, &handler) != 0) return from_errno(errno);
    return {};
}

result<void> descriptor_set::add_wake_up(int fd) noexcept
{
    if (control(set_.get(), EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLET, nullptr) != 0 && errno != EEXIST)
        return from_errno(errno);
    return {};
}

void descriptor_set::arm(int fd, descriptor_handler& handler, std::uint32_t events) const noexcept
{
    (void)control(set_.get(), EPOLL_CTL_MOD, fd, events | EPOLLONESHOT, &handler);
}

void descriptor_set::keep(int fd, descriptor_handler& handler, std::uint32_t events) const noexcept
{
    (void)control(set_.get(), EPOLL_CTL_MOD, fd, events | EPOLLET, &handler);
}

bool descriptor_set::remove(int fd) noexcept
{
    return control(set_.get(), EPOLL_CTL_DEL, fd, 0, nullptr) == 0;
}

}  // namespace zlink::runtime
