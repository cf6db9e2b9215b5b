// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Descriptors that a child of fork closes at once: of a service that does not exist in the child, whose thread is the
// parent's. Otherwise the child would keep the service's name in use after the parent's end, and answer nobody.
//
// Threads: any. A descriptor of a fork between its opening and keep() stays open in that child.
#pragma once

#include <cstddef>

namespace zlink::runtime::closed_by_fork {

inline constexpr std::size_t most = 32;

/// False: there is no room for it, or the system cannot tell of forks. It stays open in children then.
bool keep(int fd) noexcept;
/// Before it is closed.
void forget(int fd) noexcept;

}  // namespace zlink::runtime::closed_by_fork
