// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Conversations with several messages in flight. The library may have what is sent wait for what follows, and may read
// on the thread that waits. A program sees no more of that than that it is quick.
#include "load_fixture.hpp"

#include <algorithm>

namespace zlink::test {
namespace {

using load_test = load_fixture;

// --- a thread that sends and then does other things
// ---------------------------------------------------------------------

TEST_P(load_test, what_is_sent_with_input_unread_arrives_though_the_thread_computes)
{
    joined j = join(ZMQ_PAIR, ZMQ_PAIR);
    for (int i = 0; i < 20; ++i) {
        j.far.send("one");
        j.far.send("two");
        ASSERT_EQ(parts{"one"}, take(j.near, how()));
        ASSERT_TRUE(has_unread(j.near));
        std::atomic<bool> arrived{false};
        std::jthread peer([&] {
            ASSERT_EQ((parts{"head", "answer"}), take(j.far, how()));
            arrived = true;
        });
        j.near.send_parts({"head", "answer"});
        ASSERT_TRUE(compute_until(arrived)) << i;
        ASSERT_EQ(parts{"two"}, take(j.near, how()));
    }
}

TEST_P(load_test, a_router_that_answers_one_and_computes_has_answered)
{
    joined j = join(ZMQ_ROUTER, ZMQ_DEALER);
    socket other = ctx_.open(ZMQ_DEALER);
    other.connect(j.near.last_endpoint());
    for (int i = 0; i < 20; ++i) {
        j.far.send("from far");
        parts request = take(j.near, how());
        ASSERT_EQ(2U, request.size());
        other.send("from another");
        ASSERT_TRUE(has_unread(j.near));
        std::atomic<bool> arrived{false};
        std::jthread peer([&] {
            ASSERT_EQ(parts{"from far"}, take(j.far, how()));
            arrived = true;
        });
        j.near.send_parts(request);
        ASSERT_TRUE(compute_until(arrived)) << i;
        ASSERT_EQ("from another", take(j.near, how()).back());
    }
}

TEST_P(load_test, a_reply_arrives_though_another_request_waits_and_the_thread_computes)
{
    joined j = join(ZMQ_REP, ZMQ_REQ);
    socket other = ctx_.open(ZMQ_REQ);
    other.connect(j.near.last_endpoint());
    for (int i = 0; i < 20; ++i) {
        j.far.send("first");
        ASSERT_EQ(parts{"first"}, take(j.near, how()));
        other.send("second");
        std::this_thread::sleep_for(
            std::chrono::microseconds(100 * (i % 3)));  // the second comes before or after the reply
        std::atomic<bool> arrived{false};
        std::jthread peer([&] {
            ASSERT_EQ(parts{"reply"}, take(j.far, how()));
            arrived = true;
        });
        j.near.send("reply");
        ASSERT_TRUE(compute_until(arrived)) << i;
        ASSERT_EQ(parts{"second"}, take(j.near, how()));
        j.near.send("reply");
        ASSERT_EQ(parts{"reply"}, take(other, how()));
    }
}

// Rounds of several messages and a wait, again and again; then one with no wait.
TEST_P(load_test, what_is_sent_after_many_rounds_arrives_though_the_thread_computes)
{
    constexpr int rounds = 300, batch = 6;
    joined j = join(ZMQ_PAIR, ZMQ_PAIR);
    for (int again = 0; again < 5; ++again) {
        std::atomic<bool> arrived{false};
        std::jthread peer([&] {
            for (int i = 0; i < rounds * batch; ++i) {
                const parts message = take(j.far, how());
                ASSERT_EQ(parts{std::to_string(i)}, message);
                j.far.send_parts(message);
            }
            ASSERT_EQ(parts{"and now"}, take(j.far, how()));
            ASSERT_EQ(parts{"something else"}, take(j.far, how()));
            arrived = true;
        });
        for (int round = 0; round < rounds; ++round) {
            for (int i = 0; i < batch; ++i) j.near.send(std::to_string(round * batch + i));
            for (int i = 0; i < batch; ++i) ASSERT_EQ(parts{std::to_string(round * batch + i)}, take(j.near, how()));
        }
        j.near.send("and now");
        j.near.send("something else");
        ASSERT_TRUE(compute_until(arrived)) << again;
    }
}

// The same with pauses between the rounds, in which the I/O thread finds nothing to take over, and goes on looking for
// a while.
TEST_P(load_test, what_is_sent_between_rounds_with_pauses_arrives_though_the_thread_computes)
{
    constexpr int rounds = 20, batch = 6;
    joined j = join(ZMQ_PAIR, ZMQ_PAIR);
    for (int again = 0; again < 10; ++again) {
        std::atomic<bool> arrived{false};
        std::jthread peer([&] {
            for (int i = 0; i < rounds * batch; ++i) j.far.send_parts(take(j.far, how()));
            ASSERT_EQ(parts{"and now"}, take(j.far, how()));
            arrived = true;
            ASSERT_EQ(parts{"something else"}, take(j.far, how()));
        });
        for (int round = 0; round < rounds; ++round) {
            for (int i = 0; i < batch; ++i) j.near.send(std::to_string(round * batch + i));
            for (int i = 0; i < batch; ++i) ASSERT_EQ(parts{std::to_string(round * batch + i)}, take(j.near, how()));
            std::this_thread::sleep_for(std::chrono::microseconds(200 * (round % 10)));  // the pause of the test
        }
        j.near.send("and now");
        ASSERT_TRUE(compute_until(arrived)) << again;
        j.near.send("something else");
    }
}

// A thread that has read its connections itself, and now does not, is no silent peer.
TEST_P(load_test, pings_are_answered_while_a_thread_that_conversed_computes)
{
    socket near = ctx_.open(ZMQ_DEALER);
    const std::string where = near.bind("tcp://127.0.0.1:*");
    std::vector<raw_peer> peers;
    for (int i = 0; i < 3; ++i) peers.push_back(raw_peer::connect_to(where));
    for (raw_peer& peer : peers) peer.handshake(zmtp_version::v3_1, "DEALER");
    for (int again = 0; again < 5; ++again) {
        std::atomic<bool> answered{false};
        std::jthread other([&] {
            for (int i = 0; i < 300; ++i) {
                for (raw_peer& peer : peers) peer.send_message({"hello"});
                for (raw_peer& peer : peers) ASSERT_EQ(parts{"hello"}, peer.read_message());
            }
            for (raw_peer& peer : peers) peer.send_command("PING", big_endian(0, 2) + "context");
            for (raw_peer& peer : peers) {
                const raw_frame pong = peer.read_frame();
                ASSERT_EQ("PONG", pong.name());
                ASSERT_EQ("context", pong.data());
            }
            answered = true;
        });
        for (int i = 0; i < 300; ++i) {
            for (std::size_t n = 0; n < peers.size(); ++n) ASSERT_EQ(parts{"hello"}, take(near, how()));
            for (std::size_t n = 0; n < peers.size(); ++n) near.send("hello");
        }
        ASSERT_TRUE(compute_until(answered)) << again;
    }
}

// --- conversations
// ------------------------------------------------------------------------------------------------------

parts message_of(int peer, int number)
{
    parts message{std::to_string(peer) + ":" + std::to_string(number)};
    if (number % 7 == 3) message.insert(message.end(), {"", std::string(std::size_t(number % 300), 'p')});
    if (number % 97 == 50) message.emplace_back(20000, 'l');
    return message;
}

void echo(socket& router, int count, way how)
{
    for (int i = 0; i < count; ++i) {
        const parts message = take(router, how);
        ASSERT_LE(2U, message.size());
        ASSERT_TRUE(router.send_parts(message));
    }
}

TEST_P(load_test, conversations_lose_and_reorder_nothing)
{
    for (const int peers : {1, 3, 16, 70}) {
        for (const int in_flight : {1, 8, 100}) {
            SCOPED_TRACE(std::to_string(peers) + " peers, " + std::to_string(in_flight) + " in flight");
            const int each = std::max(in_flight + 10, 600 / peers);
            socket router = ctx_.open(ZMQ_ROUTER);
            router.set(ZMQ_ROUTER_MANDATORY, 1);
            router.set(ZMQ_SNDHWM, 0);
            const std::string where = router.bind(endpoint());
            std::vector<socket> dealers;
            for (int i = 0; i < peers; ++i) dealers.push_back(ctx_.open(ZMQ_DEALER));
            for (socket& dealer : dealers) dealer.connect(where);
            std::jthread server([&] { echo(router, peers * each, how()); });
            std::vector<int> sent(std::size_t(peers), 0), got(std::size_t(peers), 0);
            const auto send = [&](int peer) {
                const auto p = std::size_t(peer);
                if (sent[p] != each) {
                    ASSERT_TRUE(dealers[p].send_parts(message_of(peer, sent[p]++)));
                }
            };
            for (int i = 0; i < in_flight; ++i) {
                for (int peer = 0; peer < peers; ++peer) send(peer);
            }
            std::vector<zmq_pollitem_t> items;
            for (socket& dealer : dealers) items.push_back({dealer, 0, ZMQ_POLLIN, 0});
            for (int left = peers * each; left > 0;) {
                if (how() == way::poll) {
                    ASSERT_LT(0, zmq_poll(items.data(), peers, patience_ms)) << left;
                }
                for (int peer = 0; peer < peers; ++peer) {
                    const auto p = std::size_t(peer);
                    if (got[p] == each || (how() == way::poll && !items[p].revents)) continue;
                    ASSERT_EQ(message_of(peer, got[p]), take(dealers[p], how() == way::poll ? way::blocking : how()));
                    ++got[p];
                    --left;
                    send(peer);
                }
            }
            for (socket& dealer : dealers) expect_no_message(dealer);
        }
    }
}

// --- high-water marks
// ---------------------------------------------------------------------------------------------------

TEST_P(load_test, a_full_queue_empties_though_nothing_is_received)
{
    for (const int hwm : {1, 2, 3, 4, 10, 100}) {
        SCOPED_TRACE("high-water mark " + std::to_string(hwm));
        socket near = ctx_.open(ZMQ_PAIR), far = ctx_.open(ZMQ_PAIR);
        near.set(ZMQ_SNDHWM, hwm);
        far.set(ZMQ_RCVHWM, 0);
        far.connect(near.bind(endpoint()));
        far.send("one");
        far.send("never received");
        ASSERT_EQ(parts{"one"}, take(near, how()));
        ASSERT_TRUE(has_unread(near));
        constexpr int count = 600;
        int waits = 0;
        for (int i = 0; i < count;) {
            if (how() == way::blocking) {
                ASSERT_TRUE(near.send(std::to_string(i)));
            } else if (const int error = near.try_send(std::to_string(i)); error != 0) {
                ASSERT_EQ(EAGAIN, error);
                ASSERT_GT(200 * count, ++waits);
                if (how() == way::poll) {
                    ASSERT_TRUE(near.wait(ZMQ_POLLOUT)) << i;
                }
                if (how() == way::dontwait) {
                    ASSERT_TRUE(eventually([&] { return near.writable(); })) << i;
                }
                continue;
            }
            ++i;
        }
        for (int i = 0; i < count; ++i) ASSERT_EQ(std::to_string(i), far.recv());
    }
}

// Of several peers one that is full is written to again once its messages have gone, whichever thread sent them.
TEST_P(load_test, a_peer_that_was_full_gets_messages_again)
{
    constexpr int hwm = 2, peers = 3, rounds = 40;
    socket near = ctx_.open(ZMQ_DEALER);
    near.set(ZMQ_SNDHWM, hwm);
    const std::string where = near.bind(endpoint());
    std::vector<socket> far;
    for (int i = 0; i < peers; ++i) far.push_back(ctx_.open(ZMQ_DEALER));
    for (socket& s : far) s.connect(where);
    for (socket& s : far) s.send("here");
    for (int i = 0; i < peers; ++i) ASSERT_EQ(parts{"here"}, take(near, how()));
    const auto receive = [&](int count, const std::string& expected) {
        const auto take_one = [&] {
            for (socket& s : far) {
                if (!s.readable()) continue;
                EXPECT_EQ(expected, s.recv());
                return true;
            }
            return false;
        };
        while (count-- > 0) ASSERT_TRUE(eventually(take_one)) << count;
    };
    for (int round = 0; round < rounds; ++round) {
        for (socket& s : far) s.send("unread");
        ASSERT_EQ(parts{"unread"}, take(near, how()));
        int sent = 0;
        while (sent < 3 * hwm * peers && near.try_send("m") == 0) ++sent;
        EXPECT_LE(hwm, sent);
        for (int i = 1; i < peers; ++i) ASSERT_EQ(parts{"unread"}, take(near, how()));
        expect_no_message(near);
        receive(sent, "m");
        int turns = 0;
        for (socket& s : far) {
            ASSERT_TRUE(eventually([&] {
                turns += near.try_send("turn") == 0;
                return s.readable();
            })) << round;
        }
        receive(turns, "turn");
    }
}

INSTANTIATE_TEST_SUITE_P(load, load_test, all_load_cases(), load_case);

}  // namespace
}  // namespace zlink::test
