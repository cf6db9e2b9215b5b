// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the library's instrumented code calls (cmake/sim_flags.cmake). A fiber may lose its turn before each atomic
// access. Other accesses are of no interest. As all fibers run on one thread, accesses need no order here: what a weaker
// one would allow on real processors is not simulated.

#include "sim/world.hpp"

#include <cstdint>

namespace {

inline void point() noexcept
{
    if (--zlink::sim::points_left <= 0) [[unlikely]] {
        if (zlink::sim::world::exists()) zlink::sim::world::get().lose_turn();
    }
}

}  // namespace

// NOLINTBEGIN: the names are the compiler's
#define ZLINK_SIM_ATOMIC(bits)                                                                                         \
    using a##bits = std::uint##bits##_t;                                                                               \
    a##bits __tsan_atomic##bits##_load(const volatile a##bits* a, int)                                                 \
    {                                                                                                                  \
        point();                                                                                                       \
        return *a;                                                                                                     \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile a##bits* a, a##bits v, int)                                              \
    {                                                                                                                  \
        point();                                                                                                       \
        *a = v;                                                                                                        \
    }                                                                                                                  \
    a##bits __tsan_atomic##bits##_exchange(volatile a##bits* a, a##bits v, int)                                        \
    {                                                                                                                  \
        point();                                                                                                       \
        const a##bits before = *a;                                                                                     \
        *a = v;                                                                                                        \
        return before;                                                                                                 \
    }                                                                                                                  \
    ZLINK_SIM_FETCH(bits, add, before + v)                                                                             \
    ZLINK_SIM_FETCH(bits, sub, before - v)                                                                             \
    ZLINK_SIM_FETCH(bits, and, before& v)                                                                              \
    ZLINK_SIM_FETCH(bits, or, before | v)                                                                              \
    ZLINK_SIM_FETCH(bits, xor, before ^ v)                                                                             \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile a##bits* a, a##bits* expected, a##bits v, int, int)     \
    {                                                                                                                  \
        point();                                                                                                       \
        const a##bits before = *a;                                                                                     \
        if (before == *expected) {                                                                                     \
            *a = v;                                                                                                    \
            return 1;                                                                                                  \
        }                                                                                                              \
        *expected = before;                                                                                            \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits* a, a##bits* expected, a##bits v, int x, int y)   \
    {                                                                                                                  \
        return __tsan_atomic##bits##_compare_exchange_strong(a, expected, v, x, y);                                    \
    }

#define ZLINK_SIM_FETCH(bits, name, value)                                                                             \
    a##bits __tsan_atomic##bits##_fetch_##name(volatile a##bits* a, a##bits v, int)                                    \
    {                                                                                                                  \
        point();                                                                                                       \
        const a##bits before = *a;                                                                                     \
        *a = a##bits(value);                                                                                           \
        return before;                                                                                                 \
    }

#define ZLINK_SIM_PLAIN(size)                                                                                          \
    void __tsan_read##size(void*) {}                                                                                   \
    void __tsan_write##size(void*) {}                                                                                  \
    void __tsan_unaligned_read##size(void*) {}                                                                         \
    void __tsan_unaligned_write##size(void*) {}                                                                        \
    void __tsan_volatile_read##size(void*) {}                                                                          \
    void __tsan_volatile_write##size(void*) {}

extern "C" {
ZLINK_SIM_ATOMIC(8)
ZLINK_SIM_ATOMIC(16)
ZLINK_SIM_ATOMIC(32)
ZLINK_SIM_ATOMIC(64)
ZLINK_SIM_PLAIN(1)
ZLINK_SIM_PLAIN(2)
ZLINK_SIM_PLAIN(4)
ZLINK_SIM_PLAIN(8)
ZLINK_SIM_PLAIN(16)
void __tsan_atomic_thread_fence(int)
{
    point();
}
void __tsan_atomic_signal_fence(int)
{
    point();
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit(void*) {}
void __tsan_read_range(void*, std::size_t) {}
void __tsan_write_range(void*, std::size_t) {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}
}
// NOLINTEND
