// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The second phase of a connection: messages between the kernel and a pipe, commands, heartbeats, until either side
// ends. Written in four files: the course of things and writing here (connection_traffic.cpp), reading
// (traffic_reading.cpp), commands (traffic_commands.cpp), and what an application's thread does (traffic_inline.cpp).
//
// Threads: the worker's, but for the inline_io members, which an application thread calls while it holds the pipe's
// token.
#pragma once

#include "base/process_generation.hpp"
#include "engine/connection_heartbeat.hpp"
#include "engine/connection_reader.hpp"
#include "engine/connection_writer.hpp"
#include "engine/descriptor_interest.hpp"
#include "engine/ending.hpp"
#include "engine/io_worker.hpp"
#include "engine/session_host.hpp"
#include "engine/session_options.hpp"
#include "engine/waiting_commands.hpp"
#include "load/absence_looks.hpp"
#include "load/own_writes.hpp"
#include "load/read_easing.hpp"
#include "runtime/deadline_timer.hpp"
#include "runtime/yield_spin.hpp"
#include "transport/stream.hpp"
#include "zmtp/mechanism/sealing.hpp"
#include "zmtp/peer.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::engine {

/// The connection, as its traffic sees it.
class traffic_owner {
public:
    /// It is over, and has to be stopped now; it is destroyed only once the calls on the stack are back.
    virtual void on_traffic_over(ending why) noexcept = 0;
    /// After stop(): an application has given a token back, let_go() may succeed now.
    virtual void on_token_back() noexcept = 0;

protected:
    ~traffic_owner() = default;
};

class connection_traffic final : public pipe::inline_io,
                                 private pipe::pipe_client,
                                 private wire::command_handler,
                                 private heartbeat_owner {
public:
    /// `sealing`: what the handshake's mechanism has left for the traffic. May throw std::bad_alloc.
    connection_traffic(io_worker& worker, traffic_owner& owner, const host_ref& host, const endpoint_pair& endpoints,
                       const session_options& options, transport::stream& stream, descriptor_interest& interest,
                       zmtp::protocol_version version, zmtp::sealing sealing = {});

    /// What the handshake left: octets to send first, octets already read. Before begin(). False: memory is short.
    [[nodiscard]] bool take_over(std::span<const std::byte> to_send, std::span<const std::byte> unread) noexcept;

    /// The message that goes out before all others. Before begin(). False: memory is short.
    [[nodiscard]] bool greet(std::span<const std::byte> message) noexcept
    {
        return writer_.send_first_message(message);
    }

    /// Serves `end` from now on, as its client until let_go(); the one before is told of what is not traffic's: that the socket
    /// has closed the pipe. `wants_all`: a publisher whose peer sends no subscriptions, so it gets everything.
    void begin(pipe::pipe_end& end, bool wants_all) noexcept;

    void on_ready(std::uint32_t events) noexcept;

    /// Ends once everything in the outbound lane is written.
    void finish() noexcept;

    /// It is over: nothing is read or written from now on, but by applications that hold a token.
    void stop() noexcept;
    /// After stop(): says that this side closes the connection, if the peer's protocol has words for that; gives the pipe back, whole messages only. False: an application is still inside; call again on
    /// traffic_owner::on_token_back().
    [[nodiscard]] bool let_go(ending why) noexcept;

    // pipe::inline_io
    [[nodiscard]] write_outcome write_inline(bool held) noexcept override;
    [[nodiscard]] write_outcome write_large(bool may_wait) noexcept override;
    [[nodiscard]] read_outcome read_inline() noexcept override;
    [[nodiscard]] bool waits_for_io() const noexcept override { return reader_.has_unread(); }
    [[nodiscard]] bool has_more() const noexcept override { return reader_.has_more(); }
    void pause_reading() noexcept override;
    void resume_reading() noexcept override;
    [[nodiscard]] int descriptor() const noexcept override { return stream_.descriptor(); }
    [[nodiscard]] unsigned neighbours() const noexcept override
    {
        return unsigned(worker_.load.load(std::memory_order_relaxed));
    }

private:
    // pipe_client
    void on_pipe_events(std::uint32_t events) noexcept override;
    // command_handler
    [[nodiscard]] bool on_command(std::span<const std::byte> body) noexcept override;
    [[nodiscard]] bool on_ping(std::span<const std::byte> payload) noexcept override;
    [[nodiscard]] bool on_close(std::span<const std::byte> code) noexcept override;
    // heartbeat_owner
    void send_ping(std::span<const std::byte> frame) noexcept override;
    [[nodiscard]] bool has_unread_octets() noexcept override;
    void on_silence() noexcept override;

    [[nodiscard]] bool offers_inline_io() const noexcept;
    void start_heartbeat() noexcept;
    void over(ending why) noexcept { owner_.on_traffic_over(why); }

    void write() noexcept;
    void wait_to_write() noexcept;
    void go_on_writing() noexcept;
    void takes_on(bool does) noexcept;  ///< see pipe::taken_on
    void write_own_octets() noexcept;
    [[nodiscard]] bool drained_or_finishing() const noexcept { return finishing_ || end_->reader.closed(); }

    void read() noexcept;
    [[nodiscard]] bool unheard() noexcept;
    [[nodiscard]] bool rests_reading() noexcept;
    void want_reading() noexcept;
    void on_changed_marks() noexcept;
    void take_up_marks() noexcept;
    void failed_reading(connection_reader::outcome what) noexcept;
    /// Ends the connection for what the peer sent, and says so to monitors; for other errors it is just lost.
    /// `reason`: what they are told, if that is known.
    void refused(errc why, zmtp::handshake_error reason) noexcept;
    void say_close(ending why) noexcept;
    void tell_reader() noexcept;
    void note_pool() noexcept;

    [[nodiscard]] bool answer_ping(std::span<const std::byte> data) noexcept;
    [[nodiscard]] bool put_control(std::string_view name, std::span<const std::byte> payload) noexcept;
    void commands_come() noexcept;
    void pass_commands_on() noexcept;
    [[nodiscard]] bool deliver_subscription(bool subscribe, std::span<const std::byte> topic) noexcept;

    void begin_watching() noexcept;
    void watch_those_who_resumed() noexcept;
    void look_later() noexcept;
    void hold_no_more() noexcept;
    void on_look() noexcept;

    io_worker& worker_;
    traffic_owner& owner_;
    const host_ref& host_;
    const endpoint_pair& endpoints_;
    const session_options& options_;
    transport::stream& stream_;
    const bool wraps_;  ///< the stream may have octets of its own on either side of the descriptor
    descriptor_interest& interest_;
    zmtp::protocol_version version_;
    pipe::pipe_end* end_ = nullptr;               ///< the pipe served, from begin() on
    pipe::pipe_client* former_client_ = nullptr;  ///< of that end: the session

    connection_writer writer_;
    connection_reader reader_;
    waiting_commands commands_out_;  ///< on their way to the writer
    bool commands_wait_ = false;     ///< here or there, for the peer to take octets
    std::chrono::steady_clock::time_point commands_since_{};
    load::read_easing read_easing_;
    bool reading_rests_ = false;       ///< until the next look
    bool read_paused_ = false;         ///< the inbound lane is full
    bool refused_ = false;             ///< and stays so: nobody hears the peer
    bool write_blocked_ = false;       ///< the stream takes no more now
    std::uint64_t taken_over_ = 0;     ///< messages that write() has taken from the lane
    bool write_awaits_input_ = false;  ///< until something has been read
    unsigned undrained_turns_ = 0;     ///< in a row that left something in the kernel
    bool finishing_ = false;
    bool peer_closes_ = false;  ///< and waits to hear the same
    bool stopped_ = false;
    bool inbound_mark_changed_ = false;   ///< for whoever holds the read token to take up
    bool outbound_mark_changed_ = false;  ///< and the write token

    connection_heartbeat heartbeat_;
    load::absence_looks looks_;           ///< at an application that has left something for later
    runtime::deadline_timer look_timer_;  ///< whether that is back

    // Inline I/O, application side
    const std::uint64_t generation_ = process_generation();
    load::own_writes own_writes_;
    runtime::yield_spin wait_for_room_;  ///< in the kernel, for the rest of a large message
};

}  // namespace zlink::engine
