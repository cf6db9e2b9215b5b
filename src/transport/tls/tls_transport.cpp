// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/tls_transport.hpp"

#include "transport/stream_wrapping.hpp"
#include "transport/tcp/tcp_transport.hpp"
#include "transport/tls/credentials.hpp"
#include "transport/tls/tls_options.hpp"
#include "transport/tls/tls_stream.hpp"

#include <memory>
#include <utility>

namespace zlink::transport::tls {

namespace {

// An address of tcp, and the keys for connections to it.
class tls_location final : public address {
public:
    tls_location(std::shared_ptr<const address> below, std::string_view protocol)
        : below_(std::move(below)),
          keys_(role::client, tcp::parts_of(*below_).host.host, tcp::parts_of(*below_).host.port, protocol)
    {}

    [[nodiscard]] const address& below() const noexcept { return *below_; }
    [[nodiscard]] credentials& keys() const noexcept { return keys_; }

private:
    std::shared_ptr<const address> below_;
    mutable credentials keys_;  ///< kept from one attempt to the next; safe for several threads
};

const tls_location& location_of(const address& where) noexcept
{
    return static_cast<const tls_location&>(where);
}

class tls_transport final : public stream_transport {
public:
    tls_transport(std::string_view scheme, std::string_view protocol) noexcept : scheme_(scheme), protocol_(protocol) {}

    [[nodiscard]] std::string_view scheme() const noexcept override { return scheme_; }
    [[nodiscard]] bool is_capability() const noexcept override { return true; }
    [[nodiscard]] option_rows options() const noexcept override { return own_options; }
    void adapt(data_path_settings& settings) const noexcept override { tcp::the_transport().adapt(settings); }

    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override
    {
        return over(tcp::the_transport().parse_bind(text));
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override
    {
        return over(tcp::the_transport().parse_connect(text));
    }

    [[nodiscard]] result<std::unique_ptr<acceptor>> bind(const address& where, const stream_options& options,
                                                         int& number) const override
    {
        auto keys = std::make_shared<credentials>(role::server, std::string{}, 0, protocol_);
        if (const auto first = keys->get(options.of<tls_options>()); !first) return first.error();
        auto below = tcp::the_transport().bind(location_of(where).below(), options, number);
        if (!below) return below.error();
        // A new certificate serves the connections that come after it.
        auto wrap = [keys = std::move(keys), given = options.of<tls_options>(),
                     scheme = scheme_](std::unique_ptr<stream> accepted) {
            return wrapped(std::move(accepted), keys->get(given), role::server, scheme);
        };
        return std::unique_ptr<acceptor>(
            std::make_unique<wrapping_acceptor>(std::move(*below), wrapped_name{scheme_, {}}, std::move(wrap)));
    }
    [[nodiscard]] std::string bound_text(const address& where, std::string_view text,
                                         const stream_options& options) const override
    {
        return wrapped_name{scheme_, {}}.of(tcp::the_transport().bound_text(location_of(where).below(), text, options));
    }

    [[nodiscard]] result<void> check_peer(const address& where, const stream_options& options) const override
    {
        const tls_location& location = location_of(where);
        if (const auto sound = tcp::the_transport().check_peer(location.below(), options); !sound) return sound;
        const auto keys = location.keys().get(options.of<tls_options>());
        return keys ? result<void>{} : result<void>{keys.error()};
    }
    [[nodiscard]] result<std::unique_ptr<attempt>> connect(const address& where,
                                                           const stream_options& options) const override
    {
        const tls_location& location = location_of(where);
        auto below = tcp::the_transport().connect(location.below(), options);
        if (!below) return below.error();
        auto wrap = [&location, &options, scheme = scheme_](std::unique_ptr<stream> opened) {
            return wrapped(std::move(opened), location.keys().get(options.of<tls_options>()), role::client, scheme);
        };
        return std::unique_ptr<attempt>(std::make_unique<wrapping_attempt>(std::move(*below), std::move(wrap)));
    }

private:
    [[nodiscard]] result<std::shared_ptr<const address>> over(result<std::shared_ptr<const address>> below) const
    {
        if (!below) return below.error();
        return std::shared_ptr<const address>(std::make_shared<tls_location>(std::move(*below), protocol_));
    }

    static result<std::unique_ptr<stream>> wrapped(std::unique_ptr<stream> below, result<std::shared_ptr<context>> with,
                                                   role as, std::string_view scheme)
    {
        if (!with) return with.error();
        return std::unique_ptr<stream>(std::make_unique<tls_stream>(std::move(below), std::move(*with), as, scheme));
    }

    const std::string_view scheme_;    ///< in names of connections, of static storage
    const std::string_view protocol_;  ///< for ALPN
};

}  // namespace

const stream_transport& the_transport() noexcept
{
    static const tls_transport it("tls", "zmtp/3.1");
    return it;
}

const stream_transport& the_transport_of_http() noexcept
{
    static const tls_transport it("wss", "http/1.1");
    return it;
}

}  // namespace zlink::transport::tls
