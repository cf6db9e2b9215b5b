// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Socket types as ZMTP names them: the Socket-Type property of 3.x and the octet of the 2.0 greeting. Also which types
// may talk to each other (RFC 37, "The Socket-Type Property").
#pragma once

#include "base/socket_types.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace zlink::zmtp {

using zlink::socket_type;

/// The name on the wire, "PAIR" to "CHANNEL". Empty for types that do not speak ZMTP, and outside the enumeration.
[[nodiscard]] std::string_view socket_type_name(socket_type type) noexcept;

/// Exact, case-sensitive match of a wire name.
[[nodiscard]] std::optional<socket_type> socket_type_from_name(std::string_view name) noexcept;

/// The octet that announces `type` to a 2.0 peer: XPUB and XSUB appear as PUB and SUB there (RFC 15). A peer refuses
/// the numbers of types that came later.
[[nodiscard]] std::uint8_t socket_type_octet(socket_type type) noexcept;

/// Reads that octet. 9 and 10 (XPUB, XSUB) are taken too, since libzmq sends them in spite of RFC 15.
[[nodiscard]] std::optional<socket_type> socket_type_from_octet(std::uint8_t octet) noexcept;

/// True when the two types make a legal pair. Symmetric.
[[nodiscard]] bool compatible(socket_type one, socket_type other) noexcept;

/// True for the types that announce an Identity property: REQ, DEALER, ROUTER.
[[nodiscard]] bool announces_identity(socket_type type) noexcept;

/// True for the types that announce one if it is not empty: SUB and XSUB, so that a publisher can name them.
[[nodiscard]] bool announces_set_identity(socket_type type) noexcept;

}  // namespace zlink::zmtp
