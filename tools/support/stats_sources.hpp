// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Processes that serve their statistics: where they are, and what they tell. All are asked at the same time, within one
// limit, so that none that hangs keeps the others waiting.
#pragma once

#include "stats/report.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace zlink::tool {

struct stats_answer {
    std::string where;  // as an endpoint
    stats::process_report report;
    std::string failure;     // cause and cure; empty when there is a report
    bool has_ended = false;  // the failure is that nobody listens there any more
};

class stats_sources {
public:
    // Each is a folder, or an endpoint: a path, ipc://path, tcp://127.0.0.1:9100, 127.0.0.1:9100. Throws a failure.
    explicit stats_sources(const std::vector<std::string>& arguments);

    // In the order of the arguments; those of a folder by their names. Folders are looked through each time.
    std::vector<stats_answer> ask(bool peers, std::chrono::milliseconds limit) const;

    bool has_folder() const noexcept { return has_folder_; }

private:
    struct source {
        std::string text;
        bool is_folder;
    };

    std::vector<source> all_;
    bool has_folder_ = false;
};

}  // namespace zlink::tool
