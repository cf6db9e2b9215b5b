// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reference-counted memory: the body of a large frame, the chunk of a lane, the memory of a host program. Frames,
// spans and messages point into buffers; the last reference frees, on whichever thread drops it.
#pragma once

#include "message/thread_cache.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace zlink::message {

using free_function = void(void* data, void* hint);

class alignas(16) buffer {
public:
    /// Header and `capacity` octets in one block, one reference. Null when memory is short.
    [[nodiscard]] static buffer* allocate(std::size_t capacity) noexcept
    {
        buffer* b = allocate_at_once(capacity);
        return b ? b : allocate_slow(capacity);
    }

    /// allocate() of a small block, if the thread has one at hand. Null: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] static buffer* allocate_at_once(std::size_t capacity) noexcept;

    /// allocate() for a body that several sockets will refer to: below the sizes of large bodies, too, it comes from
    /// the pool.
    [[nodiscard]] static buffer* allocate_shared(std::size_t capacity) noexcept;

    /// Replaces `b` by a larger block with the first `used` octets of `b`. `b` is a block of ours, and the caller is
    /// its only owner. Large blocks keep their pages: nothing is copied or held twice. Null when memory is short; `b`
    /// is unchanged then.
    [[nodiscard]] static buffer* enlarge(buffer* b, std::size_t used, std::size_t capacity) noexcept;

    /// Wraps memory of the host program; `free_data` (may be null: constant data) is called exactly once, with no lock
    /// held. Null when memory is short; the caller keeps the data then.
    [[nodiscard]] static buffer* adopt(void* data, std::size_t size, free_function* free_data, void* hint) noexcept;

    /// As adopt(), for memory of another process: lent() is true then.
    [[nodiscard]] static buffer* lend(void* data, std::size_t size, free_function* free_data, void* hint) noexcept
    {
        buffer* const b = adopt(data, size, free_data, hint);
        if (b) b->lent_ = true;
        return b;
    }

    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;

    void add_ref(std::uint32_t n = 1) noexcept { refs_.fetch_add(n, std::memory_order_relaxed); }

    void release() noexcept
    {
        // A sole owner needs no read-modify-write; acquire pairs with the acq_rel decrement of earlier owners.
        if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
    }

    /// release(), if that gives a block of ours back to the thread's cache. False: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] bool release_at_once() noexcept;

    /// True while the caller has the only reference.
    [[nodiscard]] bool unique() const noexcept { return refs_.load(std::memory_order_acquire) == 1; }

    /// The octets belong to another process. A program gets a copy, and the memory is wanted back soon.
    [[nodiscard]] bool lent() const noexcept { return lent_; }

    /// The last send by which connections got this body; numbers are never used again. 0: there was none.
    [[nodiscard]] std::uint64_t distribution() const noexcept { return distribution_.load(std::memory_order_relaxed); }
    /// A send to connections begins: what they find here is the same octets until the next one.
    void begin_distribution() noexcept;
    /// The memory is used for other octets: bodies in it are like no other until the next send.
    void end_distribution() noexcept { distribution_.store(0, std::memory_order_relaxed); }

    [[nodiscard]] std::byte* data() noexcept { return data_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    buffer(std::byte* data, std::size_t capacity) noexcept : data_(data), capacity_(capacity) {}
    ~buffer() = default;
    [[nodiscard]] static buffer* allocate_slow(std::size_t capacity) noexcept;
    [[nodiscard]] static buffer* put(void* block, std::uint16_t offset, std::size_t capacity) noexcept;
    [[nodiscard]] static std::size_t block_size(std::size_t capacity) noexcept;
    [[nodiscard]] bool kept_by_threads() const noexcept;
    void destroy() noexcept;

    std::byte* data_;
    std::size_t capacity_;
    free_function* free_;  ///< this and hint_: of foreign data only
    void* hint_;
    std::atomic<std::uint32_t> refs_{1};  ///< partners: release() and unique() acquire what earlier owners released
    bool foreign_ : 1 = false;
    bool lent_ : 1 = false;
    bool shared_ = false;                         ///< the block comes from body_pool::take_shared()
    std::uint16_t offset_ = 0;                    ///< of data_ from the end of this, in blocks of ours
    std::atomic<std::uint64_t> distribution_{0};  ///< a number that orders nothing, so relaxed
};

/// Octets of a body that threads keep blocks for (thread_cache.hpp).
inline constexpr std::size_t most_kept_by_threads = thread_cache::largest_block - sizeof(buffer);

inline buffer* buffer::allocate_at_once(std::size_t capacity) noexcept
{
    if (capacity > most_kept_by_threads) return nullptr;
    void* block = thread_cache::take_at_once(sizeof(buffer) + capacity);
    if (!block) [[unlikely]]
        return nullptr;
    return new (block) buffer(static_cast<std::byte*>(block) + sizeof(buffer), capacity);
}

inline bool buffer::kept_by_threads() const noexcept
{
    return !foreign_ && capacity_ <= most_kept_by_threads;
}

inline bool buffer::release_at_once() noexcept
{
    // As in release().
    return kept_by_threads() && unique() && thread_cache::give_at_once(this, sizeof(buffer) + capacity_);
}

}  // namespace zlink::message
