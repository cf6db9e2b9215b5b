// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a handshake does with keys leaves nothing of them on the stack.
#include "crypto/box.hpp"
#include "crypto/secret_box.hpp"

#include "painted_stack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace zlink::crypto {
namespace {

class handshake_stack_test : public testing::Test {
protected:
    void expect_nothing_of(const std::function<void()>& call)
    {
        constexpr std::size_t of_the_wiping = 16;  // addresses that its calls return to, the lowest of all
        (void)stack_->marks_of(call);              // what the loader finds then, it finds once
        EXPECT_GE(of_the_wiping, stack_->marks_of(call));
    }

    const std::unique_ptr<painted_stack> stack_ = std::make_unique<painted_stack>();
    const key_pair ours_ = make_key_pair(system_random()), theirs_ = make_key_pair(system_random());
};

TEST_F(handshake_stack_test, agreeing_on_a_key)
{
    secret_key shared;
    expect_nothing_of([&] { shared = agree(theirs_.open, ours_.secret.octets()); });
    EXPECT_TRUE(shared);
    public_key open{};
    expect_nothing_of([&] { open = public_key_of(ours_.secret.octets()); });
    EXPECT_EQ(ours_.open, open);
}

TEST_F(handshake_stack_test, boxes_of_its_commands)
{
    const secret_key shared = agree(theirs_.open, ours_.secret.octets());
    const nonce number{};
    for (const std::size_t size : {0, 64, 200, 1000}) {
        const std::vector<std::byte> text(size, std::byte{'t'});
        std::vector<std::byte> box(size + box_overhead), opened(size);
        expect_nothing_of([&] { seal_box(shared, number, text, box.data()); });
        bool good = false;
        expect_nothing_of([&] { good = open_box(shared, number, box, opened.data()); });
        EXPECT_TRUE(good);
        EXPECT_EQ(text, opened);
    }
}

TEST_F(handshake_stack_test, the_key_of_the_traffic)
{
    const secret_key shared = agree(theirs_.open, ours_.secret.octets());
    const std::array<std::byte, 16> prefix{};
    std::array<std::byte, sizeof(box_key)> room;
    expect_nothing_of([&] { ::new (room.data()) box_key(shared.octets(), prefix); });
}

}  // namespace
}  // namespace zlink::crypto
