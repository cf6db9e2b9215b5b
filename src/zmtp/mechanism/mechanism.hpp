// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A security mechanism as the handshake uses it: a machine that is asked for commands and given commands. Both are
// command bodies without frame header. It may wait for an answer that does not come from the peer.
#pragma once

#include "zmtp/handshake_error.hpp"
#include "zmtp/handshake_frame.hpp"
#include "zmtp/mechanism/sealing.hpp"
#include "zmtp/peer.hpp"
#include "zmtp/zap.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace zlink::zmtp {

enum class mechanism_state : std::uint8_t { in_progress, ready, failed };

/// The reason of a failure: code, text for logs (often the peer's own), ZAP status if the code is auth.
struct mechanism_failure {
    handshake_error error = handshake_error::none;
    std::string text;
    int auth_status = 0;
};

/// The context has no ZAP handler.
struct zap_absent {};

/// The handler was asked, and went away before it answered: the peer is not admitted.
struct zap_gone {};

/// The event that a mechanism may wait for: the answer to question().
using mechanism_event = std::variant<zap_reply, zap_absent, zap_gone>;

/// Octets of a command of a peer that is not known yet, at most. The first is for a command with a name or a reason,
/// with some room for a malformed one. The second is for one with metadata.
inline constexpr std::size_t longest_unauthenticated = 1024;
inline constexpr std::size_t longest_unauthenticated_metadata = 4 * 1024;

/// One connection's mechanism in one role. Owned and called by the handshake alone. Functions that may throw throw
/// std::bad_alloc, which the handshake turns into a failure.
class mechanism {
public:
    virtual ~mechanism() = default;

    /// Appends the body of a command that should go out now and returns true, or returns false. After a failure there
    /// may be an ERROR to send before closing.
    [[nodiscard]] virtual bool next_command(std::vector<std::byte>& out) = 0;

    /// Takes the body of a command that the peer sent; the peer's data about itself goes into `peer`.
    virtual mechanism_state process_command(std::span<const std::byte> body, remote_peer& peer) = 0;

    /// Octets of the next command that process_command() may be given. So a peer that is not known yet cannot make this
    /// side keep more. Asked before each command.
    [[nodiscard]] virtual std::size_t longest_command() const noexcept { return max_handshake_frame; }

    /// The question for the ZAP handler, until resume() brings the answer; else null. It may be there from the
    /// beginning, or after a command.
    [[nodiscard]] virtual const zap_request* question() const noexcept { return nullptr; }

    /// Goes on with the answer. Without a question nothing happens: an answer may come late.
    virtual mechanism_state resume(const mechanism_event& /*event*/, remote_peer& /*peer*/) { return state(); }

    [[nodiscard]] virtual mechanism_state state() const noexcept = 0;
    /// After failed.
    [[nodiscard]] virtual const mechanism_failure& failure() const noexcept = 0;

    /// Once, after ready: the parts that seal and open the traffic.
    [[nodiscard]] virtual sealing take_sealing() { return {}; }
};

}  // namespace zlink::zmtp
