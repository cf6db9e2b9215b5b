// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages that a socket holds back in a pipe's lane, so that they go out together with later ones.
#pragma once

#include "base/invariant.hpp"
#include "load/hold_watch.hpp"

#include <cstdint>
#include <utility>

namespace zlink::pipe {

class pipe_end;

/// Lets the socket decide when to write to a connection that no other thread is writing to.
class send_holder {
public:
    /// `end` has published a message, and its I/O side sleeps. True: the holder sees to it that send_held() follows
    /// soon, or has sent already. False: this thread writes the message now, if it may.
    [[nodiscard]] virtual bool hold(pipe_end& end) noexcept = 0;

protected:
    ~send_holder() = default;
};

/// The holder's notes at an end. The thread that owns the end.
class hold_record {
public:
    send_holder* holder = nullptr;  ///< null: this end's owner holds nothing back

    /// Messages that are held here.
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
    [[nodiscard]] bool any() const noexcept { return count_ != 0; }
    /// One more is held. True: it is the first, and needs a place.
    [[nodiscard]] bool add() noexcept { return count_++ == 0; }
    /// None is held any more; returns how many there were.
    std::uint32_t take() noexcept { return std::exchange(count_, 0); }

    /// This end's place among those that hold messages.
    [[nodiscard]] std::uint32_t place() const noexcept
    {
        invariant([this] { return any(); });
        return place_;
    }
    void set_place(std::uint32_t place) noexcept { place_ = place; }

private:
    std::uint32_t count_ = 0;
    std::uint32_t place_ = 0;

public:
    load::hold_watch watch;  ///< whether holding pays
};

}  // namespace zlink::pipe
