// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An expectation for the next time, from the observations of the last times.
#pragma once

namespace zlink::load {

/// Changes when the opposite was seen a given number of times in a row.
class expectation {
public:
    constexpr explicit expectation(bool first) noexcept : expects_(first) {}

    void saw(bool what, int times_to_learn) noexcept
    {
        against_ = what == expects_ ? 0 : against_ + 1;
        if (against_ < times_to_learn) return;
        expects_ = what;
        against_ = 0;
    }
    explicit operator bool() const noexcept { return expects_; }

private:
    bool expects_;
    int against_ = 0;  ///< observations of the opposite in a row
};

}  // namespace zlink::load
