// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Two threads on one lane: order, wholeness and wake-ups under every interleaving the machine comes up with. Meant for
// ThreadSanitizer; without it the wake-up protocol runs on membarrier, as in production.
#include "lane_fixture.hpp"
#include "pipe/pipe.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace zlink::pipe::test {
namespace {

using namespace std::chrono_literals;

#ifdef ZLINK_TSAN
constexpr unsigned scale = 1;
#else
constexpr unsigned scale = 10;
#endif

// The queue of a thread that sleeps while nothing lines up.
class sleeping_queue final : public activation_queue {
public:
    /// Events of the one end that uses this queue; fails the test if none come.
    std::uint32_t await_events()
    {
        {
            std::unique_lock lock(mutex_);
            if (!awake_.wait_for(lock, 20s, [this] { return woken_; })) {
                ADD_FAILURE() << "nobody woke this thread";
                return 0;
            }
            woken_ = false;
        }
        pipe_end* end = take_all();
        return end ? end->take_events() : 0;
    }

private:
    void wake() noexcept override
    {
        {
            std::lock_guard lock(mutex_);
            woken_ = true;
        }
        awake_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable awake_;
    bool woken_ = false;
};

// Messages that both sides make up from their number.
std::size_t frames_in(std::size_t n)
{
    return n % 7 == 0 ? 1 + n % 5 : 1;
}

std::string frame_in(std::size_t n, std::size_t i)
{
    static const std::size_t sizes[] = {5, 0, 64, 3, 300, 17, 1, 1000, 64, 90, 9000, 2, 40, 1100, 8, 256};
    const std::size_t size = sizes[(n + i * 3) % std::size(sizes)];
    std::string body = pattern_of(size, n + i);
    if (size >= 8) std::memcpy(body.data(), &n, 8);
    return body;
}

std::string encoded(std::size_t n)
{
    parts message;
    for (std::size_t i = 0; i < frames_in(n); ++i) message.push_back(frame_in(n, i));
    return encode(message);
}

class lane_stress_test : public testing::TestWithParam<int> {
protected:
    void SetUp() override
    {
        asymmetric_fence::initialise(false);
        const auto hwm = std::uint64_t(GetParam());
        pipe* p = pipe::create({hwm, hwm, 8192});
        writer_ = &p->first();
        reader_ = &p->second();
        writer_->attach(*writers_queue_);
        reader_->attach(*readers_queue_);
    }

    void TearDown() override
    {
        writers_queue_->release();
        readers_queue_->release();
    }

    static void close(pipe_end& end, sleeping_queue& queue)
    {
        if (end.close() == pipe_end::closing::in_queue) {
            // May be pushed a moment from now.
            pipe_end* out = nullptr;
            while (!(out = queue.take_all())) std::this_thread::yield();
            out->discard();
        }
    }

    // For a moment at most: one that has failed does not come to it.
    void await_sleeping_reader()
    {
        for (int i = 0; i < 10000 && !writer_->writer.reader_sleeps(); ++i) std::this_thread::yield();
    }

    void write_messages(std::size_t count, unsigned seed)
    {
        std::mt19937 random(seed);
        for (std::size_t n = 0; n < count; ++n) {
            while (!writer_->writer.has_room_or_wait()) {
                if (writers_queue_->await_events() == 0) return;
            }
            if (random() % 50 == 0) {  // a message that comes to nothing
                ASSERT_TRUE(writer_->writer.write({bytes("cut"), 3, true}));
                const std::string large(9000, 'x');
                if (random() % 2) {
                    ASSERT_TRUE(writer_->writer.write({bytes(large), large.size(), true}));
                }
                writer_->writer.rollback();
            }
            for (std::size_t i = 0; i < frames_in(n); ++i) {
                const std::string body = frame_in(n, i);
                message::owned_frame f;
                if (body.size() > 8000 && n % 2) {
                    ASSERT_TRUE(f.init_copy_of(body.data(), body.size()));
                    ASSERT_TRUE(writer_->writer.write(outgoing::of(f, i + 1 < frames_in(n))));
                } else {
                    ASSERT_TRUE(writer_->writer.write({bytes(body), body.size(), i + 1 < frames_in(n)}));
                }
            }
            writer_->publish();
            if (random() % 400 == 0) std::this_thread::yield();
            if (random() % 2000 == 0) await_sleeping_reader();
        }
        close(*writer_, *writers_queue_);
    }

    // Announces, looks again, sleeps. False: nothing will come any more.
    bool sleep()
    {
        if (reader_->reader.closed()) return false;
        reader_->reader.go_dormant();
        (void)asymmetric_fence::heavy_fence();
        if (reader_->reader.has_news()) {
            reader_->reader.wake_up();
            return true;
        }
        return readers_queue_->await_events() != 0;
    }

    sleeping_queue* writers_queue_ = new sleeping_queue;
    sleeping_queue* readers_queue_ = new sleeping_queue;
    pipe_end* writer_ = nullptr;
    pipe_end* reader_ = nullptr;
};

TEST_P(lane_stress_test, frames_arrive_whole_and_in_order_stress)
{
    constexpr std::size_t count = 20000 * scale;
    std::jthread writer([this] { write_messages(count, 1); });
    std::size_t n = 0;
    do {
        incoming f;
        while (reader_->reader.next(f)) {
            std::size_t i = 0;
            while (true) {
                ASSERT_EQ(frame_in(n, i), text(f.data, f.size)) << n;
                ASSERT_EQ(++i < frames_in(n), f.more);
                reader_->pop(f);
                if (!f.more) break;
                ASSERT_TRUE(reader_->reader.next(f));
            }
            ++n;
        }
    } while (sleep());
    EXPECT_EQ(count, n);
    close(*reader_, *readers_queue_);
    writer.join();
}

TEST_P(lane_stress_test, octets_arrive_whole_and_in_order_though_connections_break_stress)
{
    constexpr std::size_t count = 20000 * scale;
    std::jthread writer([this] { write_messages(count, 2); });
    std::mt19937 random(3);
    std::size_t n = 0;       // the message expected next
    std::string unfinished;  // octets of it and of those behind it
    const auto take_whole = [&] {
        for (std::string whole = encoded(n); unfinished.size() >= whole.size(); whole = encoded(n)) {
            ASSERT_EQ(whole, unfinished.substr(0, whole.size())) << n;
            unfinished.erase(0, whole.size());
            if (++n == count) return;
        }
    };
    reader_->reader.begin_octets();
    do {
        while (true) {
            iovec to[8];
            const auto g = reader_->reader.gather(to, 8, 1 + random() % 60000, 4096);
            if (g.bytes == 0) {
                if (reader_->reader.commit(0)) writer_->notify(event_credit);
                break;
            }
            const std::size_t written = random() % 4 ? g.bytes : random() % (g.bytes + 1);
            std::size_t left = written;
            for (int i = 0; i < g.count && left; ++i) {
                const std::size_t part = std::min(left, to[i].iov_len);
                unfinished += text(static_cast<std::byte*>(to[i].iov_base), part);
                left -= part;
            }
            if (reader_->reader.commit(written)) writer_->notify(event_credit);
            take_whole();
            if (HasFatalFailure()) break;
            if (random() % 200 == 0) {
                reader_->reader.rewind();
                unfinished.clear();
            }
            ASSERT_EQ(unfinished.empty(), (reader_->reader.octets_to(lane_reader::boundary::message) == 0));
        }
    } while (!HasFatalFailure() && sleep());
    EXPECT_EQ(count, n);
    EXPECT_EQ("", unfinished);
    close(*reader_, *readers_queue_);
    writer.join();
}

INSTANTIATE_TEST_SUITE_P(hwm, lane_stress_test, testing::Values(0, 1, 2, 33, 1000),
                         [](const auto& instance) { return "hwm_" + std::to_string(instance.param); });

// The store-buffer litmus test: the writer's light fence against the sleeper's heavy one. Each round the reader goes
// dormant as the writer publishes. A round in which the reader sees nothing and the writer sees no sleeper is a lost
// wake-up.
TEST(wake_up_test, is_never_lost_stress)
{
    asymmetric_fence::initialise(false);
    joined_lane l;
    std::atomic<std::size_t> told{0};
    std::atomic<std::size_t> received{0};
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        std::minstd_rand random(4);
        for (std::size_t n = 1; !stop.load(std::memory_order_relaxed); ++n) {
            l.put({"x"});
            if (l.writer.reader_sleeps() && l.writer.take_wake()) told.fetch_add(1, std::memory_order_release);
            for (unsigned pause = unsigned(random() % 64); pause != 0; --pause) {
                std::atomic_signal_fence(std::memory_order_seq_cst);
            }
            // Lets the reader run dry, so that every message may be the one that is missed.
            while (received.load(std::memory_order_relaxed) < n && !stop.load(std::memory_order_relaxed)) {
                std::this_thread::yield();
            }
        }
    });
    const auto end = std::chrono::steady_clock::now() + 2500ms;
    std::size_t taken = 0, woken = 0, sleeps = 0;
    while (std::chrono::steady_clock::now() < end) {
        l.reader.go_dormant();
        (void)asymmetric_fence::heavy_fence();
        if (l.reader.has_news()) {
            if (!l.reader.wake_up()) {
                // The writer took the announcement: its word is on the way.
                while (told.load(std::memory_order_acquire) == woken) std::this_thread::yield();
                ++woken;
            }
        } else {
            ++sleeps;
            const auto patience = std::chrono::steady_clock::now() + 20s;
            while (told.load(std::memory_order_acquire) == woken) {
                std::this_thread::yield();
                if (std::chrono::steady_clock::now() > patience) {
                    ADD_FAILURE() << "lost after " << taken << " messages and " << sleeps << " sleeps";
                    stop = true;
                    writer.join();
                    return;
                }
            }
            ++woken;
        }
        while (l.reader.readable()) {
            EXPECT_EQ(parts{"x"}, l.take());
            received.store(++taken, std::memory_order_relaxed);
        }
    }
    stop = true;
    writer.join();
    EXPECT_GT(taken, 0u);
}

// The same where the lane goes from one kind of fence to the other and back. Conversations, after which the reader
// sleeps, and streams take turns, and the wake-up follows what go_dormant() says.
TEST(wake_up_test, is_never_lost_while_the_kind_of_fence_changes_stress)
{
    asymmetric_fence::initialise(false);
    joined_lane l(1000);
    std::atomic<std::size_t> told{0};
    std::atomic<std::size_t> received{0};
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        std::minstd_rand random(5);
        for (std::size_t n = 1; !stop.load(std::memory_order_relaxed); ++n) {
            while (!l.writer.has_room() && !stop.load(std::memory_order_relaxed)) std::this_thread::yield();
            if (stop.load(std::memory_order_relaxed)) return;
            l.put({"x"});
            if (l.writer.reader_sleeps() && l.writer.take_wake()) told.fetch_add(1, std::memory_order_release);
            // Streams of 1500, then 40 messages one by one.
            if (n % 1540 < 1500) continue;
            for (unsigned pause = unsigned(random() % 64); pause != 0; --pause) {
                std::atomic_signal_fence(std::memory_order_seq_cst);
            }
            while (received.load(std::memory_order_relaxed) < n && !stop.load(std::memory_order_relaxed)) {
                std::this_thread::yield();
            }
        }
    });
    const auto end = std::chrono::steady_clock::now() + 2500ms;
    std::size_t taken = 0, woken = 0, light = 0, heavy = 0, switches = 0;
    bool fenced_before = false;
    bool lost = false;
    const auto await_word = [&] {
        const auto patience = std::chrono::steady_clock::now() + 20s;
        while (!lost && told.load(std::memory_order_acquire) == woken) {
            std::this_thread::yield();
            lost = std::chrono::steady_clock::now() > patience;
        }
        ++woken;
    };
    while (!lost && std::chrono::steady_clock::now() < end) {
        const bool full_fence_does = l.reader.go_dormant();
        (void)asymmetric_fence::sleeper_fence(full_fence_does);
        ++(full_fence_does ? light : heavy);
        switches += full_fence_does != fenced_before;
        fenced_before = full_fence_does;
        // Taken back, unless the writer took it already: its word is on the way then.
        if (!l.reader.has_news() || !l.reader.wake_up()) await_word();
        while (l.reader.readable()) {
            EXPECT_EQ(parts{"x"}, l.take());
            received.store(++taken, std::memory_order_relaxed);
        }
    }
    stop = true;
    writer.join();
    EXPECT_FALSE(lost) << "after " << taken << " messages, " << light << " sleeps with full fences, " << heavy
                       << " with heavy ones";
    EXPECT_LE(2u, switches) << "both ways: " << taken << " messages, " << light << ", " << heavy;
}

// The same for credit: the writer waits as the reader gives. Each message is one hand-over. So a machine that does
// other work as well gets only some of them done in the time that is theirs.
struct credit_test : testing::Test {
    static constexpr std::size_t count = 30000 * scale;

    // Writes that many messages, or for some seconds, and ends the reader then.
    template <class Write>
    void write_all(Write write)
    {
        const auto end = std::chrono::steady_clock::now() + 5s;
        std::size_t heard = 0, n = 0;
        bool lost = false;
        for (; n < count && !lost && std::chrono::steady_clock::now() < end; ++n) {
            const auto patience = std::chrono::steady_clock::now() + 20s;
            while (!lost && !l.writer.has_room_or_wait()) {
                while (!lost && told.load(std::memory_order_acquire) == heard) {
                    std::this_thread::yield();
                    lost = std::chrono::steady_clock::now() > patience;
                }
                heard = told.load(std::memory_order_acquire);
            }
            write();
        }
        over = true;
        EXPECT_FALSE(lost) << "after " << n << " messages";
    }

    joined_lane l{1};
    std::atomic<std::size_t> told{0};
    std::atomic<bool> over{false};
};

TEST_F(credit_test, is_never_lost_stress)
{
    asymmetric_fence::initialise(false);
    std::jthread reader([&] {
        while (!over.load(std::memory_order_relaxed)) {
            incoming f;
            if (!l.reader.next(f)) {
                std::this_thread::yield();
                continue;
            }
            if (l.reader.pop(f)) told.fetch_add(1, std::memory_order_release);
        }
    });
    write_all([&] { l.put({"x"}); });
}

// And where the reader counts by spans, some of which memory is too short to follow.
TEST_F(credit_test, is_never_lost_though_memory_is_short_stress)
{
    asymmetric_fence::initialise(false);
    std::jthread reader([&] {
        l.reader.begin_octets();
        while (!over.load(std::memory_order_relaxed)) {
            iovec to[4];
            const auto g = l.reader.gather(to, 4, 500, 500);
            if (g.bytes == 0) std::this_thread::yield();
            if (l.reader.commit(g.bytes)) told.fetch_add(1, std::memory_order_release);
        }
    });
    const std::string body = pattern_of(300);
    write_all([&] {
        l.write(body, false);
        const lane_writer_test_access short_of_memory(l.writer);
        l.writer.publish();
    });
}

// Bodies and chunks are freed by the last holder, on either thread.
TEST(lane_test, memory_changes_hands_stress)
{
    constexpr std::size_t count = 3000 * scale;
    joined_lane l(100);
    std::atomic<std::uint64_t> sum{0};
    std::thread reader([&] {
        std::vector<incoming> held;
        for (std::size_t n = 0; n < count;) {
            incoming f;
            if (!l.reader.next(f)) {
                std::this_thread::yield();
                continue;
            }
            ++n;
            if (n % 3 == 0) {
                f.owner->add_ref();
                held.push_back(f);
            }
            (void)l.reader.pop(f);
            if (held.size() == 20) {
                for (incoming& h : held) {
                    sum += std::uint64_t(h.data[h.size - 1]);
                    h.owner->release();
                }
                held.clear();
            }
        }
        for (incoming& h : held) h.owner->release();
    });
    for (std::size_t n = 0; n < count; ++n) {
        while (!l.writer.has_room()) std::this_thread::yield();
        message::owned_frame f;
        ASSERT_TRUE(f.init_size(n % 2 ? 20000 : 2000));
        std::memset(f.data(), 1, f.size());
        ASSERT_TRUE(l.writer.write(outgoing::of(f, false)));
        l.writer.publish();
    }
    reader.join();
    EXPECT_EQ(count / 3 / 20 * 20, sum.load());
}

}  // namespace
}  // namespace zlink::pipe::test
