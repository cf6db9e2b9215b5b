// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The contract of REQ and REP: strict turns, envelopes that find the way back, and what is ignored (RFC 28).
#include "support/zmq_fixture.hpp"

namespace zlink::test {
namespace {

class req_rep_test : public zmq_test {
protected:
    void expect_error(int error, int result, const place& where = place::current())
    {
        ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "");
        EXPECT_EQ(-1, result);
        EXPECT_EQ(error, zmq_errno());
    }

    void join() { req_.connect(rep_.bind(unique_inproc())); }

    char buffer_[16] = {};
    socket req_ = ctx_.open(ZMQ_REQ);
    socket rep_ = ctx_.open(ZMQ_REP);
};

TEST_F(req_rep_test, takes_turns)
{
    req_.connect(rep_.bind("tcp://127.0.0.1:*"));
    for (int i = 0; i < 100; ++i) {
        req_.send("question");
        EXPECT_EQ("question", rep_.recv());
        rep_.send("answer");
        EXPECT_EQ("answer", req_.recv());
    }
}

TEST_F(req_rep_test, carries_several_frames_both_ways)
{
    join();
    req_.send_parts({"a", "", "b"});
    EXPECT_EQ((parts{"a", "", "b"}), rep_.recv_parts());
    rep_.send_parts({"", "c", "", ""});
    EXPECT_EQ((parts{"", "c", "", ""}), req_.recv_parts());
    req_.send("");
    EXPECT_EQ((parts{""}), rep_.recv_parts());
    rep_.send("");
    EXPECT_EQ((parts{""}), req_.recv_parts());
}

TEST_F(req_rep_test, calls_out_of_turn_fail)
{
    join();
    expect_error(EFSM, zmq_recv(req_, buffer_, sizeof buffer_, 0));
    expect_error(EFSM, zmq_send(rep_, "x", 1, 0));
    req_.send("first");
    expect_error(EFSM, zmq_send(req_, "second", 6, 0));
    EXPECT_EQ("first", rep_.recv());
    expect_error(EFSM, zmq_recv(rep_, buffer_, sizeof buffer_, 0));
    rep_.send("reply");
    expect_error(EFSM, zmq_send(rep_, "again", 5, 0));
    EXPECT_EQ("reply", req_.recv());
    expect_error(EFSM, zmq_recv(req_, buffer_, sizeof buffer_, 0));
}

TEST_F(req_rep_test, a_message_half_sent_or_half_received_keeps_the_turn)
{
    join();
    req_.send("a", ZMQ_SNDMORE);
    expect_error(EFSM, zmq_recv(req_, buffer_, sizeof buffer_, 0));
    req_.send("b");
    EXPECT_EQ("a", rep_.recv());
    expect_error(EFSM, zmq_send(rep_, "early", 5, 0));
    EXPECT_EQ("b", rep_.recv());
    rep_.send("c", ZMQ_SNDMORE);
    expect_error(EFSM, zmq_recv(rep_, buffer_, sizeof buffer_, 0));
    rep_.send("d");
    EXPECT_EQ("c", req_.recv());
    expect_error(EFSM, zmq_send(req_, "early", 5, 0));
    EXPECT_EQ("d", req_.recv());
    req_.send("next");
    EXPECT_EQ("next", rep_.recv());
}

TEST_F(req_rep_test, shows_readiness_by_turns)
{
    join();
    EXPECT_TRUE(req_.writable());
    EXPECT_FALSE(req_.readable());
    EXPECT_FALSE(rep_.writable());
    EXPECT_FALSE(rep_.readable());
    req_.send("x");
    EXPECT_FALSE(req_.writable());
    EXPECT_TRUE(rep_.readable());
    EXPECT_FALSE(rep_.writable());
    rep_.recv();
    EXPECT_TRUE(rep_.writable());
    EXPECT_FALSE(rep_.readable());
    rep_.send("y");
    EXPECT_TRUE(req_.readable());
    EXPECT_FALSE(req_.writable());
    req_.recv();
    EXPECT_TRUE(req_.writable());
}

TEST_F(req_rep_test, a_request_without_peer_waits)
{
    EXPECT_EQ(EAGAIN, req_.try_send("x"));
    req_.set(ZMQ_SNDTIMEO, 20);
    expect_error(EAGAIN, zmq_send(req_, "x", 1, 0));
    req_.set(ZMQ_SNDTIMEO, patience_ms);
    join();
    req_.send("x");
    EXPECT_EQ("x", rep_.recv());
}

TEST_F(req_rep_test, requests_go_round_the_peers)
{
    std::vector<socket> reps;
    for (int i = 0; i < 3; ++i) {
        reps.push_back(ctx_.open(ZMQ_REP));
        req_.connect(reps.back().bind(unique_inproc()));
    }
    for (int i = 0; i < 9; ++i) {
        socket& rep = reps[static_cast<std::size_t>(i % 3)];
        req_.send(std::to_string(i));
        EXPECT_EQ(std::to_string(i), rep.recv());
        rep.send("re " + std::to_string(i));
        EXPECT_EQ("re " + std::to_string(i), req_.recv());
    }
}

TEST_F(req_rep_test, replies_go_to_the_peer_that_asked)
{
    const std::string endpoint = rep_.bind(unique_inproc());
    std::vector<socket> reqs;
    for (int i = 0; i < 5; ++i) {
        reqs.push_back(ctx_.open(ZMQ_REQ));
        reqs.back().connect(endpoint);
        reqs.back().send(std::to_string(i));
    }
    for (int i = 0; i < 5; ++i) {
        rep_.send("re " + rep_.recv());
    }
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ("re " + std::to_string(i), reqs[static_cast<std::size_t>(i)].recv());
    }
}

TEST_F(req_rep_test, a_request_bears_an_empty_delimiter)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    req_.set(ZMQ_ROUTING_ID, "asker");
    req_.connect(router.bind(unique_inproc()));
    req_.send_parts({"a", "b"});
    EXPECT_EQ((parts{"asker", "", "a", "b"}), router.recv_parts());
    router.send_parts({"asker", "", "re a", "re b"});
    EXPECT_EQ((parts{"re a", "re b"}), req_.recv_parts());
}

TEST_F(req_rep_test, a_reply_gets_the_whole_envelope_back)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.connect(rep_.bind("tcp://127.0.0.1:*"));
    dealer.send_parts({"hop 1", "hop 2", "", "body", "", "more"});
    EXPECT_EQ((parts{"body", "", "more"}), rep_.recv_parts());
    rep_.send_parts({"re", "plied"});
    EXPECT_EQ((parts{"hop 1", "hop 2", "", "re", "plied"}), dealer.recv_parts());
}

TEST_F(req_rep_test, works_through_router_and_dealer)
{
    socket router = ctx_.open(ZMQ_ROUTER), dealer = ctx_.open(ZMQ_DEALER);
    req_.connect(router.bind(unique_inproc()));
    rep_.connect(dealer.bind(unique_inproc()));
    for (int i = 0; i < 10; ++i) {
        req_.send("ask");
        dealer.send_parts(router.recv_parts());
        EXPECT_EQ("ask", rep_.recv());
        rep_.send("tell");
        router.send_parts(dealer.recv_parts());
        EXPECT_EQ("tell", req_.recv());
    }
}

TEST_F(req_rep_test, requests_without_delimiter_are_ignored)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.connect(rep_.bind(unique_inproc()));
    dealer.send("no delimiter");
    dealer.send_parts({"no", "delimiter", "either"});
    dealer.send_parts({"", "good"});
    EXPECT_EQ("good", rep_.recv());
    rep_.send("reply");
    EXPECT_EQ((parts{"", "reply"}), dealer.recv_parts());
}

TEST_F(req_rep_test, replies_without_delimiter_are_ignored)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    req_.set(ZMQ_ROUTING_ID, "asker");
    req_.connect(router.bind(unique_inproc()));
    req_.send("x");
    router.recv_parts();
    router.send_parts({"asker", "no delimiter"});
    router.send_parts({"asker", "no", "delimiter"});
    router.send_parts({"asker", "", "good"});
    EXPECT_EQ("good", req_.recv());
}

TEST_F(req_rep_test, a_reply_counts_only_from_the_peer_asked)
{
    socket one = ctx_.open(ZMQ_ROUTER), two = ctx_.open(ZMQ_ROUTER);
    req_.set(ZMQ_ROUTING_ID, "asker");
    req_.connect(one.bind(unique_inproc()));
    req_.connect(two.bind(unique_inproc()));
    req_.send("first");
    EXPECT_EQ((parts{"asker", "", "first"}), one.recv_parts());
    two.send_parts({"asker", "", "not asked"});
    one.send_parts({"asker", "", "asked"});
    EXPECT_EQ("asked", req_.recv());
    req_.send("second");
    EXPECT_EQ((parts{"asker", "", "second"}), two.recv_parts());
    one.send_parts({"asker", "", "late"});
    two.send_parts({"asker", "", "right"});
    EXPECT_EQ("right", req_.recv());
}

TEST_F(req_rep_test, relaxed_allows_a_new_request_before_the_reply)
{
    req_.set(ZMQ_REQ_RELAXED, 1);
    req_.set(ZMQ_REQ_CORRELATE, 1);
    join();
    req_.send("first");
    req_.send("second");
    EXPECT_EQ("first", rep_.recv());
    rep_.send("re first");
    EXPECT_EQ("second", rep_.recv());
    rep_.send("re second");
    EXPECT_EQ("re second", req_.recv());
    expect_error(EFSM, zmq_recv(req_, buffer_, sizeof buffer_, 0));
    req_.send("third");
    EXPECT_EQ("third", rep_.recv());
    rep_.send("re third");
    EXPECT_EQ("re third", req_.recv());
}

TEST_F(req_rep_test, correlated_requests_are_told_apart_by_a_number)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    req_.set(ZMQ_ROUTING_ID, "asker");
    req_.set(ZMQ_REQ_CORRELATE, 1);
    req_.connect(router.bind(unique_inproc()));
    req_.send("ask");
    const parts first = router.recv_parts();
    ASSERT_EQ(4u, first.size());
    EXPECT_EQ("asker", first[0]);
    EXPECT_EQ(4u, first[1].size());
    EXPECT_EQ("", first[2]);
    EXPECT_EQ("ask", first[3]);
    router.send_parts({"asker", "", "without number"});
    router.send_parts({"asker", "1234", "", "with a wrong number"});
    router.send_parts({"asker", first[1], "no delimiter"});
    router.send_parts({"asker", first[1], "", "right"});
    EXPECT_EQ("right", req_.recv());
    req_.send("again");
    const parts second = router.recv_parts();
    ASSERT_EQ(4u, second.size());
    EXPECT_NE(first[1], second[1]);
    router.send_parts({"asker", first[1], "", "stale"});
    router.send_parts({"asker", second[1], "", "fresh"});
    EXPECT_EQ("fresh", req_.recv());
}

TEST_F(req_rep_test, without_relaxed_a_lost_peer_leaves_the_request_open)
{
    const std::string endpoint = rep_.bind("tcp://127.0.0.1:*");
    monitor events(ctx_, req_, ZMQ_EVENT_DISCONNECTED);
    req_.connect(endpoint);
    req_.send("x");
    EXPECT_EQ("x", rep_.recv());
    rep_.close();
    events.await(ZMQ_EVENT_DISCONNECTED);
    req_.set(ZMQ_RCVTIMEO, 50);
    expect_error(EAGAIN, zmq_recv(req_, buffer_, sizeof buffer_, 0));
    expect_error(EFSM, zmq_send(req_, "y", 1, 0));
}

TEST_F(req_rep_test, relaxed_asks_again_after_the_peer_died)
{
    req_.set(ZMQ_REQ_RELAXED, 1);
    req_.set(ZMQ_REQ_CORRELATE, 1);
    req_.set(ZMQ_RECONNECT_IVL, 10);
    const std::string endpoint = rep_.bind("tcp://127.0.0.1:*");
    monitor events(ctx_, req_, ZMQ_EVENT_DISCONNECTED);
    req_.connect(endpoint);
    req_.send("lost");
    EXPECT_EQ("lost", rep_.recv());
    monitor closing(ctx_, rep_, ZMQ_EVENT_CLOSED);
    rep_.unbind(endpoint);
    closing.await(ZMQ_EVENT_CLOSED);
    closing.detach();
    rep_.close();
    events.await(ZMQ_EVENT_DISCONNECTED);
    rep_ = ctx_.open(ZMQ_REP);
    rep_.bind(endpoint);
    req_.send("asked again");
    EXPECT_EQ("asked again", rep_.recv());
    rep_.send("answered");
    EXPECT_EQ("answered", req_.recv());
}

// Over tcp libzmq's REQ ends the connection and does not come back.
TEST_F(req_rep_test, a_malformed_reply_costs_no_connection_in_zlink)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    monitor events(ctx_, req_, ZMQ_EVENT_DISCONNECTED);
    req_.connect(router.bind("tcp://127.0.0.1:*"));
    req_.send("question");
    const parts asked = router.recv_parts();
    ASSERT_EQ(3u, asked.size());
    router.send_parts({asked[0], "no delimiter"});
    router.send_parts({asked[0], "", "answer"});
    EXPECT_EQ("answer", req_.recv());
    EXPECT_FALSE(events.next(20));
}

// libzmq's REQ forgets the earlier request: EFSM.
TEST_F(req_rep_test, a_relaxed_request_that_could_not_be_sent_leaves_the_earlier_one_open_in_zlink)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    req_.set(ZMQ_REQ_RELAXED, 1);
    req_.set(ZMQ_SNDHWM, 1);
    router.set(ZMQ_RCVHWM, 1);
    req_.connect(router.bind(unique_inproc()));
    req_.send("first");
    const parts asked = router.recv_parts();
    int sent = 1;
    while (req_.try_send("later") == 0) ++sent;
    EXPECT_EQ(EAGAIN, zmq_errno());
    for (int i = 1; i < sent; ++i) router.recv_parts();
    router.send_parts({asked[0], "", "answer"});
    EXPECT_EQ("answer", req_.recv());
}

// libzmq's REP is readable then, and finds nothing.
TEST_F(req_rep_test, a_malformed_request_makes_nothing_readable_in_zlink)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.connect(rep_.bind(unique_inproc()));
    dealer.send("no delimiter");
    EXPECT_EQ(0, rep_.get_int(ZMQ_EVENTS) & ZMQ_POLLIN);
    expect_no_message(rep_);
    dealer.send_parts({"", "question"});
    EXPECT_TRUE(rep_.wait(ZMQ_POLLIN));
    EXPECT_EQ("question", rep_.recv());
}

TEST_F(req_rep_test, a_reply_to_a_peer_that_left_is_dropped)
{
    const std::string endpoint = rep_.bind("tcp://127.0.0.1:*");
    monitor events(ctx_, rep_, ZMQ_EVENT_DISCONNECTED);
    req_.connect(endpoint);
    req_.send("x");
    EXPECT_EQ("x", rep_.recv());
    req_.close();
    events.await(ZMQ_EVENT_DISCONNECTED);
    rep_.send_parts({"into", "the", "void"});
    req_ = ctx_.open(ZMQ_REQ);
    req_.connect(endpoint);
    req_.send("next");
    EXPECT_EQ("next", rep_.recv());
    rep_.send("reply");
    EXPECT_EQ("reply", req_.recv());
}

TEST_F(req_rep_test, a_request_of_a_peer_that_left_may_still_be_read)
{
    const std::string endpoint = rep_.bind("tcp://127.0.0.1:*");
    monitor events(ctx_, rep_, ZMQ_EVENT_DISCONNECTED);
    req_.set(ZMQ_LINGER, -1);
    req_.connect(endpoint);
    req_.send("last words");
    EXPECT_TRUE(rep_.wait(ZMQ_POLLIN));
    req_.close();
    events.await(ZMQ_EVENT_DISCONNECTED);
    EXPECT_EQ("last words", rep_.recv());
    rep_.send("too late");
}

}  // namespace
}  // namespace zlink::test
