// Endpoint grammar: the text a program gives to zmq_bind and zmq_connect ("tcp://eth0:5555", "ipc://@name"), parsed
// into types. Parsing is syntax alone; it asks neither the network nor the file system.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace zlink::transport {

/// Ordered as the alternatives of endpoint::address.
enum class scheme : std::uint8_t { tcp, ipc, inproc };

/// One side of a tcp address as written, brackets removed and the zone split off. The host may be a literal address,
/// "*", an interface name (local side) or a DNS name (peer side). Port 0 stands for "any" (written `*` or `0`).
struct host_port {
    std::string host;
    std::string zone;  ///< "eth0" in "[fe80::1%eth0]:5555"; empty when absent
    std::uint16_t port = 0;

    bool operator==(const host_port&) const = default;
};

struct tcp_endpoint {
    host_port host;                   ///< the interface to bind to, or the peer to connect to
    std::optional<host_port> source;  ///< the local address of a connection: "source;destination"

    bool operator==(const tcp_endpoint&) const = default;
};

struct ipc_endpoint {
    enum class kind : std::uint8_t {
        path,      ///< a socket file
        abstract,  ///< Linux: a name without a file; `name` excludes the '@'
        any,       ///< "*" in a bind: the listener makes a temporary file up
    };
    kind type = kind::path;
    std::string name;

    bool operator==(const ipc_endpoint&) const = default;
};

struct inproc_endpoint {
    std::string name;

    bool operator==(const inproc_endpoint&) const = default;
};

struct endpoint {
    std::string text;  ///< as the program wrote it; what ZMQ_LAST_ENDPOINT says after a connect
    std::variant<tcp_endpoint, ipc_endpoint, inproc_endpoint> address;

    [[nodiscard]] transport::scheme scheme() const noexcept { return static_cast<transport::scheme>(address.index()); }
    [[nodiscard]] const tcp_endpoint& tcp() const noexcept { return *std::get_if<tcp_endpoint>(&address); }
    [[nodiscard]] const ipc_endpoint& ipc() const noexcept { return *std::get_if<ipc_endpoint>(&address); }
    [[nodiscard]] const inproc_endpoint& inproc() const noexcept { return *std::get_if<inproc_endpoint>(&address); }
};

/// Errors of both: invalid_argument when there is no "://", no address or a malformed one; protocol_not_supported for a
/// scheme that is not ours (schemes are lower case), incompatible_protocol for udp; name_too_long for an ipc path that
/// does not fit a sockaddr_un.
///
/// In a bind a tcp host is not judged here: whether it exists is for tcp::resolve_local.
[[nodiscard]] result<endpoint> parse_bind_endpoint(std::string_view text);

/// A tcp peer needs a host of the characters a name or a literal address may have and a numeric port; "*" is no peer,
/// though it may stand as port of a source.
[[nodiscard]] result<endpoint> parse_connect_endpoint(std::string_view text);

/// As far as scheme and delimiter go: what an endpoint is checked for that is only looked up. Errors as above, but those
/// of the address.
[[nodiscard]] result<void> check_scheme(std::string_view text);

/// Text of an endpoint in normal form, as ZMQ_LAST_ENDPOINT shows it after a bind. For ipc and inproc the text is known
/// from the grammar; that of a tcp listener comes from its descriptor (tcp::local_endpoint).
[[nodiscard]] std::string to_text(const ipc_endpoint& address);
[[nodiscard]] std::string to_text(const inproc_endpoint& address);

}  // namespace zlink::transport
