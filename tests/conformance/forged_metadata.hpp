// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Metadata of a peer that says of itself what this side finds out.
#pragma once

#include "support/raw_peer.hpp"
#include "support/zap_handler.hpp"

#include <string>

namespace zlink::test {

inline constexpr const char* forged = "4711";

inline std::string forged_metadata(const std::string& type)
{
    std::string out;
    for (const char* name : {"Peer-Address", "peer-address", "Tls-Subject", "Tls-Names", "Tls-Version", "tls-version",
                             "__fd", "__FD", "User-Id", "USER-ID", "Routing-Id", "routing-id"}) {
        out += zmtp_property(name, forged);
    }
    return out + zmtp_property("Socket-Type", type) + zmtp_property("Identity", "me") + zmtp_property("Resource", "r") +
           zmtp_property("X-Mine", "1") + zmtp_property("X-Mine", "2") + zmtp_property("Level", "low");
}

/// As a peer of version 3.1 with such metadata.
inline void shake_hands_forged(raw_peer& peer, const std::string& type)
{
    peer.send_bytes(zmtp3_greeting());
    (void)peer.read_bytes(64);
    peer.send_command("READY", forged_metadata(type));
    EXPECT_EQ("READY", peer.read_frame().name());
}

}  // namespace zlink::test
