// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Unpredictable octets, from the kernel.
#pragma once

#include <cstddef>
#include <span>

namespace zlink {

/// Cannot fail: if the system call is forbidden, the kernel's device is used. If that is forbidden, too, a hash of
/// the octets that the kernel gave to the process at its start is used. Costs a system call: for keys and the like, a
/// few octets.
void random_octets(std::span<std::byte> to) noexcept;

}  // namespace zlink
