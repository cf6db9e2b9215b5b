// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/radio.hpp"

#include "message/frame.hpp"

#include <span>
#include <string_view>

namespace zlink::pattern {

errc radio::send(const pipe::outgoing& frame)
{
    if (frame.more) return errc::invalid_argument;
    const std::string_view group = frame.msg ? frame.msg->group() : std::string_view{};
    // Most messages are of the group of the one before.
    const auto octets = std::as_bytes(std::span(group));
    const bool again = key_.is_of(octets);
    if (!again) [[unlikely]]
        key_.assign(octets);
    return publisher_.send_pair({key_.group().data(), key_.group().size(), true}, frame, key_.octets(), again);
}

}  // namespace zlink::pattern
