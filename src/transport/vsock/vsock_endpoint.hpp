// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The grammar of vsock endpoints: "vsock://cid:port", "vsock://@:port", "vsock://*:*".
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::transport::vsock {

/// A machine's context id, and a port there. All numbers of 32 bits are valid, 0 among them.
struct vsock_endpoint {
    static constexpr std::uint32_t any = 0xffffffff;  ///< of both: written `*` or `-1`
    static constexpr std::uint32_t local_cid = 1;     ///< loopback, written `@`: Linux 5.6 and later

    std::uint32_t cid = any;
    std::uint32_t port = any;

    bool operator==(const vsock_endpoint&) const = default;
};

/// Of the part after "vsock://". A bind without a port takes one that the system chooses. A peer has a context id and a
/// port. Error: invalid_argument.
[[nodiscard]] result<vsock_endpoint> parse_bind(std::string_view address);
[[nodiscard]] result<vsock_endpoint> parse_connect(std::string_view address);

[[nodiscard]] std::string to_text(const vsock_endpoint& address);

}  // namespace zlink::transport::vsock
