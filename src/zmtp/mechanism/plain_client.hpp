// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The client of the PLAIN mechanism (RFC 24): HELLO with name and password, WELCOME, then INITIATE and READY with the
// metadata of both sides.
#pragma once

#include "zmtp/mechanism/mechanism.hpp"

namespace zlink::zmtp {

class plain_client final : public mechanism {
public:
    /// `local` has to outlive the mechanism.
    explicit plain_client(const local_peer& local) noexcept : local_(&local) {}

    [[nodiscard]] bool next_command(std::vector<std::byte>& out) override;
    mechanism_state process_command(std::span<const std::byte> body, remote_peer& peer) override;
    [[nodiscard]] std::size_t longest_command() const noexcept override;
    [[nodiscard]] mechanism_state state() const noexcept override;
    [[nodiscard]] const mechanism_failure& failure() const noexcept override { return failure_; }

private:
    enum class step : std::uint8_t { sends_hello, awaits_welcome, sends_initiate, awaits_ready, ready };

    mechanism_state process_welcome(std::span<const std::byte> data);
    mechanism_state process_ready(std::span<const std::byte> metadata, remote_peer& peer);
    mechanism_state fail(mechanism_failure failure);

    const local_peer* local_;
    mechanism_failure failure_;
    step step_ = step::sends_hello;
};

}  // namespace zlink::zmtp
