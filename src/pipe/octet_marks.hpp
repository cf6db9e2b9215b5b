// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the two sides of a lane agree on about its mark in octets. Each side adds its part; both 0: there is none.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink::pipe {

struct octet_marks {
    std::uint64_t of_writer = 0;  ///< the writer's, and so is the next
    std::uint64_t of_reader = 0;
    /// The reader's side wants this part; -1: nothing asked. Partner: the exchange of
    /// lane_writer::apply_requested_hwm().
    std::atomic<std::int64_t> requested{-1};
    /// While there is a mark, lane::credit_step is 0, so that the reader comes by after each message. It gives credit
    /// after one of these steps. Relaxed, as credit_step.
    std::atomic<std::uint64_t> message_step{1};
    std::atomic<std::uint64_t> octet_step{0};
};

}  // namespace zlink::pipe
