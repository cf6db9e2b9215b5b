// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Endpoints: the text a program gives to zmq_bind and zmq_connect ("tcp://eth0:5555", "ipc://@name"). It is taken apart
// into a transport and that transport's address. Parsing is syntax alone; it asks neither the network nor the file
// system.
#pragma once

#include "base/result.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace zlink::transport {

class transport;

/// The part after "://", as its transport understands it; each transport has a class of its own.
class address {
public:
    address() = default;
    address(const address&) = delete;
    address& operator=(const address&) = delete;
    virtual ~address() = default;
};

struct endpoint {
    std::string text;  ///< as the program wrote it; after a connect, ZMQ_LAST_ENDPOINT returns it
    const transport* over = nullptr;
    std::shared_ptr<const address> where;
};

/// Errors of both functions:
/// - invalid_argument when there is no "://", no address or a malformed one;
/// - protocol_not_supported for a scheme that this library does not have (schemes are lower case);
/// - the transport's error about the address (name_too_long for an ipc path that does not fit a sockaddr_un).
///
/// In a bind a tcp host is not judged here: whether it exists is for ip::resolve_local.
[[nodiscard]] result<endpoint> parse_bind_endpoint(std::string_view text);

/// A tcp peer needs a numeric port, and a host of the characters a name or a literal address may have. "*" is not a
/// peer, though it may stand as port of a source.
[[nodiscard]] result<endpoint> parse_connect_endpoint(std::string_view text);

/// The transport of an endpoint, by scheme and delimiter alone. Errors as above, except those of the address.
[[nodiscard]] result<const transport*> transport_of(std::string_view text);

}  // namespace zlink::transport
