// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/activation_queue.hpp"

#include "pipe/pipe.hpp"

namespace zlink::pipe {

void activation_queue::push(pipe_end& end) noexcept
{
    push_onto(head_, end);
    wake();
}

// The first end is loaded relaxed: the exchange tells whether it is still the first.
void activation_queue::push_onto(std::atomic<pipe_end*>& head, pipe_end& end) noexcept
{
    pipe_end* first = head.load(std::memory_order_relaxed);
    do {
        invariant([&] { return first != &end; });  // an end is in the queue once
        end.next_in_queue = first;
    } while (!head.compare_exchange_weak(first, &end, std::memory_order_seq_cst, std::memory_order_relaxed));
}

pipe_end* activation_queue::take_all() noexcept
{
    if (empty()) return nullptr;
    pipe_end* last_first = head_.exchange(nullptr, std::memory_order_seq_cst);
    pipe_end* in_order = nullptr;
    while (last_first) {
        pipe_end* after = last_first->next_in_queue;
        last_first->next_in_queue = in_order;
        in_order = last_first;
        last_first = after;
    }
    return in_order;
}

}  // namespace zlink::pipe
