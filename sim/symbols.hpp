// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Names of this program's functions.
#pragma once

#include <string>

namespace zlink::sim {

/// Reads them from the program's own file. Without it no function has a name.
void read_symbols();
/// As the linker knows it, of the function with the instruction at `address`. Empty: unknown.
[[nodiscard]] const std::string& symbol_at(const void* address);
/// As C++ knows it.
[[nodiscard]] std::string function_at(const void* address);
/// To standard error: who has called this, of zlink's functions.
void print_callers();

}  // namespace zlink::sim
