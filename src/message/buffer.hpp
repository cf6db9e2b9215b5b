// Reference-counted memory: the body of a large frame, the chunk of a lane, the memory of a host program. Frames,
// spans and messages point into buffers; the last reference frees, on whichever thread drops it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink::message {

using free_function = void(void* data, void* hint);

class buffer {
public:
    /// Header and `capacity` octets in one block, one reference. Null when memory is short.
    [[nodiscard]] static buffer* allocate(std::size_t capacity) noexcept;

    /// Wraps memory of the host program; `free_data` (may be null: constant data) is called exactly once, with no lock
    /// held. Null when memory is short; the caller keeps the data then.
    [[nodiscard]] static buffer* adopt(void* data, std::size_t size, free_function* free_data, void* hint) noexcept;

    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;

    void add_ref(std::uint32_t n = 1) noexcept { refs_.fetch_add(n, std::memory_order_relaxed); }

    void release() noexcept
    {
        // A sole owner needs no read-modify-write; acquire pairs with the acq_rel decrement of earlier owners.
        if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
    }

    /// True while the caller's is the only reference.
    [[nodiscard]] bool unique() const noexcept { return refs_.load(std::memory_order_acquire) == 1; }

    [[nodiscard]] std::byte* data() noexcept { return data_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    buffer(std::byte* data, std::size_t capacity) noexcept : data_(data), capacity_(capacity) {}
    ~buffer() = default;
    void destroy() noexcept;

    std::byte* data_;
    std::size_t capacity_;
    free_function* free_ = nullptr;
    void* hint_ = nullptr;
    std::atomic<std::uint32_t> refs_{1};
    bool foreign_ = false;
};

}  // namespace zlink::message
