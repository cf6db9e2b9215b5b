// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets between a virtual machine and its host, vsock(7): listening, connecting, accepting. All descriptors are
// non-blocking and close-on-exec. None of these calls blocks.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/stream_options.hpp"
#include "transport/stream_socket.hpp"
#include "transport/vsock/vsock_endpoint.hpp"

#include <optional>

namespace zlink::transport::vsock {

/// Bound and listening. With options.use_fd the program's own listening descriptor is taken over. `number` (optional)
/// is set once there is a socket. It keeps the number if the socket was closed again because of an error. Error
/// family_not_supported: the kernel has no such sockets.
[[nodiscard]] result<unique_fd> open_listener(const vsock_endpoint& address, const stream_options& options,
                                              int* number = nullptr);

/// `number` as above.
[[nodiscard]] result<connecting_socket> open_connection(const vsock_endpoint& peer, const stream_options& options,
                                                        int* number = nullptr);

/// Outcome of a connection that was in progress, once the descriptor is writable. A connection that the other machine
/// resets at once counts as refused: if no socket listens at a port, Linux answers so.
result<void> finish_connect(int fd);

/// As tcp::accept_connection; no filters. `peer` (optional): its address, empty if unknown.
[[nodiscard]] result<unique_fd> accept_connection(int listener, std::optional<vsock_endpoint>* peer = nullptr);

/// Buffer size, by option. A socket has one size, which the kernel limits what is under way by: the larger one of the
/// two options.
result<void> tune_connection(int fd, const stream_options& options);

[[nodiscard]] std::optional<vsock_endpoint> local_address(int fd);
[[nodiscard]] std::optional<vsock_endpoint> peer_address(int fd);

}  // namespace zlink::transport::vsock
