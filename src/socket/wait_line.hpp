// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The threads that wait for one shared socket, in the order in which they came. A mailbox can wake one sleeper, so the
// first thread of the line sleeps for all: it is the leader.
//
// The rule that loses no wake-up: if a thread has changed anything under the socket's lock, it calls settle() before it
// frees the lock. When settle() returns, one of these holds for each thread in the line:
// - The things that it waits for are not there, and the socket's other side wakes the leader if that changes.
// - It waits for input, and another thread that waits for input was called and has not come yet. That thread takes the
//   lock, and so it settles as well.
// A thread that was called has left the line. It takes the lock and looks itself, however its sleep ended.
//
// For input one thread is called at a time, as a message can go to one only. If more is there, that thread calls the
// next one.
// For output and for news all are called: credit comes for many messages at once, and news may concern any of them.
//
// Threads: those that hold the socket's lock.
#pragma once

#include "base/invariant.hpp"
#include "runtime/waiter.hpp"

#include <cstddef>
#include <cstdint>

namespace zlink::socket {

/// The things that a thread in the line can wait for.
enum line_wants : short {
    line_input = 1,   ///< as poll_in
    line_output = 2,  ///< as poll_out
    line_news = 4,    ///< the state of the socket's pipes or options has changed: a send may succeed now
};

/// The thing that has the line.
class awaited {
public:
    /// Takes in what other threads have told. Returns which of `wanted` are there; line_ended if every call fails now.
    [[nodiscard]] virtual short look(short wanted) noexcept = 0;
    /// From now on `leader` is woken if anything is told, and if `input` also if input comes; null: no thread is.
    /// False: something has come meanwhile, look() again.
    [[nodiscard]] virtual bool arm(runtime::waiter* leader, bool input) noexcept = 0;

protected:
    ~awaited() = default;
};
inline constexpr short line_ended = 8;

class wait_line {
public:
    /// A thread's place. It stays where it is from join() to leave().
    class place {
    public:
        place() = default;
        place(const place&) = delete;
        place& operator=(const place&) = delete;
        ~place()
        {
            invariant([this] { return state_ == state::away; });
        }

    private:
        friend class wait_line;
        enum class state : std::uint8_t { away, waits, called };

        runtime::waiter* thread_ = nullptr;
        place* before_ = nullptr;
        place* next_ = nullptr;
        short wants_ = 0;
        state state_ = state::away;
    };

    wait_line() = default;
    wait_line(const wait_line&) = delete;
    wait_line& operator=(const wait_line&) = delete;

    /// The thread is about to sleep in `thread`, after thread.prepare(), settle() and unlocking.
    void join(place& p, runtime::waiter& thread, short wants) noexcept;
    /// The thread has slept, and holds the lock again.
    void leave(place& p) noexcept;

    /// The thread lets the lock go for a moment, to wait for something else. The thing that has the line stays until it
    /// is back.
    void step_out() noexcept { ++inside_; }
    void step_in() noexcept
    {
        invariant([this] { return inside_ != 0; });
        --inside_;
    }

    /// Nobody sleeps.
    [[nodiscard]] bool empty() const noexcept { return !first_; }
    /// Threads between join() and leave(), called or not, or between step_out() and step_in().
    [[nodiscard]] std::size_t inside() const noexcept { return inside_; }

    /// See above.
    void settle(awaited& what) noexcept
    {
        if (!is_settled()) [[unlikely]]
            settle_all(what);
    }
    /// settle() has nothing to do.
    [[nodiscard]] bool is_settled() const noexcept { return !first_ && !armed_; }
    /// Calls everybody: the thing that has the line has ended.
    void end() noexcept { call_all(line_ended); }

private:
    void settle_all(awaited& what) noexcept;
    void call_all(short found) noexcept;
    void call(place& p) noexcept;
    void unlink(place& p) noexcept;
    [[nodiscard]] bool calls(const place& p, short found) const noexcept;
    [[nodiscard]] short wanted() const noexcept;

    place* first_ = nullptr;
    place* last_ = nullptr;
    std::size_t inside_ = 0;
    std::size_t called_for_input_ = 0;
    bool armed_ = false;  ///< a leader was named
};

}  // namespace zlink::socket
