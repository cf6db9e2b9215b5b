// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Everything that other threads tell a socket: pipe ends that need attention (inherited queue), and rare commands. The
// socket's thread looks at one flag per call. If it sleeps, or waits in another way, its sleeper is woken. If its
// ZMQ_FD or ZLINK_FD was fetched, that is signalled.
#pragma once

#include "base/errc.hpp"
#include "pattern/pattern.hpp"
#include "pipe/pipe.hpp"
#include "runtime/waiter.hpp"
#include "socket/wake_descriptor.hpp"

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <utility>

namespace zlink::socket {

struct command {
    enum class kind : std::uint8_t {
        attach,        ///< a new pipe: `end`, `how`, `endpoint_id`
        identified,    ///< `end` has a connection: `how.routing_id`; `again`: not its first one
        disconnected,  ///< `end` has lost its connection, which had brought so many messages: `received`
        ended,         ///< the session of `endpoint_id` gave up for good
    };
    command::kind what;
    /// It may have been closed by the time that the command is taken, but its memory still exists.
    pipe::pipe_end* end = nullptr;
    pattern::attachment how{};
    std::uint64_t endpoint_id = 0;
    std::string other_endpoint{};  ///< attach and identified, of a connection, with the next two: peer_attachment
    std::string user_id{};
    const char* mechanism = "";
    bool again = false;
    bool joint = false;  ///< attach and identified, of two sockets: the marks below are the other side's
    std::uint64_t peer_sndhwm = 0;
    std::uint64_t peer_rcvhwm = 0;
    std::uint64_t received = 0;
    pipe::pipe::kept kept{};  ///< that of `end`

    /// The caller holds `end` or its peer open.
    [[nodiscard]] static command of(kind what, pipe::pipe_end& end, std::uint64_t endpoint_id = 0)
    {
        command made{what, &end, {}, endpoint_id};
        made.kept = end.parent().keep();
        return made;
    }
};

/// A command that is in a list already is posted without memory.
using command_list = std::list<command>;

/// What a mailbox calls with each wake-up, in place of a descriptor. For wake-ups that come from the owner's thread.
struct news_call {
    void* of = nullptr;
    void (*call)(void* of) noexcept = nullptr;
};

class mailbox final : public pipe::activation_queue {
public:
    mailbox() = default;

    /// Any thread. terminated: the socket is closed; out_of_memory. With both the caller keeps the command's content.
    [[nodiscard]] errc post(command c) noexcept;
    /// The same for the one command of a list, which is taken out of it. terminated alone.
    [[nodiscard]] errc post(command_list& made) noexcept;
    /// Any thread: takes back an attach command for `end` that the socket has not taken yet. False: there is none.
    [[nodiscard]] bool withdraw(const pipe::pipe_end& end) noexcept;
    /// Any thread: the context ends; every call on the socket fails from now on.
    void stop() noexcept;

    // Socket's thread

    [[nodiscard]] bool pending() const noexcept { return attention_.load(std::memory_order_relaxed); }
    /// Before the commands and the queue are taken: later news raises the flag again. A descriptor that is left stays
    /// readable until take_in_descriptor().
    enum class descriptor_is : std::uint8_t { taken_in, left };
    void acknowledge(descriptor_is after = descriptor_is::taken_in) noexcept;
    /// Before a look at everything. If another thread is about to write to it, it will be readable.
    void take_in_descriptor() noexcept { (void)descriptor_.take_in(); }
    /// Whether the context ends. Every call on the socket fails once this was true.
    [[nodiscard]] bool take_stop() noexcept
    {
        if (stop_.load(std::memory_order_acquire) == stop_state::running) [[likely]]
            return false;
        stop_.store(stop_state::taken, std::memory_order_relaxed);  // stop() does not change it any more
        return true;
    }
    /// take_stop() was true.
    [[nodiscard]] bool stop_taken() const noexcept
    {
        return stop_.load(std::memory_order_relaxed) == stop_state::taken;
    }
    [[nodiscard]] command_list take_commands() noexcept;
    /// They are taken once more, before all others: the flag is raised for that.
    void put_back(command_list& again) noexcept;
    /// Makes the descriptors readable, if there are any, and the flag pending.
    void signal() noexcept { wake(); }
    /// Makes the descriptor readable, and does nothing else.
    void raise_descriptor() noexcept
    {
        if (descriptor_.begin_raise()) descriptor_.raise();
    }
    /// The next of the ends that are queued. Null: there is none at present.
    [[nodiscard]] pipe::pipe_end* next_end() noexcept
    {
        if (!ends_left_) ends_left_ = take_all();
        return ends_left_ ? std::exchange(ends_left_, ends_left_->next_in_queue) : nullptr;
    }
    /// An end that the other party has left, and that had no other event: the last that came. Null: there is none.
    [[nodiscard]] pipe::pipe_end* take_departed() noexcept;
    /// Relaxed: a thread that pushes a departed end later raises the flag again after that.
    [[nodiscard]] bool has_departed() const noexcept { return departed_.load(std::memory_order_relaxed) != nullptr; }
    /// Closes an end that was attached to this. If it is queued already, next_end() or take_departed() returns it once
    /// more; discard() then ends its memory.
    void close_end(pipe::pipe_end& end) noexcept;
    /// next_end() or take_departed() has returned an end that close_end() has closed.
    void discard(pipe::pipe_end& end) noexcept;
    /// Takes in all such ends. Other ends that come meanwhile are dropped: there are none once all ends are closed.
    void drain() noexcept;
    /// No more commands are taken; returns those that were there.
    [[nodiscard]] command_list close() noexcept;

    /// In a child of fork: closes the descriptor, which is shared with the parent, and tells nobody any more.
    void abandon() noexcept;

    /// The sleeper to wake; null: no thread sleeps. Before a sleep comes a full fence, then a look at pending(): wake()
    /// raises the flag and looks for a sleeper.
    void set_sleeper(runtime::waiter* s) noexcept { sleeper_.store(s, std::memory_order_seq_cst); }

    /// A sleeper for as long as this lives: a thread may be cancelled in its sleep.
    class sleeper_here {
    public:
        sleeper_here(mailbox& box, runtime::waiter& s) noexcept : box_(box) { box.set_sleeper(&s); }
        ~sleeper_here() { box_.set_sleeper(nullptr); }
        sleeper_here(const sleeper_here&) = delete;
        sleeper_here& operator=(const sleeper_here&) = delete;

    private:
        mailbox& box_;
    };

    /// The descriptor of ZMQ_FD, made by the first call. -1: too many open files.
    [[nodiscard]] int descriptor() noexcept { return make(descriptor_); }
    [[nodiscard]] bool shows_changes() const noexcept { return descriptor_.exists(); }
    /// An event loop sleeps on one of the two, or until it is told, without a notice to the owner.
    [[nodiscard]] bool has_descriptor() const noexcept
    {
        return descriptor_.exists() || level_.exists() || news_.call != nullptr;
    }
    void set_news_call(news_call c) noexcept;

    /// The descriptor of ZLINK_FD, likewise. wake() makes it readable, and nothing but lower_level() changes that.
    [[nodiscard]] int level_descriptor() noexcept { return make(level_); }
    [[nodiscard]] bool shows_level() const noexcept { return level_.exists(); }
    void raise_level() noexcept
    {
        if (level_.begin_raise()) level_.raise();
    }
    /// Before a look that finds nothing, and before a look at pending(): what has raised it may be news still.
    void lower_level() noexcept { (void)level_.take_in(); }

private:
    enum class stop_state : std::uint8_t { running, stopped, taken };

    ~mailbox() override = default;
    void wake() noexcept override;
    void show() noexcept;
    void tell_nobody() noexcept;
    [[nodiscard]] int make(wake_descriptor& which) noexcept;
    void push_departed(pipe::pipe_end& end) noexcept override;

    // A thread with news raises attention_ behind the news, then looks at sleeper_ and watched_ (wake()). The owner's
    // halves are in acknowledge(), in set_sleeper() and the fence behind it, in make(), and behind lower_level().
    // Proofs: tests/model/wake_ups_test.cpp.
    std::atomic<bool> attention_{false};  ///< partners: the queue, departed_, commands_, stop_; sleeper_; watched_
    std::atomic<stop_state> stop_{stop_state::running};  ///< partner: attention_
    std::atomic<runtime::waiter*> sleeper_{nullptr};     ///< partner: attention_
    std::atomic<bool> watched_{false};                   ///< there is a descriptor, or a call; partner: attention_
    wake_descriptor descriptor_;                         ///< ZMQ_FD
    wake_descriptor level_;                              ///< ZLINK_FD
    news_call news_;                                     ///< of a hosted context alone: see tell_nobody()

    /// A stack, like that of activation_queue, from which ends are taken one by one. As no other thread takes any, the
    /// first stays where it is until it is taken. Partners: take_departed() acquires what push_departed() released;
    /// attention_.
    std::atomic<pipe::pipe_end*> departed_{nullptr};

    std::mutex mutex_;
    command_list commands_;
    bool closed_ = false;

    // Socket's thread
    pipe::pipe_end* ends_left_ = nullptr;  ///< the first of those that were taken out of the queue and not given out
    std::uint32_t closed_in_queue_ = 0;    ///< ends that close_end() has closed and that are still to come
};

}  // namespace zlink::socket
