// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What is applied to an I/O thread, as the system shows it.
#include "runtime/thread_settings.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <functional>
#include <string>
#include <thread>

namespace zlink::runtime {
namespace {

// On a thread of its own, so that the others stay as they are.
void on_a_thread(const std::function<void()>& body)
{
    std::thread(body).join();
}

std::string name_of_this_thread()
{
    char name[64] = {};
    EXPECT_EQ(0, pthread_getname_np(pthread_self(), name, sizeof name));
    return name;
}

cpu_set_t cpus_of_this_thread()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT_EQ(0, pthread_getaffinity_np(pthread_self(), sizeof set, &set));
    return set;
}

TEST(thread_settings_test, names_the_thread)
{
    on_a_thread([] {
        apply_to_this_thread({}, "io", 3);
        EXPECT_EQ("zlink/io3", name_of_this_thread());
    });
}

TEST(thread_settings_test, puts_the_prefix_before_the_name)
{
    on_a_thread([] {
        thread_settings settings;
        settings.name_prefix = "app";
        apply_to_this_thread(settings, "io", 0);
        EXPECT_EQ("app/zlink/io0", name_of_this_thread());
    });
}

TEST(thread_settings_test, long_names_are_cut)
{
    on_a_thread([] {
        thread_settings settings;
        settings.name_prefix = "sixteen-letters!";
        apply_to_this_thread(settings, "io", 0);
        EXPECT_EQ("sixteen-letters", name_of_this_thread());
    });
}

TEST(thread_settings_test, signals_are_left_to_the_host_program)
{
    on_a_thread([] {
        apply_to_this_thread({}, "io", 0);
        sigset_t blocked;
        ASSERT_EQ(0, pthread_sigmask(SIG_BLOCK, nullptr, &blocked));
        for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGPIPE, SIGALRM}) {
            EXPECT_EQ(1, sigismember(&blocked, signal)) << signal;
        }
    });
}

TEST(thread_settings_test, pins_the_thread)
{
    on_a_thread([] {
        const cpu_set_t before = cpus_of_this_thread();
        int last = -1;
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(std::size_t(cpu), &before)) last = cpu;
        }
        ASSERT_GE(last, 0);
        thread_settings settings;
        settings.cpus = {last};
        apply_to_this_thread(settings, "io", 0);
        const cpu_set_t after = cpus_of_this_thread();
        EXPECT_EQ(1, CPU_COUNT(&after));
        EXPECT_TRUE(CPU_ISSET(std::size_t(last), &after));
    });
}

TEST(thread_settings_test, processors_that_do_not_exist_do_no_harm)
{
    on_a_thread([] {
        const cpu_set_t before = cpus_of_this_thread();
        thread_settings settings;
        settings.cpus = {-5, CPU_SETSIZE, 1 << 30};
        apply_to_this_thread(settings, "io", 0);
        const cpu_set_t after = cpus_of_this_thread();
        EXPECT_TRUE(CPU_EQUAL(&before, &after));
    });
}

TEST(thread_settings_test, sets_the_scheduling_policy)
{
    on_a_thread([] {
        thread_settings settings;
        settings.sched_policy = SCHED_BATCH;  // needs no privileges
        apply_to_this_thread(settings, "io", 0);
        int policy = -1;
        sched_param param{};
        ASSERT_EQ(0, pthread_getschedparam(pthread_self(), &policy, &param));
        EXPECT_EQ(SCHED_BATCH, policy);
        EXPECT_EQ(0, param.sched_priority);
    });
}

TEST(thread_settings_test, nothing_asked_nothing_changed)
{
    on_a_thread([] {
        int before = -1, after = -1;
        sched_param param{};
        ASSERT_EQ(0, pthread_getschedparam(pthread_self(), &before, &param));
        const cpu_set_t cpus = cpus_of_this_thread();
        apply_to_this_thread({}, "io", 0);
        ASSERT_EQ(0, pthread_getschedparam(pthread_self(), &after, &param));
        EXPECT_EQ(before, after);
        const cpu_set_t same = cpus_of_this_thread();
        EXPECT_TRUE(CPU_EQUAL(&cpus, &same));
    });
}

}  // namespace
}  // namespace zlink::runtime
