// Frames that a mechanism has sealed (RFC 26: each in a ZMTP frame of its own, whose body is a MESSAGE command). They are opened
// in place, all that have come together: the opened frames lie in lane form where the sealed ones were, and go to the lane as
// one span. What is opened is never opened again: frames that wait for another thread wait as they are then.
#pragma once

#include "wire/framed_inbound.hpp"
#include "zmtp/mechanism/sealing.hpp"

#include <memory>

namespace zlink::wire {

class sealed_inbound final : public framed_inbound<sealed_inbound> {
public:
    /// `l`: of opened frames. The sealed ones may be longer by what sealing adds.
    sealed_inbound(std::unique_ptr<zmtp::opener> how, const frame_limits& l) noexcept;

private:
    friend framed_inbound;

    /// A sealed frame in what has come.
    enum class presence : std::uint8_t { whole, no_header, no_body, bad };
    /// What opening has made of some octets: frames in lane form up to `opened`, from `rest` on others that are not whole.
    struct opening {
        std::byte* opened;
        std::byte* rest;
        presence next = presence::no_header;  ///< of what is at `rest`
        message::frame_header header{};       ///< its own, where that is whole
    };

    outcome take_large(const message::frame_header& h, message::buffer* body, octets behind, receive_arena& arena,
                       pipe::lane_writer& lane, command_handler* commands) noexcept;
    outcome process(octets there, receive_arena& arena, pipe::lane_writer& lane, command_handler* commands) noexcept;
    outcome deliver(octets opened, octets rest, receive_arena& arena, pipe::lane_writer& lane,
                    command_handler* commands) noexcept;
    outcome deliver_large_command(octets command, octets behind, command_handler* commands) noexcept;
    outcome keep_opened(octets opened, octets rest) noexcept;
    outcome keep_partial(octets there, const opening& found) noexcept;
    [[nodiscard]] opening open_all(octets sealed) noexcept;
    [[nodiscard]] std::size_t open(std::span<zmtp::frame_to_open> frames) noexcept;
    [[nodiscard]] presence look(octets at, message::frame_header& h) noexcept;
    void breaks(errc why, zmtp::handshake_error reason) noexcept;
    outcome failed() noexcept { return fail(broken_, broken_reason_); }

    std::unique_ptr<zmtp::opener> opener_;
    const std::size_t overhead_;
    std::uint64_t largest_sealed_;
    std::size_t opened_ = 0;  ///< octets that are in lane form, of those that the intake has kept
    /// What came behind all frames that are opened ends the connection.
    errc broken_ = errc::none;
    zmtp::handshake_error broken_reason_ = zmtp::handshake_error::none;
};

}  // namespace zlink::wire
