// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The form of whole frames on a stream: that of the lane, or messages of WebSocket (RFC 45). The classes that stage and
// seal frames ask here, and know neither form.
#pragma once

#include "message/frame_header.hpp"
#include "wire/frame_encoder.hpp"
#include "wire/zws_octets.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace zlink::wire {

enum class frame_form : std::uint8_t { zmtp, zws_client, zws_server };

/// Frames go out as they lie in the lane.
[[nodiscard]] constexpr bool is_lane_form(frame_form form) noexcept
{
    return form == frame_form::zmtp;
}

/// Octets before a body of that size.
[[nodiscard]] constexpr std::size_t header_size(frame_form form, std::uint64_t body) noexcept
{
    return is_lane_form(form) ? message::header_size(body) : zws_header_size(form == frame_form::zws_client, body);
}

/// Writes the octets before the body of a frame without flags; returns the place of the body.
[[nodiscard]] inline std::byte* begin_frame(std::byte* at, frame_form form, std::uint64_t body) noexcept
{
    if (is_lane_form(form)) return at + message::encode_header(at, 0, body);
    return begin_zws_message(at, form == frame_form::zws_client, 0, body, zws::mask_source::of_this_thread()).body;
}

/// Called once the body is there.
inline void finish_frame(std::byte* body, frame_form form, std::size_t size) noexcept
{
    if (form == frame_form::zws_client) mask_zws_body(body, size);
}

/// Null for the lane's own form. May throw std::bad_alloc.
[[nodiscard]] inline std::unique_ptr<frame_encoder> make_encoder(frame_form form)
{
    return is_lane_form(form) ? nullptr : make_zws_encoder(form == frame_form::zws_client);
}

/// Commands, which are whole frames in lane form, are changed to the form of the stream, in place. May throw
/// std::bad_alloc: nothing has changed then.
inline void encode_commands(std::vector<std::byte>& frames, frame_form form)
{
    if (!is_lane_form(form)) make_zws_controls(frames, form == frame_form::zws_client);
}

}  // namespace zlink::wire
