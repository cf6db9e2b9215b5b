// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/idle_trimmer.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/invariant.hpp"
#include "runtime/clock.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace zlink::engine {

void idle_trimmer::add(pipe::pipe_end& end) noexcept
{
    try {
        watched_.push_back({&end, nullptr, 0});
    } catch (...) {
        return;  // it keeps its chunk
    }
    end.idle.set_place(watched_.size() - 1);
    start(between_checks);
}

void idle_trimmer::add_if_unknown(pipe::pipe_end& end) noexcept
{
    if (!end.idle.has_place() && end.idle.is_watched()) add(end);
}

void idle_trimmer::forget(pipe::pipe_end& end) noexcept
{
    invariant([&] {
        const pipe::shared_io& io = end.parent().io;
        return io.write_token.with_io_thread() && io.read_token.with_io_thread();
    });
    end.idle.stop_watching();
    if (end.idle.has_place()) remove(end.idle.place());
}

// The last one takes its place. If that place was looked at already, the last one is looked at with the next ones.
void idle_trimmer::remove(std::size_t place) noexcept
{
    watched_[place].end->idle.clear_place();
    if (place + 1 != watched_.size()) {
        watched_[place] = watched_.back();
        watched_[place].end->idle.set_place(place);
    }
    watched_.pop_back();
}

void idle_trimmer::start(std::chrono::milliseconds after) noexcept
{
    if (runs_.load(std::memory_order_relaxed)) return;
    const bool started = timer_.start(runtime::clock::now() + after, [this] { look(); });
    runs_.store(started, std::memory_order_relaxed);
}

// With the write token.
void idle_trimmer::drop_if_done(watched& w) noexcept
{
    invariant([&] { return w.end->parent().io.write_token.with_io_thread(); });
    if (w.end->reader.chunk_size() > small_chunk && ++w.looks != most_looks) return;
    w.end->idle.stop_watching();
    w.now = watched::state::done;
}

// True: end_reclaim() has to follow, with the token.
bool idle_trimmer::begin_reclaim(watched& w) noexcept
{
    pipe::pipe_end& end = *w.end;
    pipe::io_token& token = end.parent().io.write_token;
    if (!token.take_if_free()) return false;  // it is not idle
    if (w.position != end.reader.position()) {
        w.position = end.reader.position();
        w.looks = 0;
    } else if (end.reader.begin_reclaim(end.peer().writer.window())) {
        return true;
    }
    drop_if_done(w);
    token.give_back();
    return false;
}

void idle_trimmer::look() noexcept
{
    runs_.store(false, std::memory_order_relaxed);
    const std::size_t first = std::min(next_, watched_.size());
    const std::span<watched> some =
        std::span(watched_).subspan(first).first(std::min(most_at_once, watched_.size() - first));
    bool any = false;
    for (watched& w : some) {
        if (!begin_reclaim(w)) continue;
        w.now = watched::state::reclaiming;
        any = true;
    }
    // One barrier for all: it interrupts every processor that runs a thread of this process.
    const bool fenced = any && asymmetric_fence::barrier();
    for (watched& w : some) {
        if (w.now != watched::state::reclaiming) continue;
        w.now = watched::state::stays;
        pipe::pipe_end& end = *w.end;
        const bool credit = end.reader.end_reclaim(end.peer().writer.window(), fenced);
        drop_if_done(w);
        end.parent().io.write_token.give_back();
        if (credit) end.peer().notify(pipe::event_credit);
    }
    // From behind: a connection that takes a place was looked at, or stands behind all of these.
    next_ = first + some.size();
    for (std::size_t at = next_; at-- > first;) {
        if (watched_[at].now != watched::state::done) continue;
        // It takes the place at the end of these, so that those behind are looked at next.
        std::swap(watched_[at], watched_[--next_]);
        watched_[at].end->idle.set_place(at);
        watched_[next_].end->idle.set_place(next_);
        remove(next_);
    }
    if (next_ < watched_.size()) return start(between_pieces);
    next_ = 0;
    // At every other look, so that an occasional message finds its block.
    trims_ = !trims_;
    const bool trimmed = trims_ && message::body_pool::trim(pool_seen_);
    if (!watched_.empty() || !trimmed) start(between_checks);
}

}  // namespace zlink::engine
