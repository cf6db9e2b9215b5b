// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The endpoint grammar and the accept filters on arbitrary text: no crash, and what parses keeps the type's promises.
#include "transport/endpoint.hpp"
#include "transport/ip/ip_address.hpp"
#include "transport/ipc/ipc_transport.hpp"
#include "transport/tcp/accept_filter.hpp"
#include "transport/tcp/tcp_transport.hpp"
#include "transport/vsock/vsock_transport.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace zlink;
using namespace zlink::transport;

void require(bool condition)
{
    if (!condition) {
        std::abort();
    }
}

void check(const result<endpoint>& parsed, std::string_view text)
{
    if (!parsed) {
        const errc error = parsed.error();
        require(error == errc::invalid_argument || error == errc::protocol_not_supported ||
                error == errc::name_too_long);
        return;
    }
    require(parsed->text == text);
    require(text.starts_with(parsed->over->scheme()));
    if (parsed->over == &ipc::the_transport()) {
        require(parse_bind_endpoint(ipc::to_text(ipc::parts_of(*parsed->where))).has_value());
    }
    if (parsed->over == &vsock::the_transport()) {
        const vsock::vsock_endpoint& parts = vsock::parts_of(*parsed->where);
        const result<endpoint> again = parse_bind_endpoint(vsock::to_text(parts));
        require(again && vsock::parts_of(*again->where) == parts);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check(parse_bind_endpoint(text), text);
    const result<endpoint> peer = parse_connect_endpoint(text);
    check(peer, text);
    if (peer && peer->over == &tcp::the_transport()) {
        const tcp::host_port& host = tcp::parts_of(*peer->where).host;
        require(!host.host.empty() && host.host != "*");
        const auto literal = ip::ip_address::from_literal(host.host, host.port);
        if (literal) {
            // The text of an address is an endpoint of the same address.
            const result<endpoint> again = parse_connect_endpoint("tcp://" + literal->text());
            require(again &&
                    ip::ip_address::from_literal(tcp::parts_of(*again->where).host.host, host.port) == literal);
        }
    }
    if (peer && peer->over == &vsock::the_transport()) {
        const vsock::vsock_endpoint& parts = vsock::parts_of(*peer->where);
        require(parts.cid != vsock::vsock_endpoint::any && parts.port != vsock::vsock_endpoint::any);
    }
    if (const auto filter = tcp::accept_filter::parse(text)) {
        static_cast<void>(filter->admits(ip::ip_address::any(true, 0)));
        static_cast<void>(filter->admits(ip::ip_address::any(false, 0)));
    }
    return 0;
}
