// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/timer_queue.hpp"

namespace zlink::runtime {

bool timer_queue::insert(entry& e, time_point at) noexcept
{
    invariant([&e] { return !e.queued(); });
    const bool leaves_place = keeps_for_ && keeps_for_ != &e && !keeps_for_->queued();
    if (!make_room(leaves_place ? 2 : 1)) return false;
    heap_.push_back({at, &e});
    move_up(heap_.size() - 1, {at, &e});
    return true;
}

bool timer_queue::keep_place(const entry& e) noexcept
{
    invariant([&] { return !keeps_for_ && !e.queued(); });
    if (!make_room(1)) return false;
    keeps_for_ = &e;
    return true;
}

bool timer_queue::make_room(std::size_t more) noexcept
{
    const std::size_t needed = heap_.size() + more;
    if (needed <= heap_.capacity()) return true;
    try {
        heap_.reserve(2 * needed);
    } catch (...) {
        return false;
    }
    return true;
}

void timer_queue::remove(entry& e) noexcept
{
    invariant([&e] { return e.queued(); });
    const std::size_t place = e.place_;
    e.place_ = entry::nowhere;
    const node last = heap_.back();
    heap_.pop_back();
    if (last.what == &e) return;
    if (place != 0 && last.at < heap_[(place - 1) / 2].at) {
        move_up(place, last);
    } else {
        move_down(place, last);
    }
}

timer_queue::entry* timer_queue::take_due(time_point now) noexcept
{
    if (heap_.empty() || heap_.front().at > now) return nullptr;
    entry* const first = heap_.front().what;
    remove(*first);
    return first;
}

void timer_queue::put(std::size_t place, const node& n) noexcept
{
    heap_[place] = n;
    n.what->place_ = place;
}

// `n` belongs at `place` or above; the nodes there go down.
void timer_queue::move_up(std::size_t place, const node& n) noexcept
{
    while (place != 0 && n.at < heap_[(place - 1) / 2].at) {
        put(place, heap_[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(place, n);
}

void timer_queue::move_down(std::size_t place, const node& n) noexcept
{
    while (2 * place + 1 < heap_.size()) {
        std::size_t child = 2 * place + 1;
        if (child + 1 < heap_.size() && heap_[child + 1].at < heap_[child].at) ++child;
        if (heap_[child].at >= n.at) break;
        put(place, heap_[child]);
        place = child;
    }
    put(place, n);
}

}  // namespace zlink::runtime
