// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers that connect and get no further: what a thousand of them cost, counted by malloc, in octets that are in use.
#include "allocations.hpp"
#include "support/curve_keys.hpp"
#include "support/monitor.hpp"
#include "support/raw_peer.hpp"
#include "support/zap_handler.hpp"

#include <sys/resource.h>

#include <cstddef>
#include <string>
#include <vector>

namespace zlink::test {
namespace {

constexpr std::size_t peers = 1000;
constexpr std::size_t most = 20'000'000;

/// Both ends of all connections are here.
bool may_open_enough()
{
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return false;
    const rlim_t needed = 2 * peers + 100;
    if (files.rlim_cur >= needed) return true;
    files.rlim_cur = needed;
    return needed <= files.rlim_max && ::setrlimit(RLIMIT_NOFILE, &files) == 0;
}

class stalled_handshakes_test : public zmq_test {
protected:
    stalled_handshakes_test() { server_.set(ZMQ_PLAIN_SERVER, 1); }

    void SetUp() override
    {
        server_.set(ZMQ_BACKLOG, 2 * int(peers));
        endpoint_ = server_.bind("tcp://127.0.0.1:*");
    }

    /// Each says `words` and gets an answer of so many octets.
    void stall(const std::string& words, std::size_t answer)
    {
        ASSERT_TRUE(may_open_enough());
        before_ = octets_in_use();
        for (std::size_t i = 0; i < peers; ++i) {
            peers_.push_back(raw_peer::connect_to(endpoint_));
            peers_.back().send_bytes(words);
        }
        for (raw_peer& peer : peers_) (void)peer.read_bytes(answer);
    }

    /// What they cost, with what the test itself keeps of them.
    void expect_little() const { EXPECT_LT(octets_in_use() - before_, most); }

    std::size_t before_ = 0;
    zap_handler handler_{ctx_, ZMQ_ROUTER};
    socket server_ = ctx_.open(ZMQ_PULL);
    std::string endpoint_;
    std::vector<raw_peer> peers_;
};

/// Of peers that want to upgrade to WebSocket, or might.
class stalled_upgrades_test : public stalled_handshakes_test {
protected:
    void SetUp() override
    {
        server_.set(ZMQ_BACKLOG, 2 * int(peers));
        endpoint_ = server_.bind("ws://127.0.0.1:*");
        endpoint_ = "tcp" + endpoint_.substr(2, endpoint_.size() - 3);
    }

    static std::string request()
    {
        return "GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Protocol: ZWS2.0/PLAIN\r\n";
    }
};

TEST_F(stalled_upgrades_test, after_the_connection)
{
    stall("", 0);
    expect_little();
}

TEST_F(stalled_upgrades_test, in_the_middle_of_a_long_head)
{
    stall(request() + "X: " + std::string(7000, 'x'), 0);
    // A peer that finishes is answered only after all of those have been read.
    raw_peer last = raw_peer::connect_to(endpoint_);
    last.send_bytes(request() + "\r\n");
    (void)last.read_bytes(100);
    expect_little();
}

TEST_F(stalled_upgrades_test, after_the_upgrade)
{
    stall(request() + "\r\n", 100);
    expect_little();
}

// Each with the flags, and in pieces, so that all but the last has been taken already.
std::string longest_in_fragments(std::size_t longest)
{
    const std::size_t first = longest - 100;
    return "\x02\xfe" + big_endian(first, 2) + std::string(4, '\0') + "\2" + std::string(first - 1, 'x') +  //
           std::string("\x80\xe5\0\0\0\0", 6) + std::string(100, 'x');
}

TEST_F(stalled_upgrades_test, in_the_middle_of_the_longest_command_that_is_waited_for)
{
    stall(request() + "\r\n" + longest_in_fragments(1024), 100);
    expect_little();
}

class stalled_null_upgrades_test : public stalled_upgrades_test {
protected:
    stalled_null_upgrades_test() { server_.set(ZMQ_PLAIN_SERVER, 0); }
};

TEST_F(stalled_null_upgrades_test, in_the_middle_of_the_longest_command_that_is_waited_for)
{
    std::string asks = request() + "\r\n";
    asks.replace(asks.find("PLAIN"), 5, "NULL");
    stall(asks + longest_in_fragments(4096), 130);
    expect_little();
}

TEST_F(stalled_handshakes_test, after_the_connection)
{
    stall("", 10);
    expect_little();
}

TEST_F(stalled_handshakes_test, in_the_middle_of_hello)
{
    stall(zmtp3_greeting(1, "PLAIN") + "\4\20\5HELL", 64);
    expect_little();
}

TEST_F(stalled_handshakes_test, in_the_middle_of_the_longest_command_that_is_waited_for)
{
    stall(zmtp3_greeting(1, "PLAIN") + std::string("\6\0\0\0\0\0\0\4\0", 9) + std::string(1023, 'x'), 64);
    expect_little();
}

TEST_F(stalled_handshakes_test, while_the_handler_thinks)
{
    const std::string longest(255, 'x');
    const std::string hello = zmtp_command("HELLO", '\xff' + longest + '\xff' + longest);
    stall(zmtp3_greeting(1, "PLAIN") + hello, 64);
    for (std::size_t i = 0; i < peers; ++i) (void)handler_.take();
    expect_little();
}

class stalled_null_handshakes_test : public stalled_handshakes_test {
protected:
    stalled_null_handshakes_test() { server_.set(ZMQ_PLAIN_SERVER, 0); }
};

TEST_F(stalled_null_handshakes_test, in_the_middle_of_the_longest_command_that_is_waited_for)
{
    stall(zmtp3_greeting() + std::string("\6\0\0\0\0\0\0\x10\0", 9) + std::string(4095, 'x'), 64);
    expect_little();
}

TEST_F(stalled_null_handshakes_test, in_the_middle_of_the_longest_routing_id_of_zmtp_20)
{
    stall(zmtp_signature() + "\x01\x08" + std::string("\0\xff", 2) + std::string(254, 'x'), 14);
    expect_little();
}

TEST_F(stalled_null_handshakes_test, a_longer_routing_id_of_zmtp_20_is_refused_by_its_length)
{
    raw_peer peer = raw_peer::connect_to(endpoint_);
    peer.send_bytes(zmtp_signature() + "\x01\x08" + '\2' + big_endian(256, 8));
    EXPECT_TRUE(peer.wait_for_end());
}

/// Servers that nobody knows, to clients of ours.
class unknown_servers_test : public zmq_test {
protected:
    /// What comes first of such a server is a command that is announced with so many octets.
    [[nodiscard]] bool are_left_by_length(const char* mechanism, std::size_t announced)
    {
        client_.connect(listener_.endpoint());
        raw_peer server = listener_.accept();
        server.send_bytes(zmtp3_greeting(1, mechanism, true) + '\6' + big_endian(announced, 8));
        return server.wait_for_end();
    }

    raw_listener listener_;
    socket client_ = ctx_.open(ZMQ_PUSH);
};

TEST_F(unknown_servers_test, of_plain_are_left_by_the_length_of_welcome)
{
    client_.set(ZMQ_PLAIN_USERNAME, "user");
    EXPECT_TRUE(are_left_by_length("PLAIN", 1025));
}

// A peer that asked and went is forgotten, though the handler never looks.
TEST_F(stalled_handshakes_test, leave_nothing_with_a_handler_that_never_comes)
{
    constexpr std::size_t little = 500'000;
    monitor events(ctx_, server_, any_handshake);
    const std::string hello = zmtp_command("HELLO", std::string("\4user\6secret"));
    const auto come_and_go = [&](std::size_t times) {
        for (std::size_t i = 0; i < times; ++i) {
            raw_peer peer = raw_peer::connect_to(endpoint_);
            peer.send_bytes(zmtp3_greeting(1, "PLAIN") + hello);
            (void)peer.read_bytes(64);
            peer.close();
            (void)events.await(failed_handshake);
        }
    };
    come_and_go(100);
    before_ = octets_in_use();
    come_and_go(peers);
    EXPECT_LT(octets_in_use(), before_ + little);
}

#ifdef ZLINK_CURVE

class stalled_curve_handshakes_test : public stalled_handshakes_test {
protected:
    stalled_curve_handshakes_test() { be_curve_server(server_, server_keys_); }

    /// What a client of the server says first.
    [[nodiscard]] std::string hello_of_a_client()
    {
        raw_listener listener;
        socket client = ctx_.open(ZMQ_PUSH);
        be_curve_client(client, curve_keys(), server_keys_.open);
        client.connect(listener.endpoint());
        raw_peer to_client = listener.accept();
        to_client.send_bytes(zmtp3_greeting(1, "CURVE", true));
        (void)to_client.read_bytes(64);
        return to_client.read_bytes(2 + 200);
    }

    curve_keys server_keys_;
};

TEST_F(stalled_curve_handshakes_test, in_the_middle_of_hello)
{
    stall(zmtp3_greeting(1, "CURVE") + "\4\xc8\5HELLO\1" + std::string(150, '\0'), 64);
    expect_little();
}

TEST_F(stalled_curve_handshakes_test, in_the_middle_of_the_longest_command_that_is_waited_for)
{
    stall(zmtp3_greeting(1, "CURVE") + std::string("\6\0\0\0\0\0\0\x10\0", 9) + std::string(4095, 'x'), 64);
    expect_little();
}

// HELLO alone is the same to a server each time.
TEST_F(stalled_curve_handshakes_test, behind_welcome)
{
    stall(zmtp3_greeting(1, "CURVE") + hello_of_a_client(), 64 + 2 + 168);
    expect_little();
}

// Both sides are counted.
TEST_F(stalled_curve_handshakes_test, while_the_handler_thinks)
{
    ASSERT_TRUE(may_open_enough());
    before_ = octets_in_use();
    socket client = ctx_.open(ZMQ_PUSH);
    be_curve_client(client, curve_keys(), server_keys_.open);
    for (std::size_t i = 0; i < peers; ++i) client.connect(endpoint_);
    for (std::size_t i = 0; i < peers; ++i) (void)handler_.take();
    EXPECT_LT(octets_in_use() - before_, 2 * most);
}

TEST_F(unknown_servers_test, of_curve_are_left_by_the_length_of_welcome)
{
    be_curve_client(client_, curve_keys(), curve_keys().open);
    EXPECT_TRUE(are_left_by_length("CURVE", 1025));
}

#endif

}  // namespace
}  // namespace zlink::test
