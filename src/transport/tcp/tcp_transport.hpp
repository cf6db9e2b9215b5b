// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// tcp://host:port as a transport.
#pragma once

#include "base/unique_fd.hpp"
#include "transport/tcp/tcp_endpoint.hpp"
#include "transport/transport.hpp"

#include <memory>
#include <utility>

namespace zlink::transport::tcp {

class tcp_location final : public address {
public:
    explicit tcp_location(tcp_endpoint parsed) : parts(std::move(parsed)) {}
    const tcp_endpoint parts;
};

[[nodiscard]] const stream_transport& the_transport() noexcept;

/// The parts of an endpoint of this transport.
[[nodiscard]] inline const tcp_endpoint& parts_of(const address& where) noexcept
{
    return static_cast<const tcp_location&>(where).parts;
}

}  // namespace zlink::transport::tcp
