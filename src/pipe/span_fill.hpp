// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How many whole messages a lane's tail holds, and at how many it is sealed.
#pragma once

#include "base/invariant.hpp"

#include <cstdint>

namespace zlink::pipe {

/// The writer's thread.
class span_fill {
public:
    explicit span_fill(std::uint32_t most) noexcept : seal_at_(most) {}

    [[nodiscard]] std::uint32_t messages() const noexcept { return messages_; }
    /// One more message leaves the span open.
    [[nodiscard]] bool stays_open_with_one() const noexcept { return messages_ + 1 < seal_at_; }
    void add(std::uint32_t messages) noexcept { messages_ += messages; }
    /// The tail is to be sealed once its messages are whole.
    [[nodiscard]] bool is_full() const noexcept { return messages_ >= seal_at_; }

    /// Seal at this many.
    void seal_at(std::uint32_t messages) noexcept
    {
        invariant([messages] { return messages > 0; });
        seal_at_ = messages;
    }
    /// A body closes the span: seal it whatever it holds.
    void seal_next() noexcept { seal_at_ = 0; }

    /// The tail was sealed: returns its messages. The next span has none.
    std::uint32_t take() noexcept
    {
        const std::uint32_t messages = messages_;
        messages_ = 0;
        return messages;
    }

private:
    std::uint32_t messages_ = 0;
    std::uint32_t seal_at_;
};

}  // namespace zlink::pipe
