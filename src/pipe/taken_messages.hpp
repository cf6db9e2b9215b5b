// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The messages that a lane's reader has taken. In octet mode they count at the end of their span, which credit depends
// on. If the reader stops in the middle of a span, it also counts those that it has taken of it so far, for looks only.
#pragma once

#include "base/own_number.hpp"

#include <cstddef>
#include <cstdint>

namespace zlink::pipe {

class taken_messages {
public:
    // The reader's thread

    [[nodiscard]] std::uint64_t get() const noexcept { return counted_.get(); }
    void add(std::uint64_t messages) noexcept { counted_.add(messages); }

    /// A walk over the frames of the current span, from its beginning: `at` is where it has come to, behind `messages`.
    struct walk {
        const std::byte* at = nullptr;
        std::uint64_t messages = 0;
    };
    /// The last walk in the current span; without a place if there was none.
    [[nodiscard]] const walk& walked() const noexcept { return walked_; }
    /// The reader has come to the end of `to`, and `counted` of those messages have been added.
    void note_part(const walk& to, std::uint64_t counted) noexcept
    {
        walked_ = to;
        part_.set(to.messages > counted ? to.messages - counted : 0);
    }
    /// The reader goes on in another span, or all messages of this one have been added.
    void end_part() noexcept
    {
        if (!walked_.at) [[likely]]
            return;
        walked_ = {};
        part_.set(0);
    }

    /// Any thread: those included that were noted.
    [[nodiscard]] std::uint64_t look() const noexcept { return counted_.look() + part_.look(); }

private:
    own_number counted_;
    own_number part_;
    walk walked_;
};

}  // namespace zlink::pipe
