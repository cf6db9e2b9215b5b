// The writing half of a connection: gathers spans of the outbound lane into few, full system calls. Peers that need
// another encoding (SUBSCRIBE commands, ZMTP 1.0, raw sockets) are transcoded into a staging buffer; plain peers pay
// nothing for that. Used by whoever holds the connection's write token; knows no event loop.
#pragma once

#include "base/errc.hpp"
#include "engine/waiting_commands.hpp"
#include "pipe/lane_reader.hpp"
#include "zmtp/peer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zlink::engine {

/// How frames of the lane go on the wire.
enum class encoding : std::uint8_t {
    plain,          ///< as they lie in the lane: ZMTP 2.0 and 3.x
    subscriptions,  ///< plain, but messages of SUB and XSUB that are subscriptions become commands (3.1)
    zmtp_1_0,
    raw,  ///< bodies alone: STREAM and raw ROUTER
};

class connection_writer {
public:
    enum class outcome : std::uint8_t {
        idle,     ///< nothing left to write
        more,     ///< one batch is written, there may be more
        blocked,  ///< the kernel takes no more now
        failed,   ///< error() says why
    };

    struct limits {
        std::size_t out_batch;
        std::size_t out_batch_small;
        std::size_t max_transfer;
    };

    connection_writer(encoding how, const limits& l) noexcept : encoding_(how), limits_(l) {}

    /// One system call at most. `credit` becomes true when the lane's writer has to be told of new room.
    [[nodiscard]] outcome write_once(int fd, pipe::lane_reader& lane, bool& credit) noexcept;

    /// Octets to send before anything else: what the handshake left.
    [[nodiscard]] bool send_first(std::span<const std::byte> octets) noexcept { return append(staged_, octets); }
    /// Then, before what the lane has: a message of one frame.
    [[nodiscard]] bool send_first_message(std::span<const std::byte> body) noexcept;
    /// Takes them over, to go out between two messages; those that wait already give way to newer ones of their kind. What
    /// is written until then ends with the next message; or, if they are `urgent`, with the next frame.
    void send_commands(waiting_commands& newer, bool urgent) noexcept
    {
        commands_.take(newer);
        before_commands_ = urgent ? pipe::lane_reader::boundary::frame : pipe::lane_reader::boundary::message;
    }
    [[nodiscard]] bool has_commands() const noexcept { return !commands_.empty(); }
    /// None waits, and what was staged with the last ones is written.
    [[nodiscard]] bool commands_written() const noexcept { return commands_.empty() && sent_ == staged_.size(); }

    /// Octets that the kernel has taken; any change means that it took some.
    [[nodiscard]] std::uint64_t octets_written() const noexcept { return octets_written_; }

    /// Part of a batch or of a command is written, the rest is not.
    [[nodiscard]] bool in_the_middle() const noexcept { return sent_ != staged_.size() || !at_boundary_; }

    /// The last batch had a large body.
    [[nodiscard]] bool wrote_large() const noexcept { return wrote_large_; }

    /// Whether no other message was in what was taken from the lane last (encoding::subscriptions).
    [[nodiscard]] bool only_subscriptions_lately() const noexcept { return only_subscriptions_; }

    [[nodiscard]] encoding how() const noexcept { return encoding_; }
    [[nodiscard]] errc error() const noexcept { return error_; }

private:
    static bool append(std::vector<std::byte>& to, std::span<const std::byte> octets) noexcept;
    [[nodiscard]] bool may_send_commands(const pipe::lane_reader& lane) noexcept;
    [[nodiscard]] bool stage_commands() noexcept;
    outcome write_staged(int fd) noexcept;
    outcome write_lane(int fd, pipe::lane_reader& lane, bool& credit) noexcept;
    bool transcode(pipe::lane_reader& lane, bool& credit);
    void transcode_frame(std::span<const std::byte> body, bool more, bool first);
    outcome fail(errc why) noexcept;

    encoding encoding_;
    limits limits_;
    std::vector<std::byte> staged_;  ///< sent before the lane goes on
    std::size_t sent_ = 0;           ///< of staged_
    waiting_commands commands_;      ///< for the next boundary
    pipe::lane_reader::boundary before_commands_ = pipe::lane_reader::boundary::message;  ///< which one that is
    std::size_t to_boundary_ = 0;  ///< octets of the lane that go before the commands; 0: none wait
    std::uint64_t octets_written_ = 0;
    bool at_boundary_ = true;
    bool wrote_large_ = false;
    bool mid_message_ = false;  ///< transcoding: the next frame is not the first of its message
    bool only_subscriptions_ = encoding_ == encoding::subscriptions;
    errc error_ = errc::none;
};

}  // namespace zlink::engine
