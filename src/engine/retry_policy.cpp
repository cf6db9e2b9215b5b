// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/retry_policy.hpp"

#include <algorithm>

namespace zlink::engine {

namespace {

// ZMQ_RECONNECT_STOP bits.
constexpr int stop_if_refused = 1;
constexpr int stop_if_handshake_failed = 2;
constexpr int stop_after_disconnect = 4;

// A maximum below ZMQ_RECONNECT_IVL is ignored, as libzmq's manual says. Zero: no maximum.
std::chrono::milliseconds longest_step(const connection_options& options) noexcept
{
    const bool backs_off = options.reconnect_ivl_max.count() > 0 && options.reconnect_ivl_max >= options.reconnect_ivl;
    return backs_off ? options.reconnect_ivl_max : 2 * options.reconnect_ivl;
}

}  // namespace

retry_policy::retry_policy(const connection_options& options, std::uint32_t seed) noexcept
    : shortest_(options.reconnect_ivl),
      longest_(longest_step(options)),
      stop_(options.reconnect_stop),
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
    const bool first = step_.count() == 0;
    step_ = std::min(longest_, 2 * (first ? shortest_ : step_));
    const std::chrono::milliseconds half = (step_ + std::chrono::milliseconds(1)) / 2;
    const std::chrono::milliseconds from = first ? std::max(half, shortest_) : half;
    const auto span = (step_ - from).count();
    return from + std::chrono::milliseconds(span > 0 ? std::int64_t(random_()) % span : 0);
}

}  // namespace zlink::engine
