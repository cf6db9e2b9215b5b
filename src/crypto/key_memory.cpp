// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "crypto/key_memory.hpp"

#include "base/fork_safe_free_list.hpp"

#include <sodium.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

namespace zlink::crypto {
namespace {

constexpr std::size_t arena_size = 8 * 1024 * 1024;  // addresses; takes memory only as far as it is used
constexpr std::size_t guard_size = 64 * 1024;        // on either side; a multiple of any size of pages
constexpr std::size_t mapped_size = guard_size + arena_size + guard_size;
constexpr std::size_t lock_step = 16 * 1024;  // locked at a time: a little used arena takes little of the limit

/// In place of a key that was given back.
struct free_key {
    free_key* next;
};

constinit fork_safe_free_list<free_key, &free_key::next> free_keys;

/// The first key. Null: not mapped yet; unavailable: it cannot be mapped. Partners: the loads and exchanges of other
/// threads.
constinit std::atomic<std::byte*> arena{nullptr};
constinit std::byte nothing{};
std::byte* const unavailable = &nothing;

/// Octets handed out for the first time. Relaxed: it only gives threads different places.
constinit std::atomic<std::size_t> used{0};
/// The process that has locked the pages: a child inherits the arena without the locks.
constinit std::atomic<std::uint64_t> locked_by{0};

std::byte* map_arena() noexcept
{
    watch_forks();
    void* const at = ::mmap(nullptr, mapped_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return unavailable;
    std::byte* const first = static_cast<std::byte*>(at) + guard_size;
    if (::mprotect(first, arena_size, PROT_READ | PROT_WRITE) != 0) {
        (void)::munmap(at, mapped_size);
        return unavailable;
    }
    (void)::madvise(first, arena_size, MADV_DONTDUMP);
    (void)::madvise(first, arena_size, MADV_WIPEONFORK);
    return first;
}

// Another thread may have been faster. Its result holds, even if it is "unavailable", as keys lie there already.
std::byte* publish(std::byte* mapped) noexcept
{
    std::byte* known = nullptr;
    if (arena.compare_exchange_strong(known, mapped, std::memory_order_acq_rel)) return mapped;
    if (mapped != unavailable) (void)::munmap(mapped - guard_size, mapped_size);
    return known;
}

std::byte* get_arena() noexcept
{
    std::byte* const known = arena.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    return publish(map_arena());
}

void lock_again_after_fork(std::byte* first) noexcept
{
    const std::uint64_t now = process_generation();
    if (locked_by.load(std::memory_order_relaxed) == now) return;
    if (locked_by.exchange(now, std::memory_order_relaxed) == now) return;
    // Threads that find the arena full have counted on, too.
    const std::size_t taken = std::min(used.load(std::memory_order_relaxed), arena_size);
    const std::size_t steps = (taken + lock_step - 1) / lock_step;
    if (steps > 0) (void)::mlock(first, std::min(steps * lock_step, arena_size));
}

/// Null: the arena is full or unavailable.
std::byte* take_from_arena() noexcept
{
    std::byte* const first = get_arena();
    if (first == unavailable) return nullptr;
    lock_again_after_fork(first);
    if (used.load(std::memory_order_relaxed) >= arena_size) return nullptr;
    const std::size_t at = used.fetch_add(key_size, std::memory_order_relaxed);
    if (at >= arena_size) return nullptr;
    if (at % lock_step == 0) (void)::mlock(first + at, lock_step);
    return first + at;
}

}  // namespace

std::byte* take_key_memory()
{
    if (free_key* const again = free_keys.take()) {
        auto* const octets = reinterpret_cast<std::byte*>(again);
        sodium_memzero(octets, sizeof *again);
        return octets;
    }
    if (std::byte* const fresh = take_from_arena()) return fresh;
    auto* const elsewhere = static_cast<std::byte*>(::operator new(key_size));
    sodium_memzero(elsewhere, key_size);
    return elsewhere;
}

void give_key_memory_back(std::byte* octets) noexcept
{
    sodium_memzero(octets, key_size);
    if (lies_in_key_arena(octets)) {
        free_keys.give(*::new (octets) free_key{nullptr});
    } else {
        ::operator delete(octets);
    }
}

bool lies_in_key_arena(const std::byte* octets) noexcept
{
    const std::byte* const first = arena.load(std::memory_order_acquire);
    if (first == nullptr || first == unavailable) return false;
    return std::uintptr_t(octets) - std::uintptr_t(first) < arena_size;
}

}  // namespace zlink::crypto
