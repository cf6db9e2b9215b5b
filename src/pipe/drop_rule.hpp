// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a queue without room does with a message (ZLINK_ON_FULL, ZLINK_ON_FULL_RECEIVE), whose rule that is, and when
// there is none.
#pragma once

#include "pipe/lane_traffic.hpp"

#include <cstdint>

namespace zlink::pipe {

enum class when_full : std::uint8_t { block, drop_newest, drop_oldest };

/// Of one direction of a pipe.
struct drop_rule {
    when_full what = when_full::block;  ///< block: the writer finds no room, and nothing is dropped here
    bool of_reader = false;             ///< the reader's side wants it, and counts what is dropped

    [[nodiscard]] constexpr bool drops() const noexcept { return what != when_full::block; }
};

/// Of a queue to which the writer's side has a rule, and the reader's: the writer's comes first.
[[nodiscard]] constexpr drop_rule joint_rule(when_full writer, when_full reader) noexcept
{
    if (writer != when_full::block) return {writer, false};
    return {reader, reader != when_full::block};
}

/// The marks of a queue that drops. 0: none; those in octets are added.
struct relay_mark {
    std::uint64_t messages = 0;
    std::uint64_t octets_of_writer = 0;
    std::uint64_t octets_of_reader = 0;

    [[nodiscard]] std::uint64_t octets() const noexcept { return octets_of_writer + octets_of_reader; }
    [[nodiscard]] bool reached_by(const traffic& held) const noexcept
    {
        return (messages != 0 && held.messages >= messages) || (octets() != 0 && held.octets >= octets());
    }
};

}  // namespace zlink::pipe
