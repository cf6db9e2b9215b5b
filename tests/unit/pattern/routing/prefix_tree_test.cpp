// Topics by prefix, against a map of strings.
#include "pattern/routing/prefix_tree.hpp"
#include "pattern/routing/topic_set.hpp"

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

prefix_tree::id insert(prefix_tree& tree, std::string_view topic)
{
    bool is_new = false;
    return tree.insert(octets(topic), is_new);
}

std::vector<std::string> matches(const prefix_tree& tree, std::string_view message)
{
    std::vector<std::string> topics;
    tree.match(octets(message), [&](prefix_tree::id id) {
        tree.append_text(id, topics.emplace_back());
        return true;
    });
    return topics;
}

using texts = std::vector<std::string>;

TEST(prefix_tree, an_empty_tree_matches_nothing)
{
    prefix_tree tree;
    EXPECT_EQ(texts{}, matches(tree, ""));
    EXPECT_EQ(texts{}, matches(tree, "abc"));
    EXPECT_EQ(prefix_tree::none, tree.find(octets("")));
    EXPECT_EQ(0u, tree.size());
}

TEST(prefix_tree, finds_all_prefixes_shortest_first)
{
    prefix_tree tree;
    for (const char* topic : {"abc", "a", "", "abd", "b", "abcdef"}) insert(tree, topic);
    EXPECT_EQ(6u, tree.size());
    EXPECT_EQ((texts{"", "a", "abc", "abcdef"}), matches(tree, "abcdefg"));
    EXPECT_EQ((texts{"", "a", "abc"}), matches(tree, "abcde"));
    EXPECT_EQ((texts{"", "a"}), matches(tree, "ab"));
    EXPECT_EQ((texts{"", "b"}), matches(tree, "bcd"));
    EXPECT_EQ((texts{""}), matches(tree, ""));
    EXPECT_EQ((texts{""}), matches(tree, "x"));
}

TEST(prefix_tree, stops_when_told)
{
    prefix_tree tree;
    for (const char* topic : {"a", "ab", "abc"}) insert(tree, topic);
    int calls = 0;
    tree.match(octets("abcd"), [&](prefix_tree::id) { return ++calls < 2; });
    EXPECT_EQ(2, calls);
}

TEST(prefix_tree, a_topic_has_one_number)
{
    prefix_tree tree;
    bool is_new = false;
    const auto id = tree.insert(octets("topic"), is_new);
    EXPECT_TRUE(is_new);
    EXPECT_EQ(id, tree.insert(octets("topic"), is_new));
    EXPECT_FALSE(is_new);
    EXPECT_EQ(id, tree.find(octets("topic")));
    insert(tree, "top");
    insert(tree, "topical");
    EXPECT_EQ(id, tree.find(octets("topic")));
    EXPECT_EQ(prefix_tree::none, tree.find(octets("topi")));
    EXPECT_EQ(prefix_tree::none, tree.find(octets("topics")));
}

TEST(prefix_tree, erased_topics_are_gone_and_numbers_used_again)
{
    prefix_tree tree;
    const auto a = insert(tree, "abc");
    insert(tree, "abd");
    tree.erase(a);
    EXPECT_FALSE(tree.contains(a));
    EXPECT_EQ(texts{}, matches(tree, "abc"));
    EXPECT_EQ(texts{"abd"}, matches(tree, "abd"));
    EXPECT_EQ(a, insert(tree, "xyz"));
    EXPECT_EQ(texts{"xyz"}, matches(tree, "xyz"));
    EXPECT_EQ(2u, tree.limit());
}

TEST(prefix_tree, topics_of_any_length_and_octets_are_fine)
{
    prefix_tree tree;
    std::string deep;
    for (int i = 0; i < 5000; ++i) insert(tree, deep += char(i * 37));
    EXPECT_EQ(5000u, matches(tree, deep + "x").size());
    const std::string huge(3 << 20, 'h');
    insert(tree, huge);
    EXPECT_EQ(texts{huge}, matches(tree, huge + "h"));
    EXPECT_EQ(texts{}, matches(tree, huge.substr(1)));
    for (int octet = 0; octet < 256; ++octet) insert(tree, std::string(1, char(octet)));
    for (int octet = 1; octet < 256; ++octet) EXPECT_EQ(1u, matches(tree, std::string(1, char(octet))).size());
}

TEST(prefix_tree, agrees_with_a_map_whatever_is_done)
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
        prefix_tree tree;
        std::map<std::string, prefix_tree::id> model;
        for (int i = 0; i < 4000; ++i) {
            const std::string topic = any_topic();
            const auto known = model.find(topic);
            if (random() % 100 < (i / 1000 % 2 ? 25u : 75u)) {
                bool is_new = false;
                const auto id = tree.insert(octets(topic), is_new);
                ASSERT_EQ(known == model.end(), is_new);
                ASSERT_TRUE(is_new || id == known->second);
                model[topic] = id;
            } else if (known != model.end()) {
                tree.erase(known->second);
                model.erase(known);
            }
            ASSERT_EQ(model.size(), tree.size());
            const std::string message = any_topic() + any_topic();
            texts expected;
            for (std::size_t n = 0; n <= message.size(); ++n) {
                if (model.contains(message.substr(0, n))) expected.push_back(message.substr(0, n));
            }
            ASSERT_EQ(expected, matches(tree, message));
            const auto found = model.find(message);
            ASSERT_EQ(found == model.end() ? prefix_tree::none : found->second, tree.find(octets(message)));
        }
        std::set<prefix_tree::id> numbers;
        for (const auto& [topic, id] : model) {
            EXPECT_TRUE(numbers.insert(id).second);
            std::string text;
            tree.append_text(id, text);
            EXPECT_EQ(topic, text);
        }
        for (const auto& [topic, id] : model) tree.erase(id);
        EXPECT_EQ(0u, tree.size());
        EXPECT_EQ(0u, tree.limit());
        EXPECT_EQ(texts{}, matches(tree, std::string(20, '\0')));
    }
}

TEST(topic_set, counts_subscriptions)
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

TEST(topic_set, lists_its_topics)
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
