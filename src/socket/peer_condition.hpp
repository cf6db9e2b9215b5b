// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The things that zlink_wait() waits for.
#pragma once

#include "pattern/pattern.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace zlink::socket {

struct peer_condition {
    enum class kind : std::uint8_t {
        peers,        ///< at least so many are through the handshake
        subscribers,  ///< at least so many have subscribed; with `topic`, to that
        drained,      ///< all that was sent is with the kernel, or in the queue of a peer of this process
    };
    kind what = kind::peers;
    std::optional<pattern::topic_text> topic{};
    std::size_t at_least = 1;

    /// `count`: of peers or subscribers; or of peers with messages that are on their way.
    [[nodiscard]] bool holds(std::size_t count) const noexcept
    {
        return what == kind::drained ? count == 0 : count >= at_least;
    }
};

/// No other thread tells of all that the conditions wait for, so the waiting thread looks again. The pauses grow to a
/// length at which every signal is heeded (runtime/sleep_pace.hpp).
class pause_between_looks {
public:
    [[nodiscard]] std::chrono::milliseconds next() noexcept
    {
        return std::exchange(length_, std::min(2 * length_, longest));
    }

private:
    static constexpr std::chrono::milliseconds longest{8};
    std::chrono::milliseconds length_{1};
};

}  // namespace zlink::socket
