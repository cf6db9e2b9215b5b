// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// TLS over the streams of another transport. With ZMTP in it, that is tls://host:port (docs/rfc/zmtp-tls.md).
#pragma once

#include "transport/tls/tls_machine.hpp"
#include "transport/transport.hpp"

namespace zlink::transport::tls {

/// Addresses are those of the transport below, which has hosts.
class tls_transport final : public stream_transport {
public:
    /// `scheme` is in the names of connections. The texts and `below` live for ever.
    tls_transport(std::string_view scheme, carried_protocol carries, const stream_transport& below) noexcept
        : scheme_(scheme),
          carries_(carries),
          below_(below)
    {}

    [[nodiscard]] std::string_view scheme() const noexcept override { return scheme_; }
    [[nodiscard]] bool is_capability() const noexcept override { return true; }
    void adapt(data_path_settings& settings) const noexcept override { below_.adapt(settings); }
    [[nodiscard]] option_rows options() const noexcept override;
    [[nodiscard]] bool has_hosts() const noexcept override { return true; }

    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override;
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override;

    [[nodiscard]] result<std::unique_ptr<acceptor>> bind(const address& where, const stream_options& options,
                                                         int& number) const override;
    [[nodiscard]] std::string bound_text(const address& where, std::string_view text,
                                         const stream_options& options) const override;

    [[nodiscard]] host_and_port host_of(const address& where) const noexcept override;
    [[nodiscard]] result<void> check_peer(const address& where, const stream_options& options) const override;
    [[nodiscard]] result<std::unique_ptr<attempt>> connect(const address& where,
                                                           const stream_options& options) const override;

private:
    [[nodiscard]] result<std::shared_ptr<const address>> over(result<std::shared_ptr<const address>> parsed) const;

    const std::string_view scheme_;
    const carried_protocol carries_;
    const stream_transport& below_;
};

}  // namespace zlink::transport::tls
