// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/memory_transport/readiness.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace zlink::transport::memory {

readiness::readiness()
{
    int fds[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0) {
        throw std::system_error(errno, std::generic_category());
    }
    lent_.reset(fds[0]);
    held_.reset(fds[1]);
    const int least = 1;  // the kernel takes its least
    (void)::setsockopt(lent_.get(), SOL_SOCKET, SO_SNDBUF, &least, sizeof least);
}

void readiness::set(bool input, bool output) noexcept
{
    if (!lent_) return;
    char octets[512] = {};
    if (std::exchange(input_, input) != input) {
        if (input) {
            (void)::send(held_.get(), octets, 1, MSG_NOSIGNAL);
        } else {
            (void)::recv(lent_.get(), octets, 1, 0);
        }
    }
    if (std::exchange(output_, output) != output) {
        if (output) {
            while (::recv(held_.get(), octets, sizeof octets, 0) > 0) {
            }
        } else {
            while (::send(lent_.get(), octets, sizeof octets, MSG_NOSIGNAL) > 0) {
            }
        }
    }
}

void readiness::end_input() noexcept
{
    if (held_) (void)::shutdown(held_.get(), SHUT_WR);
}

void readiness::hang_up() noexcept
{
    if (held_) (void)::shutdown(held_.get(), SHUT_RDWR);
}

void readiness::close() noexcept
{
    lent_.reset();
    held_.reset();
}

}  // namespace zlink::transport::memory
