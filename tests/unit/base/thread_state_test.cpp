// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What hangs on a thread: made once, ended once and in order, and not seen any more once it ends.
#include "base/thread_state.hpp"

#include "base/last_error.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zlink {
namespace {

using phase = thread_state::phase;

// One test at a time uses these; a thread that it has started writes them, and has been joined when they are read.
std::vector<thread_slot> ended;
std::function<void(thread_slot)> at_end;
std::atomic<long> made_count{0}, ended_count{0};
bool memory_is_short = false;

/// Says when it ends.
template <thread_slot Slot>
struct thing {
    static thing* make() noexcept
    {
        if (memory_is_short) return nullptr;
        made_count.fetch_add(1, std::memory_order_relaxed);
        return new (std::nothrow) thing;
    }
    static void end(thing& of) noexcept
    {
        if (at_end) {
            ended.push_back(Slot);
            at_end(Slot);
        }
        ended_count.fetch_add(1, std::memory_order_relaxed);
        delete &of;
    }
    [[nodiscard]] static thing* mine() noexcept { return one_of_each_thread<Slot, thing, make, end>::get(); }

    const pthread_t owner = ::pthread_self();
};

using first = thing<thread_slot::receive_arena>;
using middle = thing<thread_slot::waiter>;
using last = thing<thread_slot::message_cache>;

// Not last_words: tests of last_error.hpp have that, in this process, too.
constexpr thread_slot used[] = {
    thread_slot::receive_arena, thread_slot::stream_work_space, thread_slot::masks,        thread_slot::yielding,
    thread_slot::waiter,        thread_slot::load_counters,     thread_slot::message_cache};

template <std::size_t... I>
bool make_all_backwards(std::index_sequence<I...>)
{
    return (... && [] {
        auto* const one = thing<used[std::size(used) - 1 - I]>::mine();
        return one && ::pthread_equal(one->owner, ::pthread_self());
    }());
}
bool make_all_backwards()
{
    return make_all_backwards(std::make_index_sequence<std::size(used)>());
}

class thread_state_test : public testing::Test {
protected:
    void SetUp() override
    {
        ended.clear();
        at_end = [](thread_slot) {};
        made_count = ended_count = 0;
        memory_is_short = false;
    }
    void TearDown() override { at_end = nullptr; }

    template <class Call>
    static void in_a_thread(Call call)
    {
        std::thread(call).join();
    }

    /// `late` is called on a thread behind the end of its objects, by a destructor of another pthread key.
    static void in_a_thread_and_after_its_end(const std::function<void()>& call, const std::function<void()>& late)
    {
        // Its destructor may run before that of the library's key. If the key is set again, it runs in the next round,
        // too.
        static pthread_key_t key;
        static const std::function<void()>* to_call;
        static int rounds;
        rounds = 0;
        to_call = &late;
        ASSERT_EQ(0, ::pthread_key_create(&key, [](void* value) {
                      if (++rounds == 1) return void(::pthread_setspecific(key, value));
                      (*to_call)();
                  }));
        in_a_thread([&] {
            ASSERT_EQ(0, ::pthread_setspecific(key, &rounds));
            call();
        });
        EXPECT_EQ(2, rounds);
        ::pthread_key_delete(key);
    }
};

TEST_F(thread_state_test, lives_from_the_first_object_on)
{
    in_a_thread([] {
        EXPECT_EQ(phase::not_yet, thread_state::current_phase());
        EXPECT_EQ(nullptr, thread_state::object(thread_slot::waiter));
        middle* const one = middle::mine();
        ASSERT_NE(nullptr, one);
        EXPECT_EQ(phase::live, thread_state::current_phase());
        EXPECT_EQ(one, thread_state::object(thread_slot::waiter));
        EXPECT_EQ(one, middle::mine());
        EXPECT_EQ(nullptr, thread_state::object(thread_slot::message_cache));
    });
    EXPECT_EQ(1, made_count);
    EXPECT_EQ(std::vector{thread_slot::waiter}, ended);
}

TEST_F(thread_state_test, a_thread_without_objects_has_no_end)
{
    const auto check = [] { EXPECT_EQ(phase::not_yet, thread_state::current_phase()); };
    in_a_thread_and_after_its_end(check, check);
}

TEST_F(thread_state_test, an_object_that_cannot_be_made_leaves_the_slot_empty)
{
    in_a_thread([] {
        memory_is_short = true;
        EXPECT_EQ(nullptr, middle::mine());
        EXPECT_EQ(phase::not_yet, thread_state::current_phase());
        memory_is_short = false;
        EXPECT_NE(nullptr, middle::mine());
    });
    EXPECT_EQ(std::vector{thread_slot::waiter}, ended);
}

TEST_F(thread_state_test, objects_end_in_the_order_of_slots)
{
    in_a_thread([] { EXPECT_TRUE(make_all_backwards()); });
    EXPECT_EQ(std::vector(std::begin(used), std::end(used)), ended);
}

TEST_F(thread_state_test, at_its_end_an_object_is_out_of_its_slot_and_those_behind_it_are_there)
{
    at_end = [](thread_slot which) {
        EXPECT_EQ(phase::ended, thread_state::current_phase());
        for (const thread_slot other : used) EXPECT_EQ(other > which, thread_state::object(other) != nullptr);
    };
    in_a_thread([] { EXPECT_TRUE(make_all_backwards()); });
    EXPECT_EQ(std::size(used), ended.size());
}

TEST_F(thread_state_test, what_the_end_of_an_object_makes_anew_ends_as_well)
{
    bool once = true;
    at_end = [&](thread_slot which) {
        if (which != thread_slot::message_cache || !std::exchange(once, false)) return;
        EXPECT_NE(nullptr, first::mine());
        EXPECT_NE(nullptr, last::mine());
        EXPECT_EQ(phase::ended, thread_state::current_phase());
    };
    in_a_thread([] {
        (void)first::mine();
        (void)last::mine();
    });
    EXPECT_EQ((std::vector{thread_slot::receive_arena, thread_slot::message_cache, thread_slot::receive_arena,
                           thread_slot::message_cache}),
              ended);
    EXPECT_EQ(made_count, ended_count);
}

TEST_F(thread_state_test, objects_are_there_for_destructors_of_the_program)
{
    struct at_the_end {
        ~at_the_end()
        {
            if (call) call();
        }
        std::function<void()> call;
    };
    in_a_thread([] {
        thread_local at_the_end before;  // ends after all thread_local objects that are made later
        middle* const one = middle::mine();
        before.call = [one] {
            EXPECT_EQ(phase::live, thread_state::current_phase());
            EXPECT_EQ(one, middle::mine());
            EXPECT_NE(nullptr, last::mine());
        };
    });
    EXPECT_EQ((std::vector{thread_slot::waiter, thread_slot::message_cache}), ended);
}

TEST_F(thread_state_test, after_the_end_objects_are_made_anew_and_end_in_the_next_round)
{
    in_a_thread_and_after_its_end([] { EXPECT_TRUE(make_all_backwards()); },
                                  [] {
                                      EXPECT_EQ(phase::ended, thread_state::current_phase());
                                      EXPECT_EQ(nullptr, thread_state::object(thread_slot::waiter));
                                      middle* const another = middle::mine();
                                      ASSERT_NE(nullptr, another);
                                      EXPECT_EQ(another, middle::mine());
                                      EXPECT_EQ(phase::ended, thread_state::current_phase());
                                  });
    EXPECT_EQ(std::size(used) + 1, ended.size());
    EXPECT_EQ(thread_slot::waiter, ended.back());
    EXPECT_EQ(made_count, ended_count);
}

TEST_F(thread_state_test, words_of_a_failure_are_gone_after_the_end)
{
    in_a_thread_and_after_its_end(
        [] {
            tell_failure("before");
            note_failure(EINVAL);
            EXPECT_STREQ("before", last_call_that_failed().words);
        },
        [] {
            EXPECT_EQ(phase::ended, thread_state::current_phase());
            EXPECT_EQ(EINVAL, last_call_that_failed().error);
            EXPECT_EQ(nullptr, last_call_that_failed().words);
            tell_failure("after");
            note_failure(ENODEV);
            EXPECT_STREQ("after", last_call_that_failed().words);
        });
}

TEST_F(thread_state_test, a_child_of_fork_goes_on_with_the_objects_of_its_thread)
{
    in_a_thread([] {
        middle* const one = middle::mine();
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            const bool well = thread_state::current_phase() == phase::live && middle::mine() == one && last::mine();
            ::_exit(well ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(child, ::waitpid(child, &status, 0));
        EXPECT_EQ(0, status);
    });
    EXPECT_EQ(std::vector{thread_slot::waiter}, ended);
}

// The thread of main(), behind the end of the library's static objects.
TEST_F(thread_state_test, objects_are_there_for_destructors_of_static_objects)
{
    constexpr int well = 7;
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto end = [] {
        struct at_exit {
            ~at_exit()
            {
                const bool live = thread_state::current_phase() == phase::live;
                ::_exit(live && middle::mine() == one && last::mine() ? well : 1);
            }
            middle* one = nullptr;
        };
        static at_exit of_program;
        of_program.one = middle::mine();
        std::exit(1);
    };
    EXPECT_EXIT(end(), testing::ExitedWithCode(well), "");
}

// Threads begin and end at the same time. An object that two threads have would show its first owner, and to
// ThreadSanitizer as a race.
TEST_F(thread_state_test, many_threads_begin_and_end_stress)
{
    at_end = nullptr;
    constexpr int at_a_time = 8;
    constexpr int generations = 150;
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < at_a_time; ++i) {
            all.emplace_back([&] {
                for (int generation = 0; generation < generations; ++generation) {
                    std::jthread([&] {
                        if (thread_state::current_phase() != phase::not_yet) ++wrong;
                        for (int again = 0; again < 100; ++again) {
                            if (!make_all_backwards()) ++wrong;
                            tell_failure(std::to_string(again));
                            note_failure(EINVAL);
                            const char* const words = last_call_that_failed().words;
                            if (!words || words != std::to_string(again)) ++wrong;
                        }
                    });
                }
            });
        }
    }
    EXPECT_EQ(0, wrong);
    EXPECT_EQ(long(std::size(used)) * at_a_time * generations, made_count);
    EXPECT_EQ(made_count, ended_count);
}

}  // namespace
}  // namespace zlink
