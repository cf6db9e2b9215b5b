// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket of udp as a port of datagrams: many datagrams a system call.
#pragma once

#include "base/unique_fd.hpp"
#include "transport/datagram_port.hpp"
#include "transport/udp/receive_slots.hpp"
#include "transport/udp/send_batch.hpp"

#include <memory>

namespace zlink::transport::udp {

class udp_port final : public datagram_port {
public:
    /// Each part may be null: the port does not send, or not receive. One of them is there.
    udp_port(unique_fd fd, std::unique_ptr<send_batch> sends, std::unique_ptr<receive_slots> receives) noexcept;

    [[nodiscard]] int descriptor() const noexcept override { return fd_.get(); }
    [[nodiscard]] bool sends() const noexcept override { return batch_ != nullptr; }
    [[nodiscard]] bool receives() const noexcept override { return slots_ != nullptr; }

    [[nodiscard]] sent send(std::span<const datagram> some) noexcept override;
    [[nodiscard]] received receive(std::span<datagram> to) noexcept override;

private:
    [[nodiscard]] bool send_prepared(sent& so_far) noexcept;
    [[nodiscard]] bool take_back_merging(std::size_t datagrams, int error) noexcept;
    [[nodiscard]] std::size_t receive_more() noexcept;

    unique_fd fd_;
    std::unique_ptr<send_batch> batch_;
    std::unique_ptr<receive_slots> slots_;
    bool merges_ = true;  ///< false once the system has refused to cut messages
    bool full_ = false;   ///< the last system call has filled all slots
};

}  // namespace zlink::transport::udp
