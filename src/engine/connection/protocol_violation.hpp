// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The mistake of a peer, in the words of its framing, for zlink_last_error(). Any thread.
#pragma once

#include "base/last_error.hpp"
#include "engine/connection/framing.hpp"
#include "engine/session_host.hpp"

#include <string>
#include <string_view>

namespace zlink::engine {

/// Puts the peer before the words, for zlink_connection_error(). Called before the monitor is told.
inline void tell_words(const endpoint_pair& endpoints, std::string_view words) noexcept
{
    try {
        tell_failure_of_connection(endpoints.remote + ": " + std::string(words));
    } catch (...) {
        tell_failure_of_connection(words);
    }
}

/// The same for the mistake that has this reason. Returns its words, of static storage, or nothing if the framing has
/// none.
inline std::string_view tell_mistake(const endpoint_pair& endpoints, const framing& frames,
                                     wire::close_reason what) noexcept
{
    const std::string_view words = frames.mistake(what);
    if (!words.empty()) tell_words(endpoints, words);
    return words;
}

}  // namespace zlink::engine
