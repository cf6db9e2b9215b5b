// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/descriptor_stream.hpp"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace zlink::transport {

std::size_t size_of(const iovec* pieces, int count) noexcept
{
    std::size_t size = 0;
    for (int i = 0; i < count; ++i) size += pieces[i].iov_len;
    return size;
}

io_outcome outcome_of(ssize_t n, std::size_t wanted) noexcept
{
    using status = io_outcome::status;
    if (n >= 0) return {std::size_t(n) == wanted ? status::more : status::blocked, std::size_t(n)};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {status::blocked};
    return {status::failed, 0, from_errno(errno)};
}

io_outcome descriptor_stream::read(const iovec* to, int count) noexcept
{
    ssize_t n = 0;
    do {
        n = count == 1 ? ::read(fd_.get(), to->iov_base, to->iov_len) : ::readv(fd_.get(), to, count);
    } while (n < 0 && errno == EINTR);
    if (n == 0) return {io_outcome::status::closed};
    return outcome_of(n, size_of(to, count));
}

io_outcome descriptor_stream::write(const iovec* from, int count) noexcept
{
    const std::size_t size = size_of(from, count);
    if (size > most_per_write_) [[unlikely]]
        return write_part(from);
    return write_all(from, count, size);
}

io_outcome descriptor_stream::write_all(const iovec* from, int count, std::size_t size) noexcept
{
    msghdr m{};
    m.msg_iov = const_cast<iovec*>(from);
    m.msg_iovlen = std::size_t(count);
    ssize_t n = 0;
    do {
        n = ::sendmsg(fd_.get(), &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return outcome_of(n, size);
}

io_outcome descriptor_stream::write_part(const iovec* from) noexcept
{
    constexpr int most_pieces = 16;
    iovec part[most_pieces];
    std::size_t size = 0;
    int count = 0;
    while (count < most_pieces && size < most_per_write_) {
        part[count] = *from++;
        part[count].iov_len = std::min(part[count].iov_len, most_per_write_ - size);
        size += part[count++].iov_len;
    }
    return write_all(part, count, size);
}

bool descriptor_stream::has_unread_octets() const noexcept
{
    int octets = 0;
    return ::ioctl(fd_.get(), FIONREAD, &octets) == 0 && octets > 0;
}

}  // namespace zlink::transport
