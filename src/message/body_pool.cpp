#include "message/body_pool.hpp"

#include <atomic>
#include <bit>
#include <cstdlib>

namespace zlink::message::body_pool {

namespace {

// Size classes: eight steps to each power of two, so that a block wastes at most an eighth of address space (pages
// that are never touched cost no memory).
constexpr int steps = 8;
constexpr int first_exponent = 14;
constexpr int last_exponent = 21;
constexpr int classes = (last_exponent - first_exponent) * steps + 1;

struct size_class {
    int index;
    std::size_t size;
};

size_class class_of(std::size_t size) noexcept
{
    if (size <= smallest_block) return {0, smallest_block};
    const int exponent = std::bit_width(size - 1) - 1;
    const std::size_t step = (std::size_t{1} << exponent) / steps;
    const std::size_t above = size - (std::size_t{1} << exponent);
    const auto n = int((above + step - 1) / step);
    return {(exponent - first_exponent) * steps + n, (std::size_t{1} << exponent) + std::size_t(n) * step};
}

struct free_block {
    free_block* next;
};

// A spin lock over a few instructions: both sides hold it for a push or a pop only.
class spin_lock {
public:
    bool try_lock() noexcept { return !held_.exchange(true, std::memory_order_acquire); }
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> held_{false};
};

struct pool {
    spin_lock lock;
    std::size_t kept = 0;
    free_block* heads[classes] = {};
};

// Never destroyed: messages may be freed after static destructors have run.
constinit pool the_pool;

bool pooled(std::size_t size) noexcept
{
    return size >= smallest_block && size <= largest_block;
}

}  // namespace

void* take(std::size_t size) noexcept
{
    if (!pooled(size)) return std::malloc(size);
    const size_class c = class_of(size);
    // Contended or preempted holder: malloc is right there.
    if (the_pool.lock.try_lock()) {
        free_block* block = the_pool.heads[c.index];
        if (block) {
            the_pool.heads[c.index] = block->next;
            the_pool.kept -= c.size;
        }
        the_pool.lock.unlock();
        if (block) return block;
    }
    return std::malloc(c.size);
}

void give(void* block, std::size_t size) noexcept
{
    if (pooled(size) && the_pool.lock.try_lock()) {
        const size_class c = class_of(size);
        const bool room = the_pool.kept + c.size <= most_kept;
        if (room) {
            auto* f = static_cast<free_block*>(block);
            f->next = the_pool.heads[c.index];
            the_pool.heads[c.index] = f;
            the_pool.kept += c.size;
        }
        the_pool.lock.unlock();
        if (room) return;
    }
    std::free(block);
}

}  // namespace zlink::message::body_pool
