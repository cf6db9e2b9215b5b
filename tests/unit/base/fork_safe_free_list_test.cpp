// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The free list: last in, first out, for many threads, and for children of fork whatever the parent's threads did.
#include "base/fork_safe_free_list.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace zlink {
namespace {

struct node {
    std::atomic<int> users{0};
    node* next = nullptr;
};

using list = fork_safe_free_list<node, &node::next>;

class fork_safe_free_list_test : public testing::Test {
protected:
    void SetUp() override { watch_forks(); }
    list list_;
};

TEST_F(fork_safe_free_list_test, gives_back_the_last_first)
{
    node a, b;
    EXPECT_EQ(nullptr, list_.take());
    list_.give(a);
    list_.give(b);
    EXPECT_EQ(&b, list_.take());
    EXPECT_EQ(&a, list_.take());
    EXPECT_EQ(nullptr, list_.take());
}

TEST_F(fork_safe_free_list_test, takes_no_more_than_it_is_told)
{
    node a, b, c;
    EXPECT_TRUE(list_.give(a, 2));
    EXPECT_TRUE(list_.give(b, 2));
    EXPECT_FALSE(list_.give(c, 2));
    EXPECT_EQ(&b, list_.take());
    EXPECT_TRUE(list_.give(c, 2));
    EXPECT_EQ(&c, list_.take());
    EXPECT_EQ(&a, list_.take());
    EXPECT_EQ(nullptr, list_.take());
}

TEST_F(fork_safe_free_list_test, lends_a_node_to_one_thread_at_a_time_stress)
{
    std::array<node, 3> nodes;
    for (node& n : nodes) list_.give(n);
    std::atomic<int> shared{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20000; ++i) {
                node* n = list_.take();
                if (!n) continue;
                shared += n->users.fetch_add(1);
                n->users.fetch_sub(1);
                list_.give(*n);
            }
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(0, shared);
    for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_NE(nullptr, list_.take());
    EXPECT_EQ(nullptr, list_.take());
}

TEST_F(fork_safe_free_list_test, starts_empty_in_a_child_and_leaves_the_parent_its_nodes)
{
    node a, b;
    list_.give(a);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        bool good = list_.take() == nullptr;
        list_.give(b);
        good = list_.take() == &b && good;
        ::_exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    EXPECT_EQ(&a, list_.take());
}

// Some of these forks happen while the other thread is inside.
TEST_F(fork_safe_free_list_test, is_not_locked_in_a_child)
{
    node a, b;
    list_.give(a);
    std::atomic<bool> done{false};
    std::thread other([&] {
        while (!done) {
            if (node* n = list_.take()) list_.give(*n);
        }
    });
    for (int i = 0; i < 100 && !HasFailure(); ++i) {
        const pid_t child = ::fork();
        EXPECT_GE(child, 0);
        if (child == 0) {
            ::alarm(20);
            list_.give(b);
            ::_exit(list_.take() == &b ? 0 : 1);
        }
        int status = -1;
        EXPECT_EQ(child, ::waitpid(child, &status, 0));
        EXPECT_EQ(0, status);
    }
    done = true;
    other.join();
}

}  // namespace
}  // namespace zlink
