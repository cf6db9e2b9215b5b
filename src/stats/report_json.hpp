// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A report as JSON: {"zlink":"0.1.0","pid":7,"program":"app","sockets":[{"socket":"feed","type":"PUB",...}]}. Names are
// those of zlink.h.
#pragma once

#include "stats/report.hpp"

#include <string>

namespace zlink::stats {

/// One line.
[[nodiscard]] std::string json_of(const process_report& what);

}  // namespace zlink::stats
