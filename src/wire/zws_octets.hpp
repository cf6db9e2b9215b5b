// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames as they go out over WebSocket (RFC 45): header and flags before a body, which a client masks. Includes the
// commands of heartbeats, which have frames of their own in WebSocket. The header of such a frame is written only here.
#pragma once

#include "zws/frame.hpp"
#include "zws/mask_source.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace zlink::wire {

class frame_encoder;

struct begun_zws_frame {
    std::byte* body;  ///< the place of the octets that follow
    zws::mask key;    ///< the mask of those octets; 0: they are not masked
};

/// Writes the header of a whole frame. `client`: this side masks. `masks`: this thread's.
[[nodiscard]] inline begun_zws_frame begin_zws_frame(std::byte* at, bool client, zws::opcode what,
                                                     std::uint64_t payload, zws::mask_source& masks) noexcept
{
    if (!client) return {at + zws::encode_header(at, what, payload, nullptr), 0};
    const zws::mask key = masks.next();
    return {at + zws::encode_header(at, what, payload, &key), key};
}

/// The same for a frame of ZeroMQ, with its flags, as far as its body. `flags`: zws::zws_flags.
[[nodiscard]] inline begun_zws_frame begin_zws_message(std::byte* at, bool client, std::uint8_t flags,
                                                       std::uint64_t body, zws::mask_source& masks) noexcept
{
    const begun_zws_frame begun = begin_zws_frame(at, client, zws::opcode::binary, body + 1, masks);
    *begun.body = std::byte(flags) ^ reinterpret_cast<const std::byte*>(&begun.key)[0];
    return {begun.body + 1, zws::mask_behind(begun.key, 1)};
}

/// Octets that begin_zws_message() writes: header, mask, flags.
[[nodiscard]] constexpr std::size_t zws_header_size(bool client, std::uint64_t body) noexcept
{
    return zws::header_size(body + 1, client) + 1;
}

/// Masks, in place, the body of a client's frame that begin_zws_message() has begun.
inline void mask_zws_body(std::byte* body, std::size_t size) noexcept
{
    zws::mask key = 0;
    std::memcpy(&key, body - 1 - sizeof key, sizeof key);
    zws::copy_masked(body, body, size, zws::mask_behind(key, 1));
}

/// Appends a whole frame; the payload is `first`, then `rest`. May throw std::bad_alloc: nothing has changed then.
void append_zws_frame(std::vector<std::byte>& to, bool client, zws::opcode what, std::span<const std::byte> first,
                      std::span<const std::byte> rest = {});

/// A message of WebSocket for each frame. May throw std::bad_alloc.
[[nodiscard]] std::unique_ptr<frame_encoder> make_zws_encoder(bool client);

/// Controls (wire/control_command.hpp), PING and PONG of ZMTP among them, become frames of WebSocket, in place. May
/// throw std::bad_alloc: nothing has changed then.
void make_zws_controls(std::vector<std::byte>& frames, bool client);

}  // namespace zlink::wire
