// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a security mechanism is to the handshake: a machine that is asked for commands and given commands, both as
// command bodies without frame header, and that may wait for an answer which does not come from the peer.
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

/// There is no ZAP handler.
struct zap_absent {};

/// It was asked, and went away before it answered: nobody is admitted by that.
struct zap_gone {};

/// What a mechanism may wait for: the answer to question().
using mechanism_event = std::variant<zap_reply, zap_absent, zap_gone>;

/// Octets of a command of a peer that is not known yet, at most: of one that tells a name or a reason, with some room for it to be
/// malformed in, and of one with metadata.
inline constexpr std::size_t longest_of_strangers = 1024;
inline constexpr std::size_t longest_metadata_of_strangers = 4 * 1024;

/// One connection's mechanism in one role. Owned and called by the handshake alone. Whatever may throw throws
/// std::bad_alloc, which the handshake turns into a failure.
class mechanism {
public:
    virtual ~mechanism() = default;

    /// Appends the body of a command that should go out now and returns true, or returns false. After a failure there
    /// may be an ERROR to send before closing.
    [[nodiscard]] virtual bool next_command(std::vector<std::byte>& out) = 0;

    /// Takes the body of a command that the peer sent; what it says of itself goes into `peer`.
    virtual mechanism_state process_command(std::span<const std::byte> body, remote_peer& peer) = 0;

    /// Octets of the next command that process_command() may be given, so that a peer who is not known yet cannot have more
    /// kept; asked before each.
    [[nodiscard]] virtual std::size_t longest_command() const noexcept { return max_handshake_frame; }

    /// What has to be asked of the ZAP handler, until resume() brings the answer; else null. It may be there from the
    /// beginning, or after a command.
    [[nodiscard]] virtual const zap_request* question() const noexcept { return nullptr; }

    /// Goes on with the answer. Without a question nothing happens: an answer may come late.
    virtual mechanism_state resume(const mechanism_event& /*event*/, remote_peer& /*peer*/) { return state(); }

    [[nodiscard]] virtual mechanism_state state() const noexcept = 0;
    /// After failed.
    [[nodiscard]] virtual const mechanism_failure& failure() const noexcept = 0;

    /// Once, after ready: what the traffic has to be sealed and opened with.
    [[nodiscard]] virtual sealing take_sealing() { return {}; }
};

}  // namespace zlink::zmtp
