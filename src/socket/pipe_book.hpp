// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The pipes of a socket, and the place of each. An open pipe is known to the pattern. A rejected one is connected and
// unread: a second peer of a PAIR, or one more peer of a routing id. Also whether a pipe is to be closed. Each change
// takes the same time however many pipes there are, as a hundred thousand peers may leave at once.
//
// Threads: the socket's.
#pragma once

#include "base/invariant.hpp"
#include "socket/pipe_record.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::socket {

class pipe_book {
public:
    using list = std::vector<pipe::pipe_end*>;

    [[nodiscard]] const list& open() const noexcept { return open_; }
    [[nodiscard]] const list& rejected() const noexcept { return rejected_; }
    [[nodiscard]] std::size_t size() const noexcept { return open_.size() + rejected_.size(); }

    /// Room for one more, in any place: nothing except this needs memory. May throw std::bad_alloc.
    void reserve()
    {
        const std::size_t needed = size() + 1;
        for (list* each : {&open_, &rejected_, &given_up_}) {
            if (each->capacity() < needed) each->reserve(2 * needed + 2);
        }
    }

    /// Adds a pipe that has no place yet, as an open one; it has a record.
    void add(pipe::pipe_end& end) noexcept
    {
        conflates_ |= end.reader.conflates();
        put(open_, end, pipe_place::open);
    }
    /// An open pipe is rejected from now on, or a rejected one open.
    void reject(pipe::pipe_end& end) noexcept
    {
        take(open_, end);
        put(rejected_, end, pipe_place::rejected);
    }
    void accept(pipe::pipe_end& end) noexcept
    {
        take(rejected_, end);
        put(open_, end, pipe_place::open);
    }
    /// From any place. Returns the place it had.
    pipe_place remove(pipe::pipe_end& end) noexcept
    {
        pipe_record& record = record_of(end);
        const pipe_place was = record.place;
        if (was == pipe_place::none) return was;
        take(was == pipe_place::open ? open_ : rejected_, end);
        record.place = pipe_place::none;
        if (record.given_up) {
            record.given_up = false;
            given_up_[record.given_up_index] = given_up_.back();
            record_of(*given_up_[record.given_up_index]).given_up_index = record.given_up_index;
            given_up_.pop_back();
        }
        return was;
    }
    [[nodiscard]] static pipe_place place_of(const pipe::pipe_end& end) noexcept
    {
        return end.record ? record_of(end).place : pipe_place::none;
    }
    [[nodiscard]] static bool has(const pipe::pipe_end& end) noexcept { return place_of(end) != pipe_place::none; }

    /// The pipe is to be closed, later. A second call has no effect.
    void give_up(pipe::pipe_end& end) noexcept
    {
        pipe_record& record = record_of(end);
        if (record.given_up || record.place == pipe_place::none) return;
        record.given_up = true;
        record.given_up_index = std::uint32_t(given_up_.size());
        given_up_.push_back(&end);
    }
    /// A pipe that was given up and not removed yet; null: there is none.
    [[nodiscard]] pipe::pipe_end* given_up() const noexcept { return given_up_.empty() ? nullptr : given_up_.back(); }

    /// Some pipe that was added keeps only its newest message.
    [[nodiscard]] bool conflates() const noexcept { return conflates_; }
    /// Such pipes show the message that is the newest now.
    void skip_to_newest() noexcept
    {
        if (!conflates_) return;
        for (pipe::pipe_end* end : open_) end->reader.skip_to_newest();
    }

private:
    void put(list& to, pipe::pipe_end& end, pipe_place place) noexcept
    {
        invariant([&] { return to.size() < to.capacity(); });
        pipe_record& record = record_of(end);
        record.place = place;
        record.socket_index = std::uint32_t(to.size());
        to.push_back(&end);
    }
    static void take(list& from, const pipe::pipe_end& end) noexcept
    {
        const std::uint32_t at = record_of(end).socket_index;
        invariant([&] { return at < from.size() && from[at] == &end; });
        from[at] = from.back();
        record_of(*from[at]).socket_index = at;
        from.pop_back();
    }

    list open_;
    list rejected_;
    list given_up_;  ///< each of them is in one of the others, too
    bool conflates_ = false;
};

}  // namespace zlink::socket
