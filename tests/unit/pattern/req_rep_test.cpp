// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// REQ and REP: turns, envelopes, and what is ignored.
#include "pattern/rep.hpp"
#include "pattern/req.hpp"

#include "joined_sockets.hpp"

#include <list>

namespace zlink::pattern::test {
namespace {

pattern_options relaxed_and_correlated()
{
    pattern_options options;
    options.req_relaxed = options.req_correlate = true;
    return options;
}

TEST(req_rep_test, take_turns)
{
    socket req(REQ), rep(REP);
    ASSERT_TRUE(join(req, rep));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(errc::none, req.send({"question", "", "x"}));
        EXPECT_EQ((parts{"question", "", "x"}), rep.receive());
        EXPECT_EQ(errc::none, rep.send({"", "answer"}));
        EXPECT_EQ((parts{"", "answer"}), req.receive());
    }
}

TEST(req_rep_test, calls_out_of_turn_fail)
{
    socket req(REQ), rep(REP);
    ASSERT_TRUE(join(req, rep));
    EXPECT_EQ(error(errc::fsm), req.receive());
    EXPECT_EQ(errc::fsm, rep.send("x"));
    EXPECT_TRUE(req.can_send());
    EXPECT_FALSE(rep.can_send());
    EXPECT_EQ(errc::none, req.send_frame("a", true));
    EXPECT_EQ(error(errc::fsm), req.receive());
    EXPECT_TRUE(req.can_send());
    EXPECT_EQ(errc::none, req.send_frame("b"));
    EXPECT_EQ(errc::fsm, req.send("second"));
    EXPECT_FALSE(req.can_send());
    EXPECT_FALSE(req.can_receive());
    EXPECT_TRUE(rep.can_receive());
    message::owned_frame f;
    EXPECT_EQ(errc::none, rep.receive_frame(f));
    EXPECT_EQ(errc::fsm, rep.send("early"));
    EXPECT_EQ(errc::none, rep.receive_frame(f));
    EXPECT_EQ(error(errc::fsm), rep.receive());
    EXPECT_FALSE(rep.can_receive());
    EXPECT_TRUE(rep.can_send());
    EXPECT_EQ(errc::none, rep.send_frame("c", true));
    EXPECT_EQ(error(errc::fsm), rep.receive());
    EXPECT_FALSE(req.can_receive());
    EXPECT_EQ(errc::none, rep.send_frame("d"));
    EXPECT_FALSE(rep.can_send());
    EXPECT_TRUE(req.can_receive());
    EXPECT_EQ(errc::none, req.receive_frame(f));
    EXPECT_EQ(errc::fsm, req.send("early"));
    EXPECT_EQ(errc::none, req.receive_frame(f));
    EXPECT_EQ(errc::none, req.send("next"));
}

TEST(req_rep_test, requests_go_round_and_wait_without_peers)
{
    socket req(REQ);
    EXPECT_EQ(errc::again, req.send("x"));
    EXPECT_FALSE(req.can_send());
    std::list<socket> reps;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(join(req, reps.emplace_back(REP)));
    for (int round = 0; round < 2; ++round) {
        for (socket& rep : reps) {
            EXPECT_EQ(errc::none, req.send("x"));
            EXPECT_EQ(parts{"x"}, rep.receive());
            EXPECT_EQ(errc::none, rep.send("y"));
            EXPECT_EQ(parts{"y"}, req.receive());
        }
    }
}

TEST(req_test, a_request_has_an_empty_delimiter)
{
    socket req(REQ);
    wire peer(req);
    EXPECT_EQ(errc::none, req.send({"a", "b"}));
    EXPECT_EQ((parts{"", "a", "b"}), peer.receive());
    peer.send({"no delimiter"});
    peer.send({"no", "delimiter"});
    peer.send({""});
    EXPECT_FALSE(req.can_receive());
    peer.send({"", "right", ""});
    EXPECT_EQ((parts{"right", ""}), req.receive());
}

TEST(req_test, hears_only_the_peer_it_asked)
{
    socket req(REQ);
    wire one(req), two(req);
    EXPECT_EQ(errc::none, req.send("x"));
    EXPECT_EQ((parts{"", "x"}), one.receive());
    two.send({"", "not asked"});
    EXPECT_FALSE(req.can_receive());
    one.send({"", "asked"});
    EXPECT_EQ(parts{"asked"}, req.receive());
    one.send({"", "late"});
    EXPECT_EQ(errc::none, req.send("y"));
    EXPECT_EQ((parts{"", "y"}), two.receive());
    one.send({"", "too late"});
    two.send({"", "right"});
    EXPECT_EQ(parts{"right"}, req.receive());
}

TEST(req_test, what_came_before_the_request_is_no_reply)
{
    socket req(REQ);
    wire peer(req);
    peer.send({"", "unasked"});
    EXPECT_EQ(errc::none, req.send("x"));
    EXPECT_FALSE(req.can_receive());
    peer.send({"", "asked"});
    EXPECT_EQ(parts{"asked"}, req.receive());
}

TEST(req_test, correlated_replies_bear_the_number_of_their_request)
{
    pattern_options options;
    options.req_correlate = true;
    socket req(REQ, options);
    wire peer(req);
    EXPECT_EQ(errc::none, req.send("x"));
    const parts first = peer.receive();
    ASSERT_EQ(3u, first.size());
    EXPECT_EQ(4u, first[0].size());
    EXPECT_EQ((parts{"", "x"}), (parts{first[1], first[2]}));
    peer.send({"", "without number"});
    peer.send({"1234", "", "wrong number"});
    peer.send({first[0], "no delimiter"});
    peer.send({first[0], ""});
    peer.send({first[0]});
    EXPECT_FALSE(req.can_receive());
    peer.send({first[0], "", "right"});
    EXPECT_EQ(parts{"right"}, req.receive());
    EXPECT_EQ(errc::none, req.send("y"));
    const parts second = peer.receive();
    EXPECT_NE(first[0], second[0]);
    peer.send({first[0], "", "stale"});
    peer.send({second[0], "", "fresh"});
    EXPECT_EQ(parts{"fresh"}, req.receive());
}

TEST(req_test, relaxed_asks_again_and_forgets_the_earlier_request)
{
    socket req(REQ, relaxed_and_correlated()), rep(REP);
    ASSERT_TRUE(join(req, rep));
    EXPECT_EQ(errc::none, req.send("first"));
    EXPECT_TRUE(req.can_send());
    EXPECT_EQ(errc::none, req.send("second"));
    EXPECT_EQ(parts{"first"}, rep.receive());
    EXPECT_EQ(errc::none, rep.send("re first"));
    EXPECT_EQ(parts{"second"}, rep.receive());
    EXPECT_EQ(errc::none, rep.send({"re second", "tail"}));
    message::owned_frame f;
    EXPECT_EQ(errc::none, req.receive_frame(f));
    EXPECT_EQ(errc::none, req.send("third"));
    EXPECT_EQ(parts{"third"}, rep.receive());
    EXPECT_EQ(errc::none, rep.send("re third"));
    EXPECT_EQ(parts{"re third"}, req.receive());
    EXPECT_EQ(error(errc::fsm), req.receive());
}

TEST(req_test, a_relaxed_request_that_finds_no_room_leaves_the_earlier_one_waiting)
{
    socket req(REQ, relaxed_and_correlated());
    wire peer(req, {}, 1);
    EXPECT_EQ(errc::none, req.send("first"));
    EXPECT_EQ(errc::again, req.send("second"));
    const parts first = peer.receive();
    peer.send({first[0], "", "re first"});
    EXPECT_EQ(parts{"re first"}, req.receive());
}

TEST(req_test, a_peer_that_dies_leaves_the_request_open)
{
    socket req(REQ);
    auto asked = std::make_unique<wire>(req);
    wire other(req);
    EXPECT_EQ(errc::none, req.send("x"));
    asked.reset();
    other.send({"", "not asked"});
    EXPECT_FALSE(req.can_receive());
    EXPECT_EQ(errc::fsm, req.send("y"));
    EXPECT_EQ(1u, req.pipes());
    pattern_options options;
    options.req_relaxed = true;
    req->options_changed(options);
    EXPECT_EQ(errc::none, req.send("y"));
    EXPECT_EQ((parts{"", "y"}), other.receive());
    other.send({"", "z"});
    EXPECT_EQ(parts{"z"}, req.receive());
}

TEST(req_test, the_reply_of_a_peer_that_died_counts)
{
    socket req(REQ);
    wire peer(req);
    EXPECT_EQ(errc::none, req.send("x"));
    peer.send({"", "last", "words"});
    peer.close();
    EXPECT_EQ((parts{"last", "words"}), req.receive());
    EXPECT_EQ(errc::again, req.send("y"));
    wire other(req);
    EXPECT_EQ(errc::none, req.send("y"));
    EXPECT_EQ(1u, req.pipes());
}

TEST(req_test, a_peer_that_dies_in_mid_request_swallows_the_rest)
{
    socket req(REQ);
    auto asked = std::make_unique<wire>(req);
    wire other(req);
    EXPECT_EQ(errc::none, req.send_frame("a", true));
    asked.reset();
    EXPECT_EQ(errc::none, req.send_frame("b"));
    EXPECT_EQ(nothing, other.receive());
    EXPECT_FALSE(req.can_receive());
}

TEST(req_test, a_disconnect_in_mid_reply_ends_the_turn)
{
    socket req(REQ);
    wire peer(req), other(req);
    EXPECT_EQ(errc::none, req.send("x"));
    peer.send({"", "a", "b"});
    message::owned_frame f;
    EXPECT_EQ(errc::none, req.receive_frame(f));
    req.disconnect(peer.near());
    EXPECT_EQ(error(errc::fsm), req.receive());
    EXPECT_EQ(errc::none, req.send("y"));
    EXPECT_EQ((parts{"", "y"}), other.receive());
}

// Else a socket that waits for its turn would never get to sleep.
TEST(req_rep_test, what_cannot_be_received_now_keeps_nobody_awake)
{
    socket req(REQ), rep(REP);
    wire to_req(req), one(rep), two(rep);
    to_req.send({"", "unasked"});
    EXPECT_FALSE(req.can_receive());
    EXPECT_FALSE(req.sleep());
    one.send({"", "1"});
    two.send({"", "2"});
    EXPECT_TRUE(rep.sleep());
    EXPECT_EQ(parts{"1"}, rep.receive());
    EXPECT_FALSE(rep.can_receive());
    EXPECT_FALSE(rep.sleep());
    EXPECT_EQ(errc::none, rep.send("re"));
    EXPECT_TRUE(rep.can_receive());
    EXPECT_TRUE(rep.sleep());
    EXPECT_EQ(parts{"2"}, rep.receive());
    EXPECT_EQ(errc::none, req.send("x"));
    to_req.send({"", "stray", "y"});
    EXPECT_EQ((parts{"stray", "y"}), req.receive());
}

TEST(req_test, probes_a_router)
{
    pattern_options options;
    options.probe_router = true;
    socket req(REQ, options);
    wire peer(req);
    EXPECT_EQ(parts{""}, peer.receive());
}

TEST(rep_test, returns_the_whole_envelope)
{
    socket rep(REP);
    wire peer(rep);
    const std::string large(20000, 'h');
    peer.send({"hop 1", large, "", "body", "", "more"});
    EXPECT_EQ((parts{"body", "", "more"}), rep.receive());
    EXPECT_EQ(errc::none, rep.send({"re", ""}));
    EXPECT_EQ((parts{"hop 1", large, "", "re", ""}), peer.receive());
}

TEST(rep_test, ignores_messages_without_delimiter_or_body)
{
    socket rep(REP);
    wire peer(rep);
    peer.send({"no delimiter"});
    peer.send({"no", "delimiter"});
    peer.send({""});
    peer.send({"x", ""});
    EXPECT_FALSE(rep.can_receive());
    peer.send({"", "good"});
    EXPECT_TRUE(rep.can_receive());
    EXPECT_EQ(parts{"good"}, rep.receive());
    EXPECT_EQ(errc::none, rep.send("reply"));
    EXPECT_EQ((parts{"", "reply"}), peer.receive());
}

TEST(rep_test, serves_peers_in_turn_each_with_its_reply)
{
    socket rep(REP);
    std::list<socket> reqs;
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(join(reqs.emplace_back(REQ), rep));
        EXPECT_EQ(errc::none, reqs.back().send(std::to_string(i)));
    }
    for (int i = 0; i < 5; ++i) EXPECT_EQ(errc::none, rep.send("re " + rep.receive().front()));
    int i = 0;
    for (socket& req : reqs) EXPECT_EQ(parts{"re " + std::to_string(i++)}, req.receive());
}

TEST(rep_test, drops_the_reply_to_a_peer_that_went)
{
    for (int frames_sent = 0; frames_sent < 3; ++frames_sent) {
        socket rep(REP);
        auto gone = std::make_unique<wire>(rep);
        wire next(rep);
        gone->send({"", "x"});
        EXPECT_EQ(parts{"x"}, rep.receive());
        for (int i = 0; i < frames_sent; ++i) EXPECT_EQ(errc::none, rep.send_frame("part", true));
        gone.reset();
        EXPECT_EQ(errc::none, rep.send_frame("last"));
        next.send({"", "y"});
        EXPECT_EQ(parts{"y"}, rep.receive());
        EXPECT_EQ(errc::none, rep.send("z"));
        EXPECT_EQ((parts{"", "z"}), next.receive());
        EXPECT_EQ(nothing, rep.receive());
        EXPECT_EQ(1u, rep.pipes());
    }
}

TEST(rep_test, drops_the_reply_to_a_peer_that_does_not_read)
{
    socket rep(REP);
    wire peer(rep, {}, 1);
    for (int i = 0; i < 3; ++i) {
        peer.send({"", "x"});
        EXPECT_EQ(parts{"x"}, rep.receive());
        EXPECT_EQ(errc::none, rep.send({std::to_string(i), "tail"}));
    }
    EXPECT_EQ((parts{"", "0", "tail"}), peer.receive());
    EXPECT_EQ(nothing, peer.receive());
}

TEST(rep_test, reads_the_request_of_a_peer_that_went)
{
    socket rep(REP);
    wire peer(rep);
    peer.send({"", "last", "words"});
    message::owned_frame f;
    EXPECT_EQ(errc::none, rep.receive_frame(f));
    peer.close();
    EXPECT_EQ(parts{"words"}, rep.receive());
    EXPECT_EQ(errc::none, rep.send("too late"));
    EXPECT_EQ(nothing, rep.receive());
    EXPECT_EQ(0u, rep.pipes());
}

TEST(rep_test, a_disconnect_in_mid_request_ends_the_turn)
{
    socket rep(REP);
    wire one(rep), two(rep);
    one.send({"", "a", "b"});
    message::owned_frame f;
    EXPECT_EQ(errc::none, rep.receive_frame(f));
    rep.disconnect(one.near());
    two.send({"", "c"});
    EXPECT_EQ(parts{"c"}, rep.receive());
    EXPECT_EQ(errc::none, rep.send("d"));
    EXPECT_EQ((parts{"", "d"}), two.receive());
}

}  // namespace
}  // namespace zlink::pattern::test
