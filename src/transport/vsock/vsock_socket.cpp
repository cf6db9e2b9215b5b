// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/vsock/vsock_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>

#include <linux/vm_sockets.h>

namespace zlink::transport::vsock {

namespace {

static_assert(vsock_endpoint::any == VMADDR_CID_ANY && vsock_endpoint::any == VMADDR_PORT_ANY);

sockaddr_vm to_sockaddr(const vsock_endpoint& endpoint)
{
    sockaddr_vm address{};
    address.svm_family = AF_VSOCK;
    address.svm_cid = endpoint.cid;
    address.svm_port = endpoint.port;
    return address;
}

std::optional<vsock_endpoint> from_sockaddr(const sockaddr_storage& storage, socklen_t length)
{
    sockaddr_vm address{};
    if (length < sizeof address || storage.ss_family != AF_VSOCK) return {};
    std::memcpy(&address, &storage, sizeof address);
    return vsock_endpoint{address.svm_cid, address.svm_port};
}

using name_function = int (*)(int, sockaddr*, socklen_t*);

std::optional<vsock_endpoint> address_by(name_function get_name, int fd)
{
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (get_name(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return {};
    return from_sockaddr(storage, length);
}

errc as_refused(errc error)
{
    return error == errc::connection_reset ? errc::connection_refused : error;
}

}  // namespace

result<unique_fd> open_listener(const vsock_endpoint& address, const stream_options& options, int* number)
{
    if (options.use_fd >= 0) return adopt_listener(options.use_fd);
    result<unique_fd> fd = open_stream_socket(AF_VSOCK);
    if (!fd) return fd.error();
    if (number != nullptr) *number = fd->get();
    static_cast<void>(tune_connection(fd->get(), options));  // connections begin with the listener's
    const sockaddr_vm where = to_sockaddr(address);
    if (::bind(fd->get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 ||
        ::listen(fd->get(), options.backlog) != 0) {
        return from_errno(errno);
    }
    return fd;
}

result<connecting_socket> open_connection(const vsock_endpoint& peer, const stream_options& options, int* number)
{
    result<unique_fd> fd = open_stream_socket(AF_VSOCK);
    if (!fd) return fd.error();
    if (number != nullptr) *number = fd->get();
    static_cast<void>(tune_connection(fd->get(), options));
    const sockaddr_vm where = to_sockaddr(peer);
    const auto in_progress = start_connect(fd->get(), reinterpret_cast<const sockaddr*>(&where), sizeof where);
    if (!in_progress) return as_refused(in_progress.error());
    return connecting_socket{std::move(*fd), *in_progress};
}

result<void> finish_connect(int fd)
{
    const result<void> connected = take_socket_error(fd);
    return connected ? connected : result<void>{as_refused(connected.error())};
}

result<unique_fd> accept_connection(int listener, std::optional<vsock_endpoint>* peer)
{
    peer_name name;
    result<unique_fd> accepted = accept_stream(listener, &name);
    if (peer != nullptr) *peer = from_sockaddr(name.address, name.size);
    return accepted;
}

result<void> tune_connection(int fd, const stream_options& options)
{
    const int wanted = std::max(options.sndbuf, options.rcvbuf);
    if (wanted <= 0) return {};  // 0: as small as may be, which for tcp is some KB and here would be 128 octets
    const auto size = static_cast<unsigned long long>(wanted);
    unsigned long long most = 0;
    socklen_t length = sizeof most;
    if (::getsockopt(fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_MAX_SIZE, &most, &length) == 0 && most < size) {
        const auto widened = set_option(fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_MAX_SIZE, &size, sizeof size);
        if (!widened) return widened;
    }
    return set_option(fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_SIZE, &size, sizeof size);
}

std::optional<vsock_endpoint> local_address(int fd)
{
    return address_by(::getsockname, fd);
}

std::optional<vsock_endpoint> peer_address(int fd)
{
    return address_by(::getpeername, fd);
}

}  // namespace zlink::transport::vsock
