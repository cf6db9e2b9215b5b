// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The reading half of a connection: one read of its stream at a time, into the place that the wire names. Used by the
// thread that holds the connection's read token; knows no event loop.
#pragma once

#include "base/errc.hpp"
#include "base/own_number.hpp"
#include "pipe/lane_writer.hpp"
#include "transport/stream.hpp"
#include "wire/inbound.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace zlink::engine {

class connection_reader {
public:
    enum class outcome : std::uint8_t {
        more,       ///< there may be more
        drained,    ///< the stream has no more now
        hand_over,  ///< a command waits for the I/O thread (only without a command_handler)
        closed,     ///< end of stream
        failed,     ///< error() says why
    };

    explicit connection_reader(std::unique_ptr<wire::inbound> how) noexcept : wire_(std::move(how)) {}

    /// One read, whose messages are published into `lane`. If octets are left over from a hand-over or from the
    /// handshake, nothing is read. A second read may fetch the rest of a large body. Without `commands` it stops at the
    /// first command, which is kept. The lane has room.
    [[nodiscard]] outcome read_once(transport::stream& from, wire::receive_arena& arena, pipe::lane_writer& lane,
                                    wire::command_handler* commands) noexcept;

    /// Octets that were read past the handshake; before the first read_once().
    [[nodiscard]] bool feed(std::span<const std::byte> octets) noexcept { return wire_->feed(octets); }

    /// Before the first read_once(): large bodies may come by way of shared memory, which is there for every
    /// read_once().
    void share_bodies(shm::receiving_arena& arena) noexcept { wire_->share_bodies(&arena); }

    /// Calls of the stream's read are counted there, in addition to what it has. Before the first read_once().
    void count_in(own_number& calls) noexcept { calls_ = &calls; }

    /// Why it failed: message_too_long, protocol_error (reserved bits, bad or endless command), out_of_memory, or an
    /// error of the system.
    [[nodiscard]] errc error() const noexcept { return error_; }
    /// The reason of a protocol_error for monitors, if the wire knows more; else none.
    [[nodiscard]] zmtp::handshake_error reason() const noexcept { return wire_->reason(); }
    /// The reason that the peer is told then, if its framing has words for it.
    [[nodiscard]] wire::close_reason told_to_peer() const noexcept { return wire_->told_to_peer(); }

    /// The last read took all it could.
    [[nodiscard]] bool has_more() const noexcept { return full_; }

    /// Octets that came from the stream; any change means that the peer has sent some.
    [[nodiscard]] std::uint64_t octets_read() const noexcept { return octets_read_; }

    /// Octets wait to be looked at: call read_once() even if nothing is reported.
    [[nodiscard]] bool has_unread() const noexcept { return wire_->has_unread(); }

private:
    outcome fail(errc why) noexcept;
    outcome read_into(transport::stream& from, const iovec* to, int count, std::size_t& got) noexcept;

    std::unique_ptr<wire::inbound> wire_;
    own_number* calls_ = nullptr;
    std::uint64_t octets_read_ = 0;
    bool full_ = false;  ///< see has_more()
    errc error_ = errc::none;
};

}  // namespace zlink::engine
