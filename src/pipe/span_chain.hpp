// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The writer's view of a lane's spans: the tail, to which octets are added, and where the visible part ends.
//
// Spans behind that place hold the beginning of a message that is not published yet. If a span is visible
// in full, the reader may free it as soon as the next one is linked. So the chain names none of those.
#pragma once

#include "base/invariant.hpp"
#include "pipe/span.hpp"

#include <atomic>
#include <cstddef>

namespace zlink::pipe {

/// The writer's thread.
class span_chain {
public:
    explicit span_chain(span& first) noexcept : tail_(&first), visible_(&first) {}

    [[nodiscard]] span* tail() const noexcept { return tail_; }
    /// The span in which the visible part ends: one that is not visible in full, or the tail.
    [[nodiscard]] span* visible() const noexcept { return visible_; }
    /// The visible part ends in the tail: publishing is one store.
    [[nodiscard]] bool shows_tail() const noexcept { return visible_ == tail_; }

    /// The octets of the tail become visible up to `end`. Only if shows_tail().
    void show_in_tail(std::byte* end) noexcept
    {
        invariant([&] { return shows_tail() && end >= tail_->published.load(std::memory_order_relaxed); });
        tail_->published.store(end, std::memory_order_release);
    }
    /// All spans become visible at once, the tail up to `end`.
    void show(std::byte* end) noexcept;

    /// Puts `s` behind the ended tail. It is the tail from now on.
    void link(span* s) noexcept;

    /// Begins anew at a span that is empty, or visible as far as it goes.
    void restart(span* s) noexcept { tail_ = visible_ = s; }

private:
    span* tail_;
    span* visible_;
};

}  // namespace zlink::pipe
