// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What sockets tell of themselves: each message that was sent is received, queued or dropped, with its octets.
#include "support/raw_peer.hpp"
#include "support/zap_handler.hpp"
#include "support/zmq_fixture.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {
namespace {

zlink_stats_t stats_of(void* s)
{
    zlink_stats_t stats{};
    stats.size = sizeof stats;
    EXPECT_EQ(0, zlink_socket_stats(s, &stats)) << zmq_strerror(zmq_errno());
    return stats;
}

zlink_message_counts_t messages_of(void* s)
{
    return stats_of(s).messages;
}

std::vector<zlink_peer_stats_t> peers_of(void* s)
{
    std::vector<zlink_peer_stats_t> peers(20);
    peers[0].size = sizeof peers[0];
    std::size_t count = peers.size();
    EXPECT_EQ(0, zlink_socket_peers(s, peers.data(), &count)) << zmq_strerror(zmq_errno());
    EXPECT_LE(count, peers.size());
    peers.resize(std::min(count, peers.size()));
    return peers;
}

template <class Call>
int error_of(Call&& call)
{
    return call() == 0 ? 0 : zmq_errno();
}

// Nothing is under way: all that `from` has sent to `to` is somewhere.
bool adds_up(void* from, void* to, bool one_queue)
{
    const zlink_stats_t sender = stats_of(from), receiver = stats_of(to);
    const auto waiting = one_queue ? 0 : sender.messages.messages_queued_out;
    const auto waiting_octets = one_queue ? 0 : sender.messages.octets_queued_out;
    const auto dropped = receiver.dropped_unread + sender.dropped_unsent + sender.messages.dropped_replaced +
                         receiver.messages.dropped_replaced;
    const auto octets = receiver.messages.octets_received + receiver.messages.octets_queued_in + waiting_octets;
    return sender.messages.messages_sent ==
               receiver.messages.messages_received + receiver.messages.messages_queued_in + waiting + dropped &&
           (dropped != 0 || sender.messages.octets_sent == octets);
}

void expect_balance(void* one, void* other, bool one_queue)
{
    EXPECT_TRUE(eventually([&] { return adds_up(one, other, one_queue) && adds_up(other, one, one_queue); }))
        << "sent " << messages_of(one).messages_sent << " and " << messages_of(other).messages_sent << ", octets "
        << messages_of(one).octets_sent << " and " << messages_of(other).octets_sent << "; received "
        << messages_of(one).messages_received << " and " << messages_of(other).messages_received << ", octets "
        << messages_of(one).octets_received << " and " << messages_of(other).octets_received << "; queued in "
        << messages_of(one).messages_queued_in << " and " << messages_of(other).messages_queued_in << ", out "
        << messages_of(one).messages_queued_out << " and " << messages_of(other).messages_queued_out;
}

class statistics_test : public ::testing::TestWithParam<const char*> {
protected:
    bool is_inproc() const { return std::string(GetParam()).starts_with("inproc"); }
    std::string fresh() const { return is_inproc() ? unique_inproc() : GetParam(); }

    // Both through the handshake, and the socket's threads know of it.
    void join(socket& binder, socket& connecter)
    {
        connecter.connect(binder.bind(fresh()));
        EXPECT_TRUE(eventually([&] {
            (void)binder.get_int(ZMQ_EVENTS);
            (void)connecter.get_int(ZMQ_EVENTS);
            return stats_of(binder).peers == 1 && stats_of(connecter).peers == 1 && peers_of(binder).size() == 1 &&
                   peers_of(connecter).at(0).connected == 1;
        }));
    }

    context ctx_;
};

INSTANTIATE_TEST_SUITE_P(transports, statistics_test, ::testing::Values("inproc", "tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

// Two types that exchange messages of one frame as they are.
struct pair_of_types {
    const char* name;
    int sender;
    int receiver;
};

constexpr pair_of_types one_way[] = {
    {"PUSH", ZMQ_PUSH, ZMQ_PULL},       {"PAIR", ZMQ_PAIR, ZMQ_PAIR},          {"DEALER", ZMQ_DEALER, ZMQ_DEALER},
    {"PUB", ZMQ_PUB, ZMQ_SUB},          {"XPUB", ZMQ_XPUB, ZMQ_XSUB},          {"SCATTER", ZMQ_SCATTER, ZMQ_GATHER},
    {"CLIENT", ZMQ_CLIENT, ZMQ_SERVER}, {"CHANNEL", ZMQ_CHANNEL, ZMQ_CHANNEL}, {"RADIO", ZMQ_RADIO, ZMQ_DISH},
};

void send_one(socket& s, int type, const std::string& body)
{
    if (type != ZMQ_RADIO) {
        s.send(body);
        return;
    }
    zmq_msg_t m;
    ASSERT_EQ(0, zmq_msg_init_size(&m, body.size()));
    std::memcpy(zmq_msg_data(&m), body.data(), body.size());
    ASSERT_EQ(0, zmq_msg_set_group(&m, "group"));
    ASSERT_EQ(int(body.size()), zmq_msg_send(&m, s, 0));
}

TEST_P(statistics_test, all_that_was_sent_is_received_or_queued)
{
    for (const pair_of_types& types : one_way) {
        SCOPED_TRACE(types.name);
        socket sender = ctx_.open(types.sender), receiver = ctx_.open(types.receiver);
        if (types.receiver == ZMQ_SUB) receiver.subscribe("");
        if (types.receiver == ZMQ_DISH) {
            ASSERT_EQ(0, zmq_join(receiver, "group"));
        }
        join(sender, receiver);
        if (types.receiver == ZMQ_XSUB) receiver.send(std::string("\1", 1));
        const bool subscribes = types.receiver == ZMQ_SUB || types.receiver == ZMQ_XSUB || types.receiver == ZMQ_DISH;
        if (subscribes) {
            EXPECT_TRUE(eventually([&] {
                (void)sender.get_int(ZMQ_EVENTS);
                return messages_of(sender).messages_received >= 1 || types.sender == ZMQ_XPUB;
            }));
        }
        if (types.sender == ZMQ_XPUB) {
            EXPECT_EQ(std::string("\1", 1), sender.recv());
        }

        constexpr int messages = 40, taken = 25;
        std::uint64_t content = 0;
        for (int i = 0; i < messages; ++i) {
            const std::string body(i % 10 == 9 ? 20'000 : 10 + i, 'x');
            content += body.size();
            send_one(sender, types.sender, body);
        }
        for (int i = 0; i < taken; ++i) (void)receiver.recv();
        expect_balance(sender, receiver, is_inproc());
        EXPECT_EQ(unsigned(messages), messages_of(sender).messages_sent);
        EXPECT_LT(content, messages_of(sender).octets_sent);
        EXPECT_GT(content + messages * 20, messages_of(sender).octets_sent) << "headers";
        EXPECT_EQ(unsigned(taken), messages_of(receiver).messages_received);
        EXPECT_TRUE(eventually([&] { return messages_of(receiver).messages_queued_in == messages - taken; }));
        EXPECT_LT(0u, messages_of(receiver).octets_queued_in);
        if (is_inproc()) {
            EXPECT_EQ(unsigned(messages - taken), messages_of(sender).messages_queued_out);
        } else {
            EXPECT_TRUE(eventually([&] { return messages_of(sender).messages_queued_out == 0; }));
        }
        for (int i = taken; i < messages; ++i) (void)receiver.recv();
        expect_balance(sender, receiver, is_inproc());
        EXPECT_EQ(0u, messages_of(receiver).messages_queued_in);
        EXPECT_EQ(0u, messages_of(receiver).octets_queued_in);
        EXPECT_EQ(messages_of(sender).octets_sent, messages_of(receiver).octets_received);
    }
}

TEST_P(statistics_test, connections_take_system_calls_and_inproc_takes_none)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    join(push, pull);
    for (int i = 0; i < 10; ++i) {
        push.send("x");
        EXPECT_EQ("x", pull.recv());
    }
    if (is_inproc()) {
        EXPECT_EQ(0u, stats_of(push).system_writes);
        EXPECT_EQ(0u, stats_of(pull).system_reads);
        return;
    }
    EXPECT_LE(1u, stats_of(push).system_writes);
    EXPECT_LE(1u, stats_of(pull).system_reads);
    EXPECT_EQ(stats_of(pull).system_reads, peers_of(pull).at(0).system_reads);
    const std::uint64_t before = stats_of(pull).system_reads;
    push.close();
    EXPECT_TRUE(eventually([&] { return stats_of(pull).peers == 0; }));
    EXPECT_LE(before, stats_of(pull).system_reads) << "those of peers that have gone count";
}

TEST_P(statistics_test, a_message_that_greets_the_peer_is_sent_like_others)
{
    socket greeter = ctx_.open(ZMQ_DEALER), dealer = ctx_.open(ZMQ_DEALER);
    greeter.set(ZMQ_HELLO_MSG, std::string(300, 'h'));
    dealer.connect(greeter.bind(fresh()));
    EXPECT_EQ(std::string(300, 'h'), dealer.recv());
    greeter.send("x");
    EXPECT_EQ("x", dealer.recv());
    expect_balance(greeter, dealer, is_inproc());
    EXPECT_EQ(2u, messages_of(greeter).messages_sent);
}

TEST_P(statistics_test, questions_and_answers_count_on_both_sides)
{
    socket req = ctx_.open(ZMQ_REQ), rep = ctx_.open(ZMQ_REP);
    join(rep, req);
    for (int i = 0; i < 10; ++i) {
        req.send_parts({"question", "in two parts"});
        EXPECT_EQ((parts{"question", "in two parts"}), rep.recv_parts());
        rep.send("answer");
        EXPECT_EQ("answer", req.recv());
    }
    EXPECT_EQ(10u, messages_of(req).messages_sent);
    EXPECT_EQ(10u, messages_of(req).messages_received);
    expect_balance(req, rep, is_inproc());
}

TEST_P(statistics_test, a_router_tells_of_each_of_its_peers)
{
    socket router = ctx_.open(ZMQ_ROUTER), dealer = ctx_.open(ZMQ_DEALER);
    dealer.set(ZMQ_ROUTING_ID, "one");
    join(router, dealer);
    dealer.send("hello");
    EXPECT_EQ((parts{"one", "hello"}), router.recv_parts());
    router.send_parts({"one", "a", "b"});
    EXPECT_EQ((parts{"a", "b"}), dealer.recv_parts());

    const auto peers = peers_of(router);
    ASSERT_EQ(1u, peers.size());
    const zlink_peer_stats_t& peer = peers[0];
    EXPECT_EQ("one", std::string(reinterpret_cast<const char*>(peer.routing_id), peer.routing_id_size));
    EXPECT_EQ(router.last_endpoint(), peer.endpoint);
    EXPECT_STREQ(is_inproc() ? "" : "NULL", peer.mechanism);
    EXPECT_EQ(1, peer.connected);
    EXPECT_EQ(1u, peer.messages.messages_sent);
    EXPECT_EQ(1u, peer.messages.messages_received);
    EXPECT_EQ(7u, peer.messages.octets_received) << "and two octets of its header";
    if (router.last_endpoint().starts_with("tcp")) {
        EXPECT_EQ(0, std::strncmp("tcp://127.0.0.1:", peer.address, 16));
    }
    EXPECT_EQ(dealer.last_endpoint(), peers_of(dealer).at(0).endpoint);

    dealer.close();
    EXPECT_TRUE(eventually([&] {
        (void)router.get_int(ZMQ_EVENTS);
        return stats_of(router).peers == 0 && peers_of(router).empty();
    }));
    const zlink_stats_t after = stats_of(router);
    EXPECT_EQ(1u, after.connects);
    EXPECT_EQ(1u, after.disconnects);
    EXPECT_EQ(1u, after.messages.messages_sent) << "of peers that have gone, too";
    EXPECT_EQ(1u, after.messages.messages_received);
}

TEST_P(statistics_test, messages_that_a_socket_did_not_read_are_counted_when_the_peer_is_let_go)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    const std::string endpoint = push.bind(fresh());
    pull.connect(endpoint);
    for (int i = 0; i < 10; ++i) push.send("x");
    EXPECT_EQ("x", pull.recv());
    EXPECT_TRUE(eventually([&] { return messages_of(pull).messages_queued_in == 9; }));
    pull.disconnect(endpoint);
    const zlink_stats_t stats = stats_of(pull);
    EXPECT_EQ(9u, stats.dropped_unread);
    EXPECT_EQ(0u, stats.messages.messages_queued_in);
    EXPECT_TRUE(eventually([&] { return adds_up(push, pull, is_inproc()); }));
}

TEST_P(statistics_test, a_reply_without_an_envelope_is_unwanted)
{
    socket rep = ctx_.open(ZMQ_REP), dealer = ctx_.open(ZMQ_DEALER);
    join(rep, dealer);
    dealer.send("no delimiter");
    dealer.send_parts({"", "question"});
    EXPECT_EQ("question", rep.recv());
    EXPECT_EQ(1u, messages_of(rep).dropped_unwanted);
    EXPECT_EQ(2u, messages_of(rep).messages_received);
    expect_balance(dealer, rep, is_inproc());
}

TEST_P(statistics_test, a_conflating_socket_counts_what_was_replaced)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.set(ZMQ_CONFLATE, 1);
    pull.set(ZMQ_CONFLATE, 1);
    join(pull, push);
    for (int i = 0; i < 100; ++i) push.send(std::to_string(i));
    EXPECT_TRUE(eventually([&] { return pull.recv() == "99"; }));
    const std::uint64_t replaced = messages_of(push).dropped_replaced;
    EXPECT_EQ(100u, messages_of(push).messages_sent);
    if (is_inproc()) {
        EXPECT_EQ(99u, replaced);
        EXPECT_EQ(0u, messages_of(push).messages_queued_out);
        EXPECT_EQ(0u, messages_of(push).octets_queued_out);
        EXPECT_EQ(1u, messages_of(pull).messages_received);
    }
}

// The marks of both sides, and what the system holds in between, are full.
TEST_P(statistics_test, what_a_reader_that_does_not_read_leaves_is_queued_on_both_sides)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.set(ZMQ_SNDBUF, 4096);
    pull.set(ZMQ_RCVBUF, 4096);
    push.set(ZMQ_SNDHWM, 100);
    pull.set(ZMQ_RCVHWM, 100);
    join(pull, push);
    const std::string body(700, 'x');
    unsigned sent = 0;
    push.set(ZMQ_SNDTIMEO, 100);
    while (zmq_send(push, body.data(), body.size(), 0) != -1) ++sent;
    EXPECT_LT(100u, sent);
    const zlink_message_counts_t sender = messages_of(push), receiver = messages_of(pull);
    EXPECT_EQ(sent, sender.messages_sent);
    EXPECT_LT(0u, sender.messages_queued_out);
    EXPECT_LT(0u, receiver.messages_queued_in);
    for (unsigned i = 0; i < sent; ++i) EXPECT_EQ(body, pull.recv());
    expect_balance(push, pull, is_inproc());
    EXPECT_EQ(sent, messages_of(pull).messages_received);
}

class drops_test : public zmq_test {};

TEST_F(drops_test, publishers_tell_peers_that_are_not_there_from_topics_that_nobody_wants)
{
    socket pub = ctx_.open(ZMQ_PUB), sub = ctx_.open(ZMQ_SUB);
    pub.send("to nobody");
    EXPECT_EQ(1u, stats_of(pub).dropped_no_peer);
    sub.subscribe("a");
    sub.connect(pub.bind(unique_inproc()));
    pub.send("b");
    pub.send("a");
    pub.send("b");
    EXPECT_EQ("a", sub.recv());
    const zlink_stats_t stats = stats_of(pub);
    EXPECT_EQ(1u, stats.dropped_no_peer);
    EXPECT_EQ(2u, stats.dropped_no_match);
    EXPECT_EQ(1u, stats.messages.messages_sent);
}

TEST_F(drops_test, a_publisher_counts_what_a_full_subscriber_does_not_get)
{
    socket pub = ctx_.open(ZMQ_PUB), slow = ctx_.open(ZMQ_SUB), fast = ctx_.open(ZMQ_SUB);
    pub.set(ZMQ_SNDHWM, 5);
    slow.set(ZMQ_RCVHWM, 5);
    fast.set(ZMQ_RCVHWM, 0);
    slow.subscribe("");
    fast.subscribe("");
    const std::string endpoint = pub.bind(unique_inproc());
    slow.connect(endpoint);
    fast.connect(endpoint);
    for (int i = 0; i < 100; ++i) pub.send("x");
    const zlink_message_counts_t counts = messages_of(pub);
    EXPECT_EQ(200u, counts.messages_sent + counts.dropped_full);
    EXPECT_EQ(90u, counts.dropped_full);
    EXPECT_EQ(90u, peers_of(pub).at(0).messages.dropped_full + peers_of(pub).at(1).messages.dropped_full);
    EXPECT_EQ(10u, messages_of(slow).messages_queued_in);
    EXPECT_EQ(100u, messages_of(fast).messages_queued_in);
}

TEST_F(drops_test, a_router_counts_what_it_cannot_route)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    router.send_parts({"nobody", "x"});
    router.send_parts({"nobody", "y", "z"});
    EXPECT_EQ(2u, stats_of(router).dropped_unroutable);
}

TEST_F(drops_test, sends_that_have_to_wait_are_counted)
{
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_SNDTIMEO, 1);
    EXPECT_EQ(0u, stats_of(push).send_waits);
    EXPECT_EQ(-1, zmq_send(push, "x", 1, 0));
    EXPECT_EQ(-1, zmq_send(push, "x", 1, ZMQ_DONTWAIT));
    EXPECT_EQ(1u, stats_of(push).send_waits);
}

TEST_F(drops_test, sends_of_a_shared_socket_that_have_to_wait_are_counted)
{
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZLINK_SHARED, 1);
    push.set(ZMQ_SNDTIMEO, 1);
    EXPECT_EQ(-1, zmq_send(push, "x", 1, 0));
    EXPECT_EQ(-1, zmq_send(push, "x", 1, ZMQ_DONTWAIT));
    EXPECT_EQ(1u, stats_of(push).send_waits);
}

TEST_F(drops_test, messages_to_a_peer_that_never_came_are_unsent)
{
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 1);
    const std::string endpoint = "ipc://@zlink-nobody-" + std::to_string(getpid());
    push.connect(endpoint);
    for (int i = 0; i < 3; ++i) push.send("xyz");
    EXPECT_EQ(3u, messages_of(push).messages_queued_out);
    EXPECT_EQ(15u, messages_of(push).octets_queued_out);
    EXPECT_EQ(0, peers_of(push).at(0).connected);
    EXPECT_TRUE(eventually([&] { return stats_of(push).failed_connects > 1; }));
    EXPECT_STREQ("Connection refused", stats_of(push).last_error);
    EXPECT_EQ(0u, stats_of(push).peers);
    push.disconnect(endpoint);
    EXPECT_TRUE(eventually([&] { return stats_of(push).dropped_unsent == 3; }));
    EXPECT_EQ(0u, messages_of(push).messages_queued_out);
}

class connections_test : public zmq_test {};

TEST_F(connections_test, a_peer_that_comes_again_is_a_reconnect)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 1);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    push.connect(endpoint);
    push.send("first");
    EXPECT_EQ("first", pull.recv());
    pull.close();
    EXPECT_TRUE(eventually([&] { return stats_of(push).disconnects == 1; }));
    pull = ctx_.open(ZMQ_PULL);
    pull.bind(endpoint);
    push.send("second");
    EXPECT_EQ("second", pull.recv());
    const zlink_stats_t stats = stats_of(push);
    EXPECT_EQ(2u, stats.connects);
    EXPECT_EQ(1u, stats.reconnects);
    EXPECT_EQ(1u, stats.peers);
    EXPECT_EQ(1u, peers_of(push).size());
}

TEST_F(connections_test, a_peer_that_does_not_speak_zmtp_is_a_failed_handshake)
{
    socket pull = ctx_.open(ZMQ_PULL);
    pull.set(ZMQ_OLDEST_ZMTP, 3);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    raw_peer stranger = raw_peer::connect_to(endpoint);
    stranger.send_bytes(std::string(64, 'x'));
    EXPECT_TRUE(eventually([&] { return stats_of(pull).failed_handshakes == 1; }));
    const zlink_stats_t stats = stats_of(pull);
    EXPECT_EQ(0u, stats.connects);
    EXPECT_STRNE("", stats.last_error);
}

TEST_F(connections_test, other_mechanisms_are_protocol_errors)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_PLAIN_USERNAME, "me");
    push.set(ZMQ_PLAIN_PASSWORD, "secret");
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    EXPECT_TRUE(eventually([&] { return stats_of(pull).protocol_errors >= 1; }));
    EXPECT_STREQ("security mechanisms differ", stats_of(pull).last_error);
    EXPECT_LE(1u, stats_of(pull).failed_handshakes);
    EXPECT_EQ(0u, stats_of(pull).peers);
}

TEST_F(connections_test, a_peer_that_does_not_answer_heartbeats_is_silent)
{
    socket pull = ctx_.open(ZMQ_PULL);
    pull.set(ZMQ_HEARTBEAT_IVL, 10);
    pull.set(ZMQ_HEARTBEAT_TIMEOUT, 20);
    raw_peer peer = raw_peer::connect_to(pull.bind("tcp://127.0.0.1:*"));
    peer.handshake(zmtp_version::v3_1, "PUSH");
    EXPECT_TRUE(eventually([&] { return stats_of(pull).silences == 1; }));
    EXPECT_EQ(1u, stats_of(pull).connects);
    EXPECT_EQ(1u, stats_of(pull).disconnects);
}

TEST_F(connections_test, an_endpoint_tells_why_its_own_connection_failed)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    temp_directory directory;
    push.connect("ipc://" + directory.file("nobody"));
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    const auto peer_of = [&](std::string_view scheme) {
        for (const zlink_peer_stats_t& peer : peers_of(push)) {
            if (std::string_view(peer.endpoint).starts_with(scheme)) return peer;
        }
        return zlink_peer_stats_t{};
    };
    EXPECT_TRUE(eventually([&] {
        (void)push.get_int(ZMQ_EVENTS);
        return peer_of("ipc:").last_error[0] != '\0' && peer_of("tcp:").connected == 1;
    }));
    EXPECT_STREQ(std::strerror(ENOENT), peer_of("ipc:").last_error);
    EXPECT_EQ(0, peer_of("ipc:").connected);
    EXPECT_STREQ("", peer_of("tcp:").last_error);
    EXPECT_STREQ(std::strerror(ENOENT), stats_of(push).last_error);
}

TEST_F(connections_test, heartbeats_measure_the_round_trip)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH), other = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_HEARTBEAT_IVL, 10);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    push.connect(endpoint);
    other.connect(endpoint);
    EXPECT_TRUE(eventually([&] { return peers_of(push).at(0).round_trip_us != 0; }));
    EXPECT_GT(10'000'000u, peers_of(push).at(0).round_trip_us);
    EXPECT_EQ(0u, peers_of(other).at(0).round_trip_us) << "it sends none";
}

TEST_F(connections_test, an_authenticated_peer_has_a_user_and_a_mechanism_and_a_refused_one_is_counted)
{
    zap_handler handler(ctx_);
    socket router = ctx_.open(ZMQ_ROUTER), dealer = ctx_.open(ZMQ_DEALER);
    router.set(ZMQ_PLAIN_SERVER, 1);
    dealer.set(ZMQ_RECONNECT_IVL, 1);
    dealer.set(ZMQ_PLAIN_USERNAME, "joe");
    dealer.set(ZMQ_PLAIN_PASSWORD, "secret");
    dealer.connect(router.bind("tcp://127.0.0.1:*"));
    (void)handler.answer(zap_reply("300"));  // for the moment: the client tries again
    EXPECT_TRUE(eventually([&] { return stats_of(router).refused == 1; }));
    EXPECT_STREQ("authentication refused", stats_of(router).last_error);
    (void)handler.answer(zap_reply("200", "the user"));
    dealer.send("x");
    EXPECT_EQ(2u, router.recv_parts().size());
    const auto peers = peers_of(router);
    ASSERT_EQ(1u, peers.size());
    EXPECT_STREQ("the user", peers[0].user_id);
    EXPECT_STREQ("PLAIN", peers[0].mechanism);
}

class asking_test : public zmq_test {};

TEST_F(asking_test, a_context_tells_of_its_sockets_in_the_order_of_creation)
{
    socket one = ctx_.open(ZMQ_PUB), two = ctx_.open(ZMQ_ROUTER), three = ctx_.open(ZMQ_PULL);
    two.set(ZLINK_NAME, "the second");
    EXPECT_EQ("the second", two.get_string(ZLINK_NAME));
    EXPECT_EQ("", one.get_string(ZLINK_NAME));
    std::vector<zlink_stats_t> stats(5);
    stats[0].size = sizeof stats[0];
    std::size_t count = stats.size();
    ASSERT_EQ(0, zlink_context_stats(ctx_, stats.data(), &count));
    ASSERT_EQ(3u, count);
    EXPECT_EQ(ZMQ_PUB, stats[0].type);
    EXPECT_EQ(ZMQ_ROUTER, stats[1].type);
    EXPECT_EQ(ZMQ_PULL, stats[2].type);
    EXPECT_STREQ("the second", stats[1].name);
    EXPECT_LT(stats[0].number, stats[1].number);
    EXPECT_LT(stats[1].number, stats[2].number);
    EXPECT_EQ(stats_of(three).number, stats[2].number);
    EXPECT_EQ(sizeof stats[0], stats[2].size);

    count = 1;
    stats[1].number = 0;
    ASSERT_EQ(0, zlink_context_stats(ctx_, stats.data(), &count));
    EXPECT_EQ(3u, count) << "there is room for fewer";
    EXPECT_EQ(0u, stats[1].number);
    count = 0;
    ASSERT_EQ(0, zlink_context_stats(ctx_, nullptr, &count));
    EXPECT_EQ(3u, count);
    two.close();
    count = 0;
    ASSERT_EQ(0, zlink_context_stats(ctx_, nullptr, &count));
    EXPECT_EQ(2u, count);
    context other;
    count = 7;
    ASSERT_EQ(0, zlink_context_stats(other, stats.data(), &count));
    EXPECT_EQ(0u, count);
}

TEST_F(asking_test, a_name_has_63_octets_at_most)
{
    socket s = ctx_.open(ZMQ_PULL);
    s.set(ZLINK_NAME, std::string(63, 'n'));
    EXPECT_EQ(std::string(63, 'n'), stats_of(s).name);
    EXPECT_EQ(EINVAL, error_of([&] { return zmq_setsockopt(s, ZLINK_NAME, std::string(64, 'n').data(), 64); }));
    EXPECT_EQ(std::string(63, 'n'), stats_of(s).name);
    s.set(ZLINK_NAME, "");
    EXPECT_STREQ("", stats_of(s).name);
}

TEST_F(asking_test, no_handle_but_that_of_a_live_socket_is_one)
{
    zlink_stats_t stats{};
    stats.size = sizeof stats;
    std::size_t count = 0;
    int octets[64] = {};
    socket s = ctx_.open(ZMQ_PULL);
    void* const closed = s;
    s.close();
    for (void* const none : {static_cast<void*>(nullptr), closed, static_cast<void*>(octets), static_cast<void*>(ctx_),
                             reinterpret_cast<void*>(8)}) {
        EXPECT_EQ(ENOTSOCK, error_of([&] { return zlink_socket_stats(none, &stats); }));
        EXPECT_EQ(ENOTSOCK, error_of([&] { return zlink_socket_peers(none, nullptr, &count); }));
    }
    EXPECT_EQ(EFAULT, error_of([&] { return zlink_context_stats(nullptr, nullptr, &count); }));
}

TEST_F(asking_test, wrong_arguments)
{
    socket s = ctx_.open(ZMQ_PULL);
    zlink_stats_t stats{};
    zlink_peer_stats_t peer{};
    std::size_t count = 1;
    EXPECT_EQ(EFAULT, error_of([&] { return zlink_socket_stats(s, nullptr); }));
    EXPECT_EQ(EINVAL, error_of([&] { return zlink_socket_stats(s, &stats); }));
    stats.size = sizeof stats - 1;
    EXPECT_EQ(EINVAL, error_of([&] { return zlink_socket_stats(s, &stats); }));
    EXPECT_EQ(EFAULT, error_of([&] { return zlink_socket_peers(s, &peer, nullptr); }));
    EXPECT_EQ(EFAULT, error_of([&] { return zlink_socket_peers(s, nullptr, &count); }));
    EXPECT_EQ(EINVAL, error_of([&] { return zlink_socket_peers(s, &peer, &count); }));
    EXPECT_EQ(EFAULT, error_of([&] { return zlink_context_stats(ctx_, &stats, nullptr); }));
    EXPECT_EQ(EFAULT, error_of([&] { return zlink_context_stats(ctx_, nullptr, &count); }));
    EXPECT_EQ(EINVAL, error_of([&] { return zlink_context_stats(ctx_, &stats, &count); }));
    EXPECT_EQ(1u, count);
}

TEST_F(asking_test, a_program_may_know_a_larger_structure)
{
    struct later {
        zlink_stats_t known;
        std::uint64_t unknown[3];
    } both[2];
    std::memset(both, 0xff, sizeof both);
    both[0].known.size = sizeof both[0];
    socket one = ctx_.open(ZMQ_PULL), two = ctx_.open(ZMQ_PUSH);
    std::size_t count = 2;
    ASSERT_EQ(0, zlink_context_stats(ctx_, &both[0].known, &count));
    for (const later& each : both) {
        EXPECT_EQ(sizeof(zlink_stats_t), each.known.size);
        EXPECT_EQ(0u, each.unknown[0]);
        EXPECT_EQ(0u, each.unknown[2]);
    }
    EXPECT_EQ(ZMQ_PUSH, both[1].known.type);
}

TEST_F(asking_test, other_threads_ask_while_the_socket_waits)
{
    socket push = ctx_.open(ZMQ_PUSH);
    const std::string endpoint = push.bind("tcp://127.0.0.1:*");
    std::atomic<void*> handle{nullptr};
    std::thread receiver([&] {
        socket pull = ctx_.open(ZMQ_PULL);
        pull.connect(endpoint);
        handle = pull;
        while (pull.recv() != "end") {
        }
        handle = nullptr;
    });
    ASSERT_TRUE(eventually([&] { return handle != nullptr; }));
    void* const pull = handle;
    for (unsigned i = 1; i <= 10; ++i) {
        push.send("x");
        EXPECT_TRUE(eventually([&] { return messages_of(pull).messages_received == i; }));
    }
    EXPECT_EQ(10u, messages_of(push).messages_sent);
    push.send("end");
    receiver.join();
    zlink_stats_t stats{};
    stats.size = sizeof stats;
    EXPECT_EQ(ENOTSOCK, error_of([&] { return zlink_socket_stats(pull, &stats); }));
}

}  // namespace
}  // namespace zlink::test
