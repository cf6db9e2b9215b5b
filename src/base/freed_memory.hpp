// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Gives memory that is not used any more back to the system.
#pragma once

#include <cstddef>

namespace zlink {

/// Gives back the whole pages inside a block that is about to be freed; its content is lost. malloc would keep the
/// pages.
void give_pages_back(void* block, std::size_t size) noexcept;

}  // namespace zlink
