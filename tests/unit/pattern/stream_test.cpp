// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// STREAM: octets of peers by name.
#include "pattern/stream.hpp"

#include "joined_sockets.hpp"

namespace zlink::pattern::test {
namespace {

attachment accepted()
{
    attachment how;
    how.identified = true;
    return how;
}

TEST(stream_test, tells_of_arrival_data_and_departure_in_order)
{
    socket stream(STREAM);
    wire peer(stream, accepted());
    peer.send({"bytes"});
    peer.close();
    const parts arrival = stream.receive();
    ASSERT_EQ(2u, arrival.size());
    EXPECT_EQ(5u, arrival[0].size());
    EXPECT_EQ("", arrival[1]);
    EXPECT_EQ((parts{arrival[0], "bytes"}), stream.receive());
    EXPECT_EQ((parts{arrival[0], ""}), stream.receive());
    EXPECT_EQ(nothing, stream.receive());
    EXPECT_EQ(0u, stream.pipes());
}

TEST(stream_test, is_silent_about_it_when_asked)
{
    pattern_options options;
    options.stream_notify = false;
    socket stream(STREAM, options);
    wire peer(stream, accepted());
    peer.send({"bytes"});
    peer.close();
    EXPECT_EQ("bytes", stream.receive().back());
    EXPECT_EQ(nothing, stream.receive());
}

TEST(stream_test, sends_one_frame_to_the_peer_named)
{
    socket stream(STREAM);
    wire one(stream, accepted()), two(stream, accepted());
    const std::string first = stream.receive().front(), second = stream.receive().front();
    EXPECT_EQ(errc::none, stream.send({second, "b"}));
    EXPECT_EQ(errc::none, stream.send_frame(first, true));
    EXPECT_EQ(errc::none, stream.send_frame("a", true));
    EXPECT_EQ(errc::none, stream.send({first, "a2"}));
    EXPECT_EQ(parts{"a"}, one.receive());
    EXPECT_EQ(parts{"a2"}, one.receive());
    EXPECT_EQ(parts{"b"}, two.receive());
}

TEST(stream_test, refuses_unknown_and_full_peers)
{
    socket stream(STREAM);
    EXPECT_EQ(errc::host_unreachable, stream.send_frame("nobody", true));
    wire peer(stream, accepted(), 1);
    const std::string name = stream.receive().front();
    EXPECT_EQ(errc::none, stream.send({name, "1"}));
    EXPECT_EQ(errc::again, stream.send_frame(name, true));
    EXPECT_EQ(parts{"1"}, peer.receive());
    EXPECT_EQ(errc::none, stream.send({name, "2"}));
}

TEST(stream_test, an_empty_frame_closes_without_further_notice)
{
    socket stream(STREAM);
    wire peer(stream, accepted());
    const std::string name = stream.receive().front();
    EXPECT_EQ(errc::none, stream.send({name, "last"}));
    EXPECT_EQ(errc::none, stream.send({name, ""}));
    EXPECT_EQ(parts{"last"}, peer.receive());
    EXPECT_TRUE(peer.ended());
    EXPECT_EQ(nothing, stream.receive());
    EXPECT_EQ(errc::host_unreachable, stream.send_frame(name, true));
}

TEST(stream_test, a_connection_of_its_own_has_a_name_before_it_is_there)
{
    socket stream(STREAM);
    attachment how;
    how.locally_connected = true;
    wire peer(stream, how);
    const std::string name = routing_of(peer.near()).routing_id;
    ASSERT_EQ(5u, name.size());
    EXPECT_EQ(nothing, stream.receive());
    EXPECT_EQ(errc::none, stream.send({name, "early"}));
    stream->identified(peer.near(), "");
    EXPECT_EQ((parts{name, ""}), stream.receive());
    EXPECT_EQ(parts{"early"}, peer.receive());
    how.connect_routing_id = "server";
    wire named(stream, how);
    EXPECT_EQ(errc::none, stream.send({"server", "x"}));
    EXPECT_EQ(parts{"x"}, named.receive());
    wire twice(stream, how);
    EXPECT_FALSE(twice.accepted);
}

TEST(stream_test, a_reconnection_is_a_departure_and_an_arrival)
{
    for (int frames_received = 0; frames_received < 2; ++frames_received) {
        socket stream(STREAM);
        attachment how;
        how.locally_connected = true;
        wire peer(stream, how);
        const std::string name = routing_of(peer.near()).routing_id;
        stream->identified(peer.near(), "");
        EXPECT_EQ((parts{name, ""}), stream.receive());
        peer.send({"before"});
        message::owned_frame f;
        for (int i = 0; i < frames_received; ++i) EXPECT_EQ(errc::none, stream.receive_frame(f));
        stream->on_disconnected(peer.near());
        stream->identified(peer.near(), "");
        peer.send({"after"});
        EXPECT_EQ(frames_received ? parts{"before"} : (parts{name, "before"}), stream.receive());
        EXPECT_EQ((parts{name, ""}), stream.receive());
        EXPECT_EQ((parts{name, ""}), stream.receive());
        EXPECT_EQ((parts{name, "after"}), stream.receive());
        EXPECT_EQ(nothing, stream.receive());
    }
}

TEST(stream_test, octets_for_a_peer_that_went_are_dropped)
{
    socket stream(STREAM);
    wire peer(stream, accepted());
    const std::string name = stream.receive().front();
    EXPECT_EQ(errc::none, stream.send_frame(name, true));
    peer.close();
    EXPECT_EQ(errc::none, stream.send_frame("dropped"));
    EXPECT_EQ((parts{name, ""}), stream.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
