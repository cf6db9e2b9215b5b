// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/stream_wrapping.hpp"

#include "base/last_error.hpp"

namespace zlink::transport {

void wrapping_stream::tell_failure(std::string_view words) noexcept
{
    try {
        words_ = words;
        const std::string peer = peer_endpoint();
        tell_failure_of_connection((peer.empty() ? std::string(name_.scheme) : peer) + ": " + std::string(words));
    } catch (...) {
        tell_failure_of_connection(words);
    }
}

}  // namespace zlink::transport
