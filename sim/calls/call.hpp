// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What functions in place of the C library's have in common. The linker sends each call of `name` to `__wrap_name`
// (--wrap, sim/calls/names.txt); `__real_name` is the C library's.
#pragma once

#include "sim/kernel.hpp"
#include "sim/world.hpp"

#include <cerrno>

namespace zlink::sim {

/// As functions of the C library tell errors.
template <class T>
[[nodiscard]] T told(T result) noexcept
{
    if (result >= 0) return result;
    errno = int(-result);
    return -1;
}

/// Whether the simulated kernel has the descriptor.
[[nodiscard]] inline bool simulated(int fd) noexcept
{
    return world::exists() && kernel::owns(fd);
}

/// Begins a call of the kernel, at which the fiber may lose its turn. It does not lose it later on, unless it waits.
class kernel_call {
public:
    explicit kernel_call(const char* what, std::uint64_t detail = 0) : begun_((world::get().call(what, detail), true))
    {}

private:
    bool begun_;
    inside inside_;
};

/// Those who wait for the same address: futexes, mutexes, conditions.
wait_queue& queue_of(const void* where);

}  // namespace zlink::sim
