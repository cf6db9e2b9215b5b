// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The parts of the topic table. They are topics as words and hashes, a handful of topics, the index by hash and the
// filter. Each is compared with what is true of the texts themselves.
#include "pattern/routing/few_topics.hpp"
#include "pattern/routing/prefix_hasher.hpp"
#include "pattern/routing/topic_filter.hpp"
#include "pattern/routing/topic_index.hpp"
#include "pattern/routing/topic_octets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::pattern::routing {
namespace {

topic_octets octets(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

constexpr std::uint64_t secret = 0x0123456789abcdef;

std::string random_text(std::mt19937& random, std::size_t longest)
{
    std::string text(random() % (longest + 1), ' ');
    for (char& c : text) c = char('a' + random() % 2);
    return text;
}

// --- words
// -------------------------------------------------------------------------------------------------------------

TEST(topic_octets_test, a_word_has_the_first_octet_in_its_lowest_bits_and_zeros_behind_the_end)
{
    const std::string text = "abcdefghijklmnopqrstuvwxyz";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const std::string_view topic = std::string_view(text).substr(0, size);
        for (std::size_t at = 0; at <= size; ++at) {
            std::uint64_t expected = 0;
            for (std::size_t i = 0; i < 8 && at + i < size; ++i) expected |= std::uint64_t(topic[at + i]) << (8 * i);
            ASSERT_EQ(expected, word_at(octets(topic), at)) << size << " " << at;
        }
    }
}

TEST(topic_octets_test, the_first_octets_of_a_word_can_be_selected)
{
    EXPECT_EQ(0u, first_octets(0));
    EXPECT_EQ(0xffu, first_octets(1));
    EXPECT_EQ(~std::uint64_t(0), first_octets(8));
}

// --- hashes
// ------------------------------------------------------------------------------------------------------------

TEST(prefix_hasher_test, the_hash_of_a_prefix_is_that_of_the_same_topic)
{
    const std::string message = "abcdefghijklmnopqrstuvwxyz";
    for (std::size_t size = 1; size <= message.size(); ++size) {
        prefix_hasher of_message(octets(message), secret);
        while (size - of_message.at() > prefix_hasher::stride) of_message.advance();
        prefix_hasher of_topic(octets(std::string_view(message).substr(0, size)), secret);
        ASSERT_EQ(of_topic.of_all(), of_message.of(size - of_message.at())) << size;
    }
}

TEST(prefix_hasher_test, other_topics_and_other_secrets_have_other_hashes)
{
    std::set<std::uint64_t> hashes;
    const std::vector<std::string> topics{"",         std::string(1, '\0'), std::string(2, '\0'), "a", "b", "ab", "ba",
                                          "abcdefgh", "abcdefghi",          std::string(9, '\0')};
    for (const std::string& topic : topics) {
        for (const std::uint64_t key : {secret, secret + 1}) hashes.insert(prefix_hasher(octets(topic), key).of_all());
    }
    EXPECT_EQ(2 * topics.size(), hashes.size());
}

// --- a handful
// ---------------------------------------------------------------------------------------------------------

TEST(few_topics_test, finds_the_topics_that_a_message_begins_with_shortest_first)
{
    few_topics few;
    ASSERT_TRUE(few.add(octets("abcdefghij"), 3));
    ASSERT_TRUE(few.add(octets(""), 0));
    ASSERT_TRUE(few.add(octets("abc"), 2));
    ASSERT_TRUE(few.add(octets("b"), 9));
    ASSERT_TRUE(few.add(octets("a"), 1));
    const auto matches = [&](std::string_view message) {
        std::vector<few_topics::id> found;
        few.match(octets(message), [&](std::size_t, few_topics::id id) {
            found.push_back(id);
            return true;
        });
        return found;
    };
    using ids = std::vector<few_topics::id>;
    EXPECT_EQ((ids{0, 1, 2, 3}), matches("abcdefghijk"));
    EXPECT_EQ((ids{0, 1, 2}), matches("abcdefghi"));
    EXPECT_EQ((ids{0}), matches(""));
    EXPECT_EQ((ids{0, 9}), matches("bcd"));
    few.remove(1);
    EXPECT_EQ((ids{0, 2, 3}), matches("abcdefghijk"));
    few.clear();
    EXPECT_EQ(ids{}, matches("abcdefghijk"));
}

TEST(few_topics_test, finds_topics_in_messages_of_every_length)
{
    const std::string letters = "abcdefghijk";
    for (std::size_t length = 0; length <= letters.size(); ++length) {
        few_topics few;
        ASSERT_TRUE(few.add(octets(letters).first(length), 1));
        for (std::size_t size = 0; size <= letters.size(); ++size) {
            for (std::size_t wrong = 0; wrong <= size; ++wrong) {
                std::string message = letters.substr(0, size);
                if (wrong < size) message[wrong] = 'z';
                bool found = false;
                few.match(octets(message), [&](std::size_t, few_topics::id) { return !(found = true); });
                EXPECT_EQ(length <= size && length <= wrong, found) << length << ' ' << message;
            }
        }
    }
}

TEST(few_topics_test, ends_when_it_is_told_to)
{
    few_topics few;
    ASSERT_TRUE(few.add(octets("a"), 1));
    ASSERT_TRUE(few.add(octets("ab"), 2));
    int calls = 0;
    few.match(octets("abc"), [&](std::size_t length, few_topics::id) {
        EXPECT_EQ(1u, length);
        return ++calls < 1;
    });
    EXPECT_EQ(1, calls);
}

TEST(few_topics_test, refuses_more_than_a_handful)
{
    few_topics few;
    few_topics::id number = 0;
    while (number < 100 && few.add(octets(std::string(1, char('a' + number))), number)) ++number;
    EXPECT_LT(4u, number);
    EXPECT_GT(100u, number);
    few.remove(0);
    EXPECT_TRUE(few.add(octets("A"), 0)) << "there is room again";
}

TEST(few_topics_test, refuses_a_topic_that_it_cannot_tell_from_another)
{
    few_topics few;
    ASSERT_TRUE(few.add(octets("12345678-one-12345678"), 1));
    EXPECT_FALSE(few.add(octets("12345678-two-12345678"), 2)) << "they differ in the middle alone";
    EXPECT_TRUE(few.add(octets("12345678-three-12345678"), 3));
}

// --- the index
// ---------------------------------------------------------------------------------------------------------

TEST(topic_index_test, is_a_map_from_hash_to_number)
{
    topic_index index;
    std::map<topic_index::id, std::uint64_t> there;
    std::mt19937_64 random{1};
    const auto find = [&](std::uint64_t hash, topic_index::id id) {
        return index.find(hash, [&](topic_index::id found) { return found == id; });
    };
    EXPECT_EQ(topic_index::none, find(7, 7)) << "there is nothing";
    for (topic_index::id next = 0; next < 3000; ++next) {
        const std::uint64_t hash = next % 3 == 0 ? 42 : random();  // many of the same hash, too
        ASSERT_TRUE(index.reserve_one_more());
        index.insert(hash, next);
        there[next] = hash;
        if (next % 4 == 3) {
            const auto gone = std::next(there.begin(), std::ptrdiff_t(random() % there.size()));
            index.erase(gone->second, gone->first);
            ASSERT_EQ(topic_index::none, find(gone->second, gone->first));
            there.erase(gone);
        }
    }
    for (const auto& [id, hash] : there) ASSERT_EQ(id, find(hash, id));
    index.release();
    EXPECT_EQ(topic_index::none, find(42, 0));
}

// --- the filter
// --------------------------------------------------------------------------------------------------------

class topic_filter_test : public testing::Test {
protected:
    void fill(const std::set<std::string>& topics)
    {
        ASSERT_TRUE(filter_.reset(topics.size()));
        for (const std::string& topic : topics) filter_.expect(topic.size());
        for (const std::string& topic : topics) {
            ASSERT_TRUE(filter_.covers(topic.size()));
            filter_.add({octets(topic), secret});
        }
    }
    /// The lengths of prefixes that may be topics.
    [[nodiscard]] std::vector<std::size_t> possible(std::string_view message) const
    {
        std::vector<std::size_t> lengths;
        filter_.match({octets(message), secret}, [&](std::size_t length, std::uint64_t hash) {
            EXPECT_EQ(prefix_hasher(octets(message.substr(0, length)), secret).of_all(), hash);
            lengths.push_back(length);
            return true;
        });
        return lengths;
    }

    topic_filter filter_;
};

TEST_F(topic_filter_test, reports_every_topic_that_a_message_begins_with_shortest_first)
{
    std::mt19937 random{1};
    std::set<std::string> topics;
    for (int i = 0; i < 300; ++i) topics.insert(random_text(random, 40));
    fill(topics);
    for (int i = 0; i < 2000; ++i) {
        std::string message = random_text(random, 60);
        if (i % 2) message = *std::next(topics.begin(), std::ptrdiff_t(random() % topics.size())) + message;
        const auto found = possible(message);
        ASSERT_TRUE(std::ranges::is_sorted(found));
        for (std::size_t length = 0; length <= message.size(); ++length) {
            if (!topics.contains(message.substr(0, length))) continue;
            ASSERT_TRUE(std::ranges::binary_search(found, length)) << message << " " << length;
        }
    }
}

TEST_F(topic_filter_test, reports_few_others)
{
    std::set<std::string> topics;
    for (int i = 0; i < 1000; ++i) topics.insert("topic number " + std::to_string(i) + "/");
    fill(topics);
    std::size_t wrong = 0;
    for (int i = 0; i < 1000; ++i) wrong += possible("tonic number " + std::to_string(i) + "/ and more").size();
    EXPECT_GT(100u, wrong);
}

TEST_F(topic_filter_test, ends_when_it_is_told_to)
{
    fill({"", "a", "ab"});
    int calls = 0;
    filter_.match({octets("abc"), secret}, [&](std::size_t, std::uint64_t) { return ++calls < 2; });
    EXPECT_EQ(2, calls);
}

TEST_F(topic_filter_test, has_nothing_after_a_reset)
{
    fill({"a", "ab"});
    ASSERT_TRUE(filter_.reset(3));
    EXPECT_TRUE(possible("abc").empty());
}

TEST_F(topic_filter_test, tells_when_it_is_full)
{
    ASSERT_TRUE(filter_.reset(100));
    filter_.expect(8);
    EXPECT_TRUE(filter_.roomy());
    std::size_t added = 0;
    for (; !filter_.full() && added < 100'000; ++added)
        filter_.add({octets(std::to_string(10'000'000 + added)), secret});
    EXPECT_LE(100u, added);
    EXPECT_GT(100'000u, added);
    EXPECT_FALSE(filter_.roomy());
}

}  // namespace
}  // namespace zlink::pattern::routing
