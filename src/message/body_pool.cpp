// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "message/body_pool.hpp"

#include "base/freed_memory.hpp"

#include <atomic>
#include <bit>
#include <cstdlib>
#include <utility>

namespace zlink::message::body_pool {

namespace {

constexpr int first_exponent = std::bit_width(smallest_shared_block) - 1;
constexpr int last_exponent = std::bit_width(largest_block) - 1;
constexpr int classes = (last_exponent - first_exponent) * int(steps) + 1;

struct size_class {
    int index;
    std::size_t size;
};

size_class class_of(std::size_t size) noexcept
{
    if (size <= smallest_shared_block) return {0, smallest_shared_block};
    const int exponent = std::bit_width(size - 1) - 1;
    const std::size_t step = (std::size_t{1} << exponent) / steps;
    const std::size_t above = size - (std::size_t{1} << exponent);
    const auto n = int((above + step - 1) / step);
    return {(exponent - first_exponent) * int(steps) + n, (std::size_t{1} << exponent) + std::size_t(n) * step};
}

struct free_block {
    free_block* next;
    std::size_t size;  ///< its class's
};

// A spin lock over a few instructions: both sides hold it for a push or a pop only.
class spin_lock {
public:
    bool try_lock() noexcept { return !held_.exchange(true, std::memory_order_acquire); }
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> held_{false};  // partners: try_lock() acquires what unlock() released
};

struct pool {
    spin_lock lock;
    std::size_t kept = 0;
    std::uint64_t taken = 0;  ///< blocks so far
    free_block* heads[classes] = {};
};

constinit std::atomic<std::size_t> bytes_in_use{0};  // a count, orders nothing
constinit std::atomic<std::size_t> bytes_kept{0};    // the_pool.kept, for threads that only look

// Fewer bytes than this may stay.
constexpr std::size_t worth_a_trim = 256 * 1024;

// Never destroyed: messages may be freed after static destructors have run.
constinit pool the_pool;

bool pooled(std::size_t size) noexcept
{
    return size >= smallest_block && size <= largest_block;
}

// Not counted in bytes_in_use: neither senders nor readers pause for them.
bool small_and_shared(std::size_t size) noexcept
{
    return size >= smallest_shared_block && size < smallest_block;
}

void* take_of_class(const size_class& c) noexcept
{
    // If the lock is contended or its holder preempted, malloc serves the call.
    if (the_pool.lock.try_lock()) {
        ++the_pool.taken;
        free_block* block = the_pool.heads[c.index];
        if (block) {
            the_pool.heads[c.index] = block->next;
            the_pool.kept -= c.size;
            bytes_kept.store(the_pool.kept, std::memory_order_relaxed);
        }
        the_pool.lock.unlock();
        if (block) return block;
    }
    return std::malloc(c.size);
}

void give_of_class(void* block, const size_class& c) noexcept
{
    if (the_pool.lock.try_lock()) {
        const bool room = the_pool.kept + c.size <= most_kept;
        if (room) {
            auto* f = static_cast<free_block*>(block);
            f->size = c.size;
            f->next = the_pool.heads[c.index];
            the_pool.heads[c.index] = f;
            the_pool.kept += c.size;
            bytes_kept.store(the_pool.kept, std::memory_order_relaxed);
        }
        the_pool.lock.unlock();
        if (room) return;
    }
    std::free(block);
}

}  // namespace

std::size_t in_use() noexcept
{
    return bytes_in_use.load(std::memory_order_relaxed);
}

void* take(std::size_t size) noexcept
{
    if (!pooled(size)) return std::malloc(size);
    bytes_in_use.fetch_add(size, std::memory_order_relaxed);
    void* block = take_of_class(class_of(size));
    if (!block) bytes_in_use.fetch_sub(size, std::memory_order_relaxed);
    return block;
}

void give(void* block, std::size_t size) noexcept
{
    if (!pooled(size)) return std::free(block);
    bytes_in_use.fetch_sub(size, std::memory_order_relaxed);
    give_of_class(block, class_of(size));
}

void* take_shared(std::size_t size) noexcept
{
    return small_and_shared(size) ? take_of_class(class_of(size)) : take(size);
}

void give_shared(void* block, std::size_t size) noexcept
{
    if (!small_and_shared(size)) return give(block, size);
    give_of_class(block, class_of(size));
}

bool is_used() noexcept
{
    return in_use() + bytes_kept.load(std::memory_order_relaxed) > worth_a_trim;
}

bool trim(std::uint64_t& seen) noexcept
{
    if (!the_pool.lock.try_lock()) return false;
    const bool used = std::exchange(seen, the_pool.taken) != the_pool.taken;
    free_block* heads[classes] = {};
    if (!used) {
        std::swap(heads, the_pool.heads);
        the_pool.kept = 0;
        bytes_kept.store(0, std::memory_order_relaxed);
    }
    the_pool.lock.unlock();
    for (free_block* block : heads) {
        while (block) {
            free_block* next = block->next;
            give_pages_back(block, block->size);
            std::free(block);
            block = next;
        }
    }
    return !used;
}

}  // namespace zlink::message::body_pool
