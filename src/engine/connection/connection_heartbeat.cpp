// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/connection_heartbeat.hpp"

#include "runtime/clock.hpp"

#include <chrono>

namespace zlink::engine {

void connection_heartbeat::start(const zmtp::heartbeat_config& config) noexcept
{
    machine_.emplace(config, runtime::clock::now());
    schedule();
}

void connection_heartbeat::stop() noexcept
{
    stopped_ = true;
    timer_.cancel();
}

zmtp::pong_frame connection_heartbeat::on_ping(const zmtp::ping& ping) noexcept
{
    const auto now = runtime::clock::now();
    if (!machine_) machine_.emplace(zmtp::heartbeat_config{}, now);
    const zmtp::pong_frame pong = machine_->on_ping(ping.ttl, ping.context, now);
    pinged_ = true;
    active_.store(false, std::memory_order_relaxed);
    schedule();
    return pong;
}

// The timer stays as it is: if it fires too early, on_timer() finds that out.
std::optional<std::chrono::nanoseconds> connection_heartbeat::on_pong() noexcept
{
    if (!machine_) return std::nullopt;
    return machine_->on_pong(runtime::clock::now());
}

void connection_heartbeat::on_progress(bool gone) noexcept
{
    if (machine_) machine_->on_ping_progress(runtime::clock::now(), gone);
}

void connection_heartbeat::schedule() noexcept
{
    if (stopped_) return;
    const auto at = machine_->next_deadline();
    if (!at || *at == at_) return;
    at_ = *at;
    // Without memory for a timer the connection lives on without its next heartbeat.
    (void)timer_.start(*at, [this] { on_timer(); });
}

void connection_heartbeat::on_timer() noexcept
{
    at_ = {};
    const auto now = runtime::clock::now();
    if (active_.exchange(false, std::memory_order_relaxed)) machine_->on_activity(now);
    switch (machine_->on_timer(now)) {
    case zmtp::heartbeat::action::timed_out:
        if (!owner_.has_unread_octets()) return owner_.on_silence();
        machine_->on_activity(now);
        break;
    case zmtp::heartbeat::action::send_ping: owner_.send_ping(machine_->ping_frame()); break;
    case zmtp::heartbeat::action::nothing: break;
    }
    schedule();
}

}  // namespace zlink::engine
