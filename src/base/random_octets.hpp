// Octets that nobody can foresee, from the kernel.
#pragma once

#include <cstddef>
#include <span>

namespace zlink {

/// Cannot fail. A system call: for keys and the like, a few octets.
void random_octets(std::span<std::byte> to) noexcept;

}  // namespace zlink
