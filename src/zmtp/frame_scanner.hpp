// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Walks ZMTP 3.x frames in bytes that came from a peer (RFC 37 section 2.3) without copying. It checks bounds, reserved
// bits and limits, counts messages, and stops if the caller has to act. The hot loop of every connection's reader.
#pragma once

#include "message/frame_header.hpp"

#include <cstddef>
#include <cstdint>

namespace zlink::zmtp {

class frame_scanner {
public:
    enum class stop : std::uint8_t {
        end,             ///< no octet is left over
        partial_header,  ///< the next frame's header is not complete
        partial_body,    ///< `header` is complete, its body is not
        command,         ///< `header` is a command's, complete with its body
        reserved_bits,   ///< error: flags with reserved bits, or a command with MORE
        too_long,        ///< error: body beyond the limit, or of 2^63 octets or more
    };

    struct outcome {
        const std::byte* frames_end;    ///< behind the last complete data frame
        const std::byte* messages_end;  ///< behind the last frame that ended a message; null: no message ended
        std::uint32_t messages = 0;     ///< that ended
        stop why = stop::end;
        message::frame_header header{};  ///< of the frame at frames_end, if `why` says so
    };

    /// -1: no limit. Octets in the body of one frame, as ZMQ_MAXMSGSIZE.
    explicit frame_scanner(std::int64_t max_frame_size) noexcept
        : max_frame_size_(max_frame_size < 0 ? largest_frame : std::uint64_t(max_frame_size))
    {}

    [[nodiscard]] std::uint64_t max_frame_size() const noexcept { return max_frame_size_; }

    [[nodiscard]] outcome scan(const std::byte* begin, const std::byte* end) const noexcept
    {
        outcome out{begin, nullptr, 0, stop::end, {}};
        const std::byte* at = begin;
        while (at != end) {
            const auto flags = std::uint8_t(*at);
            // Frames of up to 255 octets without command or reserved bits: almost all frames are such.
            if (flags <= message::flag_more && end - at >= std::ptrdiff_t(message::short_header_size)) [[likely]] {
                const auto size = std::uint8_t(at[1]);
                if (size > max_frame_size_) [[unlikely]]
                    return finish(out, stop::too_long, at);
                if (end - at < std::ptrdiff_t(message::short_header_size + size)) {
                    return finish(out, stop::partial_body, at);
                }
                at += message::short_header_size + size;
            } else {
                const stop why = check(at, end, flags);
                if (why != stop::end) return finish(out, why, at);
                at += message::long_header_size + load_be64(at + 1);
            }
            out.frames_end = at;
            if (!(flags & message::flag_more)) {
                out.messages_end = at;
                ++out.messages;
            }
        }
        return out;
    }

private:
    static constexpr std::uint64_t largest_frame = (std::uint64_t{1} << 63) - 1;

    // Handles all cases except a complete short data frame; stop::end for a complete long data frame.
    [[nodiscard]] stop check(const std::byte* at, const std::byte* end, std::uint8_t flags) const noexcept
    {
        if (flags & message::flags_reserved) return stop::reserved_bits;
        if ((flags & message::flag_command) && (flags & message::flag_more)) return stop::reserved_bits;
        const std::size_t header = flags & message::flag_long ? message::long_header_size : message::short_header_size;
        const auto there = std::size_t(end - at);
        if (there < header) return stop::partial_header;
        const std::uint64_t size = message::decode_header(at).body_size;
        if (size > largest_frame || size > max_frame_size_) return stop::too_long;
        if (there - header < size) return stop::partial_body;
        return flags & message::flag_command ? stop::command : stop::end;
    }

    static outcome finish(outcome& out, stop why, const std::byte* at) noexcept
    {
        out.why = why;
        if (why == stop::partial_body || why == stop::command) out.header = message::decode_header(at);
        return out;
    }

    std::uint64_t max_frame_size_;
};

}  // namespace zlink::zmtp
