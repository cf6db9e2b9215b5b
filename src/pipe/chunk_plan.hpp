// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How a lane's memory is cut: messages to a span, octets to a chunk.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::pipe {

/// The writer's thread. A pure rule: it allocates nothing.
class chunk_plan {
public:
    static constexpr std::size_t first_size = 1024;

    explicit chunk_plan(std::uint64_t hwm) noexcept { set_hwm(hwm); }

    void set_hwm(std::uint64_t hwm) noexcept;

    /// No span holds more messages, so that credits are exact.
    [[nodiscard]] std::uint32_t most_in_span() const noexcept { return most_in_span_; }
    /// How many messages the tail may hold, if it has `messages` of the `written` ones: up to the next one at which
    /// credit is given. A reader that counts by spans gives credit there.
    [[nodiscard]] std::uint32_t end_at(std::uint32_t messages, std::uint64_t written,
                                       std::uint64_t credit_step) const noexcept;

    /// Octets of the next chunk. It is made for a frame of `need` octets, or for a span alone if that is 0.
    [[nodiscard]] std::size_t size_for(std::size_t need, std::uint64_t credit_step) noexcept;
    /// A chunk was made and is going to be used. If the reader has slept in the last one, that was large enough.
    void chunk_made(bool reader_slept) noexcept;

    /// Of the next chunk, too, little may be used.
    void start_small() noexcept { next_size_ = first_size; }
    /// The next chunk is not larger than this.
    void cap(std::size_t most) noexcept
    {
        if (next_size_ > most) next_size_ = most;
    }

private:
    friend struct lane_writer_test_access;

    std::uint32_t most_in_span_;
    std::size_t next_size_ = first_size;
    std::size_t usual_need_ = 0;  ///< octets of the frame that the last chunk was made for
};

}  // namespace zlink::pipe
