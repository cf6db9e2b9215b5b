// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/deferred_sends.hpp"

#include "load/limits.hpp"
#include "load/own_writes.hpp"
#include "load/thread_waits.hpp"

#include <algorithm>
#include <utility>

namespace zlink::socket {

// Room for all of them, so that hold() does not need memory.
void deferred_sends::reserve(std::size_t count)
{
    if (holding_.capacity() < count) holding_.reserve(2 * count + 2);
}

void deferred_sends::forget(pipe::pipe_end& end) noexcept
{
    if (!end.held.any()) return;
    holding_[end.held.place()] = nullptr;
    policy_.forget(end.held.take());
    if (--peers_ == 0) holding_.clear();
}

// If the room is used up, some entries are null, as a pipe is never in the list twice.
void deferred_sends::add(pipe::pipe_end& end) noexcept
{
    if (holding_.size() == holding_.capacity()) {
        std::erase(holding_, nullptr);
        for (std::size_t i = 0; i < holding_.size(); ++i) holding_[i]->held.set_place(std::uint32_t(i));
    }
    end.held.set_place(std::uint32_t(holding_.size()));
    holding_.push_back(&end);
    ++peers_;
}

// Whether a receive would find something at once. Changes nothing: patterns may be in the middle of a send.
bool deferred_sends::has_unread() noexcept
{
    const std::size_t count = pipes_.size();
    for (std::size_t i = 0; i < count && i < load::limits::sends::most_looked_at; ++i) {
        if (unread_at_ >= count) unread_at_ = 0;
        if (pipes_[unread_at_]->reader.has_news()) return true;
        ++unread_at_;
    }
    return false;
}

bool deferred_sends::hold(pipe::pipe_end& end) noexcept
{
    if (!end.held.any() && !end.parent().io.write_token.offered()) return false;
    const auto now = runtime::clock::now();
    const load::send_facts facts{.in_burst = in_burst_,
                                 .input_unread = !in_burst_ && has_unread(),
                                 .in_row = load::row_of_this_thread().follows(now),
                                 .waits_silently = mailbox_.has_descriptor(),
                                 .has_room = end.writer.has_room(),
                                 .held = end.held.count(),
                                 .peers = peers_};
    const auto is_watched = [&] { return end.held.watch.pays(end.parent().io.held.watched(), now); };
    switch (policy_.decide(facts, now, is_watched)) {
    case load::send_decision::write: {
        const bool went_too = end.held.any();
        send();
        return went_too;
    }
    case load::send_decision::hold:
        if (end.held.add()) add(end);
        if (policy_.begins_witnessed_batch()) [[unlikely]]
            usage_ = runtime::thread_usage::now();
        if (!in_burst_ && end.parent().io.held.note()) end.peer().notify(pipe::event_watch);
        return true;
    case load::send_decision::leave: end.wake_reader(); return true;
    case load::send_decision::release_one:
        forget(end);
        end.send_held();
        return true;
    case load::send_decision::release_all:
        if (end.held.add()) add(end);
        if (peers_ > load::limits::sends::most_written_when_due || !has_time_to_write(now)) {
            leave_to_io_threads(now);
        } else {
            send();
        }
        return true;
    }
    return false;
}

void deferred_sends::release(runtime::clock::time_point now, std::uint32_t peers) noexcept
{
    const auto what = policy_.release(now, peers, [this](std::chrono::nanoseconds allowed) {
        const auto usage = runtime::thread_usage::now();
        return usage.thread == usage_.thread && usage.preemptions != usage_.preemptions &&
               usage.time - usage_.time < allowed;
    });
    counts_.held.add(what.messages);
    if (what.late) counts_.held_late.add(what.messages);
}

void deferred_sends::send() noexcept
{
    if (peers_ == 0) return;
    const auto begun = runtime::clock::now();
    const std::uint32_t peers = std::exchange(peers_, 0);
    release(begun, peers);
    // The pipe that has waited longest goes first. In this loop no message becomes held and no pipe leaves.
    for (pipe::pipe_end* end : holding_) {
        if (!end) continue;
        (void)end->held.take();
        end->send_held();
    }
    holding_.clear();
    const auto took = runtime::clock::now() - begun;
    policy_.wrote(peers, took);
    load::waits_of_this_thread().wrote(took / peers);
}

// A thread that never waits gains if the I/O threads write while it goes on.
bool deferred_sends::has_time_to_write(runtime::clock::time_point now) const noexcept
{
    return load::waits_of_this_thread().allow_write(now, peers_, runtime::thread_usage::sleeps_now);
}

// The I/O threads are woken once, and write while this thread goes on.
void deferred_sends::leave_to_io_threads(runtime::clock::time_point now) noexcept
{
    release(now, std::exchange(peers_, 0));
    for (pipe::pipe_end* end : holding_) {
        if (!end) continue;
        (void)end->held.take();
        end->wake_reader();
    }
    holding_.clear();
}

void deferred_sends::end_round() noexcept
{
    send();
    if (policy_.in_round()) policy_.end_round(runtime::clock::now());
}

}  // namespace zlink::socket
