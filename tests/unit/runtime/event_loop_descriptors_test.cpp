// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the loop of an I/O thread reports of descriptors, idle or busy, and which threads can wait for it.
#include "event_loop_fixture.hpp"
#include "reporting_pair.hpp"

#include "runtime/deadline_timer.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace zlink::runtime::test {
namespace {

class watched_pair final : public reporting_pair {
public:
    /// An awaited one: before the loop runs.
    explicit watched_pair(event_loop& loop, input kind = input::unawaited) : loop_(loop), kind_(kind)
    {
        EXPECT_TRUE(loop_.add(watched(), *this, kind));
    }

    void arm(std::uint32_t events)
    {
        if (kind_ == input::awaited) return loop_.arm_input(watched(), *this, events);
        loop_.arm(watched(), *this, events);
    }
    void arm_output() { loop_.arm(watched(), *this, EPOLLOUT); }
    void remove() { loop_.remove(watched(), *this); }

private:
    event_loop& loop_;
    input kind_;
};

class event_loop_descriptors_test : public event_loop_fixture {
protected:
    void catch_up(std::chrono::milliseconds at_most = patience)
    {
        loop_.catch_up(std::chrono::steady_clock::now() + at_most);
    }

    /// Each report is there when catch_up() returns.
    void expect_reports_are_caught_up_with(watched_pair& p, int times)
    {
        for (int i = 1; i <= times; ++i) {
            p.arm(EPOLLIN);
            p.write();
            catch_up();
            EXPECT_EQ(i, p.reports);
            p.read();
        }
    }
};

INSTANTIATE_TEST_SUITE_P(event_loop, event_loop_descriptors_test, testing::Bool(), way_of_waiting);

// All reports that were due have come when this returns: a descriptor that was ready after them has been reported.
void let_reports_come(event_loop& loop)
{
    for (int i = 0; i < 3; ++i) {
        std::optional<watched_pair> last;
        gate added;
        post(loop, [&] {
            last.emplace(loop);
            last->write();
            last->arm(EPOLLIN);
            added.open();
        });
        ASSERT_TRUE(added.wait());
        ASSERT_TRUE(last->await_report());
        gate removed;
        post(loop, [&] {
            last->remove();
            removed.open();
        });
        ASSERT_TRUE(removed.wait());
    }
}

// One batch of work may be as long as there are pipes: a thread that waits for a descriptor does not wait for all of
// them.
TEST_P(event_loop_descriptors_test, descriptors_get_their_turn_within_a_long_batch)
{
    watched_pair p(loop_);
    constexpr int pieces = 10000;
    int reported_after = pieces;
    p.action = [&](std::uint32_t) { reported_after = work_.done; };
    work_.at_work = [&] {
        if (work_.done == 0) p.arm(EPOLLIN);
    };
    p.write();
    for (int i = 0; i < pieces; ++i) work_.add(loop_);
    start();
    ASSERT_TRUE(p.await_report());
    on_loop([&] { p.remove(); });
    EXPECT_EQ(1, p.reports.load());
    EXPECT_LE(reported_after, work_classes::most_pieces);
}

// Sixty-four floods, and ten thousand timers due, tasks and pipe ends at once: counted in pieces, which does not depend
// on speed.
TEST_P(event_loop_descriptors_test, no_class_waits_for_more_than_one_turn_of_each_other)
{
    constexpr int floods = 64;
    constexpr int timers_due = 10000;
    constexpr int tasks = 1000;
    enum class_of { descriptor, timer, task, work, none };
    int in_a_row = 0, longest_row = 0;
    class_of last = none;
    int fired = 0, reports_until_all_fired = 0;
    const auto did = [&](class_of c) {
        if (fired == timers_due) return;
        in_a_row = c == last ? in_a_row + 1 : 1;
        last = c;
        longest_row = std::max(longest_row, in_a_row);
    };
    std::deque<watched_pair> pairs;
    for (int i = 0; i < floods; ++i) {
        watched_pair& p = pairs.emplace_back(loop_);
        p.action = [&](std::uint32_t) {
            did(descriptor);
            p.arm_output();
        };
        p.arm_output();
    }
    std::deque<deadline_timer> timers;
    gate all_fired;
    for (int i = 0; i < timers_due; ++i) {
        ASSERT_TRUE(timers.emplace_back(loop_).start_after(0ms, [&] {
            did(timer);
            if (++fired != timers_due) return;
            for (const watched_pair& p : pairs) reports_until_all_fired += p.reports;
            all_fired.open();
        }));
    }
    for (int i = 0; i < tasks; ++i) post(loop_, [&] { did(task); });
    work_.at_work = [&] { did(work); };
    for (int i = 0; i < tasks; ++i) work_.add(loop_);
    start();
    ASSERT_TRUE(all_fired.wait());
    on_loop([&] {
        for (watched_pair& p : pairs) p.remove();
        timers.clear();
    });
    stop();  // there may be tasks and work left, which count in what ends here
    EXPECT_EQ(timers_due, fired);
    EXPECT_GE(reports_until_all_fired, timers_due / work_classes::most_pieces);  // one in each round at least
    EXPECT_LE(longest_row, work_classes::most_pieces);
}

TEST_P(event_loop_descriptors_test, reports_nothing_before_it_is_armed)
{
    watched_pair p(loop_);
    start();
    p.write();
    let_reports_come(loop_);
    EXPECT_EQ(0, p.reports);
    p.arm(EPOLLIN);
    ASSERT_TRUE(p.await_report());
    EXPECT_EQ(std::uint32_t(EPOLLIN), p.last_events);
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, reports_once_for_each_time_it_is_armed)
{
    watched_pair p(loop_);
    start();
    for (int i = 1; i <= 3; ++i) {
        p.write();  // and nobody reads it
        p.arm(EPOLLIN);
        ASSERT_TRUE(p.await_report());
        p.write();
        let_reports_come(loop_);
        EXPECT_EQ(i, p.reports);
    }
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, reports_what_comes_later)
{
    watched_pair p(loop_);
    start();
    for (int i = 0; i < 20; ++i) {
        p.arm(EPOLLIN);
        on_loop([] {});
        p.write();
        ASSERT_TRUE(p.await_report()) << i;
        p.read();
    }
    EXPECT_EQ(20, p.reports);
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, reports_room_and_hang_up)
{
    watched_pair p(loop_);
    start();
    p.arm(EPOLLIN | EPOLLOUT);
    ASSERT_TRUE(p.await_report());
    EXPECT_EQ(std::uint32_t(EPOLLOUT), p.last_events);
    p.arm(EPOLLIN);
    p.hang_up();
    ASSERT_TRUE(p.await_report());
    EXPECT_TRUE(p.last_events & EPOLLIN);
    EXPECT_TRUE(p.last_events & EPOLLHUP);
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, interest_may_be_switched_off)
{
    watched_pair p(loop_);
    start();
    p.arm(EPOLLIN);
    on_loop([&] { p.arm(0); });
    p.write();
    let_reports_come(loop_);
    EXPECT_EQ(0, p.reports);
    on_loop([&] { p.remove(); });
}

// Both are ready in one batch: the one that comes first takes the other out.
TEST_P(event_loop_descriptors_test, what_a_handler_removes_is_not_reported_any_more)
{
    start();
    for (int round = 0; round < 10; ++round) {
        std::optional<watched_pair> a;
        std::optional<watched_pair> b;
        on_loop([&] {
            a.emplace(loop_);
            b.emplace(loop_);
            a->action = [&](std::uint32_t) { b->remove(); };
            b->action = [&](std::uint32_t) { a->remove(); };
            a->write();
            b->write();
            a->arm(EPOLLIN);
            b->arm(EPOLLIN);
        });
        let_reports_come(loop_);
        EXPECT_EQ(1, a->reports + b->reports);
        on_loop([&] {
            a->remove();
            b->remove();
        });
    }
}

TEST_P(event_loop_descriptors_test, a_handler_may_be_removed_while_it_is_told)
{
    watched_pair p(loop_);
    start();
    p.action = [&](std::uint32_t) {
        p.remove();
        p.arm(EPOLLIN);  // of a descriptor that is not there: nothing
    };
    p.write();
    on_loop([&] { p.arm(EPOLLIN); });
    ASSERT_TRUE(p.await_report());
    let_reports_come(loop_);
    EXPECT_EQ(1, p.reports);
}

TEST_P(event_loop_descriptors_test, more_descriptors_than_fit_a_batch_are_all_reported)
{
    std::vector<std::unique_ptr<watched_pair>> pairs;
    for (int i = 0; i < 150; ++i) pairs.push_back(std::make_unique<watched_pair>(loop_));
    start();
    on_loop([&] {
        for (auto& p : pairs) {
            p->write();
            p->arm(EPOLLIN);
        }
    });
    for (auto& p : pairs) EXPECT_TRUE(p->await_report());
    on_loop([&] {
        for (auto& p : pairs) p->remove();
    });
}

TEST_P(event_loop_descriptors_test, descriptors_are_reported_while_it_is_busy)
{
    work_.always_busy = true;
    watched_pair p(loop_);
    start();
    for (int i = 0; i < 10; ++i) {
        p.write();
        p.arm(EPOLLIN);
        ASSERT_TRUE(p.await_report());
    }
    on_loop([&] { p.remove(); });
}

// A program may post commands faster than they are run.
TEST_P(event_loop_descriptors_test, descriptors_are_reported_while_many_commands_wait)
{
    watched_pair p(loop_);
    p.write();
    p.arm(EPOLLIN);
    constexpr int commands = 1000;
    int run = 0;
    int run_at_report = commands;
    p.action = [&](std::uint32_t) { run_at_report = run; };
    for (int i = 0; i < commands; ++i) post(loop_, [&] { ++run; });
    start();
    ASSERT_TRUE(p.await_report());
    on_loop([&] { p.remove(); });
    EXPECT_EQ(commands, run);
    EXPECT_LT(run_at_report, commands);
}

TEST_P(event_loop_descriptors_test, catching_up_waits_for_what_is_ready)
{
    watched_pair p(loop_, input::awaited);
    start();
    expect_reports_are_caught_up_with(p, 200);
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, catching_up_waits_for_the_handler_to_be_done)
{
    watched_pair p(loop_, input::awaited);
    std::atomic<int> done{0};
    p.action = [&](std::uint32_t) {
        std::this_thread::sleep_for(1ms);  // the longer, the likelier it is to be missed
        ++done;
    };
    start();
    for (int i = 1; i <= 20; ++i) {
        p.arm(EPOLLIN);
        p.write();
        while (i % 2 && p.reports < i) std::this_thread::yield();
        catch_up();
        EXPECT_EQ(i, done);
        p.read();
    }
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, catching_up_waits_for_as_many_as_are_ready)
{
    std::deque<watched_pair> pairs;
    for (int i = 0; i < 70; ++i) pairs.emplace_back(loop_, input::awaited);  // more than one look at the set finds
    start();
    for (int round = 1; round <= 5; ++round) {
        on_loop([&] {  // all at once
            for (watched_pair& p : pairs) {
                p.write();
                p.arm(EPOLLIN);
            }
        });
        catch_up();
        for (watched_pair& p : pairs) {
            ASSERT_EQ(round, p.reports);
            p.read();
        }
    }
    on_loop([&] {
        for (watched_pair& p : pairs) p.remove();
    });
}

// Else a publisher would wait for everything that goes on.
TEST_P(event_loop_descriptors_test, catching_up_does_not_wait_for_input_that_nobody_awaits)
{
    watched_pair p(loop_);
    gate caught_up;
    p.action = [&](std::uint32_t) { EXPECT_TRUE(caught_up.wait()); };
    start();
    p.arm(EPOLLIN);
    p.write();
    while (p.reports == 0) std::this_thread::yield();
    catch_up();
    caught_up.open();
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, input_that_is_awaited_is_reported_without_anybody_waiting)
{
    watched_pair p(loop_, input::awaited);
    start();
    for (int i = 1; i <= 3; ++i) {
        p.arm(EPOLLIN);
        p.write();
        ASSERT_TRUE(p.await_report());
        EXPECT_EQ(std::uint32_t(EPOLLIN), p.last_events);
        p.read();
    }
    EXPECT_EQ(3, p.reports);
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, output_is_reported_beside_awaited_input)
{
    watched_pair p(loop_, input::awaited);
    start();
    p.arm(EPOLLIN);
    p.arm_output();
    ASSERT_TRUE(p.await_report());
    EXPECT_EQ(std::uint32_t(EPOLLOUT), p.last_events);
    p.write();
    ASSERT_TRUE(p.await_report());
    EXPECT_EQ(std::uint32_t(EPOLLIN), p.last_events);
    on_loop([&] { p.remove(); });
}

// Both have been taken out of the set when the first one is told.
TEST_P(event_loop_descriptors_test, nothing_is_reported_of_awaited_descriptors_after_they_are_removed)
{
    watched_pair a(loop_, input::awaited), b(loop_, input::awaited);
    const auto remove_both = [&](std::uint32_t) {
        a.remove();
        b.remove();
    };
    a.action = b.action = remove_both;
    for (watched_pair* p : {&a, &b}) {
        p->arm(EPOLLIN);
        p->write();
    }
    start();
    catch_up();
    on_loop([] {});
    EXPECT_EQ(1, a.reports + b.reports);
}

TEST_P(event_loop_descriptors_test, catching_up_with_a_busy_loop)
{
    work_.always_busy = true;
    watched_pair p(loop_, input::awaited);
    start();
    expect_reports_are_caught_up_with(p, 20);
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, several_threads_catch_up_at_once)
{
    std::deque<watched_pair> pairs;
    for (int t = 0; t < 3; ++t) pairs.emplace_back(loop_, input::awaited);
    start();
    std::vector<std::thread> threads;
    for (watched_pair& p : pairs) {
        threads.emplace_back([this, &p] {
            expect_reports_are_caught_up_with(p, 100);
            on_loop([&] { p.remove(); });
        });
    }
    for (std::thread& t : threads) t.join();
}

TEST_P(event_loop_descriptors_test, catching_up_has_an_end_while_there_is_always_more)
{
    watched_pair p(loop_, input::awaited);
    p.action = [&](std::uint32_t) { p.arm(EPOLLIN); };
    p.write();  // and nobody reads it
    start();
    p.arm(EPOLLIN);
    for (int i = 0; i < 20; ++i) catch_up();
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_descriptors_test, catching_up_is_short_while_there_is_a_flood)
{
    watched_pair p(loop_, input::awaited);
    p.arm(EPOLLIN);
    p.write();  // and nobody runs the loop
    // A thread that loses its core may miss the flood.
    bool short_one = false;
    for (int i = 0; i < 100 && !short_one; ++i) {
        const auto begun = clock::now();
        loop_.note_flood();
        catch_up(1s);
        short_one = clock::now() < begun + 1s;
    }
    EXPECT_TRUE(short_one);
    EXPECT_EQ(0, p.reports);
    p.remove();
}

TEST_P(event_loop_descriptors_test, catching_up_with_a_loop_that_does_not_run_is_given_up)
{
    catch_up(1h);  // nothing is ready
    watched_pair p(loop_, input::awaited);
    p.arm(EPOLLIN);
    p.write();
    catch_up(1ms);
    EXPECT_EQ(0, p.reports);
    p.remove();
}

TEST_P(event_loop_descriptors_test, refuses_what_cannot_be_watched)
{
    struct : descriptor_handler {
        void on_ready(std::uint32_t) noexcept override {}
    } nobody;
    EXPECT_EQ(from_errno(EBADF), loop_.add(-1, nobody).error());
    watched_pair p(loop_);
    p.remove();
    p.remove();
}

// Descriptors armed from other threads, as inline I/O does.
TEST_P(event_loop_descriptors_test, no_report_is_lost_stress)
{
    watched_pair p(loop_);
    start();
    for (int i = 0; i < 10'000; ++i) {
        if (i % 2) {
            p.write();
            p.arm(EPOLLIN);
        } else {
            p.arm(EPOLLIN);
            p.write();
        }
        ASSERT_TRUE(p.await_report()) << i;
        p.read();
    }
    EXPECT_EQ(10'000, p.reports);
    on_loop([&] { p.remove(); });
}

// A kind of work whose pieces are long does not leave one piece a round to another kind.
TEST_P(event_loop_descriptors_test, many_timers_and_commands_have_their_share_beside_slow_handlers)
{
    constexpr int count = 1000;
    watched_pair busy[2] = {watched_pair(loop_), watched_pair(loop_)};
    for (watched_pair& p : busy) {
        p.action = [&p](std::uint32_t) {
            const auto end = clock::now() + 2 * work_classes::longest_piece;
            while (clock::now() < end) {
            }
            p.arm_output();
        };
    }
    start();
    std::deque<deadline_timer> timers;
    int fired = 0, ran = 0, reports = 0;
    gate all_fired, all_ran, over;
    on_loop([&] {
        for (watched_pair& p : busy) p.arm_output();
        for (int i = 0; i < count; ++i) {
            timers.emplace_back(loop_);
            EXPECT_TRUE(timers.back().start_after(1ms, [&] {
                if (++fired == count) all_fired.open();
            }));
        }
    });
    ASSERT_TRUE(all_fired.wait());
    on_loop([&] { reports = busy[0].reports; });
    EXPECT_LT(reports, count / 2);  // one timer a round would be some 1,000
    for (int i = 0; i < count; ++i) {
        post(loop_, [&] {
            if (++ran == count) all_ran.open();
        });
    }
    ASSERT_TRUE(all_ran.wait());
    on_loop([&] {
        EXPECT_LT(busy[0].reports - reports, count / 2);
        for (watched_pair& p : busy) p.remove();
        timers.clear();
        over.open();
    });
    ASSERT_TRUE(over.wait());
}

}  // namespace
}  // namespace zlink::runtime::test
