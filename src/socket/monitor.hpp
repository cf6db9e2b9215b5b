// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Publishes a socket's events through a PAIR, PUB or PUSH socket of the same context (zmq_socket_monitor). Events come
// from I/O threads and from the socket's own thread. If the listener is full or absent, it loses them; no thread
// blocks.
#pragma once

#include "base/errc.hpp"
#include "engine/session_host.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace zlink::socket {

class context;
class socket;

class monitor {
public:
    explicit monitor(context& owner) noexcept : context_(owner) {}
    ~monitor() { stop(); }
    monitor(const monitor&) = delete;
    monitor& operator=(const monitor&) = delete;

    /// The frames of events.
    enum class form : std::uint8_t {
        version_1,  ///< of zmq_socket_monitor(); 16 bits of events
        version_2,  ///< of zmq_socket_monitor_versioned()
        explained,  ///< of zlink_socket_monitor()
    };

    /// `type` is ZMQ_PAIR, ZMQ_PUB or ZMQ_PUSH. An earlier monitor is stopped.
    [[nodiscard]] errc start(std::string_view endpoint, std::uint64_t events, form frames, int type);
    /// Sends ZMQ_EVENT_MONITOR_STOPPED, if asked for, and closes.
    void stop() noexcept;

    /// Any thread.
    void report(engine::monitor_event event, std::uint64_t value, const engine::endpoint_pair& endpoints,
                std::string_view reason) noexcept
    {
        if (events_.load(std::memory_order_relaxed) & std::uint64_t(event))
            send(std::uint64_t(event), value, endpoints, reason);
    }
    /// An event of version 2. Its properties are in front of the endpoints, a frame each for name and value.
    void report_peer(const message::metadata& properties, const engine::endpoint_pair& endpoints) noexcept;
    [[nodiscard]] bool wants_queues() noexcept;
    /// zmq_socket_monitor_pipes_stats: an event of version 2 with two values.
    [[nodiscard]] errc report_queues(std::uint64_t outbound, std::uint64_t inbound,
                                     const engine::endpoint_pair& endpoints) noexcept;

private:
    void send(std::uint64_t event, std::uint64_t value, const engine::endpoint_pair& endpoints,
              std::string_view reason) noexcept;
    [[nodiscard]] bool send_number(std::uint64_t number) noexcept;
    [[nodiscard]] bool send_text(std::string_view text, bool more) noexcept;
    void send_v1(std::uint64_t event, std::uint64_t value, const engine::endpoint_pair& endpoints) noexcept;
    void send_v2(std::uint64_t event, const std::uint64_t* values, std::uint64_t count,
                 const engine::endpoint_pair& endpoints, const message::metadata* properties = nullptr) noexcept;
    void send_explained(std::uint64_t event, std::uint64_t value, const engine::endpoint_pair& endpoints,
                        std::string_view reason) noexcept;

    context& context_;
    std::atomic<std::uint64_t> events_{0};
    std::mutex mutex_;  ///< one publisher at a time; held for a few copies into a lane
    socket* out_ = nullptr;
    form form_ = form::version_1;
};

}  // namespace zlink::socket
