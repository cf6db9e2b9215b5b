#include "message/buffer.hpp"

#include "message/body_pool.hpp"

#include <cstdlib>
#include <limits>
#include <new>

namespace zlink::message {

buffer* buffer::allocate(std::size_t capacity) noexcept
{
    if (capacity > std::numeric_limits<std::size_t>::max() - sizeof(buffer)) return nullptr;
    void* block = body_pool::take(sizeof(buffer) + capacity);
    if (!block) return nullptr;
    return new (block) buffer(static_cast<std::byte*>(block) + sizeof(buffer), capacity);
}

buffer* buffer::adopt(void* data, std::size_t size, free_function* free_data, void* hint) noexcept
{
    void* block = std::malloc(sizeof(buffer));
    if (!block) return nullptr;
    auto* b = new (block) buffer(static_cast<std::byte*>(data), size);
    b->free_ = free_data;
    b->hint_ = hint;
    b->foreign_ = true;
    return b;
}

void buffer::destroy() noexcept
{
    if (!foreign_) {
        body_pool::give(this, sizeof(buffer) + capacity_);
        return;
    }
    free_function* free_data = free_;
    void* data = data_;
    void* hint = hint_;
    std::free(this);
    if (free_data) free_data(data, hint);
}

}  // namespace zlink::message
