// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames as they go out over WebSocket (RFC 45): header and flags before a body, which a client masks; and the commands of
// heartbeats, which WebSocket has frames of its own for.
#pragma once

#include "zws/frame.hpp"
#include "zws/mask_source.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::wire {

/// What frames are on a stream.
enum class frame_form : std::uint8_t { zmtp, zws_client, zws_server };

/// Octets before a body: header, mask, flags.
[[nodiscard]] constexpr std::size_t zws_header_size(frame_form form, std::uint64_t body) noexcept
{
    return zws::header_size(body + 1, form == frame_form::zws_client) + 1;
}

struct begun_zws_frame {
    std::byte* body;  ///< where it goes
    zws::mask key;    ///< what it is masked with; 0: it is not
};

/// Writes what goes before a body. `flags`: zws::zws_flags. `masks`: this thread's.
[[nodiscard]] inline begun_zws_frame begin_zws_frame(std::byte* at, frame_form form, std::uint8_t flags,
                                                     std::uint64_t body, zws::mask_source& masks) noexcept
{
    if (form == frame_form::zws_server) {
        at += zws::encode_header(at, zws::opcode::binary, body + 1, nullptr);
        *at = std::byte(flags);
        return {at + 1, 0};
    }
    const zws::mask key = masks.next();
    at += zws::encode_header(at, zws::opcode::binary, body + 1, &key);
    *at = std::byte(flags) ^ reinterpret_cast<const std::byte*>(&key)[0];
    return {at + 1, zws::mask_behind(key, 1)};
}

/// Masks the body of a client's frame that begin_zws_frame() has begun, where it lies.
inline void mask_zws_body(std::byte* body, std::size_t size) noexcept
{
    zws::mask key = 0;
    std::memcpy(&key, body - 1 - sizeof key, sizeof key);
    zws::copy_masked(body, body, size, zws::mask_behind(key, 1));
}

/// Names of commands that are frames of WebSocket.
inline constexpr std::string_view zws_ping = "PING", zws_pong = "PONG", zws_close = "CLOSE";

/// Such a command, a whole frame in lane form. May throw std::bad_alloc.
[[nodiscard]] std::vector<std::byte> zws_control(std::string_view name, std::span<const std::byte> payload);
/// Whole frames in lane form, PING and PONG of ZMTP among them, become frames of WebSocket, in place. May throw std::bad_alloc:
/// nothing has changed then.
void make_zws_controls(std::vector<std::byte>& frames, frame_form form);

}  // namespace zlink::wire
