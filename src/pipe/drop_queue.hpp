// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One direction of a pipe that drops messages when it is full, and never has its writer wait (ZLINK_ON_FULL). A relay
// that holds whole messages, each in memory of its own, under a short lock: so either side may take one out. The
// reader takes a part of the mark at once, which is then out of the writer's reach, and counts until it is read.
#pragma once

#include "pipe/block_maker.hpp"
#include "pipe/drop_rule.hpp"
#include "pipe/lane_reader.hpp"
#include "pipe/lane_traffic.hpp"
#include "pipe/message_block.hpp"
#include "pipe/relay.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace zlink::pipe {

class drop_queue final : public relay {
public:
    /// The rule drops. There are no marks yet.
    explicit drop_queue(const drop_rule& rule) noexcept;

    lane& written_lane() noexcept override { return written_; }
    lane& read_lane() noexcept override { return read_; }

    [[nodiscard]] bool pass(lane_writer& writer) noexcept override;
    void end() noexcept override { ended_.store(true, std::memory_order_release); }

    [[nodiscard]] std::uint64_t waiting() const noexcept override { return waiting_.load(std::memory_order_acquire); }
    [[nodiscard]] bool has_ended() const noexcept override { return ended_.load(std::memory_order_acquire); }
    [[nodiscard]] span* take() noexcept override;
    [[nodiscard]] bool keeps_newest_alone() const noexcept override { return false; }

    [[nodiscard]] traffic look_at_replaced() const noexcept override { return replaced_.look(); }
    [[nodiscard]] traffic look_at_refused() const noexcept override { return refused_.look(); }

    void set_hwm(std::uint64_t hwm) noexcept override;
    void set_octets_of_writer(std::uint64_t octets) noexcept override;
    void set_octets_of_reader(std::uint64_t octets) noexcept override;

private:
    [[nodiscard]] bool enqueue(message_block* fresh, block_queue& dropped) noexcept;
    bool take_in() noexcept;
    [[nodiscard]] bool is_full() const noexcept;
    void set_steps() noexcept;

    lane written_;
    lane read_;
    lane_reader from_;  ///< of `written_`; the writer's, as the next three
    block_maker maker_;
    own_traffic replaced_;
    own_traffic refused_;
    /// Stored after the writer's last message; partner: take(), which looks at it before the queue.
    std::atomic<bool> ended_{false};
    /// Messages in the queue. Stored under the lock; the reader looks at it without. Partner of its sleep:
    /// lane::reader_dormant of `read_`, as span::published is in other lanes.
    std::atomic<std::uint64_t> waiting_{0};

    const when_full what_;
    std::mutex lock_;  ///< of the rest
    relay_mark mark_;
    block_queue queue_;
    traffic given_;  ///< to the reader, in all
    traffic done_;   ///< of that, at the last take(); lane::credited of `read_` may be further
};

}  // namespace zlink::pipe
