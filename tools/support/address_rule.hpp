// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One address of a list of allowed peers: an IP network, a user or group behind ipc, or ipc as such.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zlink::tool {

// What the kernel knows of a process at the other end of ipc.
struct local_peer {
    unsigned user;
    unsigned group;
    unsigned process;
};

// Reads "localhost:UID:GID:PID"; nothing when it isn't that.
std::optional<local_peer> parse_local_peer(std::string_view address);

// Matches what the library tells a ZAP handler: "192.0.2.1", "2001:db8::1", and of an ipc peer what
// parse_local_peer() reads. No rule matches an address that isn't told.
class address_rule {
public:
    // ADDRESS, ADDRESS/BITS, ipc, uid:N or gid:N; nothing when it is none of them.
    static std::optional<address_rule> parse(std::string_view text);

    bool matches(std::string_view address) const;

private:
    enum class kind { network, ipc, user, group };

    kind kind_ = kind::ipc;
    std::array<std::uint8_t, 16> network_{};  // IPv4 is mapped into IPv6
    unsigned bits_ = 0;
    unsigned id_ = 0;
};

}  // namespace zlink::tool
