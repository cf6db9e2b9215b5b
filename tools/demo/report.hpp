// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the demo shows: a line while each cell runs and when it ends, the table, the JSON file.
#pragma once

#include "demo/director.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace zlink::tool::demo {

class report {
public:
    explicit report(std::size_t cells, bool quiet);

    void begin(const cell& experiment);
    void rate(std::uint64_t messages);
    void end(const cell_result& result);

    // The table and the verdict on standard output.
    void print(double seconds) const;

    // Throws a failure if it can't be written.
    void write_json(const std::string& path, double seconds) const;

    bool all_right() const;

private:
    using clock = std::chrono::steady_clock;

    std::string counter() const;

    std::size_t cells_;
    bool quiet_;
    bool live_;
    std::string title_;
    std::uint64_t last_messages_ = 0;
    clock::time_point last_time_;
    std::vector<cell_result> results_;
};

}  // namespace zlink::tool::demo
