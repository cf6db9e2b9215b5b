// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Blocks and references that threads keep at hand. They are given again last in first out, and bounded. They are passed
// on between threads and left behind by threads that end, never handed out twice.
#include "message/thread_cache.hpp"

#include "message/buffer.hpp"
#include "message/frame.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace zlink::message {
namespace {

constexpr std::size_t most_in_a_thread = 2 * thread_cache::magazine_size;

/// Every test has threads of its own, so that what they keep at hand is theirs.
template <class Call>
void in_a_thread(Call call)
{
    std::thread(call).join();
}

std::vector<void*> take(std::size_t count, std::size_t size)
{
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < count; ++i) {
        blocks.push_back(thread_cache::take(size));
        EXPECT_NE(nullptr, blocks.back());
        std::memset(blocks.back(), int(i), size);
    }
    return blocks;
}

void give(const std::vector<void*>& blocks, std::size_t size)
{
    for (void* block : blocks) thread_cache::give(block, size);
}

TEST(thread_cache_test, names_what_it_keeps_at_most)
{
    EXPECT_EQ(1088u, thread_cache::largest_block);
    EXPECT_EQ(313'344u, thread_cache::most_in_thread);
    EXPECT_EQ(10'027'008u, thread_cache::most_in_all_depots);
    EXPECT_GE(most_kept_by_threads, 1024u);
}

TEST(thread_cache_test, gives_the_last_block_again_to_what_is_of_its_class)
{
    in_a_thread([] {
        for (std::size_t top = 64; top <= thread_cache::largest_block; top += 64) {
            void* first = thread_cache::take(top);
            thread_cache::give(first, top);
            for (const std::size_t size : {top - 63, top - 1, top}) {
                void* again = thread_cache::take(size);
                EXPECT_EQ(first, again) << top << ", then " << size;
                std::memset(again, 1, size);
                thread_cache::give(again, size);
            }
        }
    });
}

TEST(thread_cache_test, keeps_classes_apart)
{
    in_a_thread([] {
        void* smaller = thread_cache::take(64);
        thread_cache::give(smaller, 64);
        void* larger = thread_cache::take(65);
        EXPECT_NE(smaller, larger);
        std::memset(larger, 1, 65);
        thread_cache::give(larger, 65);
    });
}

TEST(thread_cache_test, what_one_thread_has_too_many_of_another_gets)
{
    std::set<void*> given;
    in_a_thread([&] {
        const auto blocks = take(4 * most_in_a_thread, 1000);
        given.insert(blocks.begin(), blocks.end());
        give(blocks, 1000);
        in_a_thread([&] {
            // All but what the first thread keeps.
            const auto others = take(most_in_a_thread, 1000);
            for (void* block : others) EXPECT_EQ(1u, given.count(block));
            give(others, 1000);
        });
    });
}

TEST(thread_cache_test, a_thread_that_ends_leaves_its_blocks_to_others)
{
    void* left = nullptr;
    in_a_thread([&] {
        left = thread_cache::take(900);
        thread_cache::give(left, 900);
    });
    in_a_thread([&] {
        void* found = thread_cache::take(900);
        EXPECT_EQ(left, found);
        thread_cache::give(found, 900);
    });
}

TEST(thread_cache_test, blocks_given_after_the_end_of_the_thread_s_cache_are_freed)
{
    // A key made before the cache's: its destructor runs before; and one that sets itself again runs after.
    static pthread_key_t key;
    static int rounds;
    rounds = 0;
    ASSERT_EQ(0, pthread_key_create(&key, [](void* block) {
                  if (++rounds < 3) return void(pthread_setspecific(key, block));
                  thread_cache::give(block, 100);
                  void* late = thread_cache::take(100);
                  EXPECT_NE(nullptr, late);
                  thread_cache::give(late, 100);
              }));
    in_a_thread([] { pthread_setspecific(key, thread_cache::take(100)); });
    EXPECT_EQ(3, rounds);
    pthread_key_delete(key);
}

TEST(thread_cache_test, a_child_of_fork_uses_what_its_thread_kept)
{
    in_a_thread([] {
        give(take(3 * most_in_a_thread, 200), 200);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            for (int round = 0; round < 3; ++round) give(take(3 * most_in_a_thread, 200), 200);
            ::_exit(0);
        }
        int status = -1;
        ASSERT_EQ(child, ::waitpid(child, &status, 0));
        EXPECT_EQ(0, status);
    });
}

// References to properties

TEST(thread_cache_test, properties_live_as_long_as_a_frame_that_holds_them)
{
    in_a_thread([] {
        std::vector<metadata*> all;
        for (int i = 0; i < 100; ++i) {
            metadata* m = metadata::create({{"Number", std::to_string(i)}});
            ASSERT_NE(nullptr, m);
            frame f;
            f.init();
            f.set_properties(m);
            m->release();
            EXPECT_EQ(std::to_string(i), f.properties()->find("Number"));
            frame copy;
            copy.init_copy(f);
            f.close();
            EXPECT_EQ(std::to_string(i), copy.properties()->find("Number"));
            copy.close();
        }
    });  // leaks would be seen by LeakSanitizer
}

TEST(thread_cache_test, references_held_here_are_let_go_of_there)
{
    metadata* m = metadata::create({{"a", "b"}});
    for (int round = 0; round < 3; ++round) {
        std::vector<frame> frames(5 * thread_cache::most_references);
        for (frame& f : frames) {
            f.init();
            f.set_properties(m);
        }
        in_a_thread([&] {
            for (frame& f : frames) f.close();
        });
    }
    EXPECT_STREQ("b", m->find("a"));
    m->release();
}

// A block handed out twice would show as another thread's content, and to ThreadSanitizer as a race.
TEST(thread_cache_test, bodies_wander_between_threads_stress)
{
    constexpr int threads = 4;
    constexpr int rounds = 20'000;
    metadata* m = metadata::create({{"a", "b"}});
    std::mutex lock;
    std::vector<frame> passed;
    const auto check_and_close = [](frame& f) {
        const auto* octets = reinterpret_cast<const unsigned char*>(f.data());
        ASSERT_EQ(octets[0], octets[f.size() - 1]);
        ASSERT_STREQ("b", f.properties()->find("a"));
        f.close();
    };
    {
        std::vector<std::jthread> all;
        for (int self = 1; self <= threads; ++self) {
            all.emplace_back([&, self] {
                std::mt19937 random{unsigned(self)};
                std::vector<frame> mine;
                for (int i = 0; i < rounds; ++i) {
                    frame f;
                    ASSERT_TRUE(f.init_size(41 + random() % 1100));
                    std::memset(f.data(), int(random()), f.size());
                    f.set_properties(m);
                    mine.push_back(f);
                    if (mine.size() < 1 + random() % 100) continue;
                    {
                        const std::lock_guard guard(lock);
                        std::swap(mine, passed);
                    }
                    while (!mine.empty()) {
                        check_and_close(mine.back());
                        mine.pop_back();
                    }
                }
                for (frame& f : mine) check_and_close(f);
            });
        }
    }
    for (frame& f : passed) check_and_close(f);
    m->release();
}

}  // namespace
}  // namespace zlink::message
