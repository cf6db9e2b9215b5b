// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ipc://path as a transport.
#pragma once

#include "base/unique_fd.hpp"
#include "transport/ipc/ipc_endpoint.hpp"
#include "transport/transport.hpp"

#include <memory>
#include <utility>

namespace zlink::transport::ipc {

class ipc_location final : public address {
public:
    explicit ipc_location(ipc_endpoint parsed) : parts(std::move(parsed)) {}
    const ipc_endpoint parts;
};

[[nodiscard]] const stream_transport& the_transport() noexcept;

/// The parts of an endpoint of this transport.
[[nodiscard]] inline const ipc_endpoint& parts_of(const address& where) noexcept
{
    return static_cast<const ipc_location&>(where).parts;
}

/// The stream of a connected, non-blocking descriptor. May throw std::bad_alloc.
[[nodiscard]] std::unique_ptr<stream> make_stream(unique_fd connected);

}  // namespace zlink::transport::ipc
