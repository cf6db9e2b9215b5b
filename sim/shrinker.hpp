// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Makes a failing program smaller: fewer threads and messages, options at their defaults, one trouble less at a time,
// as long as it fails in the same way.
#pragma once

#include "sim/settings.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace zlink::sim {

/// What a run is.
struct attempt {
    std::uint64_t seed = 0;
    settings with;
};

/// Runs it, and says how it failed, in words without numbers. Empty: it did not.
using failure_of = std::function<std::string(const attempt&)>;

/// The smallest that was found, within `seconds` of real time. `failing` fails as `how`.
[[nodiscard]] attempt shrink(attempt failing, const std::string& how, const failure_of& run, double seconds);

/// As arguments of zlink-sim.
[[nodiscard]] std::string words(const attempt& of);

/// The first line that tells of a failure, numbers left out.
[[nodiscard]] std::string kind_of_failure(const std::string& output);

}  // namespace zlink::sim
