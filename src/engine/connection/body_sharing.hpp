// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Large bodies in memory that both processes have: for a connection whose peer has agreed to that in its handshake
// (docs/decisions/0031-shared-bodies.md). The exchange of segments runs on the worker, by commands of the connection.
//
// Threads: the worker's; segment_wanted() is the write token's holder.
#pragma once

#include "engine/connection/command_path.hpp"
#include "engine/connection/connection_reader.hpp"
#include "engine/connection/connection_writer.hpp"
#include "engine/connection/exchange_queue.hpp"
#include "engine/connection/traffic_context.hpp"
#include "runtime/deadline_timer.hpp"
#include "shm/exchange.hpp"
#include "wire/shared_frames.hpp"

namespace zlink::engine {

/// The property of READY by which both sides say that they can.
inline constexpr std::string_view shared_bodies_property = "X-zlink-shm";
inline constexpr std::string_view shared_bodies_version = "1";

/// This side can share bodies with whoever is at the other end of the stream.
[[nodiscard]] bool offers_shared_bodies(const session_options& options, const transport::stream& stream) noexcept;
/// And the peer has said that it can.
[[nodiscard]] bool agrees_on_shared_bodies(const session_options& options, const transport::stream& stream,
                                           const zmtp::remote_peer& peer) noexcept;

class body_sharing final : private shm::exchange_owner, private wire::segment_maker {
public:
    /// Of a stream that passes descriptors. May throw std::bad_alloc.
    body_sharing(traffic_context& at, command_path& commands, connection_writer& writer, connection_reader& reader);

    /// A segment is wanted (event_segment).
    void make_segment() noexcept;
    /// A command of the peer that begins with shm::name_prefix. False: the connection is over.
    [[nodiscard]] bool on_command(std::string_view name, std::span<const std::byte> data) noexcept
    {
        return exchange_.on_command(name, data);
    }
    [[nodiscard]] exchange_queue& queue() noexcept { return queue_; }
    void stop() noexcept
    {
        making_timer_.cancel();
        unused_timer_.cancel();
    }

private:
    // shm::exchange_owner
    [[nodiscard]] bool send_exchange(const shm::command& what, unique_fd descriptor) noexcept override;
    void expect_descriptors(bool expects) noexcept override { at_.stream.keep_descriptors(expects); }
    [[nodiscard]] unique_fd take_descriptor() noexcept override { return at_.stream.take_descriptor(); }
    // wire::segment_maker
    void segment_wanted() noexcept override { at_.end->notify(pipe::event_segment); }

    void look_later() noexcept;

    traffic_context& at_;
    command_path& commands_;
    exchange_queue queue_;
    shm::exchange exchange_;
    runtime::deadline_timer making_timer_;  ///< until the next step of a segment
    runtime::deadline_timer unused_timer_;  ///< while there are segments: until the next look for unused ones
    bool looks_ = false;                    ///< it is set
};

}  // namespace zlink::engine
