// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A table that is shown again and again: in place on a terminal, one below the other elsewhere. On a terminal, keys are
// read one by one.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace zlink::tool {

struct screen_line {
    std::string text;
    bool strong = false;   // on a terminal
    bool warning = false;  // the same
};

// Its end leaves the terminal as it was.
class live_screen {
public:
    live_screen();
    ~live_screen();
    live_screen(const live_screen&) = delete;
    live_screen& operator=(const live_screen&) = delete;

    // Lines that do not fit are cut; of those that are too many, the last shown line tells how many.
    void show(const std::vector<screen_line>& lines);

    // Until then, or a stop is asked for. False: the user wants no more (q).
    bool wait_until(std::chrono::steady_clock::time_point moment);

private:
    const bool is_terminal_;
    bool reads_keys_ = false;
    bool has_shown_ = false;
};

}  // namespace zlink::tool
