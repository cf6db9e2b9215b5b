// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The output lines: RESULT,<label>,<PATTERN>,<transport>,<size>,<metric>,<value> and INFO,<key>,<value>.
#pragma once

#include "harness/clock.hpp"
#include "harness/settings.hpp"

#include <string>

namespace bench {

void print_result(const settings& of, const char* pattern, const char* metric, double value);
// The cpu_*_per_msg metrics and system_share, of `count` messages.
void print_cpu(const settings& of, const char* pattern, const usage& used, double count);
void print_info(const std::string& key, const std::string& value);

// The settings in force, the cores allowed and the library's tuning variables that are set.
void print_settings(const settings& of);

}  // namespace bench
