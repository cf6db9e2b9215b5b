// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The waiter: no wake-up is lost, sleeps end on time, and descriptors and signals end them too.
#include "runtime/waiter.hpp"

#include "support/kernel_calls.hpp"
#include "support/sleeping_thread.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace zlink::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Ends a test that would hang.
constexpr long patience_ms = 20000;

class waiter_test : public testing::Test {
protected:
    waiter& self_ = waiter::of_this_thread();
};

class os_pipe {
public:
    os_pipe() { EXPECT_EQ(0, ::pipe2(ends_.data(), O_CLOEXEC)); }
    ~os_pipe()
    {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    os_pipe(const os_pipe&) = delete;
    os_pipe& operator=(const os_pipe&) = delete;

    [[nodiscard]] pollfd reading() const { return {ends_[0], POLLIN, 0}; }
    void write() { EXPECT_EQ(1, ::write(ends_[1], "x", 1)); }

private:
    std::array<int, 2> ends_{-1, -1};
};

TEST_F(waiter_test, belongs_to_its_thread)
{
    EXPECT_EQ(&self_, &waiter::of_this_thread());
    waiter* other = nullptr;
    std::thread([&] { other = &waiter::of_this_thread(); }).join();
    EXPECT_NE(&self_, other);
}

TEST_F(waiter_test, serves_the_next_thread_when_its_own_has_ended)
{
    std::set<waiter*> seen;
    for (int i = 0; i < 50; ++i) {
        std::thread([&] { seen.insert(&waiter::of_this_thread()); }).join();
    }
    EXPECT_LT(seen.size(), 50u);
}

// Destructors of other pthread keys may sleep after the thread's objects have ended (base/thread_state.hpp).
TEST_F(waiter_test, a_thread_that_sleeps_after_its_end_gives_that_waiter_back_too)
{
    static pthread_key_t key;
    static std::set<waiter*> seen;
    static thread_local int rounds;
    seen.clear();
    ASSERT_EQ(0, ::pthread_key_create(&key, [](void* value) {
                  if (++rounds == 1) return void(::pthread_setspecific(key, value));
                  waiter& late = waiter::of_this_thread();
                  seen.insert(&late);
                  late.prepare();
                  EXPECT_EQ(waiter::reason::timed_out, late.sleep(clock::now() + milliseconds(1)));
              }));
    for (int i = 0; i < 50; ++i) {
        std::thread([&] {
            EXPECT_EQ(0, ::pthread_setspecific(key, &rounds));
            seen.insert(&waiter::of_this_thread());
        }).join();
    }
    ::pthread_key_delete(key);
    EXPECT_FALSE(seen.contains(&self_));
    EXPECT_LT(seen.size(), 50u);
}

TEST_F(waiter_test, a_wake_up_before_the_sleep_counts)
{
    self_.prepare();
    self_.wake();
    EXPECT_EQ(waiter::reason::woken, self_.sleep(deadline_after(patience_ms)));
    self_.prepare();
    self_.wake();
    os_pipe quiet;
    pollfd fds[] = {{}, quiet.reading()};
    EXPECT_EQ(waiter::reason::woken, self_.sleep(fds, 2, deadline_after(patience_ms)));
    EXPECT_EQ(0, fds[1].revents);
}

TEST_F(waiter_test, prepare_forgets_earlier_wake_ups)
{
    self_.wake();
    self_.prepare();
    EXPECT_EQ(waiter::reason::timed_out, self_.sleep(deadline_after(5)));
    self_.wake();
    self_.prepare();
    pollfd fds[1];
    EXPECT_EQ(waiter::reason::timed_out, self_.sleep(fds, 1, deadline_after(5)));
}

TEST_F(waiter_test, sleeps_until_the_deadline)
{
    const auto start = steady_clock::now();
    self_.prepare();
    EXPECT_EQ(waiter::reason::timed_out, self_.sleep(deadline_after(20)));
    EXPECT_GE(steady_clock::now() - start, milliseconds(20));
    pollfd fds[1];
    self_.prepare();
    EXPECT_EQ(waiter::reason::timed_out, self_.sleep(fds, 1, deadline_after(20)));
    EXPECT_GE(steady_clock::now() - start, milliseconds(40));
}

TEST_F(waiter_test, a_deadline_in_the_past_does_not_sleep)
{
    const deadline past = steady_clock::now() - std::chrono::hours(1);
    self_.prepare();
    EXPECT_EQ(waiter::reason::timed_out, self_.sleep(past));
    pollfd fds[1];
    self_.prepare();
    EXPECT_EQ(waiter::reason::timed_out, self_.sleep(fds, 1, past));
}

TEST_F(waiter_test, another_thread_ends_either_sleep)
{
    for (const bool with_descriptors : {false, true}) {
        self_.prepare();
        std::thread waking([&] { self_.wake(); });
        pollfd fds[1];
        const deadline late = deadline_after(patience_ms);
        EXPECT_EQ(waiter::reason::woken, with_descriptors ? self_.sleep(fds, 1, late) : self_.sleep(late));
        waking.join();
    }
}

TEST_F(waiter_test, a_wake_up_is_used_up_by_the_sleep_it_ends)
{
    for (int i = 0; i < 3; ++i) {
        self_.prepare();
        std::thread waking([&] { self_.wake(); });
        pollfd fds[1];
        EXPECT_EQ(waiter::reason::woken, self_.sleep(fds, 1, deadline_after(patience_ms)));
        waking.join();
        self_.prepare();
        EXPECT_EQ(waiter::reason::timed_out, self_.sleep(fds, 1, deadline_after(1)));
    }
}

TEST_F(waiter_test, a_ready_descriptor_ends_the_sleep)
{
    os_pipe quiet, busy;
    self_.prepare();
    std::thread writing([&] { busy.write(); });
    pollfd fds[] = {{}, quiet.reading(), busy.reading()};
    EXPECT_EQ(waiter::reason::woken, self_.sleep(fds, 3, deadline_after(patience_ms)));
    EXPECT_EQ(0, fds[1].revents);
    EXPECT_EQ(POLLIN, fds[2].revents);
    writing.join();
}

/// A handler for SIGUSR1 that does nothing, so that the signal only interrupts.
class quiet_signal {
public:
    quiet_signal()
    {
        struct sigaction action {};
        action.sa_handler = [](int) {};
        EXPECT_EQ(0, ::sigaction(SIGUSR1, &action, &before_));
    }
    ~quiet_signal() { ::sigaction(SIGUSR1, &before_, nullptr); }
    quiet_signal(const quiet_signal&) = delete;
    quiet_signal& operator=(const quiet_signal&) = delete;

private:
    struct sigaction before_ {};
};

TEST_F(waiter_test, a_signal_interrupts_either_sleep)
{
    const quiet_signal handler;
    for (const bool with_descriptors : {false, true}) {
        std::atomic<bool> over{false};
        const pthread_t sleeper = ::pthread_self();
        // Again and again: the first may come before the sleep.
        std::thread signalling([&] {
            while (!over) {
                ::pthread_kill(sleeper, SIGUSR1);
                std::this_thread::yield();
            }
        });
        self_.prepare();
        pollfd fds[1];
        const deadline late = deadline_after(patience_ms);
        EXPECT_EQ(waiter::reason::interrupted, with_descriptors ? self_.sleep(fds, 1, late) : self_.sleep(late));
        over = true;
        signalling.join();
    }
}

// The handler runs when the kernel has ended the sleep for it, and before anybody has looked at what else happened.
TEST_F(waiter_test, a_signal_counts_though_a_wake_up_comes_with_it)
{
    static std::atomic<waiter*> to_wake{nullptr};
    struct sigaction waking {
    }, before{};
    waking.sa_handler = [](int) { to_wake.load()->wake(); };
    ASSERT_EQ(0, ::sigaction(SIGUSR1, &waking, &before));
    sigset_t blocked, none, old;
    ::sigemptyset(&none);
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGUSR1);
    to_wake = &self_;
    pollfd fds[1];
    ASSERT_EQ(0, ::pthread_sigmask(SIG_BLOCK, &blocked, &old));
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(0, ::pthread_kill(::pthread_self(), SIGUSR1));
        self_.prepare();
        EXPECT_EQ(waiter::reason::interrupted, self_.sleep(fds, 1, deadline_after(patience_ms), &none));
        // It was used up.
        self_.prepare();
        EXPECT_EQ(waiter::reason::timed_out, self_.sleep(fds, 1, deadline_after(1)));
    }
    ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
    // Without a mask another thread signals once this one sleeps so that no signal is lost. A wake-up before that ends
    // the sleep.
    ASSERT_TRUE(test::kernel_tells_of_system_calls());
    const std::atomic<pid_t> own_id = zlink::test::thread_id();
    const pthread_t sleeper = ::pthread_self();
    for (int i = 0; i < 3; ++i) {
        self_.prepare();
        std::thread signalling([&] {
            EXPECT_TRUE(test::comes_to_sleep_heeding_signals(own_id));
            ::pthread_kill(sleeper, SIGUSR1);
        });
        EXPECT_EQ(waiter::reason::interrupted, self_.sleep(deadline_after(patience_ms)));
        signalling.join();
    }
    ::sigaction(SIGUSR1, &before, nullptr);
}

// The kernel says EINTR only of a sleeper that nothing else has woken by the time it runs.
TEST_F(waiter_test, a_signal_counts_though_something_else_comes_before_the_sleeper_runs)
{
    ASSERT_TRUE(test::kernel_tells_of_system_calls());
    const quiet_signal handler;
    // How many sleeps have just been: after some the next one begins without heeding signals.
    for (const int sleeps_before : {0, 5, 100}) {
        for (const bool with_descriptors : {false, true}) {
            for (int round = 0; round < 5 && !HasFailure(); ++round) {
                os_pipe pipe;
                std::atomic<waiter*> its{nullptr};
                std::atomic<pid_t> id{0};
                waiter::reason why{};
                std::thread sleeper([&] {
                    waiter& w = waiter::of_this_thread();
                    pollfd fds[] = {{}, pipe.reading()};
                    for (int i = 0; i < sleeps_before; ++i) {
                        w.prepare();
                        (void)w.sleep(fds, 2, steady_clock::now());
                    }
                    w.prepare();
                    its = &w;
                    id = zlink::test::thread_id();
                    const deadline late = deadline_after(patience_ms);
                    why = with_descriptors ? w.sleep(fds, 2, late) : w.sleep(late);
                });
                EXPECT_TRUE(test::comes_to_sleep_heeding_signals(id));
                ::pthread_kill(sleeper.native_handle(), SIGUSR1);
                with_descriptors ? pipe.write() : its.load()->wake();
                sleeper.join();
                EXPECT_EQ(waiter::reason::interrupted, why) << sleeps_before << ' ' << with_descriptors;
            }
        }
    }
}

// A signal that nobody handles is none: that of a child that ends, say.
TEST_F(waiter_test, a_signal_without_a_handler_does_not_count)
{
    ASSERT_TRUE(test::kernel_tells_of_system_calls());
    os_pipe pipe;
    std::atomic<pid_t> id{0};
    for (int round = 0; round < 20 && !HasFailure(); ++round) {
        id = 0;
        waiter::reason why{};
        std::thread sleeper([&] {
            waiter& w = waiter::of_this_thread();
            w.prepare();
            id = zlink::test::thread_id();
            pollfd fds[] = {{}, pipe.reading()};
            why = w.sleep(fds, 2, deadline_after(patience_ms));
            char octet;
            EXPECT_EQ(1, ::read(fds[1].fd, &octet, 1));
        });
        EXPECT_TRUE(test::comes_to_sleep_heeding_signals(id));
        ::pthread_kill(sleeper.native_handle(), SIGCHLD);
        pipe.write();
        sleeper.join();
        EXPECT_EQ(waiter::reason::woken, why);
    }
}

TEST_F(waiter_test, the_mask_decides_which_signals_interrupt)
{
    const quiet_signal handler;
    sigset_t blocked, none, before;
    ::sigemptyset(&none);
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGUSR1);
    ASSERT_EQ(0, ::pthread_sigmask(SIG_BLOCK, &blocked, &before));
    ASSERT_EQ(0, ::pthread_kill(::pthread_self(), SIGUSR1));
    pollfd fds[1];
    self_.prepare();
    EXPECT_EQ(waiter::reason::timed_out, self_.sleep(fds, 1, deadline_after(5)));
    self_.prepare();
    EXPECT_EQ(waiter::reason::interrupted, self_.sleep(fds, 1, deadline_after(patience_ms), &none));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(deadline_test, is_none_for_negative_times)
{
    EXPECT_FALSE(deadline_after(-1));
}

// The thread that forks has the same waiter in parent and child: either must see its own wake-ups alone.
TEST_F(waiter_test, shares_no_descriptor_with_a_child_of_fork)
{
    pollfd fds[1];
    self_.prepare();
    ASSERT_EQ(waiter::reason::timed_out, self_.sleep(fds, 1, deadline_after(1)));
    const std::uint64_t signal = 1;
    ASSERT_EQ(ssize_t(sizeof signal), ::write(fds[0].fd, &signal, sizeof signal));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::alarm(20);
        self_.prepare();
        ::_exit(self_.sleep(fds, 1, deadline_after(1)) == waiter::reason::timed_out ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    EXPECT_EQ(1, ::poll(fds, 1, 0));
    self_.prepare();
    EXPECT_EQ(waiter::reason::woken, self_.sleep(fds, 1, deadline_after(patience_ms)));
}

// Producers count up and wake, the consumer sleeps whenever it has seen all: a lost wake-up shows as a time-out.
TEST_F(waiter_test, loses_no_wake_up_stress)
{
    constexpr int producers = 3;
    constexpr int rounds = 20000;
    std::atomic<int> produced{0};
    std::atomic<int> consumed{0};
    waiter& self = waiter::of_this_thread();
    std::vector<std::thread> threads;
    for (int p = 0; p < producers; ++p) {
        threads.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                // Never far ahead, so that the consumer goes to sleep often.
                while (produced.load() - consumed.load() > producers) std::this_thread::yield();
                produced.fetch_add(1);
                self.wake();
            }
        });
    }
    bool lost = false;
    for (int turn = 0; consumed.load() < producers * rounds; ++turn) {
        self.prepare();
        if (const int now = produced.load(); now != consumed.load()) {
            consumed = now;
            continue;
        }
        pollfd fds[1];
        const deadline late = deadline_after(patience_ms);
        const auto why = turn % 2 ? self.sleep(late) : self.sleep(fds, 1, late);
        if (why == waiter::reason::timed_out && produced.load() != consumed.load()) {
            lost = true;
            consumed = producers * rounds + producers;  // lets the producers finish
        }
    }
    for (std::thread& t : threads) t.join();
    EXPECT_FALSE(lost);
}

}  // namespace
}  // namespace zlink::runtime
