// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Handshakes in tests. They are what goes over the wire, and one side of a connection as a script. The script has what
// is read and what is expected to be written.
#pragma once

#include "unit/zmtp/octets.hpp"
#include "zmtp/handshake.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::zmtp::test {

using state = handshake::state;

inline local_peer local(socket_type type, const std::string& id = "", std::vector<property> properties = {})
{
    return {type, wire({id}), std::move(properties)};
}

/// The same with security.
inline local_peer secured(local_peer peer, security_settings security)
{
    peer.security = std::make_shared<const security_settings>(std::move(security));
    return peer;
}

/// All output there is, consumed.
inline octets drain(handshake& h)
{
    octets out;
    while (!h.output().empty()) {
        const auto now = h.output();
        out.insert(out.end(), now.begin(), now.end());
        h.consume_output(now.size());
    }
    return out;
}

/// One side of a connection under test.
class script {
public:
    explicit script(local_peer peer) : machine(std::move(peer)) {}

    script& writes(const octets& expected)
    {
        EXPECT_EQ(hex(drain(machine)), hex(expected));
        return *this;
    }
    script& reads(const octets& in, state after = state::in_progress)
    {
        const auto step = machine.advance(in);
        EXPECT_EQ(step.state, after) << machine.error_text();
        if (after == state::in_progress) {
            EXPECT_EQ(step.consumed, in.size());
        }
        unread = in.size() - step.consumed;
        return *this;
    }
    /// With the answer of a ZAP handler.
    script& resumes(const mechanism_event& event, state after = state::in_progress)
    {
        EXPECT_EQ(machine.resume(event), after) << machine.error_text();
        return *this;
    }
    script& fails_with(handshake_error error)
    {
        EXPECT_EQ(machine.current(), state::failed);
        EXPECT_EQ(machine.error(), error) << machine.error_text();
        EXPECT_FALSE(machine.error_text().empty());
        return *this;
    }

    handshake machine;
    std::size_t unread = 0;
};

inline octets signature(int id_size_plus_one = 1)
{
    return wire({0xff, zeros(7), id_size_plus_one, 0x7f});
}

inline octets greeting_rest(int minor = 1, const std::string& mechanism = "NULL", int as_server = 0)
{
    return wire({minor, mechanism, zeros(20 - mechanism.size()), as_server, zeros(31)});
}

inline octets greeting(int minor = 1, const std::string& mechanism = "NULL", int as_server = 0)
{
    return wire({signature(), 3, greeting_rest(minor, mechanism, as_server)});
}

inline octets property_of(const std::string& name, const std::string& value)
{
    return wire({int(name.size()), name, 0, 0, int(value.size() >> 8), int(value.size() & 0xff), value});
}

/// Metadata of a peer that says of itself what this side finds out, and says some things twice.
inline octets forged_metadata(const std::string& type)
{
    octets out = wire({property_of("User-ID", "root"), property_of("Peer-Address", "10.9.9.9")});
    for (const char* name : {"peer-address", "Tls-Subject", "TLS-NAMES", "tls-version", "Tls-", "__fd", "__FD",
                             "user-id", "Routing-Id", "ROUTING-ID"}) {
        out = wire({out, property_of(name, "7")});
    }
    return wire({out, property_of("Socket-Type", type), property_of("Identity", "me"), property_of("identity", "you"),
                 property_of("Resource", "r"), property_of("X-Mine", "1"), property_of("x-mine", "2"),
                 property_of("socket-type", "PAIR"), property_of("Tls", "no prefix"), property_of("fd", "")});
}

/// What is left of it.
inline std::vector<property> unforged_properties(const std::string& type)
{
    return {{"Socket-Type", type}, {"Identity", "me"},   {"Resource", "r"},
            {"X-Mine", "1"},       {"Tls", "no prefix"}, {"fd", ""}};
}

inline octets command_frame(const octets& body)
{
    if (body.size() > 255) return wire({0x06, zeros(6), int(body.size() >> 8), int(body.size() & 0xff), body});
    return wire({0x04, int(body.size()), body});
}

inline octets ready(const octets& metadata)
{
    return command_frame(wire({5, "READY", metadata}));
}

inline octets ready_of(const std::string& type)
{
    return ready(property_of("Socket-Type", type));
}

}  // namespace zlink::zmtp::test
