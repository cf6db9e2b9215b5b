// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A handshake of ZMTP in messages of WebSocket. It has commands and routing ids, in pieces of any size, with frames of
// WebSocket's own in between. Also each way in which the carrier breaks.
#include "wire/zws_handshake.hpp"

#include "unit/zmtp/handshake_script.hpp"
#include "wire/close_reason.hpp"
#include "wire/zws_octets.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::wire {
namespace {

using zmtp::test::hex;
using zmtp::test::local;
using zmtp::test::octets;
using zmtp::test::wire;
using state = zmtp::handshake::state;
using zws::opcode;

/// One side, of a connection whose terms have been agreed on.
struct side {
    explicit side(bool client, bool mechanism = true, const std::string& id = "")
        : machine(local(client ? zmtp::socket_type::push : zmtp::socket_type::pull, id),
                  zmtp::handshake::beginning::elsewhere),
          carried(machine, client)
    {
        machine.begin(mechanism);
    }

    octets says()
    {
        octets out;
        while (!carried.output().empty()) {
            const auto now = carried.output();
            out.insert(out.end(), now.begin(), now.end());
            carried.consume_output(now.size());
        }
        return out;
    }
    /// `step` octets at a time.
    state hears(const octets& all, std::size_t step = SIZE_MAX)
    {
        state now = machine.current();
        for (std::span<const std::byte> rest = all; !rest.empty();) {
            const auto piece = rest.first(std::min(step, rest.size()));
            rest = rest.subspan(piece.size());
            now = carried.advance(piece).state;
        }
        return now;
    }

    zmtp::handshake machine;
    zws_handshake carried;
};

octets frame(bool client, opcode what, const octets& payload)
{
    octets out;
    append_zws_frame(out, client, what, payload);
    return out;
}

octets joined(octets first, const octets& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

TEST(zws_handshake_test, both_sides_come_to_an_end_by_commands)
{
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
        side client(true), server(false);
        EXPECT_EQ(state::done, server.hears(client.says(), step));
        EXPECT_EQ(state::done, client.hears(server.says(), step));
        EXPECT_EQ("PUSH", server.machine.remote().socket_type);
        EXPECT_EQ("PULL", client.machine.remote().socket_type);
        EXPECT_TRUE(server.carried.unread().empty());
        EXPECT_FALSE(server.carried.broken());
        EXPECT_FALSE(server.carried.closed());
    }
}

TEST(zws_handshake_test, without_a_mechanism_both_sides_say_their_routing_ids)
{
    side client(true, false, "here"), server(false, false, "there");
    EXPECT_EQ(hex(wire({0x82, 6, 0, "there"})), hex(server.says()));
    EXPECT_EQ(state::done, server.hears(client.says()));
    EXPECT_EQ(hex(wire({"here"})), hex(server.machine.remote().routing_id));
}

TEST(zws_handshake_test, a_client_masks_and_a_server_does_not)
{
    side client(true), server(false);
    constexpr std::byte mask_bit{0x80};
    EXPECT_EQ(mask_bit, client.says()[1] & mask_bit);
    EXPECT_EQ(std::byte{0}, server.says()[1] & mask_bit);
}

TEST(zws_handshake_test, octets_behind_the_end_are_traffic)
{
    side client(true), server(false);
    const octets traffic = frame(true, opcode::binary, wire({0, "first"}));
    EXPECT_EQ(state::done, server.hears(joined(client.says(), traffic)));
    EXPECT_EQ(hex(traffic), hex(server.carried.unread()));
    EXPECT_EQ(hex(traffic), hex(server.carried.begun_traffic()));
}

TEST(zws_handshake_test, a_ping_is_answered_with_the_same_octets)
{
    side server(false);
    (void)server.says();
    EXPECT_EQ(state::in_progress, server.hears(frame(true, opcode::ping, wire({"alive?"}))));
    EXPECT_EQ(hex(frame(false, opcode::pong, wire({"alive?"}))), hex(server.says()));
    EXPECT_EQ(state::done, server.hears(side(true).says()));
}

TEST(zws_handshake_test, of_several_pings_the_newest_is_answered)
{
    side server(false);
    (void)server.says();
    (void)server.hears(joined(frame(true, opcode::ping, wire({"1"})), frame(true, opcode::ping, wire({"2"}))));
    EXPECT_EQ(hex(frame(false, opcode::pong, wire({"2"}))), hex(server.says()));
}

TEST(zws_handshake_test, a_close_frame_ends_it_and_its_code_goes_back)
{
    side server(false);
    (void)server.says();
    EXPECT_EQ(state::failed, server.hears(frame(true, opcode::close, wire({0x03, 0xe8, "bye"}))));
    EXPECT_TRUE(server.carried.closed());
    EXPECT_FALSE(server.carried.broken());
    EXPECT_EQ(hex(frame(false, opcode::close, wire({0x03, 0xe8}))), hex(server.says()));
    EXPECT_EQ(state::failed, server.hears(side(true).says())) << "for good";
}

struct mistake {
    const char* what;
    octets sent;
    close_reason told;
};

TEST(zws_handshake_test, octets_that_zws_does_not_have_end_it_with_a_reason)
{
    const octets command = wire({zws::flag_command, 5, "READY"});
    const mistake all[] = {
        {"reserved bits", wire({0xf2, 0x80}), close_reason::protocol_error},
        {"not masked", frame(false, opcode::binary, command), close_reason::protocol_error},
        {"a text", frame(true, opcode::text, command), close_reason::unsupported_data},
        {"a continuation of nothing", frame(true, opcode::continuation, command), close_reason::protocol_error},
        {"no flags", frame(true, opcode::binary, {}), close_reason::protocol_error},
        {"unknown flags", frame(true, opcode::binary, wire({4, "x"})), close_reason::protocol_error},
        {"too long", frame(true, opcode::binary, octets(1 << 20)), close_reason::too_long},
        {"half a close code", frame(true, opcode::close, wire({3})), close_reason::protocol_error},
    };
    for (const mistake& one : all) {
        side server(false);
        EXPECT_EQ(state::failed, server.hears(one.sent)) << one.what;
        EXPECT_TRUE(server.carried.broken()) << one.what;
        EXPECT_FALSE(server.carried.closed()) << one.what;
        EXPECT_EQ(one.told, server.carried.told_to_peer()) << one.what;
    }
}

TEST(zws_handshake_test, a_client_refuses_masked_frames)
{
    side client(true);
    EXPECT_EQ(state::failed, client.hears(frame(true, opcode::binary, wire({zws::flag_command, 5, "READY"}))));
    EXPECT_EQ(close_reason::protocol_error, client.carried.told_to_peer());
}

}  // namespace
}  // namespace zlink::wire
