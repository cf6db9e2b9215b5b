// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A line on the program's standard error, for what nobody could tell otherwise. It never blocks and raises no signal:
// if nobody reads standard error, the line is lost. No lock of the C library is taken, so a child of fork may call it.
#pragma once

#include <string_view>

namespace zlink::runtime {

/// `line` ends with its line break.
void tell_standard_error(std::string_view line) noexcept;

}  // namespace zlink::runtime
