// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A thread's stock for the small messages that it makes and closes: blocks for their bodies and references to the
// properties of connections. So such a message costs neither malloc nor an atomic operation. Another thread than the
// one that took a block or a reference may release it. If a thread has too many, other threads get them through a
// depot, a magazine at a time (Bonwick and Adams, "Magazines and Vmem", 2001). See docs/decisions/0010.
#pragma once

#include "base/fast_tls.hpp"
#include "message/metadata.hpp"

#include <cstddef>
#include <cstdint>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

namespace zlink::message {

class thread_cache {
public:
    // Blocks come in classes of every 64 octets.
    static constexpr std::size_t class_step = 64;
    static constexpr std::size_t classes = 17;
    /// Larger blocks are not kept here.
    static constexpr std::size_t largest_block = classes * class_step;

    /// Blocks that go to the depot and come from there together. A thread keeps at most two magazines of each class.
    static constexpr std::uint32_t magazine_size = 16;
    /// The most magazines of a class in the depot; further ones are freed.
    static constexpr std::uint32_t most_in_depot = 64;
    /// The most that a thread, and the depot of all threads, keep of all classes together, in octets.
    static constexpr std::size_t most_in_thread = 2 * magazine_size * class_step * classes * (classes + 1) / 2;
    static constexpr std::size_t most_in_all_depots = most_in_depot * most_in_thread / 2;

    /// The most connections for which a thread keeps references to the properties.
    static constexpr std::size_t most_properties = 16;
    /// The most references to the properties of one connection.
    static constexpr std::uint32_t most_references = 64;

    /// A block for `size` octets, 1 to largest_block, aligned as malloc does. Null when memory is short.
    [[nodiscard]] [[gnu::always_inline]] static void* take(std::size_t size) noexcept
    {
        void* block = take_at_once(size);
        return block ? block : take_slow(class_of(size));
    }

    /// Takes back a block that take(size) gave, on any thread.
    [[gnu::always_inline]] static void give(void* block, std::size_t size) noexcept
    {
        if (!give_at_once(block, size)) give_slow(block, class_of(size));
    }

    /// take(), if that needs no call. Null: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] static void* take_at_once(std::size_t size) noexcept
    {
        magazine& m = current_->loaded_[class_of(size)];
        free_block* block = m.first;
        if (!block) [[unlikely]]
            return nullptr;
        m.first = block->next;
        --m.count;
        ASAN_UNPOISON_MEMORY_REGION(block, size_of(class_of(size)));
        return block;
    }

    /// give(), if that needs no call. False: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] static bool give_at_once(void* block, std::size_t size) noexcept
    {
        magazine& m = current_->loaded_[class_of(size)];
        if (m.count == magazine_size) [[unlikely]]
            return false;
        m.push(block);
        poison(block, class_of(size));
        return true;
    }

    /// Adds a reference to `m`.
    [[gnu::always_inline]] static void hold(metadata& m) noexcept
    {
        if (!hold_at_once(m)) hold_slow(m);
    }

    /// Takes back a reference that hold() gave, on any thread.
    [[gnu::always_inline]] static void let_go(metadata& m) noexcept
    {
        if (!let_go_at_once(m)) let_go_slow(m);
    }

    /// hold(), if that needs no call. False: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] static bool hold_at_once(const metadata& m) noexcept
    {
        references& r = current_->references_[slot_of(m)];
        if (r.to != &m || r.count == 0) [[unlikely]]
            return false;
        --r.count;
        return true;
    }

    /// let_go(), if that needs no call. False: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] static bool let_go_at_once(const metadata& m) noexcept
    {
        references& r = current_->references_[slot_of(m)];
        if (r.to != &m || r.count == most_references) [[unlikely]]
            return false;
        ++r.count;
        return true;
    }

private:
    friend struct thread_cache_test_access;

    struct free_block {
        free_block* next;           ///< of the magazine
        free_block* next_magazine;  ///< the first of a magazine in the depot
        std::uint32_t count;        ///< its blocks
    };

    struct magazine {
        free_block* first = nullptr;
        std::uint32_t count = 0;

        [[gnu::always_inline]] void push(void* block) noexcept
        {
            auto* b = static_cast<free_block*>(block);
            b->next = first;
            first = b;
            ++count;
        }
    };

    struct references {
        metadata* to = nullptr;  ///< may be gone while `count` is 0
        std::uint32_t count = 0;
    };

    struct depot;

    constexpr thread_cache() noexcept = default;
    // For threads without a cache: no block can be taken from it or given to it, so it is never written.
    struct none {};
    constexpr explicit thread_cache(none) noexcept
    {
        for (magazine& m : loaded_) m.count = magazine_size;
    }

    [[nodiscard]] static constexpr std::size_t class_of(std::size_t size) noexcept { return (size - 1) / class_step; }
    [[nodiscard]] static constexpr std::size_t size_of(std::size_t index) noexcept { return (index + 1) * class_step; }
    [[nodiscard]] static std::size_t slot_of(const metadata& m) noexcept
    {
        const auto at = reinterpret_cast<std::uintptr_t>(&m);
        return ((at >> 5) ^ (at >> 9)) % most_properties;
    }
    [[gnu::always_inline]] static void poison(void* block, std::size_t index) noexcept
    {
        ASAN_POISON_MEMORY_REGION(static_cast<std::byte*>(block) + sizeof(free_block),
                                  size_of(index) - sizeof(free_block));
        (void)block, (void)index;
    }

    [[nodiscard]] static thread_cache* of_this_thread() noexcept;
    [[nodiscard]] static void* take_slow(std::size_t index) noexcept;
    static void give_slow(void* block, std::size_t index) noexcept;
    static void hold_slow(metadata& m) noexcept;
    static void let_go_slow(metadata& m) noexcept;
    static void give_back(void* object) noexcept;

    magazine loaded_[classes];
    magazine spare_[classes];  ///< full or empty
    references references_[most_properties];

    /// The content of the thread's slot (thread_slot::message_cache), or none_ while that is empty: hot paths do not
    /// check for null.
    ZLINK_FAST_TLS static constinit thread_local thread_cache* current_;
    static constinit thread_cache none_;
};

}  // namespace zlink::message
