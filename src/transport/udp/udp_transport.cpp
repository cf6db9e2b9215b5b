// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/udp/udp_transport.hpp"

#include "transport/ip/ip_options.hpp"
#include "transport/udp/udp_endpoint.hpp"
#include "transport/udp/udp_options.hpp"
#include "transport/udp/udp_port.hpp"
#include "transport/udp/udp_route.hpp"
#include "transport/udp/udp_socket.hpp"

#include <memory>
#include <utility>

namespace zlink::transport::udp {

namespace {

result<std::shared_ptr<const address>> parsed(std::string_view text, ip::side where)
{
    return as_address<udp_location>(parse(text, where));
}

class udp_transport final : public datagram_transport {
public:
    [[nodiscard]] std::string_view scheme() const noexcept override { return "udp"; }
    [[nodiscard]] bool has_hosts() const noexcept override { return true; }
    [[nodiscard]] option_rows options() const noexcept override { return own_options; }
    [[nodiscard]] option_rows shared_options() const noexcept override { return ip::common_options; }

    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override
    {
        return parsed(text, ip::side::local);
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override
    {
        return parsed(text, ip::side::peer);
    }

    [[nodiscard]] result<bound> bind(const address& where, datagram_head heads,
                                     const stream_options& options) const override
    {
        const udp_endpoint& parts = parts_of(where);
        auto route = find_local(parts, options.ipv6);
        if (!route) return route.error();
        auto fd = open_receiver(*route, options);
        if (!fd) return fd.error();
        const auto port = bound_port(fd->get());
        if (!port) return port.error();
        route->target.set_port(*port);
        auto answers = heads == datagram_head::address ? std::make_unique<send_batch>(route->target.family()) : nullptr;
        auto receives = std::make_unique<receive_slots>(heads);
        return bound{std::make_unique<udp_port>(std::move(*fd), std::move(answers), std::move(receives)),
                     text_of(*route, parts.interface)};
    }

    [[nodiscard]] result<std::unique_ptr<datagram_port>> connect(const address& where,
                                                                 const stream_options& options) const override
    {
        const auto route = find_peer(parts_of(where), options.ipv6);
        if (!route) return route.error();
        auto fd = open_sender(*route, options);
        if (!fd) return fd.error();
        auto batch = std::make_unique<send_batch>(route->target);
        return std::unique_ptr<datagram_port>(std::make_unique<udp_port>(std::move(*fd), std::move(batch), nullptr));
    }

    [[nodiscard]] std::string bound_text(const address& where, const stream_options& options) const override
    {
        const udp_endpoint& parts = parts_of(where);
        const auto route = find_local(parts, options.ipv6);
        return route ? text_of(*route, parts.interface) : std::string{};
    }
};

}  // namespace

const datagram_transport& the_transport() noexcept
{
    static const udp_transport it;
    return it;
}

}  // namespace zlink::transport::udp
