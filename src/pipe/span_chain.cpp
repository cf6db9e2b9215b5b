// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/span_chain.hpp"

namespace zlink::pipe {

// The store to the first span that is not visible comes last, and the reader leaves that span only after it.
void span_chain::show(std::byte* end) noexcept
{
    span* const first = visible_;
    if (first != tail_) {
        for (span* s = first->next.load(std::memory_order_relaxed); s != tail_;
             s = s->next.load(std::memory_order_relaxed)) {
            s->published.store(s->end.load(std::memory_order_relaxed), std::memory_order_relaxed);
        }
        tail_->published.store(end, std::memory_order_relaxed);
        end = first->end.load(std::memory_order_relaxed);
    }
    invariant([&] { return end >= first->published.load(std::memory_order_relaxed); });
    first->published.store(end, std::memory_order_release);
    visible_ = tail_;
}

void span_chain::link(span* s) noexcept
{
    if (shows_tail() &&
        tail_->published.load(std::memory_order_relaxed) == tail_->end.load(std::memory_order_relaxed)) {
        visible_ = s;
    }
    tail_->next.store(s, std::memory_order_release);
    tail_ = s;
}

}  // namespace zlink::pipe
