// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Spans of octets that arrived encoded, as connection readers append them.
#include "lane_fixture.hpp"

#include <new>

namespace zlink::pipe::test {
namespace {

message::metadata* properties(const std::string& value)
{
    return message::metadata::create({{"name", value}});
}

void count_free(void* data, void* hint)
{
    ::operator delete(data);
    ++*static_cast<int*>(hint);
}

// A chunk as a connection reader fills it: octets first, spans from the top down.
class arrived_chunk {
public:
    explicit arrived_chunk(std::size_t size, int* freed = nullptr)
    {
        size += 1024;
        chunk_ = freed ? message::buffer::adopt(::operator new(size), size, count_free, freed)
                       : message::buffer::allocate(size);
        next_ = chunk_->data();
        top_ = chunk_->data() + chunk_->capacity();
    }
    ~arrived_chunk() { chunk_->release(); }

    /// Appends frames of whole messages and, behind them, of an unfinished one.
    void append(lane_writer& to, const std::string& whole, std::uint32_t messages, const std::string& begun = {},
                message::buffer* body = nullptr, std::size_t body_size = 0)
    {
        std::byte* begin = next_;
        std::memcpy(begin, whole.data(), whole.size());
        std::memcpy(begin + whole.size(), begun.data(), begun.size());
        next_ += whole.size() + begun.size();
        top_ = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(top_) - sizeof(span)) &
                                            ~std::uintptr_t(alignof(span) - 1));
        ASSERT_LE(next_, top_);
        chunk_->add_ref();
        to.append_span(chunk_, top_, begin, begin + whole.size(), next_, messages, body, body ? body->data() : nullptr,
                       body_size);
    }

private:
    message::buffer* chunk_;
    std::byte* next_;
    std::byte* top_;
};

std::string without_last(const parts& message)
{
    parts longer = message;
    longer.emplace_back();
    const std::string wire = encode(longer);
    return wire.substr(0, wire.size() - message::short_header_size);
}

TEST(lane_append_test, appended_spans_show_whole_messages_only)
{
    joined_lane l(10);
    arrived_chunk chunk(4096);
    chunk.append(l.writer, encode_all({{"a"}, {"b", "c"}}), 2);
    EXPECT_EQ(2u, l.writer.uncredited());
    chunk.append(l.writer, encode_all({{"d"}}), 1, without_last({"e", "f"}));
    EXPECT_TRUE(l.writer.in_message());
    EXPECT_EQ(parts{"a"}, l.take());
    EXPECT_EQ((parts{"b", "c"}), l.take());
    EXPECT_EQ(parts{"d"}, l.take());
    EXPECT_FALSE(l.reader.readable());
    chunk.append(l.writer, {}, 0, without_last({"g"}));
    EXPECT_FALSE(l.reader.readable());
    chunk.append(l.writer, encode_all({{"h"}, {"i"}}), 2, without_last({"j"}));
    EXPECT_EQ((parts{"e", "f", "g", "h"}), l.take());
    EXPECT_EQ(parts{"i"}, l.take());
    EXPECT_FALSE(l.reader.readable());
    EXPECT_EQ(5u, l.reader.messages_read());
}

TEST(lane_append_test, an_appended_span_may_end_with_a_large_body)
{
    joined_lane l;
    arrived_chunk chunk(4096);
    message::buffer* body = message::buffer::allocate(20000);
    std::memset(body->data(), 'B', 20000);
    const std::string wire = encode_all({{"a"}, {"b", std::string(20000, 'B')}});
    chunk.append(l.writer, wire.substr(0, wire.size() - 20000), 2, {}, body, 20000);
    EXPECT_EQ(parts{"a"}, l.take());
    EXPECT_EQ((parts{"b", std::string(20000, 'B')}), l.take());
    EXPECT_TRUE(l.last.by_reference);
    EXPECT_FALSE(l.reader.readable());
}

TEST(lane_append_test, an_unfinished_appended_message_can_be_rolled_back)
{
    for (int spans = 1; spans < 4; ++spans) {
        for (bool read_first : {false, true}) {
            for (bool large : {false, true}) {
                int freed = 0;
                joined_lane l;
                {
                    arrived_chunk chunk(4096, &freed);
                    chunk.append(l.writer, encode_all({{"kept"}}), 1, without_last({"cut", "off"}));
                    for (int i = 1; i < spans; ++i) chunk.append(l.writer, {}, 0, without_last({"cut too"}));
                    if (large) {
                        std::byte header[9];
                        message::encode_header(header, message::flag_more, 10000);
                        chunk.append(l.writer, {}, 0, text(header, 9), message::buffer::allocate(10000), 10000);
                    }
                    if (read_first) {
                        EXPECT_EQ(parts{"kept"}, l.take());
                        EXPECT_FALSE(l.reader.readable());
                    }
                    l.writer.rollback();
                    EXPECT_EQ(0u, l.writer.large_bytes_unread());
                    EXPECT_FALSE(l.reader.has_news() && read_first);
                    l.writer.set_metadata(properties("next connection"));
                    chunk.append(l.writer, encode_all({{"fresh"}}), 1);
                }
                l.put({"written"});
                if (!read_first) {
                    EXPECT_EQ(parts{"kept"}, l.take());
                }
                EXPECT_EQ(parts{"fresh"}, l.take());
                EXPECT_STREQ("next connection", l.last.metadata->find("name"));
                EXPECT_EQ(parts{"written"}, l.take());
                EXPECT_EQ(nothing, l.take());
                EXPECT_EQ(1, freed);
            }
        }
    }
}

TEST(lane_append_test, written_and_appended_messages_keep_their_order)
{
    joined_lane l;
    arrived_chunk chunk(65536);
    std::vector<parts> expected;
    for (std::size_t i = 0; i < 100; ++i) {
        l.put(expected.emplace_back(parts{"written", std::to_string(i)}));
        chunk.append(l.writer, encode(expected.emplace_back(parts{"appended", std::to_string(i)})), 1);
        if (i % 7 == 0) l.put(expected.emplace_back(parts{pattern_of(10000, i)}));
    }
    EXPECT_EQ(expected, l.take_all());
}

TEST(lane_append_test, an_appended_message_may_go_on_by_writing)
{
    joined_lane l;
    arrived_chunk chunk(4096);
    chunk.append(l.writer, {}, 0, without_last({"a"}));
    l.write("b", true);
    EXPECT_FALSE(l.reader.readable());
    l.write("c", false);
    l.writer.publish();
    EXPECT_EQ((parts{"a", "b", "c"}), l.take());
}

// Connection readers hand over chunks that end where the kernel's octets ended, never where a message does.
TEST(lane_append_test, chunks_that_end_in_mid_message_are_freed_as_their_messages_are_sent)
{
    int freed = 0;
    joined_lane l(4);
    l.reader.begin_octets();
    std::string expected, sent;
    {
        arrived_chunk first(4096, &freed);
        first.append(l.writer, {}, 0, without_last({"begin"}));
        expected += without_last({"begin"});
    }
    for (int i = 0; i < 100; ++i) {
        arrived_chunk chunk(4096, &freed);
        const std::string end = encode_all({{"end of " + std::to_string(i)}}), begin = without_last({"more"});
        chunk.append(l.writer, end, 1, begin);
        expected += end + begin;
        sent += l.drain_octets(i % 3 == 0 ? 5 : 1000);
        ASSERT_LE(l.writer.uncredited(), 4u) << i;
        ASSERT_GE(freed, i - 1);
    }
    EXPECT_EQ(expected.substr(0, expected.size() - without_last({"more"}).size()), sent);
}

}  // namespace
}  // namespace zlink::pipe::test
