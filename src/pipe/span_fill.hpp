// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How many whole messages a lane's tail holds, and at how many it is ended.
#pragma once

#include "base/invariant.hpp"

#include <cstdint>

namespace zlink::pipe {

/// The writer's thread.
class span_fill {
public:
    explicit span_fill(std::uint32_t most) noexcept : end_at_(most) {}

    [[nodiscard]] std::uint32_t messages() const noexcept { return messages_; }
    /// One more message leaves the span open.
    [[nodiscard]] bool stays_open_with_one() const noexcept { return messages_ + 1 < end_at_; }
    void add(std::uint32_t messages) noexcept { messages_ += messages; }
    /// The tail is to be ended once its messages are whole.
    [[nodiscard]] bool is_full() const noexcept { return messages_ >= end_at_; }

    /// End at this many.
    void end_at(std::uint32_t messages) noexcept
    {
        invariant([messages] { return messages > 0; });
        end_at_ = messages;
    }
    /// A body closes the span: end it whatever it holds.
    void end_next() noexcept { end_at_ = 0; }

    /// The tail was ended: returns its messages. The next span has none.
    std::uint32_t take() noexcept
    {
        const std::uint32_t messages = messages_;
        messages_ = 0;
        return messages;
    }

private:
    std::uint32_t messages_ = 0;
    std::uint32_t end_at_;
};

}  // namespace zlink::pipe
