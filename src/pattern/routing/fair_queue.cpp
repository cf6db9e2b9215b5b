// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/routing/fair_queue.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/invariant.hpp"

#include <utility>

namespace zlink::pattern::routing {

namespace {

// Looking at an empty lane costs a few nanoseconds while it is in cache. From about this many on, one membarrier that
// saves all later looks costs less.
constexpr std::size_t many_empty = 8;

}  // namespace

void fair_queue::remove(pipe::pipe_end& end) noexcept
{
    if (!pipes_.contains(end)) return;
    if (routing_of(end).draining) {
        invariant([this] { return draining_ != 0; });
        routing_of(end).draining = false;
        --draining_;
    }
    pipes_.remove(end);
}

void fair_queue::activate(pipe::pipe_end& end) noexcept
{
    if (!pipes_.contains(end)) return;
    pipes_.to_front(end);
    end.reader.wake_up();
}

void fair_queue::peer_closed(pipe::pipe_end& end)
{
    if (!pipes_.contains(end)) return;
    activate(end);
    if (!routing_of(end).draining) {
        routing_of(end).draining = true;
        ++draining_;
    }
    let_go_if_drained(end);
}

void fair_queue::let_go_if_drained(pipe::pipe_end& end)
{
    if (!routing_of(end).draining || end.reader.readable() || !end.reader.closed()) return;
    remove(end);
    owner_.on_drained(end);
}

// One round over the active pipes, from the current one on, which is known to be empty.
pipe::pipe_end* fair_queue::search_others(pipe::incoming& f)
{
    std::size_t empty = 0;
    int put_off = 0;
    bool known_empty = true;
    while (empty < pipes_.front_size()) {
        pipe::pipe_end& end = pipes_.current();
        if (!std::exchange(known_empty, false) && end.reader.next(f)) {
            if (empty > many_empty) {
                make_dormant();
                pipes_.set_current(end);
            }
            return &end;
        }
        if (end.reader.closed()) {
            // Thousands of peers may have left at once. Pipes that peer_closed() has told of are released one by one,
            // as they are read.
            if (routing_of(end).draining) {
                let_go_if_drained(end);
            } else if (++put_off > most_put_off_) {
                return nullptr;
            } else {
                put_off_until_told(end);
            }
            continue;
        }
        ++empty;
        pipes_.advance();
    }
    if (empty <= many_empty) return nullptr;
    make_dormant();
    // Finds messages that came between the look and the announcement.
    for (std::size_t i = 0; i < pipes_.front_size(); ++i) {
        pipe::pipe_end& end = pipes_[i];
        if (!end.reader.next(f)) continue;
        pipes_.set_current(end);
        return &end;
    }
    return nullptr;
}

bool fair_queue::announce_sleep() noexcept
{
    bool full_fence_does = true;
    for (std::size_t i = 0; i < pipes_.front_size(); ++i) full_fence_does &= pipes_[i].reader.go_dormant();
    return full_fence_does;
}

bool fair_queue::confirm_sleep() noexcept
{
    // From the last to the first: a pipe that moves to the back changes places with one already looked at.
    for (std::size_t i = pipes_.front_size(); i-- > 0;) {
        pipe::pipe_end& end = pipes_[i];
        if (end.reader.readable() || end.reader.closed()) {
            end.reader.wake_up();
        } else {
            pipes_.to_back(end);
        }
    }
    return pipes_.front_size() != 0;
}

void fair_queue::make_dormant() noexcept
{
    bool full_fence_does = true;
    for (std::size_t i = 0; i < pipes_.front_size(); ++i) {
        if (!pipes_[i].reader.readable()) full_fence_does &= pipes_[i].reader.go_dormant();
    }
    if (asymmetric_fence::sleeper_fence(full_fence_does)) {
        (void)confirm_sleep();
    } else {
        for (std::size_t i = 0; i < pipes_.front_size(); ++i) pipes_[i].reader.wake_up();
    }
}

}  // namespace zlink::pattern::routing
