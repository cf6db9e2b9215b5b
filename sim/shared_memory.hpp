// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory that the library shares by descriptors (memfd_create) is the real kernel's. Who has it at the end is read from
// /proc.
#pragma once

#include <string>

namespace zlink::sim {

/// Descriptors and mappings of it in this process, a line for each; empty: there are none.
[[nodiscard]] std::string shared_memory_left();

}  // namespace zlink::sim
