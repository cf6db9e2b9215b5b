// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The second phase of a connection: messages between the stream and a pipe, commands, heartbeats, until either side
// ends. Runs the paths: each does one thing and returns the outcome, and the phase decides the next step.
//
// Threads: the worker's; see inline_path for the actions of an application's thread.
#pragma once

#include "engine/connection/body_sharing.hpp"
#include "engine/connection/command_path.hpp"
#include "engine/connection/inline_path.hpp"
#include "engine/connection/lease.hpp"
#include "engine/connection/receive_path.hpp"
#include "engine/connection/send_path.hpp"
#include "engine/connection/traffic_context.hpp"
#include "zmtp/mechanism/sealing.hpp"
#include "zmtp/peer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace zlink::engine {

/// The connection, as its traffic sees it.
class traffic_owner {
public:
    /// It is over, and has to be stopped now; it is destroyed only once the calls on the stack have returned.
    /// `reason`: in words; empty: this side has ended it.
    virtual void on_traffic_over(ending why, std::string_view reason) noexcept = 0;
    /// After stop(): an application has given a token back, release() may succeed now.
    virtual void on_token_back() noexcept = 0;

protected:
    ~traffic_owner() = default;
};

class traffic_phase final : private pipe::pipe_client, private path_owner {
public:
    /// `sealing`: the parts that the handshake's mechanism has left for the traffic. May throw std::bad_alloc.
    traffic_phase(io_worker& worker, traffic_owner& owner, const host_ref& host, const endpoint_pair& endpoints,
                  const session_options& options, transport::stream& stream, const framing& frames,
                  descriptor_interest& interest, zmtp::protocol_version version, zmtp::sealing sealing = {});

    /// Large bodies go by way of shared memory. Before begin(). May throw std::bad_alloc.
    void share_bodies();

    /// The octets that the handshake left: those to send first, those already read. Before begin(). False: memory is
    /// short.
    [[nodiscard]] bool take_over(std::span<const std::byte> to_send, std::span<const std::byte> unread) noexcept;

    /// The message that goes out before all others. Before begin(). False: memory is short.
    [[nodiscard]] bool greet(std::span<const std::byte> message) noexcept;

    /// Serves `end` from now on, as its client until release(). The former client is told of an event that is not
    /// traffic's: that the socket has closed the pipe. `wants_all`: the peer of a publisher sends no subscriptions, so
    /// it gets everything.
    void begin(pipe::pipe_end& end, bool wants_all) noexcept;

    void on_ready(std::uint32_t events) noexcept;

    /// Ends once everything in the outbound lane is written.
    void drain() noexcept;

    /// It is over: from now on only applications that hold a token read or write.
    void stop() noexcept;
    /// After stop(): says that this side closes the connection, if the peer's protocol has words for that; gives the
    /// pipe back, whole messages only. False: an application is still inside; call again on
    /// traffic_owner::on_token_back().
    [[nodiscard]] bool release(ending why) noexcept;

private:
    // pipe_client
    void on_pipe_events(std::uint32_t events) noexcept override;
    // path_owner
    void on_output() noexcept override { (void)write(); }
    void on_silence() noexcept override
    {
        over(ending::timed_out, "the peer did not answer a heartbeat in time (ZMQ_HEARTBEAT_TIMEOUT)");
    }
    void on_pause_over() noexcept override;
    [[nodiscard]] bool write_held() noexcept override { return write(); }
    [[nodiscard]] bool read_parked() noexcept override { return read(); }

    // False: the traffic is over
    [[nodiscard]] bool write() noexcept { return after(send_.write(commands_)); }
    [[nodiscard]] bool go_on_writing() noexcept { return after(send_.go_on(commands_)); }
    [[nodiscard]] bool read() noexcept;
    [[nodiscard]] bool after(send_path::outcome what) noexcept;
    [[nodiscard]] bool take_up_marks(bool changed) noexcept;

    void over(ending why, std::string_view reason) noexcept { owner_.on_traffic_over(why, reason); }
    void failed_reading() noexcept;
    void say_close(ending why) noexcept;

    traffic_context at_;
    traffic_owner& owner_;
    pipe::pipe_client* former_client_ = nullptr;  ///< of the pipe's end: the session
    std::size_t greeting_octets_ = 0;             ///< of the message that goes out first; 0: none
    bool peer_closes_ = false;                    ///< the peer had said so when the traffic was stopped
    command_path commands_;
    send_path send_;
    receive_path receive_;
    std::unique_ptr<body_sharing> sharing_;  ///< null: no memory is shared
    inline_path inline_;
    lease lease_;
};

}  // namespace zlink::engine
