// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/stream_socket.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace zlink::transport {

namespace {

#if !defined(__linux__)
result<void> make_private_and_non_blocking(int fd)
{
    const int status = ::fcntl(fd, F_GETFL);
    if (status < 0 || ::fcntl(fd, F_SETFL, status | O_NONBLOCK) < 0 || ::fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
        return from_errno(errno);
    }
    return {};
}
#endif

int accept_one(int listener, peer_name& from)
{
    from = {};
    auto* const address = reinterpret_cast<sockaddr*>(&from.address);
#if defined(__linux__)
    return ::accept4(listener, address, &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    const int fd = ::accept(listener, address, &from.size);
    if (fd >= 0 && !make_private_and_non_blocking(fd)) {
        ::close(fd);
        errno = ECONNABORTED;
        return -1;
    }
    return fd;
#endif
}

/// Errors of a single connection that accept took off the queue; Linux also reports network errors that it already had.
bool concerns_one_connection(int error)
{
    switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENOPROTOOPT: return true;
    default: return false;
    }
}

}  // namespace

result<unique_fd> open_stream_socket(int family)
{
#if defined(__linux__)
    unique_fd fd{::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!fd) {
        return from_errno(errno);
    }
#else
    unique_fd fd{::socket(family, SOCK_STREAM, 0)};
    if (!fd) {
        return from_errno(errno);
    }
    if (const result<void> done = make_private_and_non_blocking(fd.get()); !done) {
        return done.error();
    }
#endif
    return fd;
}

result<unique_fd> adopt_listener(int fd)
{
    int listening = 0;
    socklen_t size = sizeof listening;
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) < 0) {
        return from_errno(errno);
    }
    if (listening == 0) {
        return errc::invalid_argument;
    }
    const int status = ::fcntl(fd, F_GETFL);
    const int flags = ::fcntl(fd, F_GETFD);
    if (status < 0 || flags < 0 || ::fcntl(fd, F_SETFL, status | O_NONBLOCK) < 0 ||
        ::fcntl(fd, F_SETFD, flags | FD_CLOEXEC) < 0) {
        return from_errno(errno);
    }
    return unique_fd{fd};
}

result<bool> start_connect(int fd, const sockaddr* address, socklen_t length)
{
    if (::connect(fd, address, length) == 0) {
        return false;
    }
    if (errno == EINPROGRESS || errno == EINTR) {
        return true;
    }
    return from_errno(errno);
}

result<void> take_socket_error(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0) {
        return from_errno(errno);
    }
    return error == 0 ? result<void>{} : result<void>{from_errno(error)};
}

result<unique_fd> accept_stream(int listener, peer_name* from)
{
    peer_name unused;
    // Every turn takes a connection off the queue or was interrupted, so the loop ends; the bound is for broken
    // systems.
    for (int turn = 0; turn < 1024; ++turn) {
        unique_fd fd{accept_one(listener, from ? *from : unused)};
        if (fd) {
            return fd;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return errc::again;
        }
        if (!concerns_one_connection(errno)) {
            return from_errno(errno);
        }
    }
    return errc::connection_aborted;
}

result<void> set_option(int fd, int level, int name, const void* value, socklen_t size)
{
    return ::setsockopt(fd, level, name, value, size) == 0 ? result<void>{} : result<void>{from_errno(errno)};
}

result<void> set_option(int fd, int level, int name, int value)
{
    return set_option(fd, level, name, &value, sizeof value);
}

}  // namespace zlink::transport
