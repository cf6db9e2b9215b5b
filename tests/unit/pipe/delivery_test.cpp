// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where received frames go: memory is filled as far as it reaches, a frame gets a copy, a reference or the frame
// itself.
#include "pipe/delivery.hpp"

#include "lane_fixture.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace zlink::pipe::test {
namespace {

std::string content(const message::frame& f)
{
    return text(f.data(), f.size());
}

// A chunk as connections read into, and frames inside it.
class chunk {
public:
    explicit chunk(std::size_t capacity) : buffer_(message::buffer::allocate(capacity)) {}
    ~chunk() { buffer_->release(); }
    chunk(const chunk&) = delete;
    chunk& operator=(const chunk&) = delete;

    incoming frame(const std::string& body, bool by_reference = false)
    {
        std::memcpy(buffer_->data(), body.data(), body.size());
        return {buffer_->data(), body.size(), false, by_reference, false, buffer_, nullptr};
    }

    [[nodiscard]] bool referred_to() const { return !buffer_->unique(); }

private:
    message::buffer* buffer_;
};

int freed = 0;

// A target whose former content tells when it goes.
void fill(message::owned_frame& target, std::string& memory)
{
    freed = 0;
    auto* data = reinterpret_cast<std::byte*>(memory.data());
    target.init_buffer(
        message::buffer::adopt(data, memory.size(), [](void*, void*) { ++freed; }, nullptr), data, memory.size());
}

TEST(delivery_test, fills_memory_as_far_as_it_reaches)
{
    chunk c(1024);
    const std::string body = "0123456789";
    for (const std::size_t room : {0, 1, 9, 10, 11, 20}) {
        std::array<char, 24> memory;
        memory.fill('.');
        delivery to(room ? memory.data() : nullptr, room);
        ASSERT_TRUE(to.deliver(c.frame(body)));
        EXPECT_EQ(10u, to.size());
        EXPECT_FALSE(to.more());
        const std::size_t copied = std::min<std::size_t>(room, 10);
        EXPECT_EQ(body.substr(0, copied) + std::string(24 - copied, '.'), std::string(memory.data(), 24));
    }
    EXPECT_FALSE(c.referred_to());
}

TEST(delivery_test, fills_memory_from_octets_and_frames_alike)
{
    std::array<char, 4> memory{};
    delivery to(memory.data(), memory.size());
    ASSERT_TRUE(to.deliver("abcdef", 6, true, nullptr));
    EXPECT_EQ(6u, to.size());
    EXPECT_TRUE(to.more());
    EXPECT_EQ("abcd", std::string(memory.data(), 4));
    message::owned_frame f;
    ASSERT_TRUE(f.init_copy_of("xy", 2));
    ASSERT_TRUE(to.deliver(f, false));
    EXPECT_EQ(2u, to.size());
    EXPECT_FALSE(to.more());
    EXPECT_EQ("xycd", std::string(memory.data(), 4));
    ASSERT_TRUE(to.deliver(nullptr, 0, false, nullptr));
    EXPECT_EQ(0u, to.size());
    EXPECT_EQ("xycd", std::string(memory.data(), 4));
}

TEST(delivery_test, fills_memory_with_a_frame_within_a_chunk_and_leaves_others_in_a_frame)
{
    chunk c(64 * 1024);
    std::array<char, 4> memory{};
    message::owned_frame rest;
    delivery inside(memory.data(), memory.size(), rest);
    ASSERT_TRUE(inside.deliver(c.frame("abcdef")));
    EXPECT_EQ(6u, inside.size());
    EXPECT_EQ(nullptr, inside.frame());
    EXPECT_EQ("abcd", std::string(memory.data(), 4));
    EXPECT_EQ(0u, rest.size());

    delivery of_several(memory.data(), memory.size(), rest);
    incoming first = c.frame("first");
    first.more = true;
    ASSERT_TRUE(of_several.deliver(first));
    EXPECT_TRUE(of_several.more());
    EXPECT_EQ(&rest, of_several.frame());
    EXPECT_EQ("first", content(rest));

    rest = {};
    delivery by_reference(memory.data(), memory.size(), rest);
    ASSERT_TRUE(by_reference.deliver(c.frame("body", true)));
    EXPECT_EQ(4u, by_reference.size());
    EXPECT_EQ(&rest, by_reference.frame());
    EXPECT_EQ("body", content(rest));
    EXPECT_EQ("abcd", std::string(memory.data(), 4));
}

TEST(delivery_test, copies_small_frames_out_of_their_chunk)
{
    chunk c(64 * 1024);
    for (const std::size_t size : {0, 1, 40, 41, 1000, 4095}) {
        message::owned_frame target;
        delivery to(target);
        ASSERT_TRUE(to.deliver(c.frame(pattern_of(size))));
        EXPECT_EQ(pattern_of(size), content(target));
        EXPECT_EQ(size, to.size());
        EXPECT_FALSE(c.referred_to()) << size;
    }
}

TEST(delivery_test, refers_to_the_chunk_where_that_pins_little)
{
    chunk c(64 * 1024);
    message::owned_frame target;
    ASSERT_TRUE(delivery(target).deliver(c.frame(pattern_of(8192))));
    EXPECT_TRUE(c.referred_to());
    EXPECT_EQ(pattern_of(8192), content(target));
    target = {};
    EXPECT_FALSE(c.referred_to());
    // An eighth of the chunk is the least.
    ASSERT_TRUE(delivery(target).deliver(c.frame(pattern_of(8191))));
    EXPECT_FALSE(c.referred_to());
    EXPECT_EQ(pattern_of(8191), content(target));
}

TEST(delivery_test, hands_out_bodies_of_their_own_by_reference)
{
    chunk body(100);
    message::owned_frame target;
    ASSERT_TRUE(delivery(target).deliver(body.frame(pattern_of(100), true)));
    EXPECT_TRUE(body.referred_to());
    EXPECT_EQ(pattern_of(100), content(target));
}

TEST(delivery_test, replaces_what_the_frame_held)
{
    std::string memory(100, 'f');
    message::owned_frame target;
    fill(target, memory);
    chunk c(64);
    incoming f = c.frame("next");
    f.more = true;
    delivery to(target);
    ASSERT_TRUE(to.deliver(f));
    EXPECT_EQ(1, freed);
    EXPECT_EQ("next", content(target));
    EXPECT_TRUE(target.more());
    EXPECT_TRUE(to.more());
    ASSERT_TRUE(to.deliver("last", 4, false, nullptr));
    EXPECT_EQ("last", content(target));
    EXPECT_FALSE(target.more());
}

TEST(delivery_test, moves_whole_frames)
{
    const std::string body = pattern_of(1000);
    message::owned_frame source, target;
    ASSERT_TRUE(source.init_copy_of(body.data(), body.size()));
    const std::byte* const data = source.data();
    delivery to(target);
    ASSERT_TRUE(to.deliver(source, true));
    EXPECT_EQ(data, target.data());
    EXPECT_EQ(1000u, to.size());
    EXPECT_TRUE(target.more());
    EXPECT_TRUE(source.initialised());
    EXPECT_EQ(0u, source.size());
}

TEST(delivery_test, a_moved_frame_brings_its_properties)
{
    message::metadata* m = message::metadata::create({{"Identity", "me"}});
    ASSERT_NE(nullptr, m);
    message::owned_frame source, target;
    ASSERT_TRUE(source.init_copy_of("x", 1));
    source.set_properties(m);
    m->release();
    ASSERT_TRUE(delivery(target).deliver(source, false));
    ASSERT_NE(nullptr, target.properties());
    EXPECT_STREQ("me", target.properties()->find("Identity"));
}

TEST(delivery_test, gives_frames_the_properties_of_their_connection)
{
    message::metadata* m = message::metadata::create({{"Identity", "me"}});
    ASSERT_NE(nullptr, m);
    chunk c(64);
    message::owned_frame first, second;
    incoming f = c.frame("x");
    f.metadata = m;
    ASSERT_TRUE(delivery(first).deliver(f));
    ASSERT_TRUE(delivery(second).deliver("y", 1, false, m));
    m->release();
    ASSERT_TRUE(first.properties() && second.properties());
    EXPECT_STREQ("me", first.properties()->find("Identity"));
    EXPECT_STREQ("me", second.properties()->find("Identity"));
    f.metadata = nullptr;
    ASSERT_TRUE(delivery(first).deliver(f));
    EXPECT_EQ(nullptr, first.properties());
}

// From a lane: small, inside a chunk, and a body outside of it.
TEST(delivery_test, takes_what_a_lane_shows)
{
    joined_lane l;
    for (const std::size_t size : telling_sizes) {
        l.put({pattern_of(size, 3)});
        incoming f;
        ASSERT_TRUE(l.reader.next(f));
        message::owned_frame target;
        ASSERT_TRUE(delivery(target).deliver(f));
        (void)l.reader.pop(f);
        EXPECT_EQ(pattern_of(size, 3), content(target));
    }
}

}  // namespace
}  // namespace zlink::pipe::test
