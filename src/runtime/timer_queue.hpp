// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Deadlines in order, a heap. Pure: the time is handed in.
#pragma once

#include "base/invariant.hpp"
#include "runtime/clock.hpp"

#include <cstddef>
#include <vector>

namespace zlink::runtime {

class timer_queue {
public:
    using time_point = clock::time_point;

    /// An object that waits for a deadline; it stays where it is until it has been taken out.
    class entry {
    public:
        entry() = default;
        entry(const entry&) = delete;
        entry& operator=(const entry&) = delete;

        [[nodiscard]] bool queued() const noexcept { return place_ != nowhere; }

    protected:
        ~entry() = default;

    private:
        friend class timer_queue;
        static constexpr std::size_t nowhere = ~std::size_t{0};
        std::size_t place_ = nowhere;  ///< in the heap
    };

    /// Keeps a place for `e`, which is not queued, from now on: insert() needs no memory for it. Of one entry. False:
    /// memory is short.
    [[nodiscard]] bool keep_place(const entry& e) noexcept;
    /// Queues `e`, which is not queued. False: memory is short.
    [[nodiscard]] bool insert(entry& e, time_point at) noexcept;
    /// Takes `e` out, which is queued.
    void remove(entry& e) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
    /// The first deadline; if there is none, the end of time.
    [[nodiscard]] time_point next() const noexcept { return heap_.empty() ? time_point::max() : heap_.front().at; }
    /// Takes the first one out, if its deadline is not after `now`; else null.
    [[nodiscard]] entry* take_due(time_point now) noexcept;

    /// Begins a batch: the entries that are due at `now`, and no more than are queued now. So an entry that is queued
    /// again with an early deadline does not delay other work. False: none is due.
    [[nodiscard]] bool begin_batch(time_point now) noexcept
    {
        due_by_ = now;
        batch_left_ = size();
        return any_in_batch();
    }
    [[nodiscard]] bool any_in_batch() const noexcept { return batch_left_ != 0 && next() <= due_by_; }
    /// Takes the next entry of the batch out; null: it was removed meanwhile, and no other one is due.
    [[nodiscard]] entry* take_from_batch() noexcept
    {
        invariant([this] { return batch_left_ != 0; });
        --batch_left_;
        return take_due(due_by_);
    }

private:
    struct node {
        time_point at;
        entry* what;
    };

    void put(std::size_t place, const node& n) noexcept;
    void move_up(std::size_t place, const node& n) noexcept;
    void move_down(std::size_t place, const node& n) noexcept;

    [[nodiscard]] bool make_room(std::size_t more) noexcept;

    std::vector<node> heap_;
    const entry* keeps_for_ = nullptr;
    time_point due_by_{};         ///< of the batch
    std::size_t batch_left_ = 0;  ///< so many at most
};

}  // namespace zlink::runtime
