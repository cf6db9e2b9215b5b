// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A loop without a thread of its own: the test's thread steps it, and whatever waits on that thread does so, too.
#include "runtime/driver.hpp"

#include "event_loop_fixture.hpp"
#include "runtime/brief_wait.hpp"
#include "runtime/deadline_timer.hpp"
#include "runtime/latch.hpp"
#include "runtime/waiter.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace zlink::runtime::test {
namespace {

bool readable(int fd, std::chrono::milliseconds timeout)
{
    pollfd p{fd, POLLIN, 0};
    return ::poll(&p, 1, int(timeout.count())) == 1;
}

class driver_test : public testing::Test {
protected:
    driver_test() { EXPECT_TRUE(loop_.open()); }

    /// Until there is nothing to do; for how long there is not.
    std::chrono::nanoseconds step_until_idle()
    {
        const auto limit = clock::now() + patience;
        std::chrono::nanoseconds pause{};
        while (pause <= pause.zero() && clock::now() < limit) pause = driver_.step({});
        return pause;
    }

    countable_work work_;
    event_loop loop_{false};
    driver driver_{loop_, work_};
};

/// Input that is there already.
class input_at_hand final : public descriptor_handler {
public:
    input_at_hand() : fd_(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    void on_ready(std::uint32_t) noexcept override { ++reports; }

    [[nodiscard]] int fd() const { return fd_.get(); }

    int reports = 0;

private:
    unique_fd fd_;
};

TEST_F(driver_test, loop_that_is_left_asleep_is_readable_only_if_that_is_wanted)
{
    EXPECT_TRUE(driver::this_thread_has_one());
    EXPECT_GT(step_until_idle().count(), 0);
    loop_.leave(false);
    EXPECT_FALSE(readable(loop_.descriptor(), std::chrono::milliseconds(0)));
    loop_.leave(true);
    EXPECT_TRUE(readable(loop_.descriptor(), std::chrono::milliseconds(0)));
}

TEST_F(driver_test, loop_that_is_left_at_work_is_readable)
{
    work_.add(loop_);
    work_.add(loop_);
    post(loop_, [] {});
    loop_.leave(false);  // before its first step
    EXPECT_TRUE(readable(loop_.descriptor(), std::chrono::milliseconds(0)));
    EXPECT_GT(step_until_idle().count(), 0);
}

TEST_F(driver_test, tasks_that_are_left_run_at_the_end)
{
    int done = 0;
    post(loop_, [&] { ++done; });
    loop_.end_steps();
    EXPECT_EQ(1, done);
    EXPECT_EQ(0, driver_.step({}).count()) << "no step follows";
}

TEST_F(driver_test, commands_and_work_are_done_on_the_thread_that_steps)
{
    std::thread::id by;
    post(loop_, [&] { by = std::this_thread::get_id(); });
    work_.add(loop_);
    EXPECT_GT(step_until_idle().count(), 0);
    EXPECT_EQ(std::this_thread::get_id(), by);
    EXPECT_EQ(1, work_.done);
}

TEST_F(driver_test, an_idle_loop_may_be_left_alone_until_it_is_told_something)
{
    EXPECT_EQ(event_loop::unlimited, step_until_idle());
    EXPECT_FALSE(readable(driver_.descriptor(), 0ms));
    std::thread other([&] { work_.add(loop_); });
    EXPECT_TRUE(readable(driver_.descriptor(), patience));
    other.join();
    EXPECT_EQ(event_loop::unlimited, step_until_idle());
    EXPECT_EQ(1, work_.done);
    EXPECT_FALSE(readable(driver_.descriptor(), 0ms));
}

TEST_F(driver_test, a_step_takes_the_reports_that_ended_the_sleep_before_it_however_short_it_was)
{
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(event_loop::unlimited, step_until_idle());
        ASSERT_FALSE(readable(driver_.descriptor(), 0ms)) << i;
        std::thread([&] { work_.add(loop_); }).join();
        ASSERT_TRUE(readable(driver_.descriptor(), 0ms)) << i;
    }
}

TEST_F(driver_test, no_wake_up_is_lost_between_a_step_and_the_sleep_behind_it_stress)
{
    constexpr int rounds = 20'000;
    std::thread other([&] {
        for (int i = 1; i <= rounds; ++i) {
            work_.add(loop_);
            while (work_.finished() < i) std::this_thread::yield();
        }
    });
    while (work_.done < rounds) {
        if (driver_.step({}) > std::chrono::nanoseconds{}) {
            ASSERT_TRUE(readable(driver_.descriptor(), patience)) << work_.done;
        }
    }
    other.join();
}

TEST_F(driver_test, a_busy_loop_returns_when_the_budget_is_over)
{
    work_.always_busy = true;
    const auto start = clock::now();
    EXPECT_EQ(0, driver_.step(2ms).count());
    EXPECT_GE(clock::now() - start, 2ms);
}

TEST_F(driver_test, it_may_be_left_alone_until_the_next_timer)
{
    int fired = 0;
    deadline_timer timer(loop_);
    deadline_timer later(loop_);
    ASSERT_TRUE(later.start_after(1h, [] {}));
    ASSERT_TRUE(timer.start_after(5ms, [&] { ++fired; }));
    const auto pause = step_until_idle();
    EXPECT_LE(pause, 5ms);
    if (fired == 0) {
        EXPECT_TRUE(readable(driver_.descriptor(), patience));
    }
    EXPECT_GT(step_until_idle(), 1min);
    EXPECT_EQ(1, fired);
}

TEST_F(driver_test, a_cancelled_timer_does_not_fire_though_its_deadline_is_over)
{
    int fired = 0;
    deadline_timer timer(loop_);
    ASSERT_TRUE(timer.start(clock::now() - 1ms, [&] { ++fired; }));
    timer.cancel();
    EXPECT_EQ(event_loop::unlimited, step_until_idle());
    {
        deadline_timer gone(loop_);
        ASSERT_TRUE(gone.start(clock::now() - 1ms, [&] { ++fired; }));
    }
    EXPECT_EQ(event_loop::unlimited, step_until_idle());
    EXPECT_EQ(0, fired);
}

TEST_F(driver_test, a_timer_has_one_deadline_the_last_one)
{
    int first = 0, second = 0;
    deadline_timer timer(loop_);
    ASSERT_TRUE(timer.start(clock::now() - 1ms, [&] { ++first; }));
    ASSERT_TRUE(timer.start(clock::now() - 1ms, [&] { ++second; }));
    (void)step_until_idle();
    EXPECT_EQ(0, first);
    EXPECT_EQ(1, second);
}

TEST_F(driver_test, a_handler_may_start_its_timer_again_or_end_it)
{
    int fired = 0;
    auto timer = std::make_unique<deadline_timer>(loop_);
    std::function<void()> handler = [&] {
        if (++fired == 3) return timer.reset();
        EXPECT_TRUE(timer->start(clock::now() - 1ms, handler));
    };
    ASSERT_TRUE(timer->start(clock::now() - 1ms, handler));
    EXPECT_EQ(event_loop::unlimited, step_until_idle());
    EXPECT_EQ(3, fired);
}

TEST_F(driver_test, a_timer_that_is_always_due_holds_nobody_up)
{
    deadline_timer timer(loop_);
    std::function<void()> again = [&] { EXPECT_TRUE(timer.start(clock::now() - 1ms, again)); };
    ASSERT_TRUE(timer.start(clock::now() - 1ms, again));
    int ran = 0;
    post(loop_, [&] { ++ran; });
    input_at_hand input;
    ASSERT_TRUE(loop_.add(input.fd(), input));
    loop_.arm(input.fd(), input, POLLIN);
    EXPECT_EQ(0, driver_.step(1ms).count());
    EXPECT_EQ(1, ran);
    EXPECT_EQ(1, input.reports);
    loop_.remove(input.fd(), input);
}

TEST_F(driver_test, ready_descriptors_are_reported)
{
    input_at_hand input;
    ASSERT_TRUE(loop_.add(input.fd(), input));
    loop_.arm(input.fd(), input, POLLIN);
    EXPECT_TRUE(readable(driver_.descriptor(), 0ms));
    (void)step_until_idle();
    EXPECT_EQ(1, input.reports);
    loop_.remove(input.fd(), input);
}

/// Input that makes another one's.
class chained_input final : public descriptor_handler {
public:
    void on_ready(std::uint32_t) noexcept override
    {
        ++reports;
        const std::uint64_t one = 1;
        if (next >= 0) (void)!::write(next, &one, sizeof one);
    }

    int next = -1;
    int reports = 0;
    unique_fd fd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

TEST_F(driver_test, a_step_that_looks_once_leaves_what_comes_meanwhile)
{
    chained_input first, second;
    first.next = second.fd.get();
    for (chained_input* each : {&first, &second}) {
        ASSERT_TRUE(loop_.add(each->fd.get(), *each));
        loop_.arm(each->fd.get(), *each, events::readable);
    }
    const std::uint64_t one = 1;
    EXPECT_EQ(ssize_t(sizeof one), ::write(first.fd.get(), &one, sizeof one));
    EXPECT_GT(driver_.step(std::chrono::seconds(1), looks::once).count(), 0);
    EXPECT_EQ(1, first.reports);
    EXPECT_EQ(0, second.reports);
    EXPECT_TRUE(readable(driver_.descriptor(), std::chrono::milliseconds(0)));
    EXPECT_GT(driver_.step(std::chrono::seconds(1), looks::once).count(), 0);
    EXPECT_EQ(1, second.reports);
    for (chained_input* each : {&first, &second}) loop_.remove(each->fd.get(), *each);
}

TEST_F(driver_test, catching_up_reads_what_is_awaited_itself)
{
    input_at_hand input;
    ASSERT_TRUE(loop_.add(input.fd(), input, input::awaited));
    loop_.arm_input(input.fd(), input, POLLIN);
    loop_.catch_up(clock::now() + patience);
    EXPECT_EQ(1, input.reports);
    loop_.remove(input.fd(), input);
}

TEST_F(driver_test, who_waits_for_a_latch_steps)
{
    latch alive;
    alive.add();
    alive.add();
    deadline_timer timer(loop_);
    ASSERT_TRUE(timer.start_after(2ms, [&] { alive.remove(); }));
    post(loop_, [&] { alive.remove(); });
    EXPECT_TRUE(alive.wait());
}

TEST_F(driver_test, who_waits_briefly_steps)
{
    bool ran = false;
    post(loop_, [&] { ran = true; });
    EXPECT_TRUE(brief_wait(clock::now() + patience, [&] { return ran; }));
    EXPECT_FALSE(brief_wait(clock::now() + 1ms, [] { return false; }));
}

TEST_F(driver_test, a_sleeping_waiter_steps)
{
    waiter& self = waiter::of_this_thread();
    const unique_fd quiet(::eventfd(0, EFD_CLOEXEC));
    for (const bool with_descriptors : {false, true}) {
        bool fired = false;
        deadline_timer timer(loop_);
        ASSERT_TRUE(timer.start_after(3ms, [&] {
            fired = true;
            self.wake();
        }));
        const deadline late = clock::now() + patience;
        while (!fired) {
            self.prepare();
            std::array<pollfd, 2> fds{pollfd{}, pollfd{quiet.get(), POLLIN, 0}};
            const auto why = with_descriptors ? self.sleep(fds.data(), 2, late) : self.sleep(late);
            ASSERT_EQ(waiter::reason::woken, why);
            EXPECT_EQ(0, fds[1].revents);
        }
    }
}

TEST_F(driver_test, a_sleeping_waiter_is_woken_by_other_threads_and_sleeps_no_longer_than_it_should)
{
    waiter& self = waiter::of_this_thread();
    for (int i = 0; i < 20; ++i) {
        std::atomic<bool> told{false};
        self.prepare();
        std::thread other([&] {
            told = true;
            self.wake();
        });
        const deadline late = clock::now() + patience;
        while (!told) ASSERT_EQ(waiter::reason::woken, self.sleep(late));
        other.join();
    }
    (void)step_until_idle();
    self.prepare();
    auto why = waiter::reason::woken;
    const auto start = clock::now();
    const deadline soon = start + 10ms;
    while (why == waiter::reason::woken) {
        self.prepare();
        why = self.sleep(soon);
    }
    EXPECT_EQ(waiter::reason::timed_out, why);
    EXPECT_GE(clock::now() - start, 10ms);
}

TEST_F(driver_test, within_a_step_nobody_steps)
{
    EXPECT_EQ(&driver_, driver::of_this_thread());
    driver* inside = &driver_;
    post(loop_, [&] { inside = driver::of_this_thread(); });
    (void)step_until_idle();
    EXPECT_EQ(nullptr, inside);
    std::thread([] { EXPECT_EQ(nullptr, driver::of_this_thread()); }).join();
}

}  // namespace
}  // namespace zlink::runtime::test
