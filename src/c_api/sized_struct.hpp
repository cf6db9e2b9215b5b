// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Structures of a program that begin with their size, and may be older or newer than the library's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace zlink::c_api {

/// An array of them. Each has the size that the first one names. `Struct` is the library's.
template <class Struct>
class sized_structs {
public:
    sized_structs(Struct* first, std::size_t count) noexcept : at_(reinterpret_cast<std::byte*>(first)), room_(count)
    {
        if (room_ != 0) std::memcpy(&stride_, at_, sizeof stride_);
    }

    /// The program's structure has all that this library's had at first.
    [[nodiscard]] bool is_sound() const noexcept { return room_ == 0 || stride_ >= sizeof(Struct); }

    /// Stores the next one, if there is room.
    void put(Struct value) noexcept
    {
        if (offered_++ >= room_) return;
        value.size = sizeof(Struct);
        std::memcpy(at_, &value, sizeof value);
        std::memset(at_ + sizeof value, 0, stride_ - sizeof value);
        at_ += stride_;
    }
    /// How many were given to put().
    [[nodiscard]] std::size_t offered() const noexcept { return offered_; }

private:
    std::byte* at_;
    std::size_t room_;
    std::size_t stride_ = 0;
    std::size_t offered_ = 0;
};

}  // namespace zlink::c_api
