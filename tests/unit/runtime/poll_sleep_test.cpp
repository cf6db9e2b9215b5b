// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sleeps in ppoll: what ends them, and which signals they tell of. The states around them: waiter_test.cpp.
#include "runtime/poll_sleep.hpp"

#include "eventfd_handler.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <string>

namespace zlink::runtime::test {
namespace {

using namespace std::chrono_literals;

class poll_sleep_test : public testing::TestWithParam<pace> {
protected:
    poll_sleep_test()
    {
        fds_[0] = {own_.fd(), POLLIN, 0};
        fds_[1] = {other_.fd(), POLLIN, 0};
    }
    [[nodiscard]] poll_end sleep(const deadline& until) { return sleep_in_poll({fds_, 2}, until, GetParam()); }

    eventfd_handler own_, other_;
    pollfd fds_[2];
};

std::string name_of(const testing::TestParamInfo<pace>& p)
{
    constexpr const char* names[] = {"rested", "steady", "hurried"};
    return names[int(p.param)];
}

INSTANTIATE_TEST_SUITE_P(poll_sleep, poll_sleep_test, testing::Values(pace::rested, pace::steady, pace::hurried),
                         name_of);

TEST_P(poll_sleep_test, ends_at_the_deadline)
{
    const auto start = clock::now();
    EXPECT_EQ(poll_end::nothing, sleep(start + 5ms));
    EXPECT_GE(clock::now() - start, 5ms);
    EXPECT_EQ(poll_end::nothing, sleep(start)) << "which may be over";
}

// Longer than a sleep that does not heed signals lasts: it goes on as one that does.
TEST_P(poll_sleep_test, ends_at_a_later_deadline)
{
    const auto start = clock::now();
    EXPECT_EQ(poll_end::nothing, sleep(start + 300ms));
    EXPECT_GE(clock::now() - start, 300ms);
}

TEST_P(poll_sleep_test, ends_when_a_descriptor_is_ready)
{
    other_.raise();
    EXPECT_EQ(poll_end::ready, sleep({}));
    EXPECT_EQ(0, fds_[0].revents);
    EXPECT_EQ(POLLIN, fds_[1].revents);
}

TEST_P(poll_sleep_test, is_short_if_nothing_can_wake_it)
{
    fds_[0].fd = -1;
    EXPECT_EQ(poll_end::nothing, sleep({}));
}

class signal_pending {
public:
    signal_pending()
    {
        struct sigaction action {};
        action.sa_handler = [](int) {};
        ::sigaction(SIGUSR1, &action, &before_);
        sigset_t mine;
        ::sigemptyset(&mine);
        ::sigaddset(&mine, SIGUSR1);
        ::pthread_sigmask(SIG_BLOCK, &mine, &mask_before_);
        ::pthread_kill(::pthread_self(), SIGUSR1);
    }
    ~signal_pending()
    {
        ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
        ::sigaction(SIGUSR1, &before_, nullptr);
    }
    signal_pending(const signal_pending&) = delete;
    signal_pending& operator=(const signal_pending&) = delete;

private:
    struct sigaction before_ {};
    sigset_t mask_before_;
};

TEST_P(poll_sleep_test, does_not_tell_of_a_signal_that_the_thread_blocks)
{
    const signal_pending signal;
    other_.raise();
    EXPECT_EQ(poll_end::ready, sleep({}));
    EXPECT_EQ(poll_end::nothing, sleep_in_poll({fds_, 1}, clock::now() + 1ms, GetParam()));
}

TEST(poll_sleep_signals_test, is_interrupted_by_a_signal_that_the_mask_lets_through)
{
    const signal_pending signal;
    sigset_t none;
    ::sigemptyset(&none);
    eventfd_handler own, other;
    pollfd fds[] = {{own.fd(), POLLIN, 0}, {other.fd(), POLLIN, POLLIN}};
    EXPECT_EQ(poll_end::interrupted, sleep_in_poll({fds, 2, &none}, {}, pace::hurried));
    EXPECT_EQ(0, fds[1].revents) << "nothing is known of it";
}

}  // namespace
}  // namespace zlink::runtime::test
