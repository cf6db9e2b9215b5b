// What has been used against libzmq, by the names of its CVEs: from a stranger's peer, without a mechanism that would keep him out.
// Those that concern the handshakes themselves are named in tests/unit/zmtp/mechanism/curve_*_test.cpp.
#include "zap_fixture.hpp"

#include <string>
#include <vector>

namespace zlink::test {
namespace {

class KnownAttacks : public zmq_test {
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
TEST_F(KnownAttacks, Cve2019_6250_LengthsBeyondAllMemoryEndTheConnection)
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

// Connections without a handshake that kept others waiting.
TEST_F(KnownAttacks, Cve2020_15166_SilentConnectionsKeepNobodyOut)
{
    socket pull = ctx_.open(ZMQ_PULL);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    std::vector<raw_peer> silent;
    for (int i = 0; i < 200; ++i) silent.push_back(raw_peer::connect_to(endpoint));
    expect_service(pull, endpoint);
}

// A server whose messages never end, again and again: what has come of them goes with the connection.
TEST_F(KnownAttacks, Cve2021_20234_MessagesWithoutAnEndAreForgottenWithTheirConnection)
{
    raw_listener listener;
    socket pull = ctx_.open(ZMQ_PULL);
    pull.set(ZMQ_RECONNECT_IVL, 1);
    pull.connect(listener.endpoint());
    for (int i = 0; i < 20; ++i) {
        raw_peer server = listener.accept();
        (void)server.handshake(zmtp_version::v3_1, "PUSH");
        for (int part = 0; part < 100; ++part) server.send_bytes(zmtp_frame(std::string(1000, 'x'), more_bit));
    }
    raw_peer server = listener.accept();
    (void)server.handshake(zmtp_version::v3_1, "PUSH");
    server.send_message({"whole"});
    EXPECT_EQ("whole", pull.recv());
    EXPECT_EQ(0, pull.get_int(ZMQ_RCVMORE));
}

// Frames of ZMTP 1.0 larger than the buffer of the one before.
TEST_F(KnownAttacks, Cve2021_20235_FramesOfVersion1MayGrow)
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
TEST_F(KnownAttacks, Cve2021_20236_LongSubscriptionsAreTakenAndGivenUp)
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

// Messages to a publisher that are no subscriptions, of which it kept what nobody would take.
TEST_F(KnownAttacks, Cve2021_20237_MessagesToAPublisherArePassedOver)
{
    socket publisher = ctx_.open(ZMQ_PUB);
    const std::string endpoint = publisher.bind("tcp://127.0.0.1:*");
    raw_peer peer = stranger(endpoint, "SUB", zmtp_version::v3_0);
    const std::string junk = zmtp_frame(std::string(200, 'x'), more_bit) + zmtp_frame("end");
    for (int i = 0; i < 2000; ++i) peer.send_bytes(junk);
    peer.send_message({"\1a"});
    EXPECT_TRUE(eventually([&] {
        publisher.send("a");
        return !peer.is_silent_for(std::chrono::milliseconds(1));
    }));
    EXPECT_EQ(parts{"a"}, peer.read_message());
}

}  // namespace
}  // namespace zlink::test
