// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Opening, accepting and tuning tcp sockets: plain functions over descriptors. All descriptors are non-blocking and
// close-on-exec. None of these calls blocks.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/ip/ip_address.hpp"
#include "transport/stream_options.hpp"
#include "transport/stream_socket.hpp"

#include <optional>
#include <string>

namespace zlink::transport::tcp {

using ip::ip_address;

/// "tcp://127.0.0.1:5555", "tcp://[::1]:5555".
[[nodiscard]] inline std::string endpoint_text(const ip_address& address)
{
    return "tcp://" + address.text();
}

/// Bound and listening. With options.use_fd the program's own listening descriptor is taken over (the address is
/// ignored) and will be closed with the rest. An IPv6 listener serves IPv4 too. If the system has no IPv6, an IPv6
/// wildcard or mapped address is opened as IPv4. `number` (optional) is set once there is a socket. It keeps the number
/// if the socket was closed again because of an error.
[[nodiscard]] result<unique_fd> open_listener(const ip_address& address, const stream_options& options,
                                              int* number = nullptr);

/// Starts connecting; the buffer sizes, TOS, priority and device of the options are set before. `source` is bound
/// first if given (resolve_source). Falls back to IPv4, and sets `number`, as open_listener does.
[[nodiscard]] result<connecting_socket> open_connection(const ip_address& peer, const std::optional<ip_address>& source,
                                                        const stream_options& options, int* number = nullptr);

/// Outcome of a connection that was in progress, once the descriptor is writable. If a socket has connected to itself
/// (a local port picked at random equalled the peer's), that is connection_refused too. Otherwise it would keep the
/// port from the listener that should have it.
result<void> finish_connect(int fd);

/// The next connection waiting, not tuned yet. Errors:
/// - again when none waits;
/// - access_denied when one came that tcp_accept_filters do not admit (it is closed; call again);
/// - too_many_files, ENFILE, no_buffer_space and out_of_memory as the system says; the connection stays in the queue.
///
/// Peers that gave up while waiting are skipped. `peer`, if given, is the peer's address, also of a connection that is
/// reset already; nothing for a foreign family.
[[nodiscard]] result<unique_fd> accept_connection(int listener, const stream_options& options,
                                                  std::optional<ip_address>* peer = nullptr);

/// TCP_NODELAY always, the rest by option; for connections made and accepted alike. Every option is tried; the first
/// error is returned, which leaves the connection usable.
result<void> tune_connection(int fd, const stream_options& options);

/// Octets that a write to a tuned connection hands over, at most. A peer acknowledges at once more than one full
/// segment, and less only after 40 ms. So a send buffer with room for a single segment (64 KB on loopback) stalls
/// between two segments. A full buffer should hold segments that are not full.
[[nodiscard]] std::size_t most_per_write(int fd, const stream_options& options) noexcept;

/// Own address of a listener or connection. Errors: that of getsockname; family_not_supported for a foreign family.
[[nodiscard]] result<ip_address> local_address(int fd);
[[nodiscard]] result<ip_address> peer_address(int fd);

/// The addresses as endpoints ("tcp://127.0.0.1:5555"), empty when unknown: for ZMQ_LAST_ENDPOINT and monitor events.
[[nodiscard]] std::string local_endpoint(int fd);
[[nodiscard]] std::string peer_endpoint(int fd);

}  // namespace zlink::transport::tcp
