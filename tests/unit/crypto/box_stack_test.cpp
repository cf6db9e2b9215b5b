// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sealing and opening leave nothing on the stack that they needed: words of the key, of the key stream, powers of authenticators.
#include "crypto/box.hpp"

#include "box_support.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace zlink::crypto {
namespace {

constexpr std::byte paint{0xa5};

// Runs a call on a stack that was painted, and tells how many octets below its caller are neither paint nor zero now.
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

class box_stack_test : public with_implementation {};

INSTANTIATE_TEST_SUITE_P(by, box_stack_test, testing::ValuesIn(implementations()), name_of);

TEST_P(box_stack_test, nothing_stays_of_keys_and_streams)
{
    std::array<std::byte, 32> shared;
    shared.fill(std::byte{0x5b});
    const std::array<std::byte, 16> prefix{};
    const box_key key(shared, prefix);
    constexpr std::size_t of_the_wiping = 16;  // addresses that its calls return to, the lowest of all
    const auto stack = std::make_unique<painted_stack>();
    for (const std::size_t size : {0, 1, 64, 200, 1000, 4000, 20'000, 300'000}) {
        for (const std::size_t count : {1, 3, 8, 20}) {
            const std::vector<std::byte> text(size, std::byte{'t'});
            std::vector<std::vector<std::byte>> sealed(count, std::vector<std::byte>(size + 1 + box_overhead));
            std::vector<std::byte> opened(size);
            std::vector<box_to_seal> to_seal;
            std::vector<box_to_open> to_open;
            for (std::size_t i = 0; i < count; ++i) {
                to_seal.push_back({i + 1, 0, text, sealed[i].data()});
                to_open.push_back({i + 1, sealed[i], opened.data(), 0});
            }
            (void)stack->marks_of([&] { seal(key, to_seal); });  // what the loader finds then, it finds once
            EXPECT_GE(of_the_wiping, stack->marks_of([&] { seal(key, to_seal); })) << size << ' ' << count;
            std::size_t good = 0;
            (void)stack->marks_of([&] { good = open(key, to_open); });
            EXPECT_EQ(count, good);
            EXPECT_GE(of_the_wiping, stack->marks_of([&] { good = open(key, to_open); })) << size << ' ' << count;
        }
    }
}

}  // namespace
}  // namespace zlink::crypto
