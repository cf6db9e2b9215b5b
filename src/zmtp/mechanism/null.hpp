// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The NULL mechanism (RFC 37): each side sends one READY with its metadata. As in libzmq, both sides send theirs at
// once, so one machine serves client and server. With a ZAP domain each side has its peer's address checked first.
#pragma once

#include "zmtp/mechanism/zap_client.hpp"

#include <string_view>

namespace zlink::zmtp {

class null_mechanism final : public mechanism {
public:
    /// Of a peer that is not known yet: its metadata, and ERROR.
    static constexpr std::size_t longest_ready = longest_unauthenticated_metadata;

    /// `local` has to outlive the mechanism.
    explicit null_mechanism(const local_peer& local);

    [[nodiscard]] bool next_command(std::vector<std::byte>& out) override;
    mechanism_state process_command(std::span<const std::byte> body, remote_peer& peer) override;
    [[nodiscard]] std::size_t longest_command() const noexcept override { return longest_ready; }
    [[nodiscard]] const zap_request* question() const noexcept override { return zap_.question(); }
    mechanism_state resume(const mechanism_event& event, remote_peer& peer) override;
    [[nodiscard]] mechanism_state state() const noexcept override;
    [[nodiscard]] const mechanism_failure& failure() const noexcept override { return failure_; }

private:
    mechanism_state process_ready(std::span<const std::byte> metadata, remote_peer& peer);
    mechanism_state refuse(handshake_error error, std::string_view text);
    mechanism_state fail(mechanism_failure failure, bool tell_peer);

    const local_peer* local_;
    zap_client zap_;
    mechanism_failure failure_;
    bool ready_sent_ = false;
    bool ready_received_ = false;
    bool error_to_send_ = false;
};

/// May throw std::bad_alloc.
[[nodiscard]] std::unique_ptr<mechanism> make_null(const local_peer& local);

}  // namespace zlink::zmtp
