// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What has gone through a lane, or another queue of messages with two sides.
#pragma once

#include "base/own_number.hpp"

#include <algorithm>
#include <cstdint>

namespace zlink::pipe {

/// Messages, and octets of their frames with the headers that these have in a lane (ZMTP 3.x).
struct traffic {
    std::uint64_t messages = 0;
    std::uint64_t octets = 0;

    traffic& operator+=(const traffic& more) noexcept
    {
        messages += more.messages;
        octets += more.octets;
        return *this;
    }
};

/// One thread adds, any thread looks. The two numbers may come from different steps.
struct own_traffic {
    own_number messages;
    own_number octets;

    void add(const traffic& more) noexcept
    {
        messages.add(more.messages);
        octets.add(more.octets);
    }
    [[nodiscard]] traffic look() const noexcept { return {messages.look(), octets.look()}; }
};

/// `put` without `taken`. The two were looked at one after the other, while both may have gone on: never below nothing.
[[nodiscard]] inline traffic queued_between(const traffic& put, const traffic& taken) noexcept
{
    constexpr std::uint64_t least_frame = 2;  // its header
    const std::uint64_t octets = put.octets > taken.octets ? put.octets - taken.octets : 0;
    const std::uint64_t messages = put.messages > taken.messages ? put.messages - taken.messages : 0;
    // A reader that takes octets counts the messages among them later.
    return {std::min(messages, octets / least_frame), octets};
}

}  // namespace zlink::pipe
