// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets of udp: opened, bound, and joined to a multicast group.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/stream_options.hpp"
#include "transport/udp/udp_route.hpp"

namespace zlink::transport::udp {

/// A non-blocking socket that receives at `route`: bound to the address, or to the port alone if that is a group, which
/// it joins. Several sockets may be bound to an address and port; each gets the datagrams of a group. Errors: as the
/// system says.
[[nodiscard]] result<unique_fd> open_receiver(const udp_route& route, const stream_options& options);

/// A non-blocking socket that is not bound yet, and has what the options say about multicast if `route` is a group.
[[nodiscard]] result<unique_fd> open_sender(const udp_route& route, const stream_options& options);

/// The port that the system has chosen.
[[nodiscard]] result<std::uint16_t> bound_port(int fd);

}  // namespace zlink::transport::udp
