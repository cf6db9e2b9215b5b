// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reports in the text format of Prometheus, version 0.0.4. docs/observing.md has the table of the names.
#pragma once

#include "stats/report.hpp"

#include <span>
#include <string>

namespace zlink::stats {

inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

/// Whether series say which process they are of. If they are of several, they must.
enum class process_labels : bool { no, yes };

/// All reports have other numbers of processes. Series of peers are there if the report has them.
[[nodiscard]] std::string metrics_of(std::span<const process_report> what, process_labels labels);

}  // namespace zlink::stats
