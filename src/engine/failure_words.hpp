// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Why connections fail, in words for people: the cause, and what to look at, where that is known. Pure; any thread.
#pragma once

#include "base/errc.hpp"
#include "zmtp/handshake_error.hpp"
#include "zmtp/security.hpp"

#include <string>
#include <string_view>

namespace zlink::engine {

/// The view is of static storage, or of this thread's strerror().
[[nodiscard]] std::string_view words_of(errc error) noexcept;

/// A connection that could not be accepted.
[[nodiscard]] std::string_view words_of_accept(errc error) noexcept;

/// A handshake that failed with this error. `detail`: what the handshake says of it, perhaps in the peer's own octets;
/// of those only printable ones come through. May throw std::bad_alloc.
[[nodiscard]] std::string words_of_handshake(zmtp::handshake_error error, std::string_view detail);

/// Refused by a ZAP handler, this side's or the peer's, with a status of ZAP.
[[nodiscard]] std::string_view words_of_refusal(int status) noexcept;

/// The peer has closed the connection in the middle of the handshake. A server is a server of the mechanism.
[[nodiscard]] std::string_view words_of_early_close(zmtp::mechanism_kind mechanism, bool as_server) noexcept;

}  // namespace zlink::engine
