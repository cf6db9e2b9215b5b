// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Lets other threads run for a moment before a thread really sleeps, where load/yielding.hpp says that it pays, and not while other
// programs want the core (crowding.hpp).
#pragma once

#include "load/yielding.hpp"
#include "runtime/clock.hpp"
#include "runtime/crowding.hpp"
#include "runtime/pause.hpp"

#include <chrono>

namespace zlink::runtime {

class yield_spin {
public:
    static constexpr std::chrono::microseconds never = load::yielding::never;
    static constexpr std::chrono::microseconds default_longest = load::limits::yielding::longest;
    static constexpr std::chrono::microseconds late_for_one_peer = load::limits::yielding::late_for_one_peer;

    /// `late_after`: see load::yielding.
    explicit yield_spin(bool enabled = true, std::chrono::microseconds longest = default_longest,
                        crowding& crowd = crowding::of_process(), std::chrono::microseconds late_after = never) noexcept
        : crowd_(crowd),
          longest_(longest),
          rule_(enabled, late_after)
    {}

    /// True as soon as `ready()` is.
    template <class Ready>
    [[nodiscard]] bool operator()(Ready ready) noexcept
    {
        if (!rule_.wanted()) return false;
        const auto start = clock::now();
        if (crowd_.crowded(start)) [[unlikely]] {
            rule_.left_out();
            return false;
        }
        const bool measured = crowd_.measures(start);
        const auto own_before = measured ? crowd_.own_time(start) : clock::duration{};
        bool found = false;
        clock::duration took{};
        do {
            yield();
            found = ready();
            took = clock::now() - start;
        } while (!found && took < longest_);
        if (took > longest_ + load::limits::yielding::long_yield) [[unlikely]] {
            crowd_.suspect(start + took);
            if (measured) crowd_.measured(start + took, took, crowd_.own_time(start + took) - own_before);
        }
        rule_.ended(found, took);
        return found;
    }

    [[nodiscard]] bool enabled() const noexcept { return rule_.enabled(); }

    /// The last success was none: a sleep would have come out better.
    void was_in_vain() noexcept { rule_.was_in_vain(); }

private:
    crowding& crowd_;
    std::chrono::microseconds longest_;
    load::yielding rule_;
};

}  // namespace zlink::runtime
