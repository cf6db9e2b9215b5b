// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What calls leave on the stack.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>

namespace zlink::crypto {

/// Runs a call on a stack that was painted, and tells how many octets below its caller are neither paint nor zero now.
class painted_stack {
public:
    std::size_t marks_of(const std::function<void()>& call)
    {
        std::ranges::fill(memory_, paint);
        call_ = &call;
        pthread_attr_t attributes;
        EXPECT_EQ(0, ::pthread_attr_init(&attributes));
        EXPECT_EQ(0, ::pthread_attr_setstack(&attributes, memory_.data(), memory_.size()));
        pthread_t thread{};
        EXPECT_EQ(0, ::pthread_create(&thread, &attributes, run, this));
        EXPECT_EQ(0, ::pthread_join(thread, nullptr));
        EXPECT_EQ(0, ::pthread_attr_destroy(&attributes));
        // Where the calls themselves stood: addresses, sizes.
        constexpr std::size_t near = 512;
        return std::size_t(std::count_if(std::as_const(memory_).data(), below_ - near,
                                         [](std::byte b) { return b != paint && b != std::byte{0}; }));
    }

private:
    static constexpr std::byte paint{0xa5};

    static void* run(void* of)
    {
        auto& self = *static_cast<painted_stack*>(of);
        self.below_ = static_cast<std::byte*>(__builtin_frame_address(0));
        (*self.call_)();
        return nullptr;
    }

    alignas(4096) std::array<std::byte, 512 * 1024> memory_;
    const std::function<void()>* call_ = nullptr;
    const std::byte* below_ = nullptr;
};

}  // namespace zlink::crypto
