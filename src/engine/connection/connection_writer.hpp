// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The writing half of a connection: the wire forms batches from the outbound lane, and they go out in few, full writes.
// Commands go out between messages. Used by the thread that holds the connection's write token; knows no event loop.
#pragma once

#include "base/errc.hpp"
#include "base/own_number.hpp"
#include "engine/connection/exchange_queue.hpp"
#include "engine/connection/pending_commands.hpp"
#include "pipe/lane_reader.hpp"
#include "transport/stream.hpp"
#include "wire/outbound.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace zlink::engine {

class connection_writer {
public:
    enum class outcome : std::uint8_t {
        idle,     ///< nothing left to write
        more,     ///< one batch is written, there may be more
        blocked,  ///< the stream takes no more now
        failed,   ///< error() says why
    };

    struct limits {
        wire::outbound::limits batch;
        std::size_t max_transfer;  ///< octets per write, at most; 0: no cap
    };

    connection_writer(wire::outbound how, const limits& l) noexcept : wire_(std::move(how)), limits_(l) {}

    /// One write at most. It tells the lane's writer of new room; `credit` may owe the writer more of it afterwards.
    [[nodiscard]] outcome write_once(transport::stream& to, pipe::lane_reader& lane,
                                     pipe::owed_credit& credit) noexcept;

    /// Before the first write_once(): large bodies go by way of shared memory, and commands about that are in
    /// `exchange`. All are there for every write_once(). May throw std::bad_alloc.
    void share_bodies(shm::sending_arena& arena, wire::segment_maker& maker, exchange_queue& exchange)
    {
        wire_.share_bodies(arena, maker);
        exchange_ = &exchange;
    }

    /// Calls of the stream's write are counted there, in addition to what it has. Before the first write_once().
    void count_in(own_number& calls) noexcept { calls_ = &calls; }

    /// Octets of the handshake, to send before anything else.
    [[nodiscard]] bool send_first(std::span<const std::byte> octets) noexcept;
    /// After that, and before the messages of the lane: a message of one frame.
    [[nodiscard]] bool send_first_message(std::span<const std::byte> body) noexcept;
    /// Takes the commands over, to go out between two messages; those that wait already give way to newer ones of their
    /// kind. Octets written until then end with the next message; or, if the commands are `urgent`, with the next
    /// frame.
    void send_commands(pending_commands& newer, bool urgent) noexcept
    {
        commands_.take(newer);
        before_commands_ = urgent ? pipe::lane_reader::boundary::frame : pipe::lane_reader::boundary::message;
    }
    [[nodiscard]] bool has_commands() const noexcept { return !commands_.empty(); }
    /// No command waits, and the octets that were put first, with the last commands, are written.
    [[nodiscard]] bool commands_written() const noexcept
    {
        return commands_.empty() && nothing_first() && !exchanges();
    }

    /// Octets that the stream has taken; any change means that it took some.
    [[nodiscard]] std::uint64_t octets_written() const noexcept { return octets_written_; }

    /// Part of a batch or of a command is written, the rest is not.
    [[nodiscard]] bool in_the_middle() const noexcept { return !nothing_first() || !wire_.at_boundary(); }

    /// No frame is written in part.
    [[nodiscard]] bool between_frames(const pipe::lane_reader& lane) const noexcept
    {
        return nothing_first() && wire_.octets_to(pipe::lane_reader::boundary::frame, lane) == 0;
    }

    /// The last batch had a large body.
    [[nodiscard]] bool wrote_large() const noexcept { return wrote_large_; }

    [[nodiscard]] errc error() const noexcept { return error_; }

private:
    /// Nothing goes out before the lane goes on.
    [[nodiscard]] bool nothing_first() const noexcept
    {
        return sent_ == first_.size() && !(exchange_ && exchange_->begun());
    }
    [[nodiscard]] bool exchanges() const noexcept { return exchange_ && !exchange_->empty(); }
    [[nodiscard]] bool put_commands_first() noexcept;
    outcome write_exchange(transport::stream& to) noexcept;
    outcome write_first(transport::stream& to) noexcept;
    outcome write_lane(transport::stream& to, pipe::lane_reader& lane, std::size_t to_boundary,
                       pipe::owed_credit& credit) noexcept;
    outcome write_pieces(transport::stream& to, const iovec* pieces, int count, std::size_t& written) noexcept;
    outcome note(const transport::io_outcome& come, std::size_t& written) noexcept;
    outcome fail(errc why) noexcept;

    wire::outbound wire_;
    limits limits_;
    std::vector<std::byte> first_;        ///< goes out before the lane goes on
    std::size_t sent_ = 0;                ///< of first_
    exchange_queue* exchange_ = nullptr;  ///< the next boundary's as well, behind first_; null: no memory is shared
    pending_commands commands_;           ///< for the next boundary
    /// the boundary that commands wait for
    pipe::lane_reader::boundary before_commands_ = pipe::lane_reader::boundary::message;
    own_number* calls_ = nullptr;
    std::uint64_t octets_written_ = 0;
    bool wrote_large_ = false;
    errc error_ = errc::none;
};

}  // namespace zlink::engine
