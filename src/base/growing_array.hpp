// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An array that grows without moving its elements: its parts double in size. Growing needs no copy of all elements, and
// no pause for one. An element is found with a few instructions, as the list of parts is in the object itself.
#pragma once

#include "base/huge_page_allocator.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace zlink {

template <class T>
class growing_array {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    growing_array() = default;
    growing_array(const growing_array&) = delete;
    growing_array& operator=(const growing_array&) = delete;
    ~growing_array() { clear(); }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    [[nodiscard]] T& operator[](std::size_t i) noexcept { return *at(i); }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return *at(i); }

    /// Makes elements as T() does until there are at least `size`. False when memory is short.
    [[nodiscard]] bool grow_to(std::size_t size) noexcept
    {
        while (size_ < size) {
            const place next = place_of(size_);
            T*& part = parts_[next.part];
            if (!part && !(part = allocate(next.part))) return false;
            std::construct_at(part + next.offset);
            ++size_;
        }
        return true;
    }

    /// Gives all memory back.
    void clear() noexcept
    {
        for (std::size_t i = 0; i < parts_.size() && parts_[i]; ++i) {
            huge_page_allocator<T>().deallocate(parts_[i], first_part << i);
            parts_[i] = nullptr;
        }
        size_ = 0;
    }

private:
    static constexpr std::size_t first_part = 4;

    struct place {
        std::size_t part;
        std::size_t offset;
    };
    static place place_of(std::size_t i) noexcept
    {
        const std::size_t shifted = i + first_part;
        const auto highest = std::size_t(std::bit_width(shifted) - 1);
        return {highest - std::size_t(std::countr_zero(first_part)), shifted ^ std::size_t(1) << highest};
    }
    static T* allocate(std::size_t part) noexcept
    {
        try {
            return huge_page_allocator<T>().allocate(first_part << part);
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    [[nodiscard]] T* at(std::size_t i) const noexcept
    {
        const place p = place_of(i);
        return parts_[p.part] + p.offset;
    }

    std::array<T*, 31> parts_{};  ///< enough for as many elements as 32 bits can number
    std::size_t size_ = 0;
};

}  // namespace zlink
