// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The statistics of processes as a table, in the manner of top: a line for each socket, and lines for its peers.
#pragma once

#include "pure/stats_reading.hpp"
#include "stats/report.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace zlink::tool {

struct table_line {
    enum class kind { head, socket, peer };
    kind what = kind::socket;
    std::string text;
    bool drops = false;  // the socket has lost messages since the look before
};

// `before`: an earlier look at the same processes, for the rates; those that are new have none yet.
std::vector<table_line> table_of(const std::vector<stats::process_report>& before,
                                 const std::vector<stats::process_report>& now, bool peers);

// The first `width` characters of a line; 0: all.
std::string cut_to_width(const std::string& line, std::size_t width);

}  // namespace zlink::tool
