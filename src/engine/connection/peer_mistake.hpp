// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a peer of WebSocket did wrong, for zlink_last_error(). Any thread.
#pragma once

#include "base/last_error.hpp"
#include "engine/session_host.hpp"
#include "zws/close_code.hpp"

#include <string>
#include <string_view>

namespace zlink::engine {

/// To be told before the monitor is.
inline void tell_mistake(const endpoint_pair& endpoints, zws::close_code what) noexcept
{
    const std::string_view words = zws::mistake(what);
    if (words.empty()) return;
    try {
        tell_failure_of_connection(endpoints.remote + ": " + std::string(words));
    } catch (...) {
        tell_failure_of_connection(words);
    }
}

}  // namespace zlink::engine
