// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The common part of stream sockets of all families: creating, connecting and accepting non-blocking, close-on-exec
// descriptors.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

#include <sys/socket.h>

namespace zlink::transport {

/// A connection that is made, or under way: then wait until the descriptor is writable and call the transport's
/// finish_connect.
struct connecting_socket {
    unique_fd fd;
    bool in_progress = false;
};

[[nodiscard]] result<unique_fd> open_stream_socket(int family);

/// Takes over a listening descriptor that the program made itself (ZMQ_USE_FD). Error (bad descriptor, not a listening
/// socket): the descriptor stays the program's.
[[nodiscard]] result<unique_fd> adopt_listener(int fd);

/// True when the connection is still under way. An interrupted connect goes on in the background, so that counts too.
[[nodiscard]] result<bool> start_connect(int fd, const sockaddr* address, socklen_t length);

/// The pending error of a socket, which this call clears. After a connect in progress, it is the error that connect
/// would have returned.
result<void> take_socket_error(int fd);

struct peer_name {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
};

/// See tcp::accept_connection for the errors; a connection that died in the queue is skipped. `from`, if given, is the
/// peer's name from accept(). It is known even if the connection is reset already; getpeername() fails in that case.
[[nodiscard]] result<unique_fd> accept_stream(int listener, peer_name* from = nullptr);

result<void> set_option(int fd, int level, int name, const void* value, socklen_t size);
result<void> set_option(int fd, int level, int name, int value);

}  // namespace zlink::transport
