// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/frame_backlog.hpp"

#include "base/invariant.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace zlink::pattern::routing {

bool frame_backlog::push(message::owned_frame frame, bool more, pipe::pipe_end* from) noexcept
{
    frame.set_more(more);
    try {
        items_.push_back({std::move(frame), from});
        return true;
    } catch (const std::bad_alloc&) {
        drop_unfinished();
        return false;
    }
}

bool frame_backlog::make_room() noexcept
{
    if (items_.size() < items_.capacity()) return true;
    try {
        items_.reserve(2 * items_.size() + 2);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void frame_backlog::drop_unfinished() noexcept
{
    while (!empty() && items_.back().frame.more()) items_.pop_back();
}

bool frame_backlog::push(std::string_view octets, bool more, message::metadata* properties,
                         pipe::pipe_end* from) noexcept
{
    message::owned_frame frame;
    if (!frame.init_copy_of(octets.data(), octets.size())) {
        frame.init();
        drop_unfinished();
        return false;
    }
    frame.set_properties(properties);
    return push(std::move(frame), more, from);
}

bool frame_backlog::push(const pipe::incoming& f, pipe::pipe_end* from) noexcept
{
    message::owned_frame frame;
    if (!pipe::delivery(frame).deliver(f)) {
        drop_unfinished();
        return false;
    }
    return push(std::move(frame), f.more, from);
}

errc frame_backlog::deliver(pipe::delivery& to) noexcept
{
    invariant([this] { return !empty(); });
    message::owned_frame& first = items_[first_].frame;
    const bool more = first.more();
    if (!to.deliver(first, more)) return errc::out_of_memory;
    first = {};
    ++first_;
    drop_delivered();
    return errc::none;
}

// Moves the remaining items to the beginning once they are the smaller part.
void frame_backlog::drop_delivered() noexcept
{
    if (first_ * 2 < items_.size()) return;
    items_.erase(items_.begin(), items_.begin() + std::ptrdiff_t(first_));
    first_ = 0;
}

void frame_backlog::forget(const pipe::pipe_end& end) noexcept
{
    for (item& i : items_) {
        if (i.from == &end) i.from = nullptr;
    }
}

bool frame_backlog::prepend(frame_backlog& earlier) noexcept
{
    try {
        earlier.items_.reserve(earlier.items_.size() + items_.size() - first_);
    } catch (const std::bad_alloc&) {
        return false;
    }
    std::move(items_.begin() + std::ptrdiff_t(first_), items_.end(), std::back_inserter(earlier.items_));
    items_.swap(earlier.items_);
    first_ = std::exchange(earlier.first_, 0);
    earlier.items_.clear();
    return true;
}

}  // namespace zlink::pattern::routing
