// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ws/ws_transport.hpp"

#include "transport/stream_wrapping.hpp"
#include "transport/tcp/tcp_transport.hpp"
#ifdef ZLINK_TLS
#include "transport/tls/tls_transport.hpp"
#endif
#include "transport/ws/ws_endpoint.hpp"
#include "transport/ws/ws_options.hpp"
#include "transport/ws/ws_stream.hpp"
#include "transport/wss/wss_options.hpp"
#include "zws/accept_key.hpp"

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

/// Over the streams of another transport, whose grammar comes before the path.
class ws_transport final : public stream_transport {
public:
    ws_transport(std::string_view scheme, option_rows own, const stream_transport& below) noexcept
        : scheme_(scheme),
          own_(own),
          below_(below)
    {}

    [[nodiscard]] std::string_view scheme() const noexcept override { return scheme_; }
    [[nodiscard]] bool is_capability() const noexcept override { return true; }
    void adapt(data_path_settings& settings) const noexcept override { below_.adapt(settings); }
    [[nodiscard]] bool obeys_transfer_cap() const noexcept override { return below_.obeys_transfer_cap(); }
    [[nodiscard]] option_rows options() const noexcept override { return own_; }
    [[nodiscard]] bool carries_raw() const noexcept override { return false; }

    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override
    {
        auto parsed = parse(text, &transport::parse_bind);
        // The text after '?' is for the page that is asked for, and is not a part of the path that is served.
        if (parsed && location_of(**parsed).parts.path.find('?') != std::string::npos) return errc::invalid_argument;
        return parsed;
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override
    {
        return parse(text, &transport::parse_connect);
    }

    [[nodiscard]] result<std::unique_ptr<acceptor>> bind(const address& where, const stream_options& options,
                                                         int& number) const override
    {
        const ws_location& at = location_of(where);
        auto bound = below_.bind(*at.under, options, number);
        if (!bound) return bound.error();
        const zws::upgrade::server_side how{at.parts.path, options.protocols, options.of<ws_options>().origins};
        const wrapped_name name = name_of(at);
        const auto wrap = [how, name](std::unique_ptr<stream> accepted) -> result<std::unique_ptr<stream>> {
            return std::unique_ptr<stream>(std::make_unique<ws_stream>(std::move(accepted), name, zws::upgrade(how)));
        };
        return std::unique_ptr<acceptor>(std::make_unique<wrapping_acceptor>(std::move(*bound), name, wrap));
    }
    [[nodiscard]] std::string bound_text(const address& where, std::string_view text,
                                         const stream_options& options) const override
    {
        const ws_location& at = location_of(where);
        return name_of(at).of(below_.bound_text(*at.under, text, options));
    }

    [[nodiscard]] result<void> check_peer(const address& where, const stream_options& options) const override
    {
        return below_.check_peer(*location_of(where).under, options);
    }
    [[nodiscard]] result<std::unique_ptr<attempt>> connect(const address& where,
                                                           const stream_options& options) const override
    {
        const ws_location& at = location_of(where);
        auto made = below_.connect(*at.under, options);
        if (!made) return made.error();
        const wrapped_name name = name_of(at);
        const auto wrap = [&at, &options, name](std::unique_ptr<stream> opened) -> result<std::unique_ptr<stream>> {
            return std::unique_ptr<stream>(
                std::make_unique<ws_stream>(std::move(opened), name,
                                            zws::upgrade(zws::upgrade::client_side{
                                                at.parts.host, at.parts.path, options.protocols, zws::new_key()})));
        };
        return std::unique_ptr<attempt>(std::make_unique<wrapping_attempt>(std::move(*made), wrap));
    }

private:
    [[nodiscard]] wrapped_name name_of(const ws_location& at) const { return {scheme_, at.parts.path}; }

    using parser = result<std::shared_ptr<const address>> (transport::*)(std::string_view) const;
    [[nodiscard]] result<std::shared_ptr<const address>> parse(std::string_view text, parser how) const
    {
        auto parts = parse_ws(text);
        if (!parts) return parts.error();
        auto under = (below_.*how)(parts->authority);
        if (!under) return under.error();
        return std::shared_ptr<const address>(std::make_shared<ws_location>(std::move(*under), std::move(*parts)));
    }

    const std::string_view scheme_;
    const option_rows own_;
    const stream_transport& below_;
};

}  // namespace

const stream_transport& the_transport() noexcept
{
    static const ws_transport it("ws", own_options, tcp::the_transport());
    return it;
}

#ifdef ZLINK_TLS
const stream_transport& the_transport_over_tls() noexcept
{
    static const ws_transport it("wss", wss::own_options, tls::the_transport_of_http());
    return it;
}
#endif

}  // namespace zlink::transport::ws
