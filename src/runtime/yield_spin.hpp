// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Before a thread sleeps until it is woken, lets other threads run for a moment. load/yielding.hpp decides how. If
// other programs want the core, it does not do so (core_contention.hpp).
#pragma once

#include "load/yielding.hpp"
#include "runtime/clock.hpp"
#include "runtime/core_contention.hpp"
#include "runtime/pause.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

namespace zlink::runtime {

class yield_spin {
public:
    static constexpr std::chrono::microseconds never = load::yielding::never;
    static constexpr std::chrono::microseconds default_longest = load::limits::yielding::longest;
    static constexpr std::chrono::microseconds late_for_one_peer = load::limits::yielding::late_for_one_peer;

    /// `late_after`: see load::yielding.
    explicit yield_spin(bool enabled = true, std::chrono::microseconds longest = default_longest,
                        core_contention& contention = core_contention::of_process(),
                        std::chrono::microseconds late_after = never, load::naps may = load::naps::never) noexcept
        : contention_(contention),
          longest_(longest),
          rule_(enabled, late_after, may)
    {}

    /// For waits that other threads of the process may make long by keeping the core: it then naps.
    [[nodiscard]] static yield_spin that_naps(bool enabled) noexcept
    {
        return yield_spin(enabled, default_longest, core_contention::of_process(), never,
                          load::naps::instead_of_long_yields);
    }

    /// For waits for a single peer: a late success was in vain.
    [[nodiscard]] static yield_spin for_one_peer(bool enabled) noexcept
    {
        return yield_spin(enabled, default_longest, core_contention::of_process(), late_for_one_peer);
    }

    /// The longest time of the next yields.
    void yield_for(std::chrono::microseconds longest) noexcept { longest_ = longest; }

    /// True as soon as `ready()` is. `received()`: messages that the thread has taken in so far.
    template <class Ready, class Received>
    [[nodiscard]] bool operator()(Ready ready, Received received) noexcept
    {
        if (std::exchange(napped_, false)) rule_.brought(received() - received_);
        const bool found = (*this)(ready);
        if (napped_) received_ = received();
        return found;
    }
    template <class Ready>
    [[nodiscard]] bool operator()(Ready ready) noexcept
    {
        const auto way = rule_.next();
        if (way == load::yielding::way::sleep) return false;
        const auto start = clock::now();
        if (contention_.contended(start)) [[unlikely]] {
            rule_.left_out();
            return false;
        }
        if (way == load::yielding::way::nap) return nap_instead(start, ready);
        if (way == load::yielding::way::spin) return keep_core(start, ready);
        bool found = false;
        const auto took = yield_until(start, [&] { return found = ready(); });
        rule_.ended(found, took);
        return found;
    }

    /// Yields once, whatever the rule says; returns how long that took. Zero: other programs want the core.
    [[nodiscard]] clock::duration yield_once() noexcept
    {
        const auto start = clock::now();
        if (contention_.contended(start)) [[unlikely]]
            return {};
        return yield_until(start, [] { return true; });
    }

    [[nodiscard]] bool enabled() const noexcept { return rule_.enabled(); }
    /// The next wait begins with a yield, unless other programs want the core.
    [[nodiscard]] bool tries() const noexcept { return rule_.tries(); }

    /// The last success does not count: a sleep would have been better.
    void was_in_vain() noexcept { rule_.was_in_vain(); }

private:
    // Yields until `enough()`, or for the longest time; returns how long that took. If it was long, the processor time
    // of the process is asked for: other programs may want the core.
    template <class Enough>
    [[nodiscard]] clock::duration yield_until(clock::time_point start, Enough enough) noexcept
    {
        const bool measured = contention_.measures(start);
        const auto own_before = measured ? contention_.own_time(start) : clock::duration{};
        clock::duration took{};
        bool ends = false;
        do {
            yield();
            ends = enough();
            took = clock::now() - start;
        } while (!ends && took < longest_);
        if (took > longest_ + load::limits::yielding::long_yield) [[unlikely]] {
            contention_.suspect(start + took);
            if (measured) contention_.measured(start + took, took, contention_.own_time(start + took) - own_before);
        }
        return took;
    }
    template <class Ready>
    [[nodiscard]] bool nap_instead(clock::time_point start, Ready& ready) noexcept
    {
        const auto own_before = contention_.own_time(start);
        nap(load::limits::yielding::nap);
        const bool found = ready();
        const auto end = clock::now();
        rule_.napped(found, end - start, contention_.own_time(end) - own_before);
        napped_ = found;
        return found;
    }
    template <class Ready>
    [[nodiscard]] bool keep_core(clock::time_point start, Ready& ready) noexcept
    {
        bool found = false;
        do {
            found = ready();
        } while (!found && clock::now() - start < longest_);
        rule_.spun(found);
        return found;
    }

    core_contention& contention_;
    std::chrono::microseconds longest_;
    load::yielding rule_;
    bool napped_ = false;         ///< the last wait found its news in a nap
    std::uint64_t received_ = 0;  ///< until then
};

}  // namespace zlink::runtime
