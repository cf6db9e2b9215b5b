// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Endpoints: the text a program gives to zmq_bind and zmq_connect ("tcp://eth0:5555", "ipc://@name"), taken apart into a
// transport and what that makes of the rest. Parsing is syntax alone; it asks neither the network nor the file system.
#pragma once

#include "base/result.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace zlink::transport {

class transport;

/// What follows "://", as its transport understands it; each has a class of its own.
class address {
public:
    address() = default;
    address(const address&) = delete;
    address& operator=(const address&) = delete;
    virtual ~address() = default;
};

struct endpoint {
    std::string text;  ///< as the program wrote it; what ZMQ_LAST_ENDPOINT says after a connect
    const transport* over = nullptr;
    std::shared_ptr<const address> where;
};

/// Errors of both: invalid_argument when there is no "://", no address or a malformed one; protocol_not_supported for a
/// scheme that is not ours (schemes are lower case), incompatible_protocol for udp; and what the transport says of the
/// address (name_too_long for an ipc path that does not fit a sockaddr_un).
///
/// In a bind a tcp host is not judged here: whether it exists is for tcp::resolve_local.
[[nodiscard]] result<endpoint> parse_bind_endpoint(std::string_view text);

/// A tcp peer needs a host of the characters a name or a literal address may have and a numeric port; "*" is no peer,
/// though it may stand as port of a source.
[[nodiscard]] result<endpoint> parse_connect_endpoint(std::string_view text);

/// As far as scheme and delimiter go: what an endpoint is checked for that is only looked up. Errors as above, but those
/// of the address.
[[nodiscard]] result<void> check_scheme(std::string_view text);

}  // namespace zlink::transport
