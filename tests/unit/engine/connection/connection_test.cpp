// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Connections, by way of the session of an accepted stream. The tests are of the handshake, messages in both
// directions, heartbeats, and what ends them. The stream, in memory, does anything to their octets.
#include "engine/connection/connection.hpp"

#include "support/memory_transport/memory_peer.hpp"
#include "unit/engine/engine_fixture.hpp"
#include "zmtp/handshake_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;
using zlink::test::zmtp3_greeting;
using zlink::test::zmtp_ready;

struct way_of_passing {
    const char* name;
    const char* script;
};

class connection_test : public engine_fixture, public testing::WithParamInterface<way_of_passing> {
protected:
    /// The other end of a new connection.
    [[nodiscard]] raw_peer open()
    {
        auto ends = transport::memory::make_streams(*transport::memory::parse_script(GetParam().script), {});
        start(std::make_shared<session>(worker_, host_ref(host_), options(), alive_, std::move(ends.first),
                                        endpoint_pair{"mem://here", "mem://there", true}));
        return zlink::test::memory_peer(std::move(ends.second));
    }

    /// The same with the handshake done; `end_` is the socket's end of its pipe.
    [[nodiscard]] raw_peer join()
    {
        raw_peer peer = open();
        peer.handshake(zmtp_version::v3_1, "DEALER", "there");
        const auto attached = host_.wait_for_pipe();
        if (!attached) throw zlink::test::raw_peer_error("no pipe");
        end_ = attached->end;
        return peer;
    }

    void expect_refusal(raw_peer& peer, zmtp::handshake_error why)
    {
        const auto failed = host_.wait_for(monitor_event::handshake_failed_protocol);
        ASSERT_TRUE(failed);
        EXPECT_EQ(std::uint64_t(why), failed->value);
        EXPECT_EQ("mem://here", failed->endpoints.identifier());
        EXPECT_TRUE(peer.wait_for_end());
        EXPECT_TRUE(host_.wait_for(monitor_event::disconnected));
    }

    pipe::pipe_end* end_ = nullptr;
};

TEST_P(connection_test, refuses_a_greeting_with_another_mechanism)
{
    raw_peer peer = open();
    peer.send_bytes(zmtp3_greeting(1, "BOGUS"));
    expect_refusal(peer, zmtp::handshake_error::zmtp_mechanism_mismatch);
    EXPECT_EQ(0u, host_.pipes());
}

TEST_P(connection_test, refuses_a_peer_of_a_type_that_does_not_fit)
{
    raw_peer peer = open();
    peer.send_bytes(zmtp3_greeting() + zmtp_ready("SUB"));
    expect_refusal(peer, zmtp::handshake_error::zmtp_invalid_metadata);
    EXPECT_EQ(0u, host_.pipes());
}

TEST_P(connection_test, ends_when_the_handshake_takes_too_long)
{
    options_.connection.handshake_ivl = 20ms;
    raw_peer peer = open();
    peer.send_bytes(zmtp3_greeting());
    const auto failed = host_.wait_for(monitor_event::handshake_failed_no_detail);
    ASSERT_TRUE(failed);
    EXPECT_EQ(std::uint64_t(EAGAIN), failed->value);
    EXPECT_TRUE(peer.wait_for_end());
}

TEST_P(connection_test, tells_when_the_peer_leaves_during_the_handshake)
{
    open().send_bytes(zmtp3_greeting().substr(0, 11));
    const auto failed = host_.wait_for(monitor_event::handshake_failed_no_detail);
    ASSERT_TRUE(failed);
    // The latter if it had not read what was sent to it.
    EXPECT_TRUE(failed->value == EPIPE || failed->value == ECONNRESET) << failed->value;
    EXPECT_TRUE(host_.wait_for(monitor_event::disconnected));
}

TEST_P(connection_test, takes_messages_in_whatever_pieces_they_come)
{
    raw_peer peer = join();
    const std::vector<parts> sent{{"one"}, {"", "two", pattern_of(300)}, {pattern_of(70'000)}};
    for (const parts& m : sent) peer.send_bytes(encode(m));
    for (const char octet : encode(sent[1])) peer.send_bytes({&octet, 1});
    for (const parts& m : sent) EXPECT_EQ(m, host_.receive(*end_));
    EXPECT_EQ(sent[1], host_.receive(*end_));
}

TEST_P(connection_test, takes_messages_that_come_with_the_handshake)
{
    raw_peer peer = open();
    peer.send_bytes(zmtp3_greeting() + zmtp_ready("DEALER") + encode({"in", "haste"}));
    const auto attached = host_.wait_for_pipe();
    ASSERT_TRUE(attached);
    EXPECT_EQ((parts{"in", "haste"}), host_.receive(*attached->end));
}

TEST_P(connection_test, writes_messages_as_frames)
{
    raw_peer peer = join();
    for (const parts& m : {parts{"one"}, parts{"", "two", pattern_of(300)}, parts{pattern_of(70'000)}}) {
        host_.send(*end_, m);
        const std::string wire = encode(m);
        EXPECT_EQ(wire, peer.read_bytes(wire.size()));
    }
}

// Whatever the stream keeps to itself of it goes out before the end.
TEST_P(connection_test, ends_when_what_was_queued_has_left)
{
    raw_peer peer = join();
    const parts last{"last", pattern_of(3000), "words"};
    host_.send(*end_, last);
    host_.close(*end_);
    let_a_round_pass();
    EXPECT_EQ(last, peer.read_message());
    EXPECT_TRUE(peer.wait_for_end());
}

TEST_P(connection_test, answers_a_ping_with_its_context)
{
    raw_peer peer = join();
    peer.send_command("PING", std::string("\0\0", 2) + "context");
    EXPECT_EQ("context", peer.read_command("PONG").data());
    peer.send_message({"still there"});
    EXPECT_EQ(parts{"still there"}, host_.receive(*end_));
}

TEST_P(connection_test, pings_and_ends_when_the_peer_stays_silent)
{
    options_.connection.heartbeat_ivl = 20ms;
    options_.connection.heartbeat_ttl = 300ms;
    raw_peer peer = join();
    EXPECT_EQ(std::string("\0\3", 2), peer.read_command("PING").data().substr(0, 2));
    EXPECT_TRUE(peer.wait_for_end());
    EXPECT_TRUE(host_.wait_for_close(*end_));
}

TEST_P(connection_test, ends_at_a_message_that_is_too_large)
{
    options_.connection.max_msg_size = 10;
    raw_peer peer = join();
    peer.send_message({"ten octets"});
    peer.send_message({"and 11 here"});
    EXPECT_EQ(parts{"ten octets"}, host_.receive(*end_));
    expect_refusal(peer, zmtp::handshake_error::zmtp_malformed_command_message);
    EXPECT_TRUE(host_.wait_for_close(*end_));
}

TEST_P(connection_test, a_message_cut_short_by_the_peers_end_is_dropped)
{
    {
        raw_peer peer = join();
        const std::string second = encode({"second", "part"});
        peer.send_bytes(encode({"first"}) + second.substr(0, second.size() - 1));
    }
    EXPECT_EQ(parts{"first"}, host_.receive(*end_));
    EXPECT_TRUE(host_.wait_for_close(*end_));
}

INSTANTIATE_TEST_SUITE_P(streams, connection_test,
                         testing::Values(way_of_passing{"whole", ""}, way_of_passing{"by_octets", "read=1&write=1"},
                                         way_of_passing{"by_turns", "read=7&write=5&again=2"},
                                         way_of_passing{"without_room", "room=100&read=2"},
                                         way_of_passing{"held_back", "room=30&hold=500&write=100"},
                                         way_of_passing{"acknowledged", "ack=40&read=50&again=3"}),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace zlink::engine::test
