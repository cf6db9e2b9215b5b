// What a security mechanism is to the handshake: a machine that is asked for commands and given commands, both as
// command bodies without frame header.
#pragma once

#include "zmtp/handshake_error.hpp"
#include "zmtp/peer.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

enum class mechanism_state : std::uint8_t { in_progress, ready, failed };

/// The reason of a failure: code, text for logs (often the peer's own), ZAP status if the code is auth.
struct mechanism_failure {
    handshake_error error = handshake_error::none;
    std::string text;
    int auth_status = 0;
};

/// next_command() appends the body of a command that should go out now and returns true, or returns false;
/// process_command() takes the body of one the peer sent. Both may throw std::bad_alloc, which handshake turns into a
/// failure. After the state is failed, next_command() may yield an ERROR to send before closing.
template <class Mechanism>
concept mechanism = requires(Mechanism m, const Mechanism c, std::vector<std::byte>& out,
                             std::span<const std::byte> body, remote_peer& peer) {
    { Mechanism::name } -> std::convertible_to<std::string_view>;
    { m.next_command(out) } -> std::same_as<bool>;
    { m.process_command(body, peer) } -> std::same_as<mechanism_state>;
    { c.state() } -> std::same_as<mechanism_state>;
    { c.failure() } -> std::same_as<const mechanism_failure&>;
};

}  // namespace zlink::zmtp
