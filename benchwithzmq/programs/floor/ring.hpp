// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What inproc could cost at least: one copy into a ring that two threads share, one out of it, and a futex where one
// waits.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace bench {

// One thread writes, one reads; messages have one size. The counters below pair up: `written_` is released by the
// writer and acquired by the reader, `read_` the other way round. Each side publishes and then looks whether the other
// one sleeps. Each sleeper says so and then looks again. There is a full fence between the two steps on both sides.
class ring {
public:
    explicit ring(std::size_t size)
        : size_(size),
          slots_(std::clamp<std::size_t>((std::size_t{1} << 20) / size, 4, 1024)),
          memory_(slots_ * size)
    {}

    // Puts one message in; waits for room. `publish` is false if more follow at once.
    void write(const char* octets, bool publish = true)
    {
        if (writer_.done - writer_.seen == slots_) [[unlikely]]
            wait_for_room();
        std::memcpy(memory_.data() + writer_.slot * size_, octets, size_);
        if (++writer_.slot == slots_) writer_.slot = 0;
        ++writer_.done;
        if (publish) show(written_, writer_.done, reader_sleeps_);
    }

    // Takes one message out; waits for one.
    void read(char* octets)
    {
        if (reader_.done == reader_.seen) [[unlikely]]
            wait_for_message();
        std::memcpy(octets, memory_.data() + reader_.slot * size_, size_);
        if (++reader_.slot == slots_) reader_.slot = 0;
        ++reader_.done;
        if (reader_.done - reader_.shown >= slots_ / 4) {
            reader_.shown = reader_.done;
            show(read_, reader_.done, writer_sleeps_);
        }
    }

    [[nodiscard]] std::size_t slots() const { return slots_; }

private:
    using counter = std::atomic<std::uint32_t>;  // futexes have 32 bits; differences survive the wrap
    struct alignas(128) side {
        std::uint32_t done = 0;   // messages this side has dealt with
        std::uint32_t seen = 0;   // of the other side, when last looked at
        std::uint32_t shown = 0;  // last value the other side was told
        std::size_t slot = 0;
    };

    static void show(counter& mine, std::uint32_t value, counter& other_sleeps)
    {
        mine.store(value, std::memory_order_release);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (other_sleeps.load(std::memory_order_relaxed) != 0) [[unlikely]] {
            other_sleeps.store(0, std::memory_order_relaxed);
            futex(other_sleeps, FUTEX_WAKE_PRIVATE, 1);
        }
    }

    void wait_for_room()
    {
        writer_.seen = read_.load(std::memory_order_acquire);
        if (writer_.done - writer_.seen < slots_) return;
        show(written_, writer_.done, reader_sleeps_);
        writer_.seen = await_change(read_, writer_.seen, writer_sleeps_);
    }

    void wait_for_message()
    {
        reader_.seen = written_.load(std::memory_order_acquire);
        if (reader_.seen != reader_.done) return;
        if (reader_.shown != reader_.done) {
            reader_.shown = reader_.done;
            show(read_, reader_.done, writer_sleeps_);
        }
        reader_.seen = await_change(written_, reader_.done, reader_sleeps_);
    }

    static std::uint32_t await_change(counter& other, std::uint32_t old, counter& sleeping)
    {
        while (true) {
            sleeping.store(1, std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_seq_cst);
            const std::uint32_t now = other.load(std::memory_order_acquire);
            if (now != old) {
                sleeping.store(0, std::memory_order_relaxed);
                return now;
            }
            futex(sleeping, FUTEX_WAIT_PRIVATE, 1);  // returns at once if the other side has just cleared it
        }
    }

    static void futex(counter& word, int operation, std::uint32_t value)
    {
        ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, nullptr, nullptr, 0);
    }

    const std::size_t size_;
    const std::size_t slots_;
    std::vector<char> memory_;
    side writer_;
    side reader_;
    alignas(128) counter written_{0};
    alignas(128) counter read_{0};
    alignas(128) counter reader_sleeps_{0};
    alignas(128) counter writer_sleeps_{0};
};

}  // namespace bench
