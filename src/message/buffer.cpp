// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "message/buffer.hpp"

#include "base/cancellation.hpp"
#include "base/many_octets.hpp"
#include "message/body_pool.hpp"
#include "message/placement.hpp"

#include <cstdlib>
#include <limits>
#include <new>

namespace zlink::message {

// With room for large bodies to begin at a place where they are copied fast.
std::size_t buffer::block_size(std::size_t capacity) noexcept
{
    const std::size_t size = sizeof(buffer) + capacity;
    return capacity < placement::smallest ? size : size + placement::room(capacity);
}

// Octets begin `offset` behind the header.
buffer* buffer::put(void* block, std::uint16_t offset, std::size_t capacity) noexcept
{
    auto* b = new (block) buffer(static_cast<std::byte*>(block) + sizeof(buffer) + offset, capacity);
    b->offset_ = offset;
    return b;
}

buffer* buffer::allocate_slow(std::size_t capacity) noexcept
{
    if (capacity > std::numeric_limits<std::size_t>::max() - sizeof(buffer) - placement::room(capacity)) return nullptr;
    const std::size_t size = block_size(capacity);
    void* block = size <= thread_cache::largest_block ? thread_cache::take(size) : body_pool::take(size);
    if (!block) return nullptr;
    auto* const data = static_cast<std::byte*>(block) + sizeof(buffer);
    const std::size_t offset = capacity < placement::smallest ? 0 : placement::offset(data, capacity);
    return put(block, std::uint16_t(offset), capacity);
}

buffer* buffer::allocate_shared(std::size_t capacity) noexcept
{
    if (capacity <= most_kept_by_threads || block_size(capacity) >= body_pool::smallest_block)
        return allocate(capacity);
    void* block = body_pool::take_shared(block_size(capacity));
    if (!block) return nullptr;
    buffer* const b = put(block, 0, capacity);
    b->shared_ = true;
    return b;
}

buffer* buffer::enlarge(buffer* b, std::size_t used, std::size_t capacity) noexcept
{
    if (block_size(b->capacity_) <= body_pool::largest_block) {
        buffer* larger = allocate(capacity);
        if (!larger) return nullptr;
        copy_many_octets(larger->data_, b->data_, used);
        b->release();
        return larger;
    }
    const std::uint16_t offset = b->offset_;
    void* block = std::realloc(static_cast<void*>(b), block_size(capacity));
    if (!block) return nullptr;
    return put(block, offset, capacity);
}

buffer* buffer::adopt(void* data, std::size_t size, free_function* free_data, void* hint) noexcept
{
    void* block = thread_cache::take(sizeof(buffer));
    if (!block) return nullptr;
    auto* b = new (block) buffer(static_cast<std::byte*>(data), size);
    b->free_ = free_data;
    b->hint_ = hint;
    b->foreign_ = true;
    return b;
}

void buffer::destroy() noexcept
{
    if (kept_by_threads()) return thread_cache::give(this, sizeof(buffer) + capacity_);
    if (shared_) return body_pool::give_shared(this, block_size(capacity_));
    if (!foreign_) return body_pool::give(this, block_size(capacity_));
    free_function* free_data = free_;
    void* data = data_;
    void* hint = hint_;
    thread_cache::give(this, sizeof(buffer));
    if (!free_data) return;
    const cancellation_held_off hold;  // a program's function may do anything
    free_data(data, hint);
}

void buffer::begin_distribution() noexcept
{
    static constinit std::atomic<std::uint64_t> last{0};
    distribution_.store(last.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace zlink::message
