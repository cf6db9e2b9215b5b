// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The server of the CURVE mechanism (RFC 26): HELLO, WELCOME, INITIATE, READY. Between WELCOME and INITIATE it keeps
// only the key of a cookie. Its transient secret key is in the cookie, which the client has.
#pragma once

#include "zmtp/mechanism/curve_common.hpp"
#include "zmtp/mechanism/zap_client.hpp"

namespace zlink::zmtp::curve {

/// The most that a server keeps of an unknown client: room for more than 3 KB of metadata.
inline constexpr std::size_t max_command_size = 4096;

class server final : public mechanism {
public:
    /// Both have to outlive the mechanism.
    server(const local_peer& local, crypto::random_source& random) noexcept : local_(&local), random_(&random) {}

    [[nodiscard]] bool next_command(std::vector<std::byte>& out) override;
    mechanism_state process_command(std::span<const std::byte> body, remote_peer& peer) override;
    [[nodiscard]] std::size_t longest_command() const noexcept override { return max_command_size; }
    [[nodiscard]] const zap_request* question() const noexcept override
    {
        return step_ == step::awaits_answer ? zap_.question() : nullptr;
    }
    mechanism_state resume(const mechanism_event& event, remote_peer& peer) override;
    [[nodiscard]] mechanism_state state() const noexcept override;
    [[nodiscard]] const mechanism_failure& failure() const noexcept override { return failure_; }
    [[nodiscard]] sealing take_sealing() override { return std::move(sealing_); }

private:
    enum class step : std::uint8_t { awaits_hello, awaits_initiate, awaits_answer, ready, failed };

    mechanism_state process_hello(std::span<const std::byte> body);
    mechanism_state process_initiate(std::span<const std::byte> body, remote_peer& peer);
    void say_welcome(const crypto::public_key& client, const crypto::secret_key& hello_key);
    mechanism_state admit();
    mechanism_state refuse(handshake_error error);
    mechanism_state fail(mechanism_failure failure, bool tell_peer);

    const local_peer* local_;
    crypto::random_source* random_;
    zap_client zap_;
    mechanism_failure failure_;
    step step_ = step::awaits_hello;
    std::uint64_t peer_number_ = 0;  ///< of the last nonce the client used
    crypto::secret_key cookie_key_;  ///< from WELCOME to INITIATE
    crypto::secret_key shared_key_;  ///< of C' and S', from INITIATE to READY
    std::vector<std::byte> to_say_;  ///< a command
    sealing sealing_;
};

}  // namespace zlink::zmtp::curve
