// The loop of an I/O thread: commands, duty, descriptors and timers each get their turn, idle or busy, and nothing that
// is announced while it falls asleep is slept through.
#include "runtime/event_loop.hpp"

#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

namespace zlink::runtime {
namespace {

// Queues a function object, which goes when it has run.
template <class Function>
void post(event_loop& loop, Function function)
{
    class call final : public errand {
    public:
        explicit call(Function what) : what_(std::move(what)) {}
        void run() noexcept override
        {
            const std::unique_ptr<call> self(this);
            what_();
        }

    private:
        Function what_;
    };
    loop.post(*new call(std::move(function)));
}

using namespace std::chrono_literals;

// Fails a test that would hang.
constexpr auto patience = 20s;

// Opened by one thread, awaited by another, which may let it go right after.
class gate {
public:
    void open()
    {
        const std::lock_guard lock(mutex_);
        open_ = true;
        opened_.notify_one();
    }
    bool wait()
    {
        std::unique_lock lock(mutex_);
        return opened_.wait_for(lock, patience, [this] { return open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    bool open_ = false;
};

// Work that any thread adds and the loop takes off.
class countable_duty final : public duty {
public:
    void add(event_loop& loop)
    {
        pending_.fetch_add(1, std::memory_order_seq_cst);
        loop.wake();
    }

    [[nodiscard]] bool run() noexcept override
    {
        const int n = pending_.exchange(0, std::memory_order_seq_cst);
        if (n && at_work) at_work();
        done += n;
        if (n) finished_.store(done, std::memory_order_release);
        return n != 0 || always_busy.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool has_work() noexcept override { return pending_.load(std::memory_order_relaxed) != 0; }
    [[nodiscard]] bool settle() noexcept override
    {
        if (at_settle) at_settle();
        return pending_.load(std::memory_order_seq_cst) != 0;
    }

    [[nodiscard]] int finished() const { return finished_.load(std::memory_order_acquire); }

    int done = 0;  ///< loop's thread
    std::atomic<bool> always_busy{false};
    std::function<void()> at_settle;  ///< set before the loop runs
    std::function<void()> at_work;    ///< in each round with work; set before the loop runs

private:
    std::atomic<int> pending_{0};
    std::atomic<int> finished_{0};
};

class watched_pair;

class event_loop_test : public testing::TestWithParam<bool> {
protected:
    event_loop_test() : loop_(GetParam()) { EXPECT_TRUE(loop_.open()); }
    ~event_loop_test() override { stop(); }

    void start()
    {
        thread_ = std::thread([this] { loop_.run(duty_); });
    }
    void stop()
    {
        if (!thread_.joinable()) return;
        loop_.stop();
        thread_.join();
    }

    // Runs `body` on the loop's thread and waits for it.
    void on_loop(const std::function<void()>& body)
    {
        gate done;
        post(loop_, [&] {
            body();
            done.open();
        });
        ASSERT_TRUE(done.wait());
    }

    void catch_up(std::chrono::milliseconds at_most = patience)
    {
        loop_.catch_up(std::chrono::steady_clock::now() + at_most);
    }

    /// Each report is there when catch_up() returns.
    void expect_reports_are_caught_up_with(watched_pair& p, int times);

    countable_duty duty_;
    event_loop loop_;
    std::thread thread_;
};

INSTANTIATE_TEST_SUITE_P(event_loop, event_loop_test, testing::Bool(),
                         [](const auto& p) { return p.param ? "spinning" : "sleeping"; });

TEST_P(event_loop_test, runs_commands_on_its_thread_in_their_order)
{
    start();
    std::vector<int> order;
    std::thread::id by;
    for (int i = 0; i < 100; ++i) post(loop_, [&order, i] { order.push_back(i); });
    on_loop([&] { by = std::this_thread::get_id(); });
    ASSERT_EQ(100u, order.size());
    for (int i = 0; i < 100; ++i) EXPECT_EQ(i, order[std::size_t(i)]);
    EXPECT_EQ(thread_.get_id(), by);
}

TEST_P(event_loop_test, commands_may_post_commands)
{
    start();
    gate end;
    std::function<void(int)> next = [&](int n) {
        if (n == 50) return end.open();
        post(loop_, [&next, n] { next(n + 1); });
    };
    post(loop_, [&] { next(0); });
    EXPECT_TRUE(end.wait());
}

TEST_P(event_loop_test, a_call_is_queued_once_and_keeps_its_target_until_it_has_run)
{
    struct counter {
        explicit counter(bool& gone) : gone_(gone) {}
        ~counter() { gone_ = true; }
        void count() noexcept { ++counted; }
        bool& gone_;
        int counted = 0;
        call_on<counter> counting{&counter::count};
        call_on<counter> letting_go{nullptr};
    };
    bool gone = false;
    auto c = std::make_shared<counter>(gone);
    EXPECT_TRUE(c->counting.take_up(c));
    loop_.post(c->counting);
    EXPECT_FALSE(c->counting.take_up(c));
    start();
    on_loop([] {});
    EXPECT_EQ(1, c->counted);
    EXPECT_TRUE(c->counting.take_up(c));
    loop_.post(c->counting);
    on_loop([] {});
    EXPECT_EQ(2, c->counted);
    errand& last = c->letting_go;
    auto* letting_go = &c->letting_go;
    EXPECT_TRUE(letting_go->take_up(std::move(c)));
    EXPECT_FALSE(gone);
    loop_.post(last);
    on_loop([] {});
    EXPECT_TRUE(gone);
}

TEST_P(event_loop_test, commands_from_before_the_start_and_before_the_stop_are_run)
{
    int ran = 0;
    post(loop_, [&] { ++ran; });
    start();
    on_loop([] {});
    EXPECT_EQ(1, ran);
    on_loop([&] {
        post(loop_, [&] { ++ran; });
        loop_.stop();
    });
    thread_.join();
    EXPECT_EQ(2, ran);
}

TEST_P(event_loop_test, stopped_before_it_runs_it_returns_at_once)
{
    loop_.stop();
    start();
    thread_.join();
}

TEST_P(event_loop_test, wakes_for_its_duty)
{
    start();
    for (int i = 1; i <= 100; ++i) {
        duty_.add(loop_);
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (duty_.finished() != i && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
        ASSERT_EQ(i, duty_.finished());
    }
}

// Something comes between the last look and the sleep, on the loop's own thread and so unseen by wake().
TEST_P(event_loop_test, looks_again_when_its_duty_could_not_settle)
{
    gate done;
    int settled = 0;
    duty_.at_settle = [&] {
        if (++settled <= 3) {
            duty_.add(loop_);
        } else if (settled == 4) {
            done.open();
        }
    };
    start();
    EXPECT_TRUE(done.wait());
    stop();
    EXPECT_EQ(3, duty_.done);
}

TEST_P(event_loop_test, timers_fire_while_it_is_idle)
{
    start();
    gate fired;
    boost::asio::steady_timer timer(loop_.context());
    on_loop([&] {
        timer.expires_after(5ms);
        timer.async_wait([&](const boost::system::error_code& e) {
            if (!e) fired.open();
        });
    });
    EXPECT_TRUE(fired.wait());
}

TEST_P(event_loop_test, timers_fire_while_it_is_busy)
{
    start();
    for (int round = 0; round < 10; ++round) {
        gate fired;
        boost::asio::steady_timer timer(loop_.context());
        on_loop([&] {
            timer.expires_after(2ms);
            timer.async_wait([&](const boost::system::error_code& e) {
                if (!e) fired.open();
            });
            duty_.always_busy = true;
        });
        ASSERT_TRUE(fired.wait()) << round;
        on_loop([&] { duty_.always_busy = false; });
    }
}

TEST_P(event_loop_test, commands_run_while_it_is_busy)
{
    duty_.always_busy = true;
    start();
    for (int i = 0; i < 10; ++i) on_loop([] {});
}

// --- descriptors ------------------------------------------------------------------------------------------------------

class watched_pair final : public descriptor_handler {
public:
    explicit watched_pair(event_loop& loop, input kind = input::unawaited) : loop_(loop), kind_(kind)
    {
        int fds[2];
        EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds));
        watched_.reset(fds[0]);
        peer_.reset(fds[1]);
        EXPECT_TRUE(loop_.add(watched_.get(), *this, kind));
    }

    void arm(std::uint32_t events)
    {
        if (kind_ == input::awaited) return loop_.arm_input(watched_.get(), *this, events);
        loop_.arm(watched_.get(), *this, events);
    }
    void arm_output() { loop_.arm(watched_.get(), *this, EPOLLOUT); }
    void remove() { loop_.remove(watched_.get(), *this); }
    void write() const { EXPECT_EQ(1, ::write(peer_.get(), "x", 1)); }
    void read() const
    {
        char c;
        EXPECT_EQ(1, ::read(watched_.get(), &c, 1));
    }
    void hang_up() { peer_.reset(); }

    bool await_report() { return reported_.try_acquire_for(patience); }

    std::function<void(std::uint32_t)> action;  ///< loop's thread
    std::atomic<int> reports{0};
    std::atomic<std::uint32_t> last_events{0};

private:
    void on_ready(std::uint32_t events) noexcept override
    {
        ++reports;
        last_events = events;
        if (action) action(events);
        reported_.release();
    }

    event_loop& loop_;
    input kind_;
    unique_fd watched_;
    unique_fd peer_;
    std::counting_semaphore<1024> reported_{0};
};

void event_loop_test::expect_reports_are_caught_up_with(watched_pair& p, int times)
{
    for (int i = 1; i <= times; ++i) {
        p.arm(EPOLLIN);
        p.write();
        catch_up();
        EXPECT_EQ(i, p.reports);
        p.read();
    }
}

// All reports that were due have come when this returns: a descriptor that was ready after them has been reported.
void let_reports_come(event_loop& loop)
{
    for (int i = 0; i < 3; ++i) {
        watched_pair last(loop);
        last.write();
        last.arm(EPOLLIN);
        ASSERT_TRUE(last.await_report());
        gate removed;
        post(loop, [&] {
            last.remove();
            removed.open();
        });
        ASSERT_TRUE(removed.wait());
    }
}

// One round of work may be as long as there are pipes: who waits for a descriptor does not wait for all of them.
TEST_P(event_loop_test, descriptors_get_their_turn_within_a_long_round)
{
    watched_pair p(loop_);
    gate worked;
    constexpr int pieces = 10000;
    int piece = 0;
    int reported_after = pieces;
    p.action = [&](std::uint32_t) { reported_after = piece; };
    duty_.at_work = [&] {
        p.arm(EPOLLIN);
        for (piece = 0; piece < pieces; ++piece) loop_.did_piece();
        worked.open();
    };
    p.write();
    start();
    duty_.add(loop_);
    ASSERT_TRUE(worked.wait());
    stop();
    EXPECT_EQ(1, p.reports.load());
    EXPECT_LT(reported_after, pieces / 10);
}

TEST_P(event_loop_test, reports_nothing_before_it_is_armed)
{
    start();
    watched_pair p(loop_);
    p.write();
    let_reports_come(loop_);
    EXPECT_EQ(0, p.reports);
    p.arm(EPOLLIN);
    ASSERT_TRUE(p.await_report());
    EXPECT_EQ(std::uint32_t(EPOLLIN), p.last_events);
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_test, reports_once_for_each_time_it_is_armed)
{
    start();
    watched_pair p(loop_);
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

TEST_P(event_loop_test, reports_what_comes_later)
{
    start();
    watched_pair p(loop_);
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

TEST_P(event_loop_test, reports_room_and_hang_up)
{
    start();
    watched_pair p(loop_);
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

TEST_P(event_loop_test, interest_may_be_switched_off)
{
    start();
    watched_pair p(loop_);
    p.arm(EPOLLIN);
    on_loop([&] { p.arm(0); });
    p.write();
    let_reports_come(loop_);
    EXPECT_EQ(0, p.reports);
    on_loop([&] { p.remove(); });
}

// Both are ready in one batch: whoever comes first takes the other out.
TEST_P(event_loop_test, what_a_handler_removes_is_not_reported_any_more)
{
    start();
    for (int round = 0; round < 10; ++round) {
        watched_pair a(loop_), b(loop_);
        a.action = [&](std::uint32_t) { b.remove(); };
        b.action = [&](std::uint32_t) { a.remove(); };
        a.write();
        b.write();
        on_loop([&] {
            a.arm(EPOLLIN);
            b.arm(EPOLLIN);
        });
        let_reports_come(loop_);
        EXPECT_EQ(1, a.reports + b.reports);
        on_loop([&] {
            a.remove();
            b.remove();
        });
    }
}

TEST_P(event_loop_test, a_handler_may_be_removed_while_it_is_told)
{
    start();
    watched_pair p(loop_);
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

TEST_P(event_loop_test, more_descriptors_than_fit_a_batch_are_all_reported)
{
    start();
    std::vector<std::unique_ptr<watched_pair>> pairs;
    for (int i = 0; i < 150; ++i) pairs.push_back(std::make_unique<watched_pair>(loop_));
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

TEST_P(event_loop_test, descriptors_are_reported_while_it_is_busy)
{
    duty_.always_busy = true;
    start();
    watched_pair p(loop_);
    for (int i = 0; i < 10; ++i) {
        p.write();
        p.arm(EPOLLIN);
        ASSERT_TRUE(p.await_report());
    }
    on_loop([&] { p.remove(); });
}

// A program may post commands faster than they are run.
TEST_P(event_loop_test, descriptors_are_reported_while_many_commands_wait)
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

TEST_P(event_loop_test, catching_up_waits_for_what_is_ready)
{
    start();
    watched_pair p(loop_, input::awaited);
    expect_reports_are_caught_up_with(p, 200);
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_test, catching_up_waits_for_the_handler_to_be_done)
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

TEST_P(event_loop_test, catching_up_waits_for_as_many_as_are_ready)
{
    start();
    std::deque<watched_pair> pairs;
    for (int i = 0; i < 200; ++i) pairs.emplace_back(loop_, input::awaited);
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
TEST_P(event_loop_test, catching_up_does_not_wait_for_input_that_nobody_awaits)
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

TEST_P(event_loop_test, input_that_is_awaited_is_reported_without_anybody_waiting)
{
    start();
    watched_pair p(loop_, input::awaited);
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

TEST_P(event_loop_test, output_is_reported_beside_awaited_input)
{
    start();
    watched_pair p(loop_, input::awaited);
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
TEST_P(event_loop_test, nothing_is_reported_of_awaited_descriptors_after_they_are_removed)
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

TEST_P(event_loop_test, catching_up_with_a_busy_loop)
{
    duty_.always_busy = true;
    start();
    watched_pair p(loop_, input::awaited);
    expect_reports_are_caught_up_with(p, 20);
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_test, several_threads_catch_up_at_once)
{
    start();
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([this] {
            watched_pair p(loop_, input::awaited);
            expect_reports_are_caught_up_with(p, 100);
            on_loop([&] { p.remove(); });
        });
    }
    for (std::thread& t : threads) t.join();
}

TEST_P(event_loop_test, catching_up_has_an_end_while_there_is_always_more)
{
    watched_pair p(loop_, input::awaited);
    p.action = [&](std::uint32_t) { p.arm(EPOLLIN); };
    p.write();  // and nobody reads it
    start();
    p.arm(EPOLLIN);
    for (int i = 0; i < 20; ++i) catch_up();
    on_loop([&] { p.remove(); });
}

TEST_P(event_loop_test, catching_up_with_a_loop_that_does_not_run_is_given_up)
{
    catch_up(1h);  // nothing is ready
    watched_pair p(loop_, input::awaited);
    p.arm(EPOLLIN);
    p.write();
    catch_up(1ms);
    EXPECT_EQ(0, p.reports);
    p.remove();
}

TEST_P(event_loop_test, refuses_what_cannot_be_watched)
{
    struct : descriptor_handler {
        void on_ready(std::uint32_t) noexcept override {}
    } nobody;
    EXPECT_EQ(from_errno(EBADF), loop_.add(-1, nobody).error());
    watched_pair p(loop_);
    p.remove();
    p.remove();
}

TEST(event_loop, says_when_there_are_no_descriptors_left)
{
    event_loop loop(false);
    rlimit before{};
    ASSERT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before));
    rlimit none = before;
    none.rlim_cur = 0;
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &none));
    const errc error = loop.open().error();
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &before));
    EXPECT_EQ(errc::too_many_files, error);
    EXPECT_TRUE(loop.open());
}

// --- no wake-up is lost -----------------------------------------------------------------------------------------------

// Every few posts the poster waits for its command: should the loop sleep through one, nothing else would wake it.
TEST_P(event_loop_test, no_posted_command_is_slept_through_Stress)
{
    start();
    constexpr int posts = 50'000;
    int ran = 0;  // loop's thread
    std::vector<std::jthread> posters;
    std::atomic<bool> all_came{true};
    for (int p = 0; p < 2; ++p) {
        posters.emplace_back([&, p] {
            std::binary_semaphore came{0};
            for (int i = 0; i < posts && all_came; ++i) {
                if (i % (p ? 7 : 13) != 0) {
                    post(loop_, [&] { ++ran; });
                    continue;
                }
                post(loop_, [&] {
                    ++ran;
                    came.release();
                });
                if (!came.try_acquire_for(patience)) all_came = false;
            }
        });
    }
    posters.clear();
    ASSERT_TRUE(all_came);
    on_loop([&] { EXPECT_EQ(2 * posts, ran); });
}

TEST_P(event_loop_test, no_wake_up_for_the_duty_is_slept_through_Stress)
{
    start();
    constexpr int wakes = 50'000;
    std::atomic<int> added{0};
    std::vector<std::jthread> wakers;
    std::atomic<bool> all_came{true};
    for (int w = 0; w < 2; ++w) {
        wakers.emplace_back([&, w] {
            for (int i = 0; i < wakes && all_came; ++i) {
                duty_.add(loop_);
                added.fetch_add(1);
                if (i % (w ? 7 : 13) != 0) continue;
                const int mine = added.load();
                const auto deadline = std::chrono::steady_clock::now() + patience;
                while (duty_.finished() < mine) {
                    std::this_thread::yield();
                    if (std::chrono::steady_clock::now() > deadline) {
                        all_came = false;
                        break;
                    }
                }
            }
        });
    }
    wakers.clear();
    ASSERT_TRUE(all_came);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (duty_.finished() < 2 * wakes && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_EQ(2 * wakes, duty_.finished());
}

// Descriptors armed from other threads, as inline I/O does.
TEST_P(event_loop_test, no_report_is_lost_Stress)
{
    start();
    watched_pair p(loop_);
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

}  // namespace
}  // namespace zlink::runtime
