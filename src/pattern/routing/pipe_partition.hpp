// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Pipes in two parts, front and back: those that take part now (have data, have room, match a message) and the rest. A
// pipe changes sides, and is found, in constant time: its index is kept in its record. A cursor goes round the front
// part; it stays with its pipe when others move.
#pragma once

#include "base/invariant.hpp"
#include "pattern/routing_record.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace zlink::pattern::routing {

/// `Index` is the field of routing_record that belongs to this partition; a pipe is in one partition per field.
template <std::uint32_t routing_record::*Index>
class pipe_partition {
public:
    /// At the end of the front part. False when memory is short.
    [[nodiscard]] bool add(pipe::pipe_end& end) noexcept
    {
        invariant([&] { return !contains(end); });
        try {
            pipes_.push_back({&end, &routing_of(end)});
        } catch (const std::bad_alloc&) {
            return false;
        }
        routing_of(end).*Index = std::uint32_t(pipes_.size() - 1);
        to_front(end);
        return true;
    }

    void remove(pipe::pipe_end& end) noexcept
    {
        if (!contains(end)) return;
        to_back(end);
        swap(routing_of(end).*Index, pipes_.size() - 1);
        pipes_.pop_back();
    }

    [[nodiscard]] bool contains(const pipe::pipe_end& end) const noexcept
    {
        const std::size_t i = routing_of(end).*Index;
        return i < pipes_.size() && pipes_[i].end == &end;
    }
    [[nodiscard]] bool in_front(const pipe::pipe_end& end) const noexcept
    {
        const std::size_t i = routing_of(end).*Index;
        return i < front_ && pipes_[i].end == &end;
    }

    /// No-op for a pipe that is in front already, or not in this partition.
    void to_front(pipe::pipe_end& end) noexcept
    {
        // The first pipe of the back part, as when the same pipes are chosen in the same order again: the pipe itself
        // is not touched.
        if (front_ < pipes_.size() && pipes_[front_].end == &end) {
            ++front_;
            return;
        }
        if (in_front(end) || !contains(end)) return;
        swap(routing_of(end).*Index, front_++);
    }

    void to_back(pipe::pipe_end& end) noexcept
    {
        if (!in_front(end)) return;
        const std::size_t i = routing_of(end).*Index;
        const std::size_t last = --front_;
        swap(i, last);
        if (cursor_ == last) cursor_ = i == last ? 0 : i;
    }

    void all_to_back() noexcept { front_ = cursor_ = 0; }
    void all_to_front() noexcept { front_ = pipes_.size(); }

    /// Front and back change places.
    void invert() noexcept
    {
        const std::size_t back = pipes_.size() - front_;
        for (std::size_t i = 0, n = front_ < back ? front_ : back; i < n; ++i) swap(i, pipes_.size() - 1 - i);
        front_ = back;
        cursor_ = 0;
    }

    [[nodiscard]] std::size_t front_size() const noexcept { return front_; }
    [[nodiscard]] std::size_t size() const noexcept { return pipes_.size(); }
    [[nodiscard]] pipe::pipe_end& operator[](std::size_t i) const noexcept { return *pipes_[i].end; }

    /// Prefetches the data that reading the pipe, and moving it, is going to touch.
    void prefetch(std::size_t i) const noexcept
    {
        pipes_[i].end->reader.prefetch();
        pipes_[i].end->prefetch_state();
        __builtin_prefetch(&(pipes_[i].record->*Index), 1);
    }

    [[nodiscard]] const routing_record& record(std::size_t i) const noexcept { return *pipes_[i].record; }

    /// The pipe that has its turn; the front part is not empty.
    [[nodiscard]] pipe::pipe_end& current() const noexcept
    {
        invariant([this] { return cursor_ < front_ && front_ <= pipes_.size(); });
        return *pipes_[cursor_].end;
    }
    /// Its record, without a look at the pipe.
    [[nodiscard]] const routing_record& current_record() const noexcept { return *pipes_[cursor_].record; }
    void advance() noexcept
    {
        if (++cursor_ >= front_) cursor_ = 0;
    }
    /// The pipe that has its turn after `n` others; the front part has more than `n`.
    [[nodiscard]] pipe::pipe_end& ahead(std::size_t n) const noexcept
    {
        invariant([&] { return n < front_; });
        const std::size_t i = cursor_ + n;
        return *pipes_[i < front_ ? i : i - front_].end;
    }
    /// `end` is in front.
    void set_current(const pipe::pipe_end& end) noexcept
    {
        invariant([&] { return in_front(end); });
        cursor_ = routing_of(end).*Index;
    }

private:
    void swap(std::size_t a, std::size_t b) noexcept
    {
        std::swap(pipes_[a], pipes_[b]);
        pipes_[a].record->*Index = std::uint32_t(a);
        pipes_[b].record->*Index = std::uint32_t(b);
    }

    struct member {
        pipe::pipe_end* end;
        routing_record* record;
    };

    std::vector<member> pipes_;
    std::size_t front_ = 0;
    std::size_t cursor_ = 0;
};

}  // namespace zlink::pattern::routing
