// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Boxes that are wrong, once a client is in: that connection ends, a monitor hears why, and others are served. Through
// the API, as a program sees it; the boxes themselves: curve_sealing_test.cpp.
#include "fuzz/curve_peer.hpp"
#include "support/raw_peer.hpp"
#include "support/zap_handler.hpp"

#include <zmq.h>

#include <cstdint>
#include <string>

namespace zlink::test {
namespace {

std::string text_of(const fuzz::curve_octets& octets)
{
    return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

std::string text_of(const fuzz::curve_key& key)
{
    return {reinterpret_cast<const char*>(key.data()), key.size()};
}

/// Has gone through the handshake and knows the keys of its connection.
struct curve_stranger {
    explicit curve_stranger(const std::string& endpoint) : peer(raw_peer::connect_to(endpoint))
    {
        peer.send_bytes(zmtp3_greeting(1, "CURVE"));
        (void)peer.read_bytes(64);
        peer.send_bytes(zmtp_frame(text_of(keys.hello()), command_bit));
        EXPECT_TRUE(keys.take_welcome(fuzz::octets_of(peer.read_frame().body)));
        auto fields = keys.good_initiate();
        fields.metadata = fuzz::octets_of(zmtp_property("Socket-Type", "PUSH"));
        peer.send_bytes(zmtp_frame(text_of(keys.initiate(fields)), command_bit));
        EXPECT_TRUE(keys.open_ready(fuzz::octets_of(peer.read_frame().body)));
    }

    void send(std::uint64_t number, const std::string& body)
    {
        peer.send_bytes(zmtp_frame(text_of(keys.message(number, 0, fuzz::octets_of(body))), command_bit));
    }

    fuzz::curve_client_peer keys;
    raw_peer peer;
};

class curve_traffic_test : public zmq_test {
protected:
    curve_traffic_test()
    {
        server_.set(ZMQ_CURVE_SERVER, 1);
        server_.set(ZMQ_CURVE_SECRETKEY, text_of(fuzz::server_keys().secret));
        const std::int64_t longest = 1000;
        EXPECT_EQ(0, zmq_setsockopt(server_, ZMQ_MAXMSGSIZE, &longest, sizeof longest));
        endpoint_ = server_.bind("tcp://127.0.0.1:*");
        other_.set(ZMQ_CURVE_PUBLICKEY, text_of(fuzz::client_keys().open));
        other_.set(ZMQ_CURVE_SECRETKEY, text_of(fuzz::client_keys().secret));
        other_.set(ZMQ_CURVE_SERVERKEY, text_of(fuzz::server_keys().open));
        other_.connect(endpoint_);
        expect_service();
    }

    void expect_service()
    {
        other_.send("served");
        EXPECT_EQ("served", server_.recv());
    }

    /// The stranger's connection has ended for that reason, and for nobody else.
    void expect_end(curve_stranger& who, int reason)
    {
        const auto told = events_.await(failed_handshake | ZMQ_EVENT_DISCONNECTED);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, told.event);
        EXPECT_EQ(reason, int(told.value));
        EXPECT_TRUE(who.peer.wait_for_end());
        expect_service();
    }

    socket server_ = ctx_.open(ZMQ_PULL);
    monitor events_{ctx_, server_, failed_handshake | ZMQ_EVENT_DISCONNECTED};
    socket other_ = ctx_.open(ZMQ_PUSH);
    std::string endpoint_;
};

TEST_F(curve_traffic_test, a_replayed_box_ends_the_connection)
{
    curve_stranger who(endpoint_);
    who.send(3, "once");
    EXPECT_EQ("once", server_.recv());
    who.send(3, "once");
    expect_end(who, ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE);
}

TEST_F(curve_traffic_test, boxes_that_overtake_each_other_do_too)
{
    curve_stranger who(endpoint_);
    who.send(4, "later");
    EXPECT_EQ("later", server_.recv());
    who.send(3, "earlier");
    expect_end(who, ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE);
}

TEST_F(curve_traffic_test, an_altered_box_does)
{
    curve_stranger who(endpoint_);
    fuzz::curve_octets box = who.keys.message(3, 0, fuzz::octets_of("hello"));
    box.back() ^= std::byte{1};
    who.peer.send_bytes(zmtp_frame(text_of(box), command_bit));
    expect_end(who, ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC);
}

TEST_F(curve_traffic_test, a_truncated_box_does)
{
    curve_stranger who(endpoint_);
    const std::string box = text_of(who.keys.message(3, 0, fuzz::octets_of("hello")));
    who.peer.send_bytes(zmtp_frame(box.substr(0, box.size() - 1), command_bit));
    expect_end(who, ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC);
}

TEST_F(curve_traffic_test, a_message_beyond_the_limit_does)
{
    curve_stranger who(endpoint_);
    who.send(3, std::string(1000, 'x'));
    EXPECT_EQ(std::string(1000, 'x'), server_.recv());
    who.send(4, std::string(1001, 'x'));
    expect_end(who, ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE);
}

}  // namespace
}  // namespace zlink::test
