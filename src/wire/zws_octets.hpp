// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames as they go out over WebSocket (RFC 45): header and flags before a body, which a client masks. Includes the
// commands of heartbeats, which have frames of their own in WebSocket. The header of such a frame is written only here.
#pragma once

#include "wire/frame_form.hpp"
#include "zws/frame.hpp"
#include "zws/mask_source.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace zlink::wire {

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

/// Appends a whole frame; the payload is `first`, then `rest`. May throw std::bad_alloc: nothing has changed then.
void append_zws_frame(std::vector<std::byte>& to, bool client, zws::opcode what, std::span<const std::byte> first,
                      std::span<const std::byte> rest = {});

/// A message of WebSocket for each frame. Controls (wire/control_command.hpp), PING and PONG of ZMTP among them, are
/// frames of WebSocket.
[[nodiscard]] const foreign_form& zws_form(bool client) noexcept;
/// An encoder of that form. Subscriptions of a DISH become commands, as with make_group_encoder(). May throw
/// std::bad_alloc.
[[nodiscard]] std::unique_ptr<frame_encoder> make_zws_group_encoder(bool client);

}  // namespace zlink::wire
