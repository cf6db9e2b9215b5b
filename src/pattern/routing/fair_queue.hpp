// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Takes whole messages from pipes in turn. Active pipes are looked at. For dormant pipes the reader has announced,
// followed by a fence, that it will not look until the writer tells it (event_data). A pipe found empty stays active
// until the socket goes to sleep, or until many empty ones would make looking expensive.
#pragma once

#include "base/invariant.hpp"
#include "base/probes.hpp"
#include "pattern/routing/pipe_partition.hpp"
#include "pipe/lane_reader.hpp"

#include <cstddef>
#include <limits>
#include <span>

namespace zlink::pattern::routing {

class fair_queue {
public:
    class owner {
    public:
        /// All was read from this pipe, and its other party is gone, as peer_closed() has told. The pipe has left the
        /// queue already.
        virtual void on_drained(pipe::pipe_end& end) = 0;

    protected:
        ~owner() = default;
    };

    /// `most_put_off`: a limit for pipes that are empty and closed, and that peer_closed() has not told of. A search
    /// that finds more of them ends there.
    explicit fair_queue(owner& o, int most_put_off = std::numeric_limits<int>::max()) noexcept
        : owner_(o),
          most_put_off_(most_put_off)
    {}

    /// False when memory is short.
    [[nodiscard]] bool attach(pipe::pipe_end& end) noexcept { return pipes_.add(end); }

    /// No-op if it is not here.
    void remove(pipe::pipe_end& end) noexcept;

    /// event_data; may come at any time, and for pipes that are not here.
    void activate(pipe::pipe_end& end) noexcept;

    /// event_peer_closed: as activate, and on_drained at once if nothing is left to read.
    void peer_closed(pipe::pipe_end& end);

    /// The peer of this pipe has left. The pipe is read once peer_closed() has told of that.
    void put_off_until_told(pipe::pipe_end& end) noexcept
    {
        pipes_.to_back(end);
        // The last pipe in front takes its place.
        if (pipes_.front_size() > 2 * few) pipes_.prefetch(pipes_.front_size() - 2 * few);
    }

    [[nodiscard]] bool contains(const pipe::pipe_end& end) const noexcept { return pipes_.contains(end); }

    /// The next frame, still in its pipe, or null. Asking again shows the same frame until it is taken. Within a
    /// message all frames come from one pipe.
    [[nodiscard]] pipe::pipe_end* next(pipe::incoming& f)
    {
        if (pipes_.front_size() != 0) [[likely]] {
            pipe::pipe_end& end = pipes_.current();
            if (end.reader.next(f)) [[likely]]
                return &end;
            return search_others(f);
        }
        return nullptr;
    }

    /// The pipe of the next message if it shows that as lane_reader::next_pair() does; pop() takes `last`. Null: next()
    /// has the answer.
    [[nodiscard]] pipe::pipe_end* next_pair(std::span<const std::byte>& first, pipe::incoming& last) noexcept
    {
        if (pipes_.front_size() == 0 || !pipes_.current().reader.next_pair(first, last)) return nullptr;
        return &pipes_.current();
    }

    /// The pipe of the next frame, or null.
    [[nodiscard]] pipe::pipe_end* next_readable()
    {
        if (pipes_.front_size() == 0) return nullptr;
        if (pipes_.current().reader.readable()) [[likely]]
            return &pipes_.current();
        pipe::incoming f;
        return search_others(f);
    }

    /// The record of the pipe that next() or next_readable() gave last, without a look at that pipe.
    [[nodiscard]] const routing_record& current_record() const noexcept { return pipes_.current_record(); }

    /// Takes the frame that next() showed.
    void pop(pipe::pipe_end& end, const pipe::incoming& f) noexcept
    {
        invariant([&] { return &pipes_.current() == &end; });
        end.pop(f);
        if (f.more) return;
        if (pipes_.front_size() > 1) {
            pipes_.advance();
            if (pipes_.front_size() > few) pipes_.ahead(few).reader.prefetch();
        }
        if (draining_ != 0) [[unlikely]]
            let_go_if_drained(end);
    }

    /// Takes the frame that next() showed and the rest of its message, which no program gets.
    void skip(pipe::pipe_end& end, pipe::incoming f) noexcept
    {
        end.unwanted.add(1);
        probes::drop(probes::drop_cause::unwanted);
        pop(end, f);
        while (f.more && end.reader.next(f)) pop(end, f);
    }

    [[nodiscard]] bool readable()
    {
        pipe::incoming f;
        return next(f) != nullptr;
    }

    /// True: a full fence is enough, see lane_reader::go_dormant().
    bool announce_sleep() noexcept;
    [[nodiscard]] bool confirm_sleep() noexcept;

    /// For owners that look far more often than data comes: makes the pipes that are empty dormant now.
    void make_dormant() noexcept;

    /// The only pipe there is, or null.
    [[nodiscard]] pipe::pipe_end* sole() const noexcept { return pipes_.size() == 1 ? &pipes_[0] : nullptr; }

    [[nodiscard]] bool has_active() const noexcept { return pipes_.front_size() != 0; }

private:
    // With more pipes than this a reader is out of the cache when its turn comes. It is prefetched so many pipes ahead
    // (docs/decisions/0008).
    static constexpr std::size_t few = 4;

    /// next() of the active pipes, after a look that has found the current one empty.
    pipe::pipe_end* search_others(pipe::incoming& f);
    void let_go_if_drained(pipe::pipe_end& end);

    owner& owner_;
    const int most_put_off_;
    pipe_partition<&routing_record::fair_queue_index> pipes_;
    /// Pipes here that are to be read to the end: their peers have left, as peer_closed() told.
    std::size_t draining_ = 0;
};

}  // namespace zlink::pattern::routing
