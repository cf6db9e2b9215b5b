// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ws/ws_transport.hpp"

#include "transport/stream_wrapping.hpp"
#include "transport/ws/ws_endpoint.hpp"
#include "transport/ws/ws_options.hpp"
#include "transport/ws/ws_stream.hpp"
#include "zws/accept_key.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace zlink::transport::ws {

namespace {

class ws_location final : public address {
public:
    ws_location(std::shared_ptr<const address> below, ws_endpoint parsed)
        : under(std::move(below)),
          parts(std::move(parsed))
    {}
    const std::shared_ptr<const address> under;
    const ws_endpoint parts;
};

const ws_location& location_of(const address& where) noexcept
{
    return static_cast<const ws_location&>(where);
}

wrapped_name name_of(std::string_view scheme, const ws_location& at)
{
    return {scheme, at.parts.path};
}

}  // namespace

bool ws_transport::is_called(std::string_view name) const noexcept
{
    const auto capital = [](char letter) { return static_cast<char>(letter - 'a' + 'A'); };
    return name == scheme_ || std::ranges::equal(name, scheme_, {}, {}, capital);
}

result<std::shared_ptr<const address>> ws_transport::parse(std::string_view text, parser how) const
{
    auto parts = parse_ws(text);
    if (!parts) return parts.error();
    auto under = (below_.*how)(parts->authority);
    if (!under) return under.error();
    return std::shared_ptr<const address>(std::make_shared<ws_location>(std::move(*under), std::move(*parts)));
}

result<std::shared_ptr<const address>> ws_transport::parse_bind(std::string_view text) const
{
    auto parsed = parse(text, &transport::parse_bind);
    // The text after '?' is for the page that is asked for, and is not a part of the path that is served.
    if (parsed && location_of(**parsed).parts.path.find('?') != std::string::npos) return errc::invalid_argument;
    return parsed;
}

result<std::shared_ptr<const address>> ws_transport::parse_connect(std::string_view text) const
{
    return parse(text, &transport::parse_connect);
}

result<std::unique_ptr<acceptor>> ws_transport::bind(const address& where, const stream_options& options,
                                                     int& number) const
{
    const ws_location& at = location_of(where);
    auto bound = below_.bind(*at.under, options, number);
    if (!bound) return bound.error();
    const zws::upgrade::server_side how{at.parts.path, options.protocols, options.of<ws_options>().origins};
    const wrapped_name name = name_of(scheme_, at);
    const auto wrap = [how, name](std::unique_ptr<stream> accepted) -> result<std::unique_ptr<stream>> {
        return std::unique_ptr<stream>(std::make_unique<ws_stream>(std::move(accepted), name, zws::upgrade(how)));
    };
    return std::unique_ptr<acceptor>(std::make_unique<wrapping_acceptor>(std::move(*bound), name, wrap));
}

std::string ws_transport::bound_text(const address& where, std::string_view text, const stream_options& options) const
{
    const ws_location& at = location_of(where);
    return name_of(scheme_, at).of(below_.bound_text(*at.under, text, options));
}

host_and_port ws_transport::host_of(const address& where) const noexcept
{
    return below_.host_of(*location_of(where).under);
}

result<void> ws_transport::check_peer(const address& where, const stream_options& options) const
{
    return below_.check_peer(*location_of(where).under, options);
}

result<std::unique_ptr<attempt>> ws_transport::connect(const address& where, const stream_options& options) const
{
    const ws_location& at = location_of(where);
    auto made = below_.connect(*at.under, options);
    if (!made) return made.error();
    const wrapped_name name = name_of(scheme_, at);
    const auto wrap = [&at, &options, name](std::unique_ptr<stream> opened) -> result<std::unique_ptr<stream>> {
        return std::unique_ptr<stream>(std::make_unique<ws_stream>(
            std::move(opened), name,
            zws::upgrade(zws::upgrade::client_side{at.parts.host, at.parts.path, options.protocols, zws::new_key()})));
    };
    return std::unique_ptr<attempt>(std::make_unique<wrapping_attempt>(std::move(*made), wrap));
}

}  // namespace zlink::transport::ws
