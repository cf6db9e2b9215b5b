// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Machines of CURVE in tests, and how commands get in and out of them.
#pragma once

#include "fuzz/curve_peer.hpp"
#include "unit/zmtp/handshake_script.hpp"
#include "unit/zmtp/zap_frames.hpp"
#include "zmtp/mechanism/curve_client.hpp"
#include "zmtp/mechanism/curve_sealing.hpp"
#include "zmtp/mechanism/curve_server.hpp"
#include "zmtp/mechanism/sealing.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace zlink::zmtp::test {

using fuzz::client_keys;
using fuzz::counting_random;
using fuzz::curve_client_settings;
using fuzz::curve_server_settings;
using fuzz::server_keys;

inline octets type_property(const std::string& type)
{
    return property_of("Socket-Type", type);
}

/// All that it has to say now.
inline std::vector<octets> said_by(mechanism& m)
{
    std::vector<octets> said;
    for (octets body; m.next_command(body); body.clear()) said.push_back(body);
    return said;
}

/// One machine, told what its peer says.
template <class Machine>
class curve_side {
public:
    /// What is random to it counts up from `first`.
    explicit curve_side(local_peer own, std::uint8_t first = 0x80)
        : random_(first),
          local_(std::move(own)),
          machine(local_, random_)
    {}

    /// The one command it has to say now.
    octets says()
    {
        std::vector<octets> said = said_by(machine);
        EXPECT_EQ(said.size(), 1u) << machine.failure().text;
        return said.empty() ? octets() : said.front();
    }
    curve_side& says_nothing()
    {
        EXPECT_TRUE(said_by(machine).empty());
        return *this;
    }
    curve_side& hears(std::span<const std::byte> body, mechanism_state after = mechanism_state::in_progress)
    {
        EXPECT_EQ(machine.process_command(body, peer), after) << machine.failure().text;
        return *this;
    }
    curve_side& resumes(const mechanism_event& event, mechanism_state after = mechanism_state::in_progress)
    {
        EXPECT_EQ(machine.resume(event, peer), after) << machine.failure().text;
        return *this;
    }
    void fails_with(handshake_error error)
    {
        EXPECT_EQ(machine.state(), mechanism_state::failed);
        EXPECT_EQ(machine.failure().error, error) << machine.failure().text;
        EXPECT_FALSE(machine.failure().text.empty());
        EXPECT_EQ(machine.question(), nullptr);
        const sealing none = machine.take_sealing();
        EXPECT_FALSE(none.in || none.out);
    }

private:
    counting_random random_;
    local_peer local_;

public:
    Machine machine;
    remote_peer peer;
};

/// A body sealed and a body opened, as the wire does it.
inline octets sealed(sealer& with, const octets& body, std::uint8_t flags = 0)
{
    octets out(body.size() + with.overhead());
    const frame_to_seal frame{flags, body, out.data()};
    with.seal({&frame, 1});
    return out;
}

struct opened_frame {
    std::uint8_t flags;
    std::string text;
};

inline std::optional<opened_frame> opened(opener& with, const octets& body,
                                          handshake_error expected = handshake_error::none)
{
    octets out(body.size());
    frame_to_open frame{body, out.data()};
    const opener::outcome outcome = with.open({&frame, 1});
    EXPECT_EQ(outcome.error, expected) << to_text(outcome.error);
    EXPECT_EQ(outcome.opened, expected == handshake_error::none ? 1u : 0u);
    if (outcome.opened == 0) return {};
    out.resize(frame.size);
    return opened_frame{frame.flags, text(out)};
}

}  // namespace zlink::zmtp::test
