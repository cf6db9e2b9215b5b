// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A flood of messages that a socket drops: a call drops some of them, the socket does not sleep, and the next call goes
// on.
#include "pattern/routing/most_dropped.hpp"

#include "pattern/routing/message_forms.hpp"
#include "unit/pattern/joined_sockets.hpp"

#include <span>

namespace zlink::pattern::test {
namespace {

using routing::most_dropped;

// `wanted` comes behind more messages than a call drops.
void expect_two_calls(socket& s, wire& peer, const parts& dropped, const parts& wanted, const std::string& body)
{
    for (int i = 0; i < most_dropped; ++i) peer.send(dropped);
    peer.send(wanted);
    EXPECT_EQ(nothing, s.receive());
    EXPECT_TRUE(s.sleep()) << "it may not";
    EXPECT_EQ(parts{body}, s.receive());
    for (int i = 0; i < most_dropped; ++i) peer.send(dropped);
    peer.send(wanted);
    EXPECT_FALSE(s.can_receive());
    EXPECT_TRUE(s.sleep());
    EXPECT_TRUE(s.can_receive());
    EXPECT_EQ(parts{body}, s.receive());
    EXPECT_EQ(nothing, s.receive());
    EXPECT_FALSE(s.sleep());
}

TEST(most_dropped_test, of_several_frames_for_types_of_one_frame)
{
    for (const socket_type type : {CHANNEL, CLIENT, SERVER, PEER, GATHER}) {
        socket s(type);
        wire peer(s);
        expect_two_calls(s, peer, {"two", "frames"}, {"one"}, "one");
    }
}

TEST(most_dropped_test, of_other_groups)
{
    socket dish(DISH);
    wire radio(dish);
    EXPECT_EQ(errc::none, dish->subscribe(std::as_bytes(std::span(std::string_view("g"))), true));
    expect_two_calls(dish, radio, {"other", "x"}, {"g", "body"}, "body");
}

TEST(most_dropped_test, of_other_topics)
{
    socket sub(SUB);
    wire pub(sub);
    EXPECT_EQ(errc::none, sub->subscribe(std::as_bytes(std::span(std::string_view("topic"))), true));
    expect_two_calls(sub, pub, {"other"}, {"topic"}, "topic");
}

TEST(most_dropped_test, without_an_envelope_for_a_rep)
{
    socket rep(REP);
    wire peer(rep);
    for (int i = 0; i < most_dropped; ++i) peer.send({"none"});
    peer.send({"", "request"});
    EXPECT_EQ(nothing, rep.receive());
    EXPECT_TRUE(rep.sleep());
    EXPECT_EQ(parts{"request"}, rep.receive());
}

TEST(most_dropped_test, that_are_no_reply)
{
    socket req(REQ);
    wire peer(req);
    EXPECT_EQ(errc::none, req.send("request"));
    for (int i = 0; i < most_dropped; ++i) peer.send({"none"});
    peer.send({"", "reply"});
    EXPECT_EQ(nothing, req.receive());
    EXPECT_TRUE(req.sleep());
    EXPECT_EQ(parts{"reply"}, req.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
