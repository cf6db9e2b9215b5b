// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/monitor.hpp"

#include "socket/context.hpp"
#include "socket/socket.hpp"
#include "transport/registry.hpp"

#include <cstring>
#include <utility>

namespace zlink::socket {

namespace {

constexpr std::uint64_t event_pipes_stats = 0x10000;

}  // namespace

errc monitor::start(std::string_view endpoint, std::uint64_t events, form frames, int type)
{
    if (frames == form::version_1 && events >> 16 != 0) return errc::invalid_argument;
    if (const auto known = socket_type_of(type); !known || !traits(*known).reports_events)
        return errc::invalid_argument;
    const std::size_t delimiter = endpoint.find("://");
    if (delimiter == std::string_view::npos) return errc::invalid_argument;
    const auto* const over = transport::find_transport(endpoint.substr(0, delimiter));
    if (!over || !over->names()) return errc::protocol_not_supported;
    stop();
    auto opened = context_.open_socket(type, new_handle::none);
    if (!opened) return opened.error();
    socket* out = *opened;
    // Never keeps the context from ending.
    out->set_linger(0);
    if (const errc e = out->bind(endpoint); e != errc::none) {
        out->close();
        return e;
    }
    const std::lock_guard lock(mutex_);
    out_ = out;
    form_ = frames;
    events_.store(events, std::memory_order_relaxed);
    return errc::none;
}

void monitor::stop() noexcept
{
    report(engine::monitor_event::monitor_stopped, 0, {}, "");
    socket* out = nullptr;
    {
        const std::lock_guard lock(mutex_);
        events_.store(0, std::memory_order_relaxed);
        out = std::exchange(out_, nullptr);
    }
    if (out) out->close();
}

void monitor::send(std::uint64_t event, std::uint64_t value, const engine::endpoint_pair& endpoints,
                   std::string_view reason) noexcept
{
    const std::lock_guard lock(mutex_);
    if (!out_) return;
    switch (form_) {
    case form::version_1: return send_v1(event, value, endpoints);
    case form::version_2: return send_v2(event, &value, 1, endpoints);
    case form::explained: return send_explained(event, value, endpoints, reason);
    }
}

bool monitor::send_number(std::uint64_t number) noexcept
{
    return out_->send({reinterpret_cast<const std::byte*>(&number), sizeof number, true}, true) == errc::none;
}

bool monitor::send_text(std::string_view text, bool more) noexcept
{
    return out_->send({reinterpret_cast<const std::byte*>(text.data()), text.size(), more}, true) == errc::none;
}

void monitor::send_v1(std::uint64_t event, std::uint64_t value, const engine::endpoint_pair& endpoints) noexcept
{
    std::byte head[6];
    const auto event16 = std::uint16_t(event);
    const auto value32 = std::uint32_t(value);
    std::memcpy(head, &event16, sizeof event16);
    std::memcpy(head + sizeof event16, &value32, sizeof value32);
    const std::string& where = endpoints.identifier();
    if (out_->send({head, sizeof head, true}, true) != errc::none) return;
    (void)out_->send({reinterpret_cast<const std::byte*>(where.data()), where.size(), false}, true);
}

void monitor::send_v2(std::uint64_t event, const std::uint64_t* values, std::uint64_t count,
                      const engine::endpoint_pair& endpoints, const message::metadata* properties) noexcept
{
    if (!send_number(event) || !send_number(count)) return;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (!send_number(values[i])) return;
    }
    if (properties) {
        for (const auto& [name, value] : properties->all()) {
            if (!send_text(name, true) || !send_text(value, true)) return;
        }
    }
    if (send_text(endpoints.local, true)) (void)send_text(endpoints.remote, false);
}

void monitor::send_explained(std::uint64_t event, std::uint64_t value, const engine::endpoint_pair& endpoints,
                             std::string_view reason) noexcept
{
    if (!send_number(event) || !send_number(value)) return;
    for (const std::string_view text :
         {endpoints.as_written(), endpoints.peer_address(), endpoints.routing_id(), endpoints.user_id()}) {
        if (!send_text(text, true)) return;
    }
    (void)send_text(reason, false);
}

void monitor::report_peer(const message::metadata& properties, const engine::endpoint_pair& endpoints) noexcept
{
    constexpr auto event = std::uint64_t(engine::monitor_event::peer_properties);
    if (!(events_.load(std::memory_order_relaxed) & event)) return;
    const std::lock_guard lock(mutex_);
    if (out_ && form_ == form::version_2) send_v2(event, nullptr, 0, endpoints, &properties);
}

bool monitor::wants_queues() noexcept
{
    const std::lock_guard lock(mutex_);
    return out_ && form_ == form::version_2 && (events_.load(std::memory_order_relaxed) & event_pipes_stats);
}

errc monitor::report_queues(std::uint64_t outbound, std::uint64_t inbound,
                            const engine::endpoint_pair& endpoints) noexcept
{
    const std::lock_guard lock(mutex_);
    if (!out_ || form_ != form::version_2 || !(events_.load(std::memory_order_relaxed) & event_pipes_stats)) {
        return errc::invalid_argument;
    }
    const std::uint64_t values[2] = {outbound, inbound};
    send_v2(event_pipes_stats, values, 2, endpoints);
    return errc::none;
}

}  // namespace zlink::socket
