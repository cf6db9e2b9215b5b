// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The server of the PLAIN mechanism (RFC 24). HELLO brings a name and a password, and the ZAP handler decides about
// them. WELCOME lets the client go on, INITIATE and READY exchange metadata. Without a handler no peer is admitted.
#pragma once

#include "zmtp/mechanism/zap_client.hpp"

#include <string_view>

namespace zlink::zmtp {

class plain_server final : public mechanism {
public:
    /// `local` has to outlive the mechanism.
    explicit plain_server(const local_peer& local) noexcept : local_(&local) {}

    [[nodiscard]] bool next_command(std::vector<std::byte>& out) override;
    mechanism_state process_command(std::span<const std::byte> body, remote_peer& peer) override;
    [[nodiscard]] std::size_t longest_command() const noexcept override;
    [[nodiscard]] const zap_request* question() const noexcept override { return zap_.question(); }
    mechanism_state resume(const mechanism_event& event, remote_peer& peer) override;
    [[nodiscard]] mechanism_state state() const noexcept override;
    [[nodiscard]] const mechanism_failure& failure() const noexcept override { return failure_; }

private:
    enum class step : std::uint8_t {
        awaits_hello,
        awaits_answer,
        sends_welcome,
        awaits_initiate,
        sends_ready,
        ready,
        sends_error,
        failed,
    };

    mechanism_state process_hello(std::span<const std::byte> data);
    mechanism_state process_initiate(std::span<const std::byte> metadata, remote_peer& peer);
    mechanism_state refuse(handshake_error error, std::string_view text);
    mechanism_state fail(mechanism_failure failure, bool tell_peer);

    const local_peer* local_;
    zap_client zap_;
    mechanism_failure failure_;
    step step_ = step::awaits_hello;
};

}  // namespace zlink::zmtp
