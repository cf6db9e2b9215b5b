// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Holds a fork back while a thread is inside OpenSSL or the loader. Otherwise their locks would stay locked in the
// child for ever, and a thread that calls them there would hang. The library and the module have a gate each, as this
// header is compiled into both.
//
// Neither side waits longer than a second (a thread may hold a lock that another handler of pthread_atfork wants). If a
// child was forked with a thread inside, the gate knows it, and every call fails there at once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace zlink::transport::tls {

class fork_gate {
public:
    static constexpr std::chrono::seconds longest_wait{1};

    /// May be nested. False: this process was forked while a thread was inside.
    [[nodiscard]] static bool enter() noexcept
    {
        if (broken_.load(std::memory_order_relaxed)) return false;
        if (depth_++ == 0) go_in();
        return true;
    }
    static void leave() noexcept
    {
        if (--depth_ == 0) mine().fetch_sub(1, std::memory_order_release);
    }

    /// Inside for the scope, if it is true.
    class pass {
    public:
        pass() noexcept : inside_(enter()) {}
        pass(const pass&) = delete;
        pass& operator=(const pass&) = delete;
        ~pass()
        {
            if (inside_) leave();
        }
        explicit operator bool() const noexcept { return inside_; }

    private:
        const bool inside_;
    };

    /// Outside for the scope, which may take some time. Before and after it the thread is inside, and not nested.
    class pause {
    public:
        pause() noexcept { leave(); }
        pause(const pause&) = delete;
        pause& operator=(const pause&) = delete;
        ~pause() { (void)enter(); }
    };

    static constexpr const char* broken_words =
        "tls cannot be used in this process: it was forked while another thread of its parent was busy with TLS. Fork "
        "before tls is used, or exec in the child";

private:
    // A cache line for a few threads each: I/O threads do not contend. Partner of `forking_`, by sequential
    // consistency: either the fork sees the thread inside, or the thread sees the fork.
    struct alignas(64) slot {
        std::atomic<std::uint32_t> inside{0};
    };
    static constexpr unsigned slot_count = 16;

    static std::atomic<std::uint32_t>& mine() noexcept
    {
        if (slot_of_thread_ == 0) slot_of_thread_ = 1 + next_.fetch_add(1, std::memory_order_relaxed) % slot_count;
        return slots_[slot_of_thread_ - 1].inside;
    }

    static void go_in() noexcept
    {
        mine().fetch_add(1, std::memory_order_seq_cst);
        if (forking_.load(std::memory_order_seq_cst)) [[unlikely]]
            wait_for_fork();
    }
    static void wait_for_fork() noexcept;

    static constinit slot slots_[slot_count];
    static constinit std::atomic<unsigned> next_;
    static constinit std::atomic<bool> forking_;
    static constinit std::atomic<bool> broken_;  ///< stored in a child before it has a second thread
    static std::timed_mutex fork_;               ///< held while this process is being forked
    static constinit thread_local unsigned depth_;
    static constinit thread_local unsigned slot_of_thread_;  ///< counted from 1; 0: none yet

    friend struct fork_handlers;
};

}  // namespace zlink::transport::tls
