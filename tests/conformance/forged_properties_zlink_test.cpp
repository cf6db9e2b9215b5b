// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A peer that says of itself what this side finds out. That is its address, its certificate, its user id for the ZAP
// handler, the descriptor of its connection. The true values stay; what is not known is not there. (CURVE:
// tests/unit/zmtp/mechanism/curve_*_test.cpp.)
#include "forged_metadata.hpp"
#include "zap_fixture.hpp"

#include <sys/un.h>

namespace zlink::test {
namespace {

raw_peer connect_by_ipc(const std::string& endpoint)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = endpoint.substr(6);
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(0, ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address)) << endpoint;
    return raw_peer(fd);
}

class forged_properties_test : public zmq_test {
protected:
    /// A message that a peer with forged metadata has sent, whatever carries it.
    static void expect_truth(received& message, const std::string& address)
    {
        EXPECT_EQ(address, message.property("Peer-Address"));
        for (const char* name : {"peer-address", "tls-version", "__FD", "USER-ID", "routing-id"})
            EXPECT_EQ("(none)", message.property(name)) << name;
        EXPECT_EQ("me", message.property("Routing-Id"));
        EXPECT_EQ("me", message.property("Identity"));
        EXPECT_EQ("r", message.property("Resource"));
        EXPECT_EQ("1", message.property("X-Mine"));
        EXPECT_NE(forged, message.property("__fd"));
        EXPECT_NE(std::stoi(forged), message.source_descriptor());
        EXPECT_EQ(message.property("__fd"), std::to_string(message.source_descriptor()));
    }
    static void expect_no_certificate(received& message)
    {
        for (const char* name : {"Tls-Subject", "Tls-Names"}) EXPECT_EQ("(none)", message.property(name)) << name;
    }
};

TEST_F(forged_properties_test, over_tcp_are_not_seen)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    monitor events(ctx_, dealer, ZMQ_EVENT_ACCEPTED);
    raw_peer peer = raw_peer::connect_to(dealer.bind("tcp://127.0.0.1:*"));
    shake_hands_forged(peer, "DEALER");
    peer.send_message({"x"});
    received message(dealer);
    expect_truth(message, "127.0.0.1");
    expect_no_certificate(message);
    EXPECT_EQ("(none)", message.property("Tls-Version"));
    EXPECT_EQ("(none)", message.property("User-Id"));
    EXPECT_EQ("DEALER", message.property("Socket-Type"));
    EXPECT_EQ(events.await(ZMQ_EVENT_ACCEPTED).value, std::uint64_t(message.source_descriptor()));
}

TEST_F(forged_properties_test, of_a_server_are_not_seen_either)
{
    raw_listener listener;
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.connect(listener.endpoint());
    raw_peer peer = listener.accept();
    shake_hands_forged(peer, "DEALER");
    peer.send_message({"x"});
    received message(dealer);
    expect_truth(message, "127.0.0.1");
    EXPECT_EQ("(none)", message.property("User-Id"));
}

TEST_F(forged_properties_test, over_ipc_the_kernel_says_who_the_peer_is)
{
    socket dealer = ctx_.open(ZMQ_DEALER);
    raw_peer peer = connect_by_ipc(dealer.bind("ipc://*"));
    shake_hands_forged(peer, "DEALER");
    peer.send_message({"x"});
    received message(dealer);
    expect_truth(message, "localhost:" + std::to_string(::getuid()) + ":" + std::to_string(::getgid()) + ":" +
                              std::to_string(::getpid()));
    expect_no_certificate(message);
}

TEST_F(forged_properties_test, the_handler_is_told_the_truth_and_its_word_counts_before_the_peers)
{
    zap_handler handler(ctx_);
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.set(ZMQ_ZAP_DOMAIN, "test");
    raw_peer peer = raw_peer::connect_to(dealer.bind("tcp://127.0.0.1:*"));
    peer.send_bytes(zmtp3_greeting() + zmtp_command("READY", forged_metadata("DEALER")));
    const std::string metadata =
        zmtp_property("Level", "high") + zmtp_property("Peer-Address", "10.1.1.1") + zmtp_property("__fd", "1");
    EXPECT_EQ("127.0.0.1", handler.answer(zap_reply("200", "joe", metadata)).address);
    (void)peer.read_bytes(64);
    EXPECT_EQ("READY", peer.read_frame().name());
    peer.send_message({"x"});
    received message(dealer);
    expect_truth(message, "127.0.0.1");
    EXPECT_EQ("joe", message.property("User-Id"));
    EXPECT_EQ("high", message.property("Level"));
    EXPECT_NE("1", message.property("__fd"));
}

TEST_F(forged_properties_test, behind_a_password_are_not_seen_either)
{
    zap_handler handler(ctx_);
    socket dealer = ctx_.open(ZMQ_DEALER);
    dealer.set(ZMQ_PLAIN_SERVER, 1);
    raw_peer peer = raw_peer::connect_to(dealer.bind("tcp://127.0.0.1:*"));
    peer.send_bytes(zmtp3_greeting(1, "PLAIN") + zmtp_command("HELLO", "\3joe\6secret"));
    EXPECT_EQ("127.0.0.1", handler.answer(zap_reply("200", "joe")).address);
    (void)peer.read_bytes(64);
    EXPECT_EQ("WELCOME", peer.read_frame().name());
    peer.send_command("INITIATE", forged_metadata("DEALER"));
    EXPECT_EQ("READY", peer.read_frame().name());
    peer.send_message({"x"});
    received message(dealer);
    expect_truth(message, "127.0.0.1");
    EXPECT_EQ("joe", message.property("User-Id"));
}

}  // namespace
}  // namespace zlink::test
