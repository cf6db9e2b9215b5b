// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Attacks on libzmq, by the names of their CVEs. The peer is unknown, and no mechanism keeps it out.
// Those that concern the handshakes themselves are named in tests/unit/zmtp/mechanism/curve_*_test.cpp,
// what made memory grow in tests/memory/known_attacks_memory_test.cpp.
#include "support/curve_keys.hpp"
#include "zap_fixture.hpp"

#include <string>
#include <vector>

namespace zlink::test {
namespace {

class known_attacks_test : public zmq_test {
protected:
    /// A peer in the middle of traffic.
    raw_peer stranger(const std::string& endpoint, const std::string& type, zmtp_version version = zmtp_version::v3_1)
    {
        raw_peer peer = raw_peer::connect_to(endpoint);
        (void)peer.handshake(version, type);
        return peer;
    }

    /// Whatever became of the stranger, others are served.
    void expect_service(socket& pull, const std::string& endpoint)
    {
        socket push = ctx_.open(ZMQ_PUSH);
        push.connect(endpoint);
        push.send("served");
        EXPECT_EQ("served", pull.recv());
    }
};

// A length that overflows a pointer to the end of what has come.
TEST_F(known_attacks_test, cve_2019_6250_lengths_beyond_all_memory_end_the_connection)
{
    socket pull = ctx_.open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    for (const zmtp_version version : {zmtp_version::v3_1, zmtp_version::v2_0}) {
        for (const std::string& length : {std::string(8, '\xff'), "\x7f" + std::string(7, '\xff'),
                                          "\x80" + std::string(7, '\0'), std::string(7, '\xff') + '\0'}) {
            raw_peer peer = stranger(endpoint, "PUSH", version);
            (void)peer.try_send_bytes('\x02' + length + std::string(1000, 'x'));
            peer.close();
        }
    }
    expect_service(pull, endpoint);
}

// Connections that never prove their identity, and got messages that were meant for other peers.
TEST_F(known_attacks_test, cve_2020_15166_silent_connections_keep_nobody_out)
{
    std::vector<int> mechanisms{ZMQ_NULL, ZMQ_PLAIN};
    if (zmq_has("curve")) mechanisms.push_back(ZMQ_CURVE);
    zap_handler handler(ctx_);
    for (const int mechanism : mechanisms) {
        socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
        if (mechanism == ZMQ_PLAIN) {
            push.set(ZMQ_PLAIN_SERVER, 1);
            pull.set(ZMQ_PLAIN_USERNAME, "user");
            pull.set(ZMQ_PLAIN_PASSWORD, "password");
        } else if (mechanism == ZMQ_CURVE) {
            const curve_keys server, client;
            be_curve_server(push, server);
            be_curve_client(pull, client, server.open);
        }
        push.set(ZMQ_BACKLOG, 400);
        const std::string endpoint = push.bind("tcp://127.0.0.1:*");
        std::vector<raw_peer> silent;
        for (int i = 0; i < 200; ++i) silent.push_back(raw_peer::connect_to(endpoint));
        for (raw_peer& peer : silent) {
            if (mechanism != ZMQ_NULL) peer.send_bytes(zmtp3_greeting(1, mechanism == ZMQ_PLAIN ? "PLAIN" : "CURVE"));
        }
        pull.connect(endpoint);
        if (mechanism != ZMQ_NULL) (void)handler.answer("200");
        for (int i = 0; i < 1000; ++i) push.send(std::to_string(i));
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(std::to_string(i), pull.recv());
    }
}

// Frames of ZMTP 1.0 larger than the buffer of the one before.
TEST_F(known_attacks_test, cve_2021_20235_frames_of_version_1_may_grow)
{
    socket pull = ctx_.open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    raw_peer peer = stranger(endpoint, "PUSH", zmtp_version::v1_0);
    for (const std::size_t size : {1u, 253u, 254u, 255u, 8191u, 8192u, 8193u, 70'000u, 1'000'000u, 3u}) {
        const std::string body(size, char('a' + size % 26));
        peer.send_bytes(zmtp1_frame(body));
        ASSERT_EQ(body, pull.recv()) << size;
    }
}

// Subscriptions so long that walking through them exhausted the stack.
TEST_F(known_attacks_test, cve_2021_20236_long_subscriptions_are_taken_and_given_up)
{
    socket publisher = ctx_.open(ZMQ_XPUB);
    publisher.set(ZMQ_XPUB_VERBOSER, 1);
    const std::string endpoint = publisher.bind("tcp://127.0.0.1:*");
    raw_peer peer = stranger(endpoint, "SUB", zmtp_version::v3_0);
    std::vector<std::string> topics;
    for (std::size_t length = 1; length <= 600'000; length *= 3) topics.emplace_back(length, 't');
    for (const char what : {'\1', '\0'}) {
        for (const std::string& topic : topics) {
            peer.send_message({what + topic});
            ASSERT_EQ(what + topic, publisher.recv());
        }
    }
    peer.send_message({'\1' + topics.back()});
    ASSERT_EQ('\1' + topics.back(), publisher.recv());
    peer.close();
    EXPECT_EQ('\0' + topics.back(), publisher.recv());
}

}  // namespace
}  // namespace zlink::test
