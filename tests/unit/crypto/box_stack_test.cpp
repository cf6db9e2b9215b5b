// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sealing and opening leave nothing on the stack that they needed: words of the key, of the key stream, powers of
// authenticators.
#include "crypto/box.hpp"

#include "box_support.hpp"
#include "painted_stack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace zlink::crypto {
namespace {

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
