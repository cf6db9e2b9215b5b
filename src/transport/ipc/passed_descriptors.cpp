// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ipc/passed_descriptors.hpp"

#include "transport/control_messages.hpp"
#include "transport/descriptor_stream.hpp"
#include "transport/ipc/ipc_socket.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace zlink::transport::ipc {

namespace {

using status = io_outcome::status;

// Room for one more than is allowed, so that a peer that passes several is found out. The kernel closes further ones.
constexpr std::size_t most_passed = 2;

// The number of descriptors that have come; the last one goes to `kept`, the others are closed.
std::size_t take_all(msghdr& m, unique_fd& kept) noexcept
{
    std::size_t count = 0;
    for (cmsghdr* c = CMSG_FIRSTHDR(&m); c; c = next_control_message(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t here = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < here; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            kept.reset(fd);
            ++count;
        }
    }
    return count;
}

}  // namespace

bool is_of_same_user(int socket) noexcept
{
    const auto peer = credentials_of_peer(socket);
    return peer && peer->pid != 0 && peer->uid == ::geteuid();
}

io_outcome send(int socket, std::span<const std::byte> octets, int passed) noexcept
{
    alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof passed)] = {};
    iovec piece{const_cast<std::byte*>(octets.data()), octets.size()};
    msghdr m{};
    m.msg_iov = &piece;
    m.msg_iovlen = 1;
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    cmsghdr* const c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof passed);
    std::memcpy(CMSG_DATA(c), &passed, sizeof passed);
    ssize_t n = 0;
    do {
        n = ::sendmsg(socket, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return outcome_of(n, octets.size());
}

io_outcome receive(int socket, const iovec* to, int count, kept_descriptors& kept) noexcept
{
    alignas(cmsghdr) std::byte control[CMSG_SPACE(most_passed * sizeof(int))];
    msghdr m{};
    m.msg_iov = const_cast<iovec*>(to);
    m.msg_iovlen = std::size_t(count);
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    ssize_t n = 0;
    do {
        n = ::recvmsg(socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return outcome_of(n, 0);
    unique_fd come;
    const std::size_t passed = take_all(m, come);
    // There was room, and none has come of those that were passed: this process has too many open. Not the peer's doing:
    // it is as if something between the two passed octets alone. Not if that would leave another one in its place.
    if (passed == 0 && (m.msg_flags & MSG_CTRUNC)) {
        if (kept.empty() && n > 0) return {status::more, std::size_t(n)};
        kept.clear();
        return {status::failed, 0, errc::too_many_files};
    }
    if (passed > 1 || (m.msg_flags & MSG_CTRUNC) || (passed == 1 && !kept.put(std::move(come)))) {
        kept.clear();
        return {status::failed, 0, errc::protocol_error};
    }
    if (n == 0) return {status::closed};
    // The kernel ends a read behind octets that a descriptor came with.
    return outcome_of(n, passed != 0 ? std::size_t(n) : size_of(to, count));
}

}  // namespace zlink::transport::ipc
