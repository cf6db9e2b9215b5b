// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Pipes by routing id.
#include "pattern/routing/routing_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace zlink::pattern::routing {
namespace {

class routing_table_test : public testing::Test {
protected:
    ~routing_table_test() override
    {
        for (pipe::pipe* p : pipes_) {
            p->second().close();
            p->first().close();
        }
    }

    pipe::pipe_end& named(const std::string& name)
    {
        pipes_.push_back(pipe::pipe::create({0, 0, 8192}));
        pipe::pipe_end& end = pipes_.back()->first();
        end.record = std::make_unique<routing_record>();
        routing_of(end).routing_id = name;
        return end;
    }

    std::vector<pipe::pipe*> pipes_;
    routing_table table_;
};

TEST_F(routing_table_test, finds_what_was_inserted)
{
    EXPECT_EQ(nullptr, table_.find("a"));
    pipe::pipe_end &a = named("a"), &b = named(std::string(255, 'b'));
    ASSERT_TRUE(table_.insert(a));
    ASSERT_TRUE(table_.insert(b));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(&a, table_.find("a"));
        EXPECT_EQ(&b, table_.find(std::string(255, 'b')));
        EXPECT_EQ(nullptr, table_.find("ab"));
        EXPECT_EQ(nullptr, table_.find(""));
    }
    table_.erase(a);
    EXPECT_EQ(nullptr, table_.find("a"));
    table_.erase(a);
    EXPECT_EQ(1u, table_.size());
}

TEST_F(routing_table_test, erases_only_the_pipe_itself)
{
    pipe::pipe_end &old = named("same"), &fresh = named("same");
    ASSERT_TRUE(table_.insert(old));
    table_.erase(old);
    ASSERT_TRUE(table_.insert(fresh));
    table_.erase(old);
    EXPECT_EQ(&fresh, table_.find("same"));
}

TEST_F(routing_table_test, looks_through_all_until_one_will_do)
{
    EXPECT_FALSE(table_.any([](pipe::pipe_end&) { return true; }));
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(table_.insert(named(std::to_string(i))));
    int looked = 0;
    EXPECT_FALSE(table_.any([&](pipe::pipe_end&) {
        ++looked;
        return false;
    }));
    EXPECT_EQ(5, looked);
    EXPECT_TRUE(table_.any([](pipe::pipe_end& end) { return routing_of(end).routing_id == "3"; }));
}

TEST_F(routing_table_test, agrees_with_a_map_whatever_is_done)
{
    std::mt19937 random(5);
    std::map<std::string, pipe::pipe_end*> model;
    for (int i = 0; i < 1000; ++i) named(std::string(1 + random() % 3, 'x') + std::to_string(i));
    for (int i = 0; i < 50000; ++i) {
        pipe::pipe_end& end = pipes_[random() % (i % 10000 < 5000 ? 1000 : 50)]->first();
        const std::string& name = routing_of(end).routing_id;
        ASSERT_EQ(model.contains(name) ? &end : nullptr, table_.find(name));
        if (model.contains(name)) {
            table_.erase(end);
            model.erase(name);
        } else {
            ASSERT_TRUE(table_.insert(end));
            model[name] = &end;
        }
        ASSERT_EQ(model.size(), table_.size());
    }
}

}  // namespace
}  // namespace zlink::pattern::routing
