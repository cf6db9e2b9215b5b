// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What is expected of the next time, by what was seen the last times.
#pragma once

namespace zlink::load {

/// Changes once the opposite was seen so many times in a row.
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
    int against_ = 0;  ///< times in a row that it was otherwise
};

}  // namespace zlink::load
