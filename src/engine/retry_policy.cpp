// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/retry_policy.hpp"

#include <algorithm>
#include <utility>

namespace zlink::engine {

namespace {

// ZMQ_RECONNECT_STOP bits.
constexpr int stop_if_refused = 1;
constexpr int stop_if_handshake_failed = 2;
constexpr int stop_after_disconnect = 4;

}  // namespace

retry_policy::retry_policy(const connection_options& options, std::uint32_t seed) noexcept
    : shortest_(options.reconnect_ivl),
      longest_(options.reconnect_ivl_max),
      stop_(options.reconnect_stop),
      next_(options.reconnect_ivl),
      random_(seed)
{}

bool retry_policy::goes_on_after(errc why) const noexcept
{
    return !((stop_ & stop_if_refused) && why == errc::connection_refused);
}

bool retry_policy::goes_on_after(ending why, bool established, bool closing) const noexcept
{
    if (why == ending::finished || why == ending::protocol_error || why == ending::refused) return false;
    if (!established) return !(stop_ & stop_if_handshake_failed);
    return !((stop_ & stop_after_disconnect) && closing);
}

std::optional<std::chrono::milliseconds> retry_policy::next_wait() noexcept
{
    if (shortest_.count() < 0) return {};
    if (longest_ > shortest_) return std::exchange(next_, std::min(longest_, next_ * 2));
    // Some jitter keeps many clients of a restarted server apart.
    const auto base = shortest_.count();
    return shortest_ + std::chrono::milliseconds(base > 0 ? std::int64_t(random_()) % base : 0);
}

}  // namespace zlink::engine
