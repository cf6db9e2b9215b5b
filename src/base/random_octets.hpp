// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Octets that nobody can foresee, from the kernel.
#pragma once

#include <cstddef>
#include <span>

namespace zlink {

/// Cannot fail: where the system call is forbidden there is the kernel's device, and then a hash of what the kernel gave to the
/// process at its start. A system call: for keys and the like, a few octets.
void random_octets(std::span<std::byte> to) noexcept;

}  // namespace zlink
