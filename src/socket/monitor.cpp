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

errc monitor::start(std::string_view endpoint, std::uint64_t events, int version, int type)
{
    if (version != 1 && version != 2) return errc::invalid_argument;
    if (version == 1 && events >> 16 != 0) return errc::invalid_argument;
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
    version_ = version;
    events_.store(events, std::memory_order_relaxed);
    return errc::none;
}

void monitor::stop() noexcept
{
    report(engine::monitor_event::monitor_stopped, 0, {});
    socket* out = nullptr;
    {
        const std::lock_guard lock(mutex_);
        events_.store(0, std::memory_order_relaxed);
        out = std::exchange(out_, nullptr);
    }
    if (out) out->close();
}

void monitor::send(std::uint64_t event, std::uint64_t value, const engine::endpoint_pair& endpoints) noexcept
{
    const std::lock_guard lock(mutex_);
    if (!out_) return;
    if (version_ == 1) {
        send_v1(event, value, endpoints);
    } else {
        send_v2(event, &value, 1, endpoints);
    }
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
    const auto number = [this](std::uint64_t n) {
        return out_->send({reinterpret_cast<const std::byte*>(&n), sizeof n, true}, true) == errc::none;
    };
    const auto text = [this](const std::string& s, bool more) {
        return out_->send({reinterpret_cast<const std::byte*>(s.data()), s.size(), more}, true) == errc::none;
    };
    if (!number(event) || !number(count)) return;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (!number(values[i])) return;
    }
    if (properties) {
        for (const auto& [name, value] : properties->all()) {
            if (!text(name, true) || !text(value, true)) return;
        }
    }
    if (text(endpoints.local, true)) (void)text(endpoints.remote, false);
}

void monitor::report_peer(const message::metadata& properties, const engine::endpoint_pair& endpoints) noexcept
{
    constexpr auto event = std::uint64_t(engine::monitor_event::peer_properties);
    if (!(events_.load(std::memory_order_relaxed) & event)) return;
    const std::lock_guard lock(mutex_);
    if (out_ && version_ == 2) send_v2(event, nullptr, 0, endpoints, &properties);
}

bool monitor::wants_queues() noexcept
{
    const std::lock_guard lock(mutex_);
    return out_ && version_ == 2 && (events_.load(std::memory_order_relaxed) & event_pipes_stats);
}

errc monitor::report_queues(std::uint64_t outbound, std::uint64_t inbound,
                            const engine::endpoint_pair& endpoints) noexcept
{
    const std::lock_guard lock(mutex_);
    if (!out_ || version_ != 2 || !(events_.load(std::memory_order_relaxed) & event_pipes_stats)) {
        return errc::invalid_argument;
    }
    const std::uint64_t values[2] = {outbound, inbound};
    send_v2(event_pipes_stats, values, 2, endpoints);
    return errc::none;
}

}  // namespace zlink::socket
