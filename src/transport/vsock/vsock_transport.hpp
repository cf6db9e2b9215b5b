// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// vsock://cid:port as a transport.
#pragma once

#include "transport/transport.hpp"
#include "transport/vsock/vsock_endpoint.hpp"

namespace zlink::transport::vsock {

class vsock_location final : public address {
public:
    explicit vsock_location(const vsock_endpoint& parsed) noexcept : parts(parsed) {}
    const vsock_endpoint parts;
};

[[nodiscard]] const stream_transport& the_transport() noexcept;

/// The parts of an endpoint of this transport.
[[nodiscard]] inline const vsock_endpoint& parts_of(const address& where) noexcept
{
    return static_cast<const vsock_location&>(where).parts;
}

}  // namespace zlink::transport::vsock
