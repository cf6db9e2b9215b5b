// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMQ_TCP_ACCEPT_FILTER (deprecated): the peers that a tcp listener admits.
#pragma once

#include "base/result.hpp"
#include "transport/ip/ip_address.hpp"

#include <string_view>

namespace zlink::transport::tcp {

using ip::ip_address;

/// A network, written "address/prefix"; without a prefix one host. Mapped addresses count as the IPv4 ones behind them.
class accept_filter {
public:
    /// invalid_argument when the address is not literal or the prefix is too long for it.
    [[nodiscard]] static result<accept_filter> parse(std::string_view text);

    [[nodiscard]] bool admits(const ip_address& peer) const noexcept;

private:
    accept_filter(ip_address network, unsigned prefix) noexcept : network_(network), prefix_(prefix) {}

    ip_address network_;
    unsigned prefix_;  ///< leading bits that must agree
};

}  // namespace zlink::transport::tcp
