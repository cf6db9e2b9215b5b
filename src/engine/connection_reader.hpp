// The reading half of a connection: reads of its stream into chunks and large bodies, the scan, and the
// hand-over of spans to the inbound lane. Used by whoever holds the connection's read token; knows no event loop.
#pragma once

#include "base/errc.hpp"
#include "engine/large_body.hpp"
#include "engine/receive_arena.hpp"
#include "pipe/lane_writer.hpp"
#include "transport/stream.hpp"
#include "wire/frame_decoder.hpp"
#include "zmtp/frame_scanner.hpp"

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace zlink::engine {

/// Acts on command frames in the stream; I/O thread only.
class command_handler {
public:
    /// `body` of one command. False: the connection is over (the handler knows why).
    [[nodiscard]] virtual bool on_command(std::span<const std::byte> body) noexcept = 0;

protected:
    ~command_handler() = default;
};

class connection_reader {
public:
    enum class outcome : std::uint8_t {
        more,       ///< a full read: there may be more
        drained,    ///< the stream has no more now
        hand_over,  ///< a command waits for the I/O thread (only without a command_handler)
        closed,     ///< end of stream
        failed,     ///< error() says why
    };

    /// `how`: null for ZMTP 2.0 and 3.x, whose frames lie in the lane as they come.
    connection_reader(std::unique_ptr<wire::frame_decoder> how, std::int64_t max_msg_size, std::size_t in_batch,
                      std::size_t large_from, std::size_t max_transfer) noexcept;

    /// One read (none if octets are left over from a hand-over or from the handshake), its messages published into
    /// `lane`. Without `commands` it stops at the first command, which is kept. The lane has room.
    [[nodiscard]] outcome read_once(transport::stream& from, receive_arena& arena, pipe::lane_writer& lane,
                                    command_handler* commands) noexcept;

    /// Octets that were read past the handshake; before the first read_once().
    [[nodiscard]] bool feed(std::span<const std::byte> octets) noexcept;

    /// Why it failed: message_too_long, protocol_error (reserved bits, bad or endless command), out_of_memory, or the system's.
    [[nodiscard]] errc error() const noexcept { return error_; }

    /// The last read took all it could.
    [[nodiscard]] bool has_more() const noexcept { return full_; }

    /// That came from the stream; any change means that the peer has sent some.
    [[nodiscard]] std::uint64_t octets_read() const noexcept { return octets_read_; }

    /// Octets wait to be looked at: call read_once() even if nothing is reported.
    [[nodiscard]] bool has_unread() const noexcept { return unread_; }

private:
    outcome read_decoded(transport::stream& from, pipe::lane_writer& lane) noexcept;
    outcome collect(transport::stream& from, receive_arena& arena, pipe::lane_writer& lane,
                    command_handler* commands) noexcept;
    outcome fill_large(transport::stream& from, receive_arena& arena, pipe::lane_writer& lane,
                       command_handler* commands) noexcept;
    outcome process(std::byte* begin, std::byte* end, receive_arena& arena, pipe::lane_writer& lane,
                    command_handler* commands) noexcept;
    bool hand_over(std::byte* begin, const zmtp::frame_scanner::outcome& found, receive_arena& arena,
                   pipe::lane_writer& lane, const std::byte* in_use) noexcept;
    bool deliver_large(receive_arena& arena, pipe::lane_writer& lane) noexcept;
    bool keep(const std::byte* begin, const std::byte* end) noexcept;
    outcome fail(errc why) noexcept;
    outcome read_into(transport::stream& from, const iovec* to, int count, std::size_t& got) noexcept;
    std::size_t read_size(pipe::lane_writer& lane) const noexcept;
    void learn(std::size_t wanted, std::size_t got) noexcept;

    std::unique_ptr<wire::frame_decoder> decoder_;
    zmtp::frame_scanner scanner_;
    large_body large_;
    std::vector<std::byte> kept_;  ///< an incomplete frame, or what a hand-over left
    std::size_t missing_ = 0;      ///< of the frame in kept_, where that is known
    bool collects_ = false;        ///< reads go to kept_ until the frame is whole
    bool full_ = false;            ///< see has_more()
    bool unread_ = false;          ///< kept_ may hold whole frames
    errc error_ = errc::none;
    std::size_t next_read_;
    std::size_t largest_read_;
    std::size_t large_from_;
    std::size_t max_transfer_;  ///< octets per read, at most; 0: no cap
    std::uint64_t octets_read_ = 0;
    std::size_t octets_per_message_ = 64;  ///< running estimate, for reads that must not overshoot the high-water mark
};

}  // namespace zlink::engine
