#include "message/buffer.hpp"

#include "message/body_pool.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace zlink::message {

buffer* buffer::allocate_slow(std::size_t capacity) noexcept
{
    if (capacity > std::numeric_limits<std::size_t>::max() - sizeof(buffer)) return nullptr;
    const std::size_t size = sizeof(buffer) + capacity;
    void* block = size <= thread_cache::largest_block ? thread_cache::take(size) : body_pool::take(size);
    if (!block) return nullptr;
    return new (block) buffer(static_cast<std::byte*>(block) + sizeof(buffer), capacity);
}

buffer* buffer::enlarge(buffer* b, std::size_t used, std::size_t capacity) noexcept
{
    if (sizeof(buffer) + b->capacity_ <= body_pool::largest_block) {
        buffer* larger = allocate(capacity);
        if (!larger) return nullptr;
        std::memcpy(larger->data_, b->data_, used);
        b->release();
        return larger;
    }
    void* block = std::realloc(static_cast<void*>(b), sizeof(buffer) + capacity);
    if (!block) return nullptr;
    return new (block) buffer(static_cast<std::byte*>(block) + sizeof(buffer), capacity);
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
    if (!foreign_) return body_pool::give(this, sizeof(buffer) + capacity_);
    free_function* free_data = free_;
    void* data = data_;
    void* hint = hint_;
    thread_cache::give(this, sizeof(buffer));
    if (free_data) free_data(data, hint);
}

}  // namespace zlink::message
