// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Heartbeat timing.
#include "zmtp/heartbeat.hpp"

#include "message/frame_header.hpp"

#include <algorithm>
#include <cstring>

namespace zlink::zmtp {

namespace {

using std::chrono::milliseconds;

/// The unit of a TTL on the wire.
constexpr milliseconds ttl_unit{100};

std::uint16_t wire_ttl(milliseconds ttl) noexcept
{
    return std::uint16_t(std::clamp<milliseconds::rep>(ttl / ttl_unit, 0, 0xffff));
}

}  // namespace

heartbeat::heartbeat(const heartbeat_config& config, time_point now) noexcept
    : ivl_(std::max(config.ivl, milliseconds{0})),
      timeout_after_(config.timeout < milliseconds{0} ? ivl_ : config.timeout),
      next_ping_(now + ivl_)
{
    const std::size_t n = message::encode_header(ping_.data(), message::flag_command, ping_prefix_size);
    encode_ping_prefix(ping_.data() + n, wire_ttl(config.ttl));
}

pong_frame heartbeat::on_ping(std::uint16_t ttl, std::span<const std::byte> context, time_point now) noexcept
{
    on_activity(now);
    if (ttl > 0) ttl_ = {true, now, now + ttl * ttl_unit};

    context = context.first(std::min(context.size(), max_ping_context));
    pong_frame pong{};
    const std::size_t body_size = pong_prefix_size + context.size();
    std::size_t n = message::encode_header(pong.octets.data(), message::flag_command, body_size);
    n += encode_pong_prefix(pong.octets.data() + n);
    if (!context.empty()) std::memcpy(pong.octets.data() + n, context.data(), context.size());
    pong.size = std::uint8_t(n + context.size());
    return pong;
}

heartbeat::action heartbeat::on_timer(time_point now) noexcept
{
    if ((timeout_.armed && now >= timeout_.until) || (ttl_.armed && now >= ttl_.until)) return action::timed_out;
    if (ivl_ == milliseconds{0} || now < next_ping_) return action::nothing;

    next_ping_ = now + ivl_;
    answer_ = answer_ == answer::none ? answer::due : answer::unclear;
    ping_sent_ = now;
    if (!timeout_.armed && timeout_after_ > milliseconds{0}) {
        timeout_ = {true, now, now + timeout_after_};
        ping_on_its_way_ = true;
    }
    return action::send_ping;
}

std::optional<std::chrono::nanoseconds> heartbeat::on_pong(time_point now) noexcept
{
    // Behind an unclear answer another may come, so the next PING has none that is clear.
    const bool clear = answer_ == answer::due;
    answer_ = answer_ == answer::unclear ? answer::due : answer::none;
    if (!clear) return std::nullopt;
    return now - ping_sent_;
}

std::optional<heartbeat::time_point> heartbeat::next_deadline() const noexcept
{
    std::optional<time_point> next;
    const auto consider = [&next](time_point t) { next = next ? std::min(*next, t) : t; };
    if (ivl_ > milliseconds{0}) consider(next_ping_);
    if (timeout_.armed) consider(timeout_.until);
    if (ttl_.armed) consider(ttl_.until);
    return next;
}

}  // namespace zlink::zmtp
