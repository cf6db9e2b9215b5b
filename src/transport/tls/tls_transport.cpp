// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/tls_transport.hpp"

#include "transport/stream_wrapping.hpp"
#include "transport/tls/credentials.hpp"
#include "transport/tls/tls_options.hpp"
#include "transport/tls/tls_stream.hpp"

#include <memory>
#include <string>
#include <utility>

namespace zlink::transport::tls {

namespace {

// An address of the transport below, and the keys for connections to it.
class tls_location final : public address {
public:
    tls_location(std::shared_ptr<const address> below, host_and_port peer, carried_protocol carries)
        : below_(std::move(below)),
          keys_(role::client, std::string(peer.host), peer.port, carries)
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

result<std::unique_ptr<stream>> wrapped(std::unique_ptr<stream> below, result<std::shared_ptr<context>> with, role as,
                                        std::string_view scheme)
{
    if (!with) return with.error();
    return std::unique_ptr<stream>(std::make_unique<tls_stream>(std::move(below), std::move(*with), as, scheme));
}

}  // namespace

option_rows tls_transport::options() const noexcept
{
    return own_options;
}

result<std::shared_ptr<const address>> tls_transport::over(result<std::shared_ptr<const address>> parsed) const
{
    if (!parsed) return parsed.error();
    const host_and_port peer = below_.host_of(**parsed);
    return std::shared_ptr<const address>(std::make_shared<tls_location>(std::move(*parsed), peer, carries_));
}

result<std::shared_ptr<const address>> tls_transport::parse_bind(std::string_view text) const
{
    return over(below_.parse_bind(text));
}

result<std::shared_ptr<const address>> tls_transport::parse_connect(std::string_view text) const
{
    return over(below_.parse_connect(text));
}

result<std::unique_ptr<acceptor>> tls_transport::bind(const address& where, const stream_options& options,
                                                      int& number) const
{
    auto keys = std::make_shared<credentials>(role::server, std::string{}, 0, carries_);
    if (const auto first = keys->get(options.of<tls_options>()); !first) return first.error();
    auto below = below_.bind(location_of(where).below(), options, number);
    if (!below) return below.error();
    // A new certificate serves the connections that come after it.
    auto wrap = [keys = std::move(keys), given = options.of<tls_options>(),
                 scheme = scheme_](std::unique_ptr<stream> accepted) {
        return wrapped(std::move(accepted), keys->get(given), role::server, scheme);
    };
    return std::unique_ptr<acceptor>(
        std::make_unique<wrapping_acceptor>(std::move(*below), wrapped_name{scheme_, {}}, std::move(wrap)));
}

std::string tls_transport::bound_text(const address& where, std::string_view text, const stream_options& options) const
{
    return wrapped_name{scheme_, {}}.of(below_.bound_text(location_of(where).below(), text, options));
}

host_and_port tls_transport::host_of(const address& where) const noexcept
{
    return below_.host_of(location_of(where).below());
}

result<void> tls_transport::check_peer(const address& where, const stream_options& options) const
{
    const tls_location& location = location_of(where);
    if (const auto sound = below_.check_peer(location.below(), options); !sound) return sound;
    const auto keys = location.keys().get(options.of<tls_options>());
    return keys ? result<void>{} : result<void>{keys.error()};
}

result<std::unique_ptr<attempt>> tls_transport::connect(const address& where, const stream_options& options) const
{
    const tls_location& location = location_of(where);
    auto below = below_.connect(location.below(), options);
    if (!below) return below.error();
    auto wrap = [&location, &options, scheme = scheme_](std::unique_ptr<stream> opened) {
        return wrapped(std::move(opened), location.keys().get(options.of<tls_options>()), role::client, scheme);
    };
    return std::unique_ptr<attempt>(std::make_unique<wrapping_attempt>(std::move(*below), std::move(wrap)));
}

}  // namespace zlink::transport::tls
