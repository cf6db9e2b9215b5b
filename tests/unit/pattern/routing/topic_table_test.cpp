// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Topics by prefix, against a map of strings.
#include "pattern/routing/topic_set.hpp"
#include "pattern/routing/topic_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace zlink::pattern::routing {
namespace {

topic_octets octets(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

topic_table::id insert(topic_table& table, std::string_view topic)
{
    bool is_new = false;
    return table.insert(octets(topic), is_new);
}

std::vector<std::string> matches(const topic_table& table, std::string_view message)
{
    std::vector<std::string> topics;
    table.match(octets(message), [&](topic_table::id id) {
        table.append_text(id, topics.emplace_back());
        return true;
    });
    return topics;
}

using texts = std::vector<std::string>;

TEST(topic_table_test, an_empty_table_matches_nothing)
{
    topic_table table;
    EXPECT_EQ(texts{}, matches(table, ""));
    EXPECT_EQ(texts{}, matches(table, "abc"));
    EXPECT_EQ(topic_table::none, table.find(octets("")));
    EXPECT_EQ(0u, table.size());
}

TEST(topic_table_test, finds_all_prefixes_shortest_first)
{
    topic_table table;
    for (const char* topic : {"abc", "a", "", "abd", "b", "abcdef"}) insert(table, topic);
    EXPECT_EQ(6u, table.size());
    EXPECT_EQ((texts{"", "a", "abc", "abcdef"}), matches(table, "abcdefg"));
    EXPECT_EQ((texts{"", "a", "abc"}), matches(table, "abcde"));
    EXPECT_EQ((texts{"", "a"}), matches(table, "ab"));
    EXPECT_EQ((texts{"", "b"}), matches(table, "bcd"));
    EXPECT_EQ((texts{""}), matches(table, ""));
    EXPECT_EQ((texts{""}), matches(table, "x"));
}

TEST(topic_table_test, stops_when_told)
{
    topic_table table;
    for (const char* topic : {"a", "ab", "abc"}) insert(table, topic);
    int calls = 0;
    table.match(octets("abcd"), [&](topic_table::id) { return ++calls < 2; });
    EXPECT_EQ(2, calls);
}

TEST(topic_table_test, a_topic_has_one_number)
{
    topic_table table;
    bool is_new = false;
    const auto id = table.insert(octets("topic"), is_new);
    EXPECT_TRUE(is_new);
    EXPECT_EQ(id, table.insert(octets("topic"), is_new));
    EXPECT_FALSE(is_new);
    EXPECT_EQ(id, table.find(octets("topic")));
    insert(table, "top");
    insert(table, "topical");
    EXPECT_EQ(id, table.find(octets("topic")));
    EXPECT_EQ(topic_table::none, table.find(octets("topi")));
    EXPECT_EQ(topic_table::none, table.find(octets("topics")));
}

TEST(topic_table_test, erased_topics_are_gone_and_numbers_used_again)
{
    topic_table table;
    const auto a = insert(table, "abc");
    insert(table, "abd");
    table.erase(a);
    EXPECT_FALSE(table.contains(a));
    EXPECT_EQ(texts{}, matches(table, "abc"));
    EXPECT_EQ(texts{"abd"}, matches(table, "abd"));
    EXPECT_EQ(a, insert(table, "xyz"));
    EXPECT_EQ(texts{"xyz"}, matches(table, "xyz"));
    EXPECT_EQ(2u, table.limit());
}

TEST(topic_table_test, topics_of_any_length_and_octets_are_fine)
{
    topic_table table;
    std::string deep;
    for (int i = 0; i < 5000; ++i) insert(table, deep += char(i * 37));
    EXPECT_EQ(5000u, matches(table, deep + "x").size());
    const std::string huge(3 << 20, 'h');
    insert(table, huge);
    EXPECT_EQ(texts{huge}, matches(table, huge + "h"));
    EXPECT_EQ(texts{}, matches(table, huge.substr(1)));
    for (int octet = 0; octet < 256; ++octet) insert(table, std::string(1, char(octet)));
    for (int octet = 1; octet < 256; ++octet) EXPECT_EQ(1u, matches(table, std::string(1, char(octet))).size());
}

TEST(topic_table_test, agrees_with_a_map_whatever_is_done)
{
    for (unsigned seed = 0; seed < 30; ++seed) {
        std::mt19937 random(seed);
        const unsigned letters = 1 + random() % (seed % 3 ? 4 : 256);
        const unsigned longest = 1 + random() % 12;
        const auto any_topic = [&] {
            std::string topic(random() % (longest + 1), '\0');
            for (char& c : topic) c = char(random() % letters);
            return topic;
        };
        topic_table table;
        std::map<std::string, topic_table::id> model;
        for (int i = 0; i < 4000; ++i) {
            const std::string topic = any_topic();
            const auto known = model.find(topic);
            if (random() % 100 < (i / 1000 % 2 ? 25u : 75u)) {
                bool is_new = false;
                const auto id = table.insert(octets(topic), is_new);
                ASSERT_EQ(known == model.end(), is_new);
                ASSERT_TRUE(is_new || id == known->second);
                model[topic] = id;
            } else if (known != model.end()) {
                table.erase(known->second);
                model.erase(known);
            }
            ASSERT_EQ(model.size(), table.size());
            const std::string message = any_topic() + any_topic();
            texts expected;
            for (std::size_t n = 0; n <= message.size(); ++n) {
                if (model.contains(message.substr(0, n))) expected.push_back(message.substr(0, n));
            }
            ASSERT_EQ(expected, matches(table, message));
            const auto found = model.find(message);
            ASSERT_EQ(found == model.end() ? topic_table::none : found->second, table.find(octets(message)));
        }
        std::set<topic_table::id> numbers;
        for (const auto& [topic, id] : model) {
            EXPECT_TRUE(numbers.insert(id).second);
            std::string text;
            table.append_text(id, text);
            EXPECT_EQ(topic, text);
        }
        for (const auto& [topic, id] : model) table.erase(id);
        EXPECT_EQ(0u, table.size());
        EXPECT_EQ(0u, table.limit());
        EXPECT_EQ(texts{}, matches(table, std::string(20, '\0')));
    }
}

// Topics as they are named in use: words that many share, of any length.
std::string topic_of_words(std::mt19937& random, std::size_t most_words)
{
    static const char* const words[] = {"a", "of", "port", "sensor", "turbine/", "building/", "warehouse number "};
    std::string topic;
    for (std::size_t i = random() % (most_words + 1); i > 0; --i) topic += words[random() % std::size(words)];
    return topic;
}

TEST(topic_table_test, agrees_with_a_set_on_long_topics_that_begin_alike)
{
    for (unsigned seed = 0; seed < 12; ++seed) {
        std::mt19937 random(seed);
        const std::size_t most_words = 2 + 5 * (seed % 4);
        topic_table table;
        std::map<std::string, topic_table::id> model;
        for (int i = 0; i < 3000; ++i) {
            const std::string topic = topic_of_words(random, most_words);
            const auto known = model.find(topic);
            if (known != model.end() && random() % 2 == 0) {
                table.erase(known->second);
                model.erase(known);
            } else {
                model[topic] = insert(table, topic);
            }
            const std::string text = topic_of_words(random, most_words) + topic_of_words(random, 3);
            const std::vector<char> message(text.begin(),
                                            text.end());  // of the exact size, so that no octet more is read
            texts expected;
            for (std::size_t n = 0; n <= text.size(); ++n) {
                if (model.contains(text.substr(0, n))) expected.push_back(text.substr(0, n));
            }
            ASSERT_EQ(expected, matches(table, {message.data(), message.size()}));
        }
    }
}

TEST(topic_table_test, topics_that_differ_in_the_middle_are_told_apart)
{
    for (const std::size_t length : {9u, 16u, 17u, 24u, 25u, 64u, 300u}) {
        topic_table table;
        texts topics;
        for (std::size_t at = 0; at < length; ++at) {
            std::string topic(length, '-');
            topic[at] = '+';
            insert(table, topic);
            topics.push_back(topic);
        }
        for (const std::string& topic : topics) EXPECT_EQ(texts{topic}, matches(table, topic + "..."));
        EXPECT_EQ(texts{}, matches(table, std::string(length, '-')));
        EXPECT_EQ(texts{}, matches(table, topics.front().substr(0, length - 1)));
    }
}

TEST(topic_table_test, topics_that_come_and_go_leave_the_others_alone)
{
    topic_table table;
    texts lasting;
    for (int i = 0; i < 50; ++i) insert(table, lasting.emplace_back("lasting/" + std::to_string(i) + "/"));
    for (int i = 0; i < 20000; ++i) {
        const std::string passing = "passing/" + std::to_string(i);
        const auto id = insert(table, passing);
        ASSERT_EQ(texts{passing}, matches(table, passing));
        table.erase(id);
        ASSERT_EQ(texts{}, matches(table, passing));
        const std::string& topic = lasting[std::size_t(i) % lasting.size()];
        ASSERT_EQ(texts{topic}, matches(table, topic + "x"));
    }
    EXPECT_EQ(50u, table.size());
    EXPECT_EQ(51u, table.limit());
}

TEST(topic_table_test, one_topic_of_a_hundred_thousand_is_left)
{
    topic_table table;
    for (int i = 0; i < 100000; ++i) insert(table, "topic " + std::to_string(i) + ".");
    for (int i = 0; i < 100000; ++i) {
        if (i != 777) table.erase(table.find(octets("topic " + std::to_string(i) + ".")));
    }
    EXPECT_EQ(texts{"topic 777."}, matches(table, "topic 777..."));
    EXPECT_EQ(texts{}, matches(table, "topic 778..."));
    EXPECT_EQ(1u, table.size());
}

TEST(topic_set_test, counts_subscriptions)
{
    topic_set topics;
    EXPECT_FALSE(topics.matches(octets("a")));
    EXPECT_TRUE(topics.add(octets("a")));
    EXPECT_TRUE(topics.add(octets("a")));
    EXPECT_EQ(1u, topics.size());
    EXPECT_TRUE(topics.matches(octets("abc")));
    EXPECT_FALSE(topics.matches(octets("")));
    EXPECT_EQ(topic_set::removed::one_of_several, topics.remove(octets("a")));
    EXPECT_TRUE(topics.matches(octets("abc")));
    EXPECT_EQ(topic_set::removed::last, topics.remove(octets("a")));
    EXPECT_FALSE(topics.matches(octets("abc")));
    EXPECT_EQ(topic_set::removed::unknown, topics.remove(octets("a")));
    EXPECT_TRUE(topics.add(octets("a")));
    EXPECT_EQ(topic_set::removed::last, topics.remove(octets("a")));
}

TEST(topic_set_test, lists_its_topics)
{
    topic_set topics;
    for (const char* topic : {"b", "a", "", "bc", "gone"}) ASSERT_TRUE(topics.add(octets(topic)));
    topics.remove(octets("gone"));
    texts all;
    topics.for_each([&](const std::string& topic) { all.push_back(topic); });
    EXPECT_EQ((texts{"b", "a", "", "bc"}), all);
}

}  // namespace
}  // namespace zlink::pattern::routing
