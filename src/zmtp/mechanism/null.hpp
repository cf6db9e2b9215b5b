// The NULL mechanism (RFC 37): each side sends one READY with its metadata. Like libzmq, both sides send theirs at
// once, so one machine serves client and server.
#pragma once

#include "zmtp/mechanism/mechanism.hpp"

namespace zlink::zmtp {

class null_mechanism {
public:
    static constexpr std::string_view name = "NULL";

    /// `local` has to outlive the mechanism.
    explicit null_mechanism(const local_peer& local) noexcept : local_(&local) {}

    [[nodiscard]] bool next_command(std::vector<std::byte>& out);
    mechanism_state process_command(std::span<const std::byte> body, remote_peer& peer);

    [[nodiscard]] mechanism_state state() const noexcept;
    [[nodiscard]] const mechanism_failure& failure() const noexcept { return failure_; }

private:
    mechanism_state process_ready(std::span<const std::byte> metadata, remote_peer& peer);
    mechanism_state process_error(std::span<const std::byte> data);
    mechanism_state fail(handshake_error error, std::string_view text, bool tell_peer = true);

    const local_peer* local_;
    mechanism_failure failure_;
    bool ready_sent_ = false;
    bool ready_received_ = false;
    bool error_to_send_ = false;
};

static_assert(mechanism<null_mechanism>);

}  // namespace zlink::zmtp
