// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Metadata: the list of properties in READY (RFC 37: name of 1 to 255 octets, value of up to 2^31-1 octets with a
// four-octet length). Names compare case-insensitively.
#pragma once

#include "base/result.hpp"
#include "zmtp/peer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

inline constexpr std::string_view socket_type_property = "Socket-Type";
inline constexpr std::string_view identity_property = "Identity";
inline constexpr std::string_view user_id_property = "User-Id";

inline constexpr std::size_t max_property_name = 255;
inline constexpr std::uint32_t max_property_value = 0x7fffffff;

/// ASCII case-insensitive comparison of property names.
[[nodiscard]] bool same_property_name(std::string_view one, std::string_view other) noexcept;

/// The first property of that name, or nullptr.
[[nodiscard]] const property* find_property(std::span<const property> properties, std::string_view name) noexcept;

/// Properties that this side finds out about a peer by itself: Peer-Address, User-Id, Routing-Id, __fd, and all that
/// begin with Tls-. A property of such a name among a peer's metadata is a forgery.
[[nodiscard]] bool is_reserved_property(std::string_view name) noexcept;

/// Leaves the properties that a peer may state about itself, in order: no reserved names, and of each name the first
/// property.
void remove_forged_and_repeated(std::vector<property>& of_peer);

struct property_view {
    std::string_view name;
    std::span<const std::byte> value;
};

/// Walks over encoded metadata without copying.
class metadata_reader {
public:
    explicit metadata_reader(std::span<const std::byte> metadata) noexcept : rest_(metadata) {}

    /// True and a property, or false: at the end, or at bytes that are not a property (malformed() tells them apart).
    [[nodiscard]] bool next(property_view& out) noexcept;

    [[nodiscard]] bool malformed() const noexcept { return malformed_; }

private:
    std::span<const std::byte> rest_;
    bool malformed_ = false;
};

/// All properties, copied; errc::protocol_error for anything malformed.
[[nodiscard]] result<std::vector<property>> parse_metadata(std::span<const std::byte> metadata);

/// errc::invalid_argument (and nothing appended) if name or value are out of bounds.
result<void> append_property(std::vector<std::byte>& out, std::string_view name, std::span<const std::byte> value);
result<void> append_property(std::vector<std::byte>& out, std::string_view name, std::string_view value);

}  // namespace zlink::zmtp
