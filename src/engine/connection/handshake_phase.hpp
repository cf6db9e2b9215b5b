// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The first phase of a connection: moves the octets of its framing's handshake through a stream, and tells the monitor
// why it failed. Worker's thread.
#pragma once

#include "engine/connection/descriptor_interest.hpp"
#include "engine/connection/framing.hpp"
#include "engine/ending.hpp"
#include "engine/session_host.hpp"
#include "engine/session_options.hpp"
#include "runtime/deadline_timer.hpp"
#include "transport/stream.hpp"
#include "zmtp/handshake.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::engine {

class handshake_phase {
public:
    enum class outcome : std::uint8_t {
        in_progress,  ///< interest is set
        done,         ///< peer(), output() and unread() are for the traffic
        failed,       ///< reported; ended() says how
    };

    /// `frames`: one that has a handshake. May throw std::bad_alloc.
    handshake_phase(const framing& frames, const session_options& options, const host_ref& host,
                    const endpoint_pair& endpoints, transport::stream& stream, descriptor_interest& interest,
                    runtime::event_loop& loop);

    /// Sends and reads as much as it can.
    [[nodiscard]] outcome start() noexcept;
    [[nodiscard]] outcome on_ready(std::uint32_t events) noexcept;

    /// The question for the ZAP handler, or null; see zmtp::handshake.
    [[nodiscard]] const zmtp::zap_request* question() const noexcept { return machine().question(); }
    /// The handler's answer.
    [[nodiscard]] outcome resume(const zmtp::mechanism_event& event) noexcept;

    /// In progress: this side closes the connection now.
    void say_close() noexcept { say_close(wire::close_reason::finished); }

    /// How long the phase may take (ZMQ_HANDSHAKE_IVL); set by the connection.
    runtime::deadline_timer limit;

    [[nodiscard]] ending ended() const noexcept { return ending_; }
    /// After failed: why, in words.
    [[nodiscard]] std::string_view reason() const noexcept { return reason_; }

    // After done
    [[nodiscard]] zmtp::remote_peer& peer() noexcept { return machine().remote(); }
    /// Once: the mechanism's parts that seal and open the traffic. May throw std::bad_alloc.
    [[nodiscard]] zmtp::sealing take_sealing() { return machine().take_sealing(); }
    /// Octets to send before any traffic.
    [[nodiscard]] std::span<const std::byte> output() noexcept { return carried_->output(); }
    void consume_output(std::size_t n) noexcept { carried_->consume_output(n); }
    /// There was no memory for octets that had to go out: there is no output, though not all has gone.
    [[nodiscard]] bool broken() const noexcept { return carried_->failure().what == carrier_failure::kind::broken; }
    /// Octets that were read beyond the handshake, whichever call ended it.
    [[nodiscard]] std::span<const std::byte> unread() const noexcept { return unread_; }

private:
    [[nodiscard]] zmtp::handshake& machine() const noexcept { return carried_->machine(); }
    [[nodiscard]] bool write() noexcept;
    void write_own() noexcept;
    void wait_to_write() noexcept;
    outcome read() noexcept;
    void say_close(wire::close_reason why) noexcept;
    [[nodiscard]] bool ask_about_certificate() noexcept;
    outcome keep_begun_traffic() noexcept;
    outcome fail() noexcept;
    outcome fail_lost(errc why) noexcept;
    void report(monitor_event event, std::uint64_t value) noexcept;
    void explain(std::string_view words) noexcept;
    void explain(zmtp::handshake_error error) noexcept;

    const framing& frames_;
    const std::unique_ptr<framed_handshake> carried_;
    const host_ref& host_;
    const endpoint_pair& endpoints_;
    transport::stream& stream_;
    descriptor_interest& interest_;
    const zmtp::mechanism_kind mechanism_;
    const bool as_server_;
    ending ending_ = ending::lost;
    bool asks_about_certificate_;         ///< the handler is to be asked about the certificate, which is not known yet
    std::array<std::byte, 4 * 1024> in_;  ///< each connection in its handshake has one
    std::span<const std::byte> unread_;   ///< of in_, begun_ or carried_
    std::vector<std::byte> begun_;
    std::string reason_;
};

}  // namespace zlink::engine
