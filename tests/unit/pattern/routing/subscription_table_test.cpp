// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Subscriptions of many pipes, against a list of pairs.
#include "pattern/routing/subscription_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>

namespace zlink::pattern::routing {
namespace {

using added = subscription_table::added;
using removed = subscription_table::removed;

topic_octets octets(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

// Pipes that nobody reads or writes.
class pipes {
public:
    pipe::pipe_end& operator[](std::size_t i)
    {
        while (all_.size() <= i) all_.push_back(pipe::pipe::create({0, 0, 8192}));
        return all_[i]->first();
    }
    ~pipes()
    {
        for (pipe::pipe* p : all_) {
            p->second().close();
            p->first().close();
        }
    }
    std::size_t index(const pipe::pipe_end& end) const
    {
        return std::size_t(std::find_if(all_.begin(), all_.end(), [&](pipe::pipe* p) { return &p->first() == &end; }) -
                           all_.begin());
    }

private:
    std::vector<pipe::pipe*> all_;
};

class subscription_table_test : public testing::Test {
protected:
    std::set<std::size_t> matches(std::string_view message)
    {
        std::set<std::size_t> found;
        table_.match(octets(message), [&](pipe::pipe_end& end) { found.insert(pipes_.index(end)); });
        return found;
    }

    using indices = std::set<std::size_t>;

    pipes pipes_;
    subscription_table table_;
};

TEST_F(subscription_table_test, finds_the_pipes_of_all_prefixes)
{
    EXPECT_EQ(added::first, table_.add(octets("a"), pipes_[0]));
    EXPECT_EQ(added::first, table_.add(octets("ab"), pipes_[1]));
    EXPECT_EQ(added::further, table_.add(octets("ab"), pipes_[2]));
    EXPECT_EQ(added::first, table_.add(octets(""), pipes_[3]));
    EXPECT_EQ((indices{0, 1, 2, 3}), matches("abc"));
    EXPECT_EQ((indices{0, 3}), matches("ac"));
    EXPECT_EQ(indices{3}, matches(""));
    EXPECT_EQ(3u, table_.size());
}

TEST_F(subscription_table_test, a_pipe_subscribes_once_however_often_it_asks)
{
    EXPECT_EQ(added::first, table_.add(octets("a"), pipes_[0]));
    EXPECT_EQ(added::further, table_.add(octets("a"), pipes_[0]));
    EXPECT_EQ(removed::last, table_.remove(octets("a"), pipes_[0]));
    EXPECT_EQ(indices{}, matches("a"));
    EXPECT_EQ(removed::unknown, table_.remove(octets("a"), pipes_[0]));
}

TEST_F(subscription_table_test, only_the_owner_ends_a_subscription)
{
    EXPECT_EQ(added::first, table_.add(octets("a"), pipes_[0]));
    EXPECT_EQ(removed::unknown, table_.remove(octets("a"), pipes_[1]));
    EXPECT_EQ(removed::unknown, table_.remove(octets("b"), pipes_[0]));
    EXPECT_EQ(added::further, table_.add(octets("a"), pipes_[1]));
    EXPECT_EQ(removed::others_remain, table_.remove(octets("a"), pipes_[0]));
    EXPECT_EQ(indices{1}, matches("a"));
    EXPECT_EQ(removed::last, table_.remove(octets("a"), pipes_[1]));
    EXPECT_EQ(0u, table_.size());
}

TEST_F(subscription_table_test, a_departing_pipe_names_what_it_leaves)
{
    for (const char* topic : {"z", "shared", "", "a"}) (void)table_.add(octets(topic), pipes_[0]);
    (void)table_.add(octets("shared"), pipes_[1]);
    (void)table_.add(octets("other"), pipes_[1]);
    std::vector<std::pair<std::string, bool>> left;
    table_.remove_pipe(pipes_[0], [&](std::string_view topic, bool last) { left.emplace_back(topic, last); });
    const decltype(left) expected{{"z", true}, {"shared", false}, {"", true}, {"a", true}};
    EXPECT_EQ(expected, left);
    EXPECT_EQ(indices{1}, matches("shared"));
    EXPECT_EQ(2u, table_.size());
    table_.remove_pipe(pipes_[0], [](std::string_view, bool) { ADD_FAILURE() << "it was gone already"; });
}

TEST_F(subscription_table_test, thousands_of_pipes_may_share_a_topic)
{
    for (std::size_t i = 0; i < 3000; ++i) (void)table_.add(octets("all"), pipes_[i]);
    std::size_t found = 0;
    table_.match(octets("all of them"), [&](pipe::pipe_end&) { ++found; });
    EXPECT_EQ(3000u, found);
    for (std::size_t i = 0; i < 3000; i += 2)
        EXPECT_EQ(removed::others_remain, table_.remove(octets("all"), pipes_[i]));
    for (std::size_t i = 1; i < 3000; i += 2) table_.remove_pipe(pipes_[i], [](std::string_view, bool) {});
    EXPECT_EQ(0u, table_.size());
}

TEST_F(subscription_table_test, a_hundred_thousand_topics_are_found_each)
{
    for (std::size_t i = 0; i < 100000; ++i) {
        (void)table_.add(octets("topic/" + std::to_string(i) + "/"), pipes_[i % 7]);
    }
    EXPECT_EQ(100000u, table_.size());
    for (std::size_t i = 0; i < 100000; i += 333) {
        EXPECT_EQ(indices{i % 7}, matches("topic/" + std::to_string(i) + "/value"));
        EXPECT_EQ(indices{}, matches("topic/" + std::to_string(i)));
    }
    for (std::size_t i = 0; i < 7; ++i) table_.remove_pipe(pipes_[i], [](std::string_view, bool) {});
    EXPECT_EQ(0u, table_.size());
    EXPECT_EQ(indices{}, matches("topic/1/"));
}

TEST_F(subscription_table_test, agrees_with_a_plain_list_whatever_is_done)
{
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        subscription_table table;
        std::map<std::string, indices> model;
        const unsigned letters = 2 + random() % 3;
        const auto any_topic = [&] {
            std::string topic(random() % 6, '\0');
            for (char& c : topic) c = char('a' + random() % letters);
            return topic;
        };
        for (int i = 0; i < 3000; ++i) {
            const std::size_t n = random() % 12;
            const std::string topic = any_topic();
            switch (random() % 8) {
            case 0:
            case 1:
            case 2:
            case 3:
                EXPECT_EQ(model.contains(topic) ? added::further : added::first, table.add(octets(topic), pipes_[n]));
                model[topic].insert(n);
                break;
            case 4:
            case 5:
            case 6: {
                const auto known = model.find(topic);
                if (known == model.end() || !known->second.erase(n)) {
                    EXPECT_EQ(removed::unknown, table.remove(octets(topic), pipes_[n]));
                } else if (known->second.empty()) {
                    EXPECT_EQ(removed::last, table.remove(octets(topic), pipes_[n]));
                    model.erase(known);
                } else {
                    EXPECT_EQ(removed::others_remain, table.remove(octets(topic), pipes_[n]));
                }
                break;
            }
            case 7: {
                if (random() % 20) break;
                std::map<std::string, bool> expected, left;
                for (auto& [name, who] : model) {
                    if (who.erase(n)) expected[name] = who.empty();
                }
                std::erase_if(model, [](const auto& entry) { return entry.second.empty(); });
                table.remove_pipe(pipes_[n], [&](std::string_view name, bool last) { left[std::string(name)] = last; });
                ASSERT_EQ(expected, left);
                break;
            }
            }
            ASSERT_EQ(model.size(), table.size());
            const std::string message = any_topic();
            indices expected, found;
            for (const auto& [name, who] : model) {
                if (message.starts_with(name)) expected.insert(who.begin(), who.end());
            }
            table.match(octets(message), [&](pipe::pipe_end& end) { found.insert(pipes_.index(end)); });
            ASSERT_EQ(expected, found);
        }
    }
}

}  // namespace
}  // namespace zlink::pattern::routing
