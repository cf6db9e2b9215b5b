// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The writer's account of a lane: messages written against messages that the reader is done with, under the high-water
// mark.
#pragma once

#include "base/invariant.hpp"
#include "base/own_number.hpp"

#include <cstdint>

namespace zlink::pipe {

/// The writer's thread, if nothing else is said. It reads no memory of the lane: its caller hands it what the lane's atomics say.
class credit_account {
public:
    explicit credit_account(std::uint64_t hwm) noexcept : hwm_(hwm) {}

    /// Room for one more message, as far as known.
    [[nodiscard]] bool has_room() const noexcept { return written() - credited_ < hwm_ || hwm_ == 0; }

    /// Messages have been written.
    void write(std::uint64_t messages) noexcept { written_.add(messages); }

    /// The reader is done with `credited` messages in all. True: there is room.
    [[nodiscard]] bool take(std::uint64_t credited) noexcept
    {
        invariant([&] { return credited_ <= credited && credited <= written(); });
        credited_ = credited;
        return has_room();
    }

    /// Room was promised for the next message. It stays promised, so that room that a program was told of is still
    /// there when it sends.
    [[nodiscard]] bool is_promised() const noexcept { return promised_at_ == written(); }
    /// The reader is done with `then` messages if a write under way takes everything. True: that makes room for the
    /// next message, and the room is promised. It is not kept as credit, as the write may fall short. Until then the
    /// kernel has the messages, or is about to have them.
    [[nodiscard]] bool promise(std::uint64_t then) noexcept
    {
        if (then <= credited_ || written() - then >= hwm_ || written() - credited_ >= 2 * hwm_) return false;
        promised_at_ = written();
        return true;
    }

    void set_hwm(std::uint64_t hwm) noexcept { hwm_ = hwm; }
    [[nodiscard]] std::uint64_t hwm() const noexcept { return hwm_; }
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
    own_number written_;          ///< messages published
    std::uint64_t credited_ = 0;  ///< last seen of lane::credited
    std::uint64_t hwm_;
    std::uint64_t promised_at_ = ~std::uint64_t{0};  ///< written_ when a write under way made room for one more
};

}  // namespace zlink::pipe
