// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);
extern "C" void __libc_free(void*);

namespace {

thread_local constinit long of_this_thread = 0;
constinit std::atomic<bool> counting{false};
constinit std::atomic<long> allocations{0};
constinit std::atomic<long> refused_one{-1};
constinit std::atomic<std::size_t> in_use{0};
constinit std::atomic<bool> wiping{false};
constinit std::atomic<const long*> allowed{nullptr};  ///< of_this_thread of the only thread that gets memory
constinit std::atomic<long> refused{0};

bool refuse() noexcept
{
    ++of_this_thread;
    if (const long* const only = allowed.load(std::memory_order_relaxed); only && only != &of_this_thread) {
        ++refused;
        errno = ENOMEM;
        return true;
    }
    if (!counting.load(std::memory_order_relaxed)) return false;
    if (allocations.fetch_add(1) != refused_one.load(std::memory_order_relaxed)) return false;
    errno = ENOMEM;
    return true;
}

std::size_t room(void* block) noexcept
{
    return block ? ::malloc_usable_size(block) : 0;
}

void* given(void* block) noexcept
{
    in_use.fetch_add(room(block), std::memory_order_relaxed);
    return block;
}

void taken(std::size_t octets) noexcept
{
    in_use.fetch_sub(octets, std::memory_order_relaxed);
}

}  // namespace

extern "C" void* malloc(std::size_t size)
{
    return refuse() ? nullptr : given(__libc_malloc(size));
}

extern "C" void* calloc(std::size_t count, std::size_t size)
{
    return refuse() ? nullptr : given(__libc_calloc(count, size));
}

extern "C" void* realloc(void* block, std::size_t size)
{
    if (refuse()) return nullptr;
    const std::size_t before = room(block);
    void* const moved = __libc_realloc(block, size);
    if (!moved && size != 0) return nullptr;  // the block stays
    taken(before);
    return given(moved);
}

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size)
{
    return refuse() ? nullptr : given(__libc_memalign(alignment, size));
}

extern "C" void* memalign(std::size_t alignment, std::size_t size)
{
    return refuse() ? nullptr : given(__libc_memalign(alignment, size));
}

extern "C" int posix_memalign(void** block, std::size_t alignment, std::size_t size)
{
    if (refuse()) return ENOMEM;
    *block = given(__libc_memalign(alignment, size));
    return *block ? 0 : ENOMEM;
}

extern "C" void free(void* block)
{
    taken(room(block));
    if (block && wiping.load(std::memory_order_relaxed)) ::explicit_bzero(block, room(block));
    __libc_free(block);
}

namespace zlink::test {

std::size_t octets_in_use() noexcept
{
    return in_use.load();
}

void count_allocations(long refused) noexcept
{
    allocations = 0;
    refused_one = refused;
    counting = true;
}

long counted_allocations() noexcept
{
    counting = false;
    return allocations;
}

void refuse_other_threads(bool on) noexcept
{
    refused = 0;
    allowed = on ? &of_this_thread : nullptr;
}

long refused_allocations() noexcept
{
    return refused;
}

void wipe_what_is_freed() noexcept
{
    wiping = true;
}

long allocations_of_this_thread() noexcept
{
    return of_this_thread;
}

}  // namespace zlink::test
