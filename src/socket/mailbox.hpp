// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Everything that other threads tell a socket: pipe ends that need attention (inherited queue), and rare commands. The
// socket's thread looks at one flag per call; when it sleeps, or waits in another way, its sleeper is woken; when its ZMQ_FD was
// fetched, that is signalled.
#pragma once

#include "pattern/pattern.hpp"
#include "pipe/pipe.hpp"
#include "runtime/signal_descriptor.hpp"
#include "runtime/waiter.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace zlink::socket {

struct command {
    enum class kind : std::uint8_t {
        attach,        ///< a new pipe: `end`, `how`, `endpoint_id`
        identified,    ///< `end` has a connection: `how.routing_id`; `again`: another one than before
        disconnected,  ///< `end` has lost its connection
        ended,         ///< the session of `endpoint_id` gave up for good
    };
    command::kind what;
    /// It may be closed by the time that the command is taken, but it is there.
    pipe::pipe_end* end = nullptr;
    pattern::attachment how{};
    std::uint64_t endpoint_id = 0;
    std::string other_endpoint{};  ///< attach and identified, of a connection: see engine::peer_attachment
    bool again = false;
    bool joint = false;  ///< attach and identified, inproc: the marks below are the other side's
    std::uint64_t peer_sndhwm = 0;
    std::uint64_t peer_rcvhwm = 0;
    pipe::pipe::kept kept{};  ///< that of `end`

    /// The caller holds `end` or its peer open.
    [[nodiscard]] static command of(kind what, pipe::pipe_end& end, std::uint64_t endpoint_id = 0)
    {
        command made{what, &end, {}, endpoint_id};
        made.kept = end.parent().keep();
        return made;
    }
};

class mailbox final : public pipe::activation_queue {
public:
    mailbox() = default;

    /// Any thread. False: the socket is closed (the caller keeps what the command holds) or memory is short.
    [[nodiscard]] bool post(command c) noexcept;
    /// Any thread: takes back an attach command for `end` that nobody has taken yet. False: there is none.
    [[nodiscard]] bool withdraw(const pipe::pipe_end& end) noexcept;
    /// Any thread: the context ends; every call on the socket fails from now on.
    void stop() noexcept;

    // Socket's thread

    [[nodiscard]] bool pending() const noexcept { return attention_.load(std::memory_order_relaxed); }
    /// Before the commands and the queue are taken: what comes after this raises the flag again.
    void acknowledge() noexcept;
    [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_acquire); }
    [[nodiscard]] std::vector<command> take_commands() noexcept;
    /// Makes the descriptor readable, if there is one, and the flag pending.
    void signal() noexcept { wake(); }
    /// One of the ends whose other party has left, and that had nothing else to tell: the last that came. Null: there is none.
    [[nodiscard]] pipe::pipe_end* take_leaver() noexcept;
    /// Relaxed: who comes later raises the flag anew behind that.
    [[nodiscard]] bool has_leavers() const noexcept { return leavers_.load(std::memory_order_relaxed) != nullptr; }
    /// No more commands are taken; returns those that were there.
    [[nodiscard]] std::vector<command> close() noexcept;

    /// In a child of fork: closes the descriptor, which is shared with the parent, and touches nothing else.
    void abandon() noexcept;

    /// Whom to wake; null: nobody sleeps. Before a sleep comes a full fence, then a look at pending(): wake() raises the flag
    /// and looks for a sleeper.
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
    [[nodiscard]] int descriptor() noexcept;
    [[nodiscard]] bool has_descriptor() const noexcept { return has_descriptor_; }

private:
    ~mailbox() override = default;
    void wake() noexcept override;
    void push_leaver(pipe::pipe_end& end) noexcept override;

    // Whoever tells raises attention_ behind what it tells of and then looks at the other three (wake()); the owner's halves are
    // in acknowledge(), in set_sleeper() and the fence behind it, and in descriptor(). Proofs: tests/model/wake_ups_test.cpp.
    std::atomic<bool> attention_{false};  ///< partners: the queue, leavers_, commands_, stopped_; sleeper_; descriptor_
    std::atomic<bool> stopped_{false};    ///< partner: attention_
    std::atomic<runtime::waiter*> sleeper_{nullptr};  ///< partner: attention_
    runtime::signal_descriptor descriptor_;           ///< partner: attention_
    std::atomic<bool> signalled_{false};  ///< from before the write to behind the reading of the descriptor
    bool has_descriptor_ = false;         ///< socket's thread

    /// A stack, as of activation_queue, from which ends are taken one by one: as nobody else takes any, the first stays where it is
    /// until it is taken. Partners: take_leaver() acquires what push_leaver() released; attention_.
    std::atomic<pipe::pipe_end*> leavers_{nullptr};

    std::mutex mutex_;
    std::vector<command> commands_;
    bool closed_ = false;
};

}  // namespace zlink::socket
