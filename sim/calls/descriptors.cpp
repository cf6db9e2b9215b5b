// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Calls on descriptors: reading, writing, waiting. Descriptors of the real kernel stay what they are.

#include "sim/calls/call.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>
#include <memory>

using namespace zlink::sim;

namespace {

world& here()
{
    return world::get();
}

nanos of_timespec(const timespec& t)
{
    return nanos(t.tv_sec) * second + t.tv_nsec;
}

// Does what `attempt` does, and waits for the descriptor if it blocks.
template <class F>
ssize_t blocking(int fd, bool waits, F attempt)
{
    const auto f = kernel::get().at(fd);
    if (!f) return -EBADF;
    while (true) {
        const ssize_t done = attempt(*f);
        if (done != -EAGAIN || f->non_blocking || !waits) return done;
        f->wait_here(here().current());
        (void)here().wait_in_queues(here().now() + 10 * millisecond, "a descriptor");
    }
}

ssize_t read(int fd, const iovec* to, int count, int flags, bool control = false)
{
    const kernel_call call("read", std::uint64_t(fd));
    const ssize_t n =
        blocking(fd, !(flags & MSG_DONTWAIT), [&](file& f) { return f.read(to, count, (flags & MSG_PEEK) != 0); });
    here().trace("got", std::uint64_t(n));
    // Who cannot take a descriptor loses it.
    if (!control) {
        const auto s = kernel::get().as<stream_socket>(fd);
        if (const int passed = s ? s->take_descriptor() : -1; passed >= 0) ::close(passed);
    }
    return told(n);
}

ssize_t write(int fd, const iovec* from, int count, int flags)
{
    const kernel_call call("write", std::uint64_t(fd));
    const ssize_t n = blocking(fd, !(flags & MSG_DONTWAIT), [&](file& f) { return f.write(from, count); });
    here().trace("put", std::uint64_t(n));
    return told(n);
}

int add(const std::shared_ptr<file>& f, bool non_blocking)
{
    f->non_blocking = non_blocking;
    return told(kernel::get().add(f));
}

}  // namespace

extern "C" {

ssize_t __real_read(int, void*, std::size_t);
ssize_t __wrap_read(int fd, void* to, std::size_t size)
{
    if (!simulated(fd)) return __real_read(fd, to, size);
    const iovec all{to, size};
    return read(fd, &all, 1, 0);
}
ssize_t __real_readv(int, const iovec*, int);
ssize_t __wrap_readv(int fd, const iovec* to, int count)
{
    return simulated(fd) ? read(fd, to, count, 0) : __real_readv(fd, to, count);
}
ssize_t __real_recv(int, void*, std::size_t, int);
ssize_t __wrap_recv(int fd, void* to, std::size_t size, int flags)
{
    if (!simulated(fd)) return __real_recv(fd, to, size, flags);
    const iovec all{to, size};
    return read(fd, &all, 1, flags);
}
ssize_t __real_write(int, const void*, std::size_t);
ssize_t __wrap_write(int fd, const void* from, std::size_t size)
{
    if (!simulated(fd)) return __real_write(fd, from, size);
    const iovec all{const_cast<void*>(from), size};
    return write(fd, &all, 1, 0);
}
ssize_t __real_writev(int, const iovec*, int);
ssize_t __wrap_writev(int fd, const iovec* from, int count)
{
    return simulated(fd) ? write(fd, from, count, 0) : __real_writev(fd, from, count);
}
ssize_t __real_send(int, const void*, std::size_t, int);
ssize_t __wrap_send(int fd, const void* from, std::size_t size, int flags)
{
    if (!simulated(fd)) return __real_send(fd, from, size, flags);
    const iovec all{const_cast<void*>(from), size};
    return write(fd, &all, 1, flags);
}
ssize_t __real_sendmsg(int, const msghdr*, int);
ssize_t __wrap_sendmsg(int fd, const msghdr* m, int flags)
{
    if (!simulated(fd)) return __real_sendmsg(fd, m, flags);
    const cmsghdr* const c = m->msg_controllen != 0 ? CMSG_FIRSTHDR(m) : nullptr;
    const auto s = kernel::get().as<stream_socket>(fd);
    if (!s || !c || c->cmsg_type != SCM_RIGHTS) return write(fd, m->msg_iov, int(m->msg_iovlen), flags);
    const kernel_call call("pass", std::uint64_t(fd));
    int passed = -1;
    std::memcpy(&passed, CMSG_DATA(c), sizeof passed);
    return told(s->write_with_descriptor(m->msg_iov, int(m->msg_iovlen), passed));
}
ssize_t __real_recvmsg(int, msghdr*, int);
ssize_t __wrap_recvmsg(int fd, msghdr* m, int flags)
{
    if (!simulated(fd)) return __real_recvmsg(fd, m, flags);
    const std::size_t room = m->msg_controllen;
    m->msg_controllen = 0;
    m->msg_flags = 0;
    const ssize_t n = read(fd, m->msg_iov, int(m->msg_iovlen), flags, true);
    const auto s = kernel::get().as<stream_socket>(fd);
    const int passed = s ? s->take_descriptor() : -1;
    if (passed < 0) return n;
    if (room < CMSG_SPACE(sizeof passed) || kernel::get().no_descriptor()) {
        ::close(passed);
        m->msg_flags = MSG_CTRUNC;
        return n;
    }
    m->msg_controllen = CMSG_SPACE(sizeof passed);
    cmsghdr* const c = CMSG_FIRSTHDR(m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof passed);
    std::memcpy(CMSG_DATA(c), &passed, sizeof passed);
    return n;
}
int __real_close(int);
int __wrap_close(int fd)
{
    if (!simulated(fd)) return __real_close(fd);
    const kernel_call call("close", std::uint64_t(fd));
    return told(kernel::get().close(fd));
}
int __real_fcntl(int, int, ...);
int __wrap_fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    const long argument = va_arg(list, long);
    va_end(list);
    if (!simulated(fd)) return __real_fcntl(fd, command, argument);
    const kernel_call call("fcntl", std::uint64_t(command));
    const auto f = kernel::get().at(fd);
    if (!f) return told(-EBADF);
    switch (command) {
    case F_GETFL: return O_RDWR | (f->non_blocking ? O_NONBLOCK : 0);
    case F_SETFL: f->non_blocking = (argument & O_NONBLOCK) != 0; return 0;
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: return told(kernel::get().add(f));
    default: return 0;
    }
}
int __real_ioctl(int, unsigned long, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void* const argument = va_arg(list, void*);
    va_end(list);
    if (!simulated(fd)) return __real_ioctl(fd, request, argument);
    const kernel_call call("ioctl", request);
    const auto f = kernel::get().as<stream_socket>(fd);
    if (!f) return told(-ENOTTY);
    if (request != FIONREAD) return told(-EINVAL);
    *static_cast<int*>(argument) = int(f->unread());
    return 0;
}

// --- descriptors that are made ---

int __real_eventfd(unsigned, int);
int __wrap_eventfd(unsigned value, int flags)
{
    if (!world::exists()) return __real_eventfd(value, flags);
    const kernel_call call("eventfd");
    return add(std::make_shared<event_counter>(value), (flags & EFD_NONBLOCK) != 0);
}
int __real_timerfd_create(int, int);
int __wrap_timerfd_create(int clock, int flags)
{
    if (!world::exists()) return __real_timerfd_create(clock, flags);
    const kernel_call call("timerfd");
    return add(std::make_shared<timer>(), (flags & TFD_NONBLOCK) != 0);
}
int __real_timerfd_settime(int, int, const itimerspec*, itimerspec*);
int __wrap_timerfd_settime(int fd, int flags, const itimerspec* when, itimerspec* before)
{
    if (!simulated(fd)) return __real_timerfd_settime(fd, flags, when, before);
    const kernel_call call("settime", std::uint64_t(fd));
    const auto t = kernel::get().as<timer>(fd);
    if (!t) return told(-EBADF);
    nanos due = of_timespec(when->it_value);
    if (due == 0) {
        due = never;
    } else if (!(flags & TFD_TIMER_ABSTIME)) {
        due += here().now();
    }
    t->set(due, of_timespec(when->it_interval));
    return 0;
}
int __real_epoll_create1(int);
int __wrap_epoll_create1(int flags)
{
    if (!world::exists()) return __real_epoll_create1(flags);
    const kernel_call call("epoll");
    return add(std::make_shared<epoll>(), true);
}
int __wrap_epoll_create(int)
{
    return __wrap_epoll_create1(0);
}
int __real_epoll_ctl(int, int, int, epoll_event*);
int __wrap_epoll_ctl(int set, int operation, int fd, epoll_event* e)
{
    if (!simulated(set)) return __real_epoll_ctl(set, operation, fd, e);
    const kernel_call call("epoll_ctl", std::uint64_t(fd));
    const auto s = kernel::get().as<epoll>(set);
    return told(s ? s->control(operation, fd, e) : -EBADF);
}

// --- waiting ---

int __real_epoll_wait(int, epoll_event*, int, int);
int __wrap_epoll_wait(int set, epoll_event* to, int room, int timeout)
{
    if (!simulated(set)) return __real_epoll_wait(set, to, room, timeout);
    const kernel_call call("epoll_wait", std::uint64_t(set));
    const auto s = kernel::get().as<epoll>(set);
    if (!s) return told(-EBADF);
    const nanos until = timeout < 0 ? never : timeout == 0 ? 0 : here().now() + timeout * millisecond;
    return told(kernel::get().wait(*s, to, room, until));
}
int __real_poll(pollfd*, nfds_t, int);
int __wrap_poll(pollfd* fds, nfds_t count, int timeout)
{
    if (!world::exists()) return __real_poll(fds, count, timeout);
    const kernel_call call("poll", count);
    const nanos until = timeout < 0 ? never : timeout == 0 ? 0 : here().now() + timeout * millisecond;
    return told(kernel::get().poll(fds, count, until));
}
int __real_ppoll(pollfd*, nfds_t, const timespec*, const sigset_t*);
int __wrap_ppoll(pollfd* fds, nfds_t count, const timespec* limit, const sigset_t* mask)
{
    if (!world::exists()) return __real_ppoll(fds, count, limit, mask);
    const kernel_call call("ppoll", count);
    const nanos length = limit ? of_timespec(*limit) : never;
    const nanos until = !limit || length > never - here().now() ? never : length == 0 ? 0 : here().now() + length;
    return told(kernel::get().poll(fds, count, until));
}
}
