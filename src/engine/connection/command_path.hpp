// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Commands in both directions: it handles those of the peer (subscriptions, PING, controls of the framing). It passes
// PING, PONG and answers on to the writer.
//
// Threads: the worker's; see connection_heartbeat for the notes of a thread that reads.
#pragma once

#include "base/invariant.hpp"
#include "engine/connection/connection_heartbeat.hpp"
#include "engine/connection/connection_writer.hpp"
#include "engine/connection/pending_commands.hpp"
#include "engine/connection/traffic_context.hpp"
#include "wire/inbound.hpp"

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

namespace zlink::engine {

class body_sharing;

class command_path final : public wire::command_handler, private heartbeat_owner {
public:
    command_path(traffic_context& at, path_owner& owner);

    /// Sends PINGs, if the options ask for that and the peer knows them.
    void start_heartbeat() noexcept;
    void stop() noexcept { heartbeat_.stop(); }
    [[nodiscard]] connection_heartbeat& heartbeat() noexcept { return heartbeat_; }

    /// For the holder of the write token: hands the commands that wait here to the writer.
    void pass_on(connection_writer& to) noexcept
    {
        invariant([this] { return at_.worker_writes(); });
        if (waiting_) hand_to(to);
    }
    /// The same, after writing. `progress`: the stream has taken octets.
    void note_written(const connection_writer& writer, bool progress) noexcept
    {
        invariant([this] { return at_.worker_writes(); });
        if (waiting_) handed_over(writer, progress);
    }

    /// For the holder of the read token. Tells the socket, as a message: 1 or 0, then the topic. False: memory is short,
    /// or a message is under way.
    [[nodiscard]] bool deliver_subscription(bool subscribe, std::span<const std::byte> topic) noexcept;
    /// A command could not be taken in for want of memory: the peer is not to blame.
    [[nodiscard]] bool out_of_memory() const noexcept { return out_of_memory_; }

    /// Commands of names that begin with shm::name_prefix go there. Null: they are unknown.
    void share_bodies(body_sharing* with) noexcept { sharing_ = with; }
    /// A command about shared memory waits.
    void note_exchange() noexcept;

    // wire::command_handler
    [[nodiscard]] bool on_command(std::span<const std::byte> body) noexcept override;
    [[nodiscard]] bool on_ping(std::span<const std::byte> payload) noexcept override;
    [[nodiscard]] bool on_close(std::span<const std::byte> code) noexcept override;

private:
    // heartbeat_owner
    void send_ping(std::span<const std::byte> frame) noexcept override;
    [[nodiscard]] bool has_unread_octets() noexcept override;
    void on_silence() noexcept override { owner_.on_silence(); }

    void note_answer() noexcept;
    [[nodiscard]] bool answer_ping(std::span<const std::byte> data) noexcept;
    [[nodiscard]] bool put_control(std::string_view name, std::span<const std::byte> payload) noexcept;
    void begin_wait() noexcept;
    void hand_to(connection_writer& to) noexcept;
    void handed_over(const connection_writer& writer, bool progress) noexcept;

    traffic_context& at_;
    path_owner& owner_;
    connection_heartbeat heartbeat_;
    body_sharing* sharing_ = nullptr;
    pending_commands out_;  ///< on their way to the writer
    bool waiting_ = false;  ///< some commands are here or in the writer, until the peer takes octets
    bool out_of_memory_ = false;
    std::chrono::steady_clock::time_point waiting_since_{};
};

}  // namespace zlink::engine
