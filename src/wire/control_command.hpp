// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A framing may have frames of its own for pings, for their answers and for closing. Until staging encodes them they
// are commands in lane form, with these names.
#pragma once

#include "message/frame_header.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::wire {

inline constexpr std::string_view control_ping = "PING", control_pong = "PONG", control_close = "CLOSE";

/// Such a command, a whole frame in lane form. `payload`: at most 125 octets. May throw std::bad_alloc.
[[nodiscard]] inline std::vector<std::byte> control_command(std::string_view name, std::span<const std::byte> payload)
{
    std::vector<std::byte> frame;
    frame.reserve(message::long_header_size + 1 + name.size() + payload.size());
    frame.push_back(std::byte(message::flag_command));
    frame.push_back(std::byte(1 + name.size() + payload.size()));
    frame.push_back(std::byte(name.size()));
    const auto* const text = reinterpret_cast<const std::byte*>(name.data());
    frame.insert(frame.end(), text, text + name.size());
    frame.insert(frame.end(), payload.begin(), payload.end());
    return frame;
}

}  // namespace zlink::wire
