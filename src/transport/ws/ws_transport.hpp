// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// WebSocket over the streams of another transport: ws://host:port/path.
#pragma once

#include "transport/transport.hpp"

namespace zlink::transport::ws {

/// The grammar of the transport below comes before the path.
class ws_transport final : public stream_transport {
public:
    /// `own`: the options of endpoints with that scheme. The text and `below` live for ever.
    ws_transport(std::string_view scheme, option_rows own, const stream_transport& below) noexcept
        : scheme_(scheme),
          own_(own),
          below_(below)
    {}

    [[nodiscard]] std::string_view scheme() const noexcept override { return scheme_; }
    [[nodiscard]] bool is_capability() const noexcept override { return true; }
    /// libzmq's zmq_has() has the schemes in capital letters.
    [[nodiscard]] bool is_called(std::string_view name) const noexcept override;
    void adapt(data_path_settings& settings) const noexcept override { below_.adapt(settings); }
    [[nodiscard]] const transfer_cap* obeyed_transfer_cap() const noexcept override
    {
        return below_.obeyed_transfer_cap();
    }
    [[nodiscard]] option_rows options() const noexcept override { return own_; }
    [[nodiscard]] bool has_hosts() const noexcept override { return below_.has_hosts(); }
    [[nodiscard]] bool carries_raw() const noexcept override { return false; }

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
    using parser = result<std::shared_ptr<const address>> (transport::*)(std::string_view) const;
    [[nodiscard]] result<std::shared_ptr<const address>> parse(std::string_view text, parser how) const;

    const std::string_view scheme_;
    const option_rows own_;
    const stream_transport& below_;
};

}  // namespace zlink::transport::ws
