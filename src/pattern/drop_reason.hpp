// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Why a pattern drops a message that a program has sent, before any peer's queue has it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::pattern {

enum class drop_reason : std::uint8_t {
    no_peer,     ///< a publisher has no peers
    no_match,    ///< no peer has subscribed to it
    unroutable,  ///< there is no peer of that routing id, or it has gone
};
inline constexpr std::size_t drop_reasons = 3;

}  // namespace zlink::pattern
