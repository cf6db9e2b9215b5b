// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Metadata and ERROR.
#include "zmtp/mechanism/common.hpp"

#include "zmtp/command.hpp"
#include "zmtp/metadata.hpp"
#include "zmtp/socket_types.hpp"

#include <iterator>

namespace zlink::zmtp {

namespace {

/// The status in an ERROR that stems from a refused ZAP request: 300, 400 or 500; otherwise 0.
int zap_status(std::string_view reason) noexcept
{
    if (reason == "300") return 300;
    if (reason == "400") return 400;
    if (reason == "500") return 500;
    return 0;
}

/// A peer's words, made printable for a log line.
std::string printable(std::string_view text)
{
    std::string out(text);
    for (char& c : out) {
        if (c < 0x20 || c > 0x7e) c = '?';
    }
    return out;
}

}  // namespace

void append_own_metadata(std::vector<std::byte>& out, const local_peer& local)
{
    (void)append_property(out, socket_type_property, socket_type_name(local.type));
    const bool has_one = !local.routing_id.empty();
    const bool announces = announces_identity(local.type) || (has_one && announces_set_identity(local.type));
    if (announces) (void)append_property(out, identity_property, std::span(local.routing_id));
    // A property that cannot be encoded is left out; the code that accepts properties from a user refuses such ones.
    for (const property& p : local.app_properties) (void)append_property(out, p.first, std::string_view(p.second));
}

std::string_view take_metadata(std::span<const std::byte> metadata, const local_peer& local, remote_peer& peer)
{
    result<std::vector<property>> properties = parse_metadata(metadata);
    if (!properties) return "Malformed metadata";

    remove_forged_and_repeated(*properties);

    // A peer need not tell its type (RFC 37: SHOULD); if it does, the type has to fit.
    if (const property* type = find_property(*properties, socket_type_property)) {
        const auto known = socket_type_from_name(type->second);
        if (!known || !compatible(local.type, *known)) return "Invalid socket type";
        peer.socket_type = type->second;
    }
    if (const property* identity = find_property(*properties, identity_property)) {
        if (identity->second.size() > max_routing_id_size) return "Identity too long";
        const auto octets = std::as_bytes(std::span(identity->second));
        peer.routing_id.assign(octets.begin(), octets.end());
    }
    // Behind the properties of the ZAP handler, if those came first.
    peer.properties.insert(peer.properties.end(), std::make_move_iterator(properties->begin()),
                           std::make_move_iterator(properties->end()));
    return {};
}

mechanism_failure failure_told(std::span<const std::byte> error_data)
{
    const result<std::string_view> reason = parse_error_reason(error_data);
    if (!reason) return {handshake_error::zmtp_malformed_command_error, "Malformed ERROR", 0};
    const int status = zap_status(*reason);
    return {status != 0 ? handshake_error::auth : handshake_error::no_detail, printable(*reason), status};
}

}  // namespace zlink::zmtp
