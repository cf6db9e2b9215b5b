// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The client of the CURVE mechanism (RFC 26): HELLO, WELCOME, INITIATE, READY.
#pragma once

#include "zmtp/mechanism/curve_common.hpp"

namespace zlink::zmtp::curve {

class client final : public mechanism {
public:
    /// Both have to outlive the mechanism.
    client(const local_peer& local, crypto::random_source& random) noexcept : local_(&local), random_(&random) {}

    [[nodiscard]] bool next_command(std::vector<std::byte>& out) override;
    mechanism_state process_command(std::span<const std::byte> body, remote_peer& peer) override;
    [[nodiscard]] std::size_t longest_command() const noexcept override;
    [[nodiscard]] mechanism_state state() const noexcept override;
    [[nodiscard]] const mechanism_failure& failure() const noexcept override { return failure_; }
    [[nodiscard]] sealing take_sealing() override { return std::move(sealing_); }

private:
    enum class step : std::uint8_t { says_hello, awaits_welcome, says_initiate, awaits_ready, ready, failed };

    bool say_hello(std::vector<std::byte>& out);
    bool say_initiate(std::vector<std::byte>& out);
    mechanism_state process_welcome(std::span<const std::byte> body);
    mechanism_state process_ready(std::span<const std::byte> body, remote_peer& peer);
    mechanism_state refuse(handshake_error error);
    mechanism_state fail(mechanism_failure failure);
    void forget_keys() noexcept;

    const local_peer* local_;
    crypto::random_source* random_;
    mechanism_failure failure_;
    step step_ = step::says_hello;
    crypto::key_pair transient_;    ///< C', c'
    crypto::secret_key hello_key_;  ///< of C' and S, from HELLO to WELCOME
    crypto::public_key server_{};   ///< S'
    std::array<std::byte, cookie_size> cookie_{};
    crypto::secret_key shared_key_;  ///< of C' and S', from WELCOME to READY
    sealing sealing_;
};

}  // namespace zlink::zmtp::curve
