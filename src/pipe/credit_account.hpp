// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The writer's account of a lane: messages written against messages that the reader is done with, under the high-water
// mark.
//
// A message may be written while fewer than `end_` have been. Under a mark in octets too, the end is at most one message
// ahead: the writer's next look at the octets moves it on.
#pragma once

#include "base/invariant.hpp"
#include "base/own_number.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace zlink::pipe {

/// The writer's thread, if nothing else is said. It reads no memory of the lane: its caller hands it what the lane's atomics say.
class credit_account {
public:
    explicit credit_account(std::uint64_t hwm) noexcept : hwm_(hwm) { move_end(); }

    /// Room for one more message, as far as known.
    [[nodiscard]] bool has_room() const noexcept { return written() < end_; }

    /// Messages have been written.
    void write(std::uint64_t messages) noexcept { written_.add(messages); }

    /// The reader is done with `credited` messages in all. True: there is room.
    [[nodiscard]] bool take(std::uint64_t credited) noexcept
    {
        invariant([&] { return credited_ <= credited && credited <= written(); });
        credited_ = credited;
        move_end();
        return has_room();
    }
    /// After take(): the mark in octets lets one more message through, or none.
    void limit_to(std::uint64_t messages) noexcept { end_ = std::min(end_, written() + messages); }

    /// Room was promised for the next message. It stays promised, so that room that a program was told of is still
    /// there when it sends.
    [[nodiscard]] bool is_promised() const noexcept { return promised_at_ == written(); }
    /// The reader is done with `then` messages if a write under way takes everything. True: that makes room for the
    /// next message, and the room is promised. It is not kept as credit, as the write may fall short. Until then the
    /// kernel has the messages, or is about to have them.
    [[nodiscard]] bool promise(std::uint64_t then) noexcept
    {
        if (then <= credited_) return false;
        if (hwm_ != 0 && (written() - then >= hwm_ || written() - credited_ >= 2 * hwm_)) return false;
        promised_at_ = written();
        return true;
    }

    void set_hwm(std::uint64_t hwm) noexcept
    {
        hwm_ = hwm;
        set_octet_mark(octet_mark_);
    }
    [[nodiscard]] std::uint64_t hwm() const noexcept { return hwm_; }
    /// The mark in octets; 0: none. The account keeps it for the writer, which knows the octets.
    void set_octet_mark(std::uint64_t octets) noexcept
    {
        octet_mark_ = octets;
        move_end();
        if (octets != 0) limit_to(0);  // until the writer has looked
    }
    [[nodiscard]] std::uint64_t octet_mark() const noexcept { return octet_mark_; }
    [[nodiscard]] std::uint64_t written() const noexcept { return written_.get(); }
    /// written(), for any thread.
    [[nodiscard]] std::uint64_t look_at_written() const noexcept { return written_.look(); }
    /// Messages that may still be written; meaningless without a limit.
    [[nodiscard]] std::uint64_t room() const noexcept
    {
        const std::uint64_t used = written() - credited_;
        return used >= hwm_ ? 0 : hwm_ - used;
    }

private:
    // As the messages alone want it.
    void move_end() noexcept
    {
        constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
        end_ = hwm_ == 0 || hwm_ > never - credited_ ? never : credited_ + hwm_;
    }

    own_number written_;          ///< messages published
    std::uint64_t end_ = 0;       ///< of them that may be, as far as known
    std::uint64_t credited_ = 0;  ///< last seen of lane::credited
    std::uint64_t hwm_;
    std::uint64_t octet_mark_ = 0;
    std::uint64_t promised_at_ = ~std::uint64_t{0};  ///< written_ when a write under way made room for one more
};

}  // namespace zlink::pipe
