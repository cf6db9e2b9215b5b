// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The transports of this build.
#pragma once

#include "transport/transport.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace zlink::transport {

/// All of them; the order never changes while the program runs.
[[nodiscard]] std::span<const transport* const> transports() noexcept;

/// Null: this build has no such transport.
[[nodiscard]] const transport* find_transport(std::string_view scheme) noexcept;

/// The one that joins sockets of a context by names. ZAP's handler is reached by it (RFC 27).
[[nodiscard]] const transport& transport_of_names() noexcept;

/// Position in transports().
[[nodiscard]] std::size_t index_of(const transport& which) noexcept;

}  // namespace zlink::transport
