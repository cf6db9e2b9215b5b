// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMQ_TCP_ACCEPT_FILTER (deprecated): the peers that a tcp listener admits.
#pragma once

#include "base/result.hpp"
#include "transport/tcp/tcp_address.hpp"

#include <string_view>

namespace zlink::transport::tcp {

/// A network, written "address/prefix"; without a prefix one host. Mapped addresses count as the IPv4 ones behind them.
class accept_filter {
public:
    /// invalid_argument when the address is not literal or the prefix is too long for it.
    [[nodiscard]] static result<accept_filter> parse(std::string_view text);

    [[nodiscard]] bool admits(const tcp_address& peer) const noexcept;

private:
    accept_filter(tcp_address network, unsigned prefix) noexcept : network_(network), prefix_(prefix) {}

    tcp_address network_;
    unsigned prefix_;  ///< leading bits that must agree
};

}  // namespace zlink::transport::tcp
