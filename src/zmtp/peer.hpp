// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The data that the two ends of a connection exchange during the handshake.
#pragma once

#include "zmtp/security.hpp"
#include "zmtp/socket_types.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zlink::zmtp {

/// Ordered: a later version compares greater. SUBSCRIBE and CANCEL commands, PING and PONG exist from zmtp_3_1 on.
enum class protocol_version : std::uint8_t { zmtp_1_0, zmtp_2_0, zmtp_3_0, zmtp_3_1 };

/// Name and value of a metadata property. Names compare case-insensitively (see metadata.hpp).
using property = std::pair<std::string, std::string>;

/// Longest routing id (Identity) of the protocol.
inline constexpr std::size_t max_routing_id_size = 255;

/// This side, as it presents itself.
struct local_peer {
    socket_type type = socket_type::pair;
    std::vector<std::byte> routing_id;                       ///< at most max_routing_id_size octets
    std::vector<property> app_properties;                    ///< sent in READY after Socket-Type and Identity
    std::shared_ptr<const security_settings> security = {};  ///< null: the defaults

    [[nodiscard]] const security_settings& security_or_default() const noexcept;
};

/// The other side, as it presented itself.
struct remote_peer {
    protocol_version version = protocol_version::zmtp_3_1;
    std::string socket_type;            ///< wire name; empty if the peer did not tell (1.0 never does)
    std::vector<std::byte> routing_id;  ///< empty if none; a leading zero octet is passed on as received
    /// Properties of its metadata, in order, Socket-Type and Identity included; 3.x only; none of a name that
    /// is_reserved_property(). Before them, if the ZAP handler was asked, User-Id and the metadata of its answer.
    std::vector<property> properties;

    /// False for unversioned 1.0 peers, whose SUB filters on its own side. A PUB or XPUB then has to act as if it had
    /// received a subscription to everything.
    bool forwards_subscriptions = true;
};

}  // namespace zlink::zmtp
