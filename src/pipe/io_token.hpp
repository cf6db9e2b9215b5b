// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The right to use one direction of a connection's descriptor. The I/O thread holds it, or an application thread that
// does its own I/O for the length of one call. One atomic; no thread blocks.
//
//   absent      no application may take it (handshake, transcoding, closing); the I/O thread needs no token
//   free        either side may take it
//   application            held by an application thread
//   wanted                 and the I/O thread has asked for it, and is told on return
//   passed_by              and the I/O thread has come and gone, with a report of the descriptor's readiness that is
//                          not repeated. It is told on return, too, as the report may be newer than the holder's last
//                          look
//   parked      left by an application thread that is likely to be back at once: as free, but the I/O thread's interest
//               in the descriptor is still off, and the thread that takes the token from here has to know
//   io          held by the I/O thread
//
// Taking acquires, giving releases: everything that the holder did is visible to the next holder.
#pragma once

#include "base/invariant.hpp"

#include <atomic>
#include <cstdint>

namespace zlink::pipe {

class io_token {
public:
    // Application side
    enum class taken : std::uint8_t { no, fresh, parked };
    [[nodiscard]] taken take() noexcept
    {
        auto seen = state_.load(std::memory_order_relaxed);
        if (seen != state::free && seen != state::parked) return taken::no;
        const bool was_parked = seen == state::parked;
        if (!state_.compare_exchange_strong(seen, state::application, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
            return taken::no;
        }
        return was_parked ? taken::parked : taken::fresh;
    }
    /// Applications may ask for it at all.
    [[nodiscard]] bool offered() const noexcept { return state_.load(std::memory_order_relaxed) != state::absent; }
    /// take() is likely to succeed.
    [[nodiscard]] bool available() const noexcept
    {
        const auto seen = state_.load(std::memory_order_relaxed);
        return seen == state::free || seen == state::parked;
    }
    /// Takes a token that is parked, and no other.
    [[nodiscard]] bool take_if_parked_here() noexcept
    {
        auto expected = state::parked;
        return state_.compare_exchange_strong(expected, state::application, std::memory_order_acquire,
                                              std::memory_order_relaxed);
    }
    /// For tokens that are never parked.
    [[nodiscard]] bool try_take() noexcept { return take() != taken::no; }
    /// True: the I/O thread asked for the token meanwhile, or passed by, and has it now; tell it. (If the token became
    /// free, this thread could take it again before the I/O thread, each time.)
    [[nodiscard]] bool give() noexcept
    {
        auto expected = state::application;
        if (state_.compare_exchange_strong(expected, state::free, std::memory_order_acq_rel)) return false;
        hand_over();
        return true;
    }
    /// The I/O thread has the token from now on; it has to be told.
    void hand_over() noexcept
    {
        invariant([this] { return with_application(); });
        state_.store(state::io, std::memory_order_release);
    }
    /// False: the I/O thread asked for the token; it is still held, give() it. (Passing by does not count. While a
    /// token is parked the I/O thread checks it after some milliseconds, and the thread that takes it from there
    /// reads.)
    [[nodiscard]] bool park() noexcept
    {
        invariant([this] { return with_application(); });
        auto seen = state::application;
        while (seen != state::wanted) {
            if (state_.compare_exchange_weak(seen, state::parked, std::memory_order_acq_rel,
                                             std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    /// Whether the I/O thread waits for the token: long holders give it up then.
    [[nodiscard]] bool wanted() const noexcept { return state_.load(std::memory_order_relaxed) == state::wanted; }

    // I/O thread side
    /// False: an application holds it; the I/O thread is told when it comes back.
    [[nodiscard]] bool take_or_ask() noexcept
    {
        auto current = state_.load(std::memory_order_acquire);
        while (true) {
            switch (current) {
            case state::absent:
            case state::io: return true;
            case state::wanted: return false;
            case state::free:
            case state::parked:
                if (state_.compare_exchange_weak(current, state::io, std::memory_order_acquire)) return true;
                break;
            case state::application:
            case state::passed_by:
                if (state_.compare_exchange_weak(current, state::wanted, std::memory_order_acq_rel)) return false;
                break;
            }
        }
    }
    /// Takes the token for a call of `look()`, which takes no time, and returns its result. If an application holds the
    /// token, it is not asked for it: false.
    template <class Look>
    [[nodiscard]] bool look_if_free(Look look) noexcept
    {
        auto seen = state_.load(std::memory_order_acquire);
        if (seen == state::absent || seen == state::io) return look();
        if (seen != state::free || !state_.compare_exchange_strong(seen, state::io, std::memory_order_acquire))
            return false;
        const bool found = look();
        give_back();
        return found;
    }
    /// With a report of readiness. Does not touch a token that an application holds or has parked.
    [[nodiscard]] bool take_if_free() noexcept
    {
        auto current = state_.load(std::memory_order_acquire);
        while (true) {
            switch (current) {
            case state::absent:
            case state::io: return true;
            case state::free:
                if (state_.compare_exchange_weak(current, state::io, std::memory_order_acquire)) return true;
                break;
            case state::application:
                if (state_.compare_exchange_weak(current, state::passed_by, std::memory_order_acq_rel)) return false;
                break;
            case state::passed_by:
            case state::wanted:
            case state::parked: return false;
            }
        }
    }
    [[nodiscard]] bool take_if_parked() noexcept
    {
        auto expected = state::parked;
        return state_.compare_exchange_strong(expected, state::io, std::memory_order_acquire);
    }
    void give_back() noexcept
    {
        if (state_.load(std::memory_order_relaxed) == state::io) state_.store(state::free, std::memory_order_release);
    }
    /// Lets applications in. The I/O thread holds it or it was absent.
    void offer() noexcept
    {
        invariant([this] { return with_io_thread(); });
        state_.store(state::free, std::memory_order_release);
    }
    /// Shuts applications out. The I/O thread holds it or it was absent.
    void withdraw() noexcept
    {
        invariant([this] { return with_io_thread(); });
        state_.store(state::absent, std::memory_order_relaxed);
    }

    /// The I/O thread holds it, or needs none. For invariants of that thread, which has set the state itself: relaxed.
    [[nodiscard]] bool with_io_thread() const noexcept
    {
        const auto now = state_.load(std::memory_order_relaxed);
        return now == state::io || now == state::absent;
    }

    // Any thread
    /// An application thread holds it. A thread that does not hold it may be told an old state.
    [[nodiscard]] bool with_application() const noexcept
    {
        const auto now = state_.load(std::memory_order_relaxed);
        return now == state::application || now == state::wanted || now == state::passed_by;
    }

private:
    enum class state : std::uint8_t { absent, free, application, wanted, passed_by, parked, io };

    /// Partners: each other's exchanges and stores. Taking the token acquires what the last holder released with it.
    std::atomic<state> state_{state::absent};
};

}  // namespace zlink::pipe
