// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Deadlines in order, a heap. Pure: it is told what time it is.
#pragma once

#include "runtime/clock.hpp"

#include <cstddef>
#include <vector>

namespace zlink::runtime {

class timer_queue {
public:
    using time_point = clock::time_point;

    /// What waits for a deadline; it stays where it is until it has been taken out.
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

    /// `e` is not queued. False: memory is short.
    [[nodiscard]] bool insert(entry& e, time_point at) noexcept;
    /// `e` is queued.
    void remove(entry& e) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
    /// The first deadline; without any the end of time.
    [[nodiscard]] time_point next() const noexcept { return heap_.empty() ? time_point::max() : heap_.front().at; }
    /// Takes the first one out, if its deadline is not after `now`; else null.
    [[nodiscard]] entry* take_due(time_point now) noexcept;

private:
    struct node {
        time_point at;
        entry* what;
    };

    void put(std::size_t place, const node& n) noexcept;
    void move_up(std::size_t place, const node& n) noexcept;
    void move_down(std::size_t place, const node& n) noexcept;

    std::vector<node> heap_;
};

}  // namespace zlink::runtime
