// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers of ws that speak by hand, to a PULL socket that has a good one besides.
#pragma once

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <zlink.h>

#include <cstdint>
#include <optional>
#include <string>

namespace zlink::test {

// As tcp, for tests that speak by hand.
inline std::string tcp_of(const std::string& endpoint)
{
    const auto path = endpoint.find('/', 5);
    return "tcp" + endpoint.substr(2, path - 2);
}

inline std::string upgrade_request(const std::string& protocol = "ZWS2.0", const std::string& more = "")
{
    return "GET /zmq HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: " +
           protocol + "\r\n" + more + "\r\n";
}

inline std::string head_of(raw_peer& peer)
{
    std::string head;
    while (!head.ends_with("\r\n\r\n")) head += peer.read_bytes(1);
    return head;
}

/// A client's frame; its mask is zero, which is as good as another.
inline std::string frame(const std::string& payload, int first = 0x82)
{
    return std::string{char(first), char(0x80 | payload.size()), 0, 0, 0, 0} + payload;
}

inline std::string own(const std::string& payload, int first = 0x82)
{
    return std::string{char(first), char(payload.size())} + payload;
}

/// As a server closes, with a code.
inline std::string close_frame(int code)
{
    return own(big_endian(std::uint64_t(code), 2), 0x88);
}

class ws_test : public zmq_test {
protected:
    ws_test()
    {
        server_.set(ZMQ_HANDSHAKE_IVL, 300);
        endpoint_ = server_.bind("ws://127.0.0.1:*/zmq");
        good_.connect(endpoint_);
        expect_good_peer_undisturbed();
        events_.emplace(ctx_, server_, ZMQ_EVENT_ALL);
    }
    ~ws_test() override { expect_good_peer_undisturbed(); }

    void expect_good_peer_undisturbed()
    {
        good_.send("good");
        EXPECT_EQ("good", server_.recv());
    }
    /// From now on, instead of the one that is bound.
    void listen_on(socket& other)
    {
        endpoint_ = other.bind("ws://127.0.0.1:*/zmq");
        events_.emplace(ctx_, other, ZMQ_EVENT_ALL);
    }
    raw_peer peer() const { return raw_peer::connect_to(tcp_of(endpoint_)); }
    raw_peer upgraded(const std::string& protocol = "ZWS2.0")
    {
        raw_peer p = peer();
        p.send_bytes(upgrade_request(protocol));
        EXPECT_TRUE(head_of(p).starts_with("HTTP/1.1 101 "));
        return p;
    }
    /// Without a mechanism.
    raw_peer in_traffic()
    {
        raw_peer p = upgraded();
        p.send_bytes(frame(std::string(1, '\0')));
        EXPECT_EQ(own(std::string(1, '\0')), p.read_bytes(3)) << "the server's routing id";
        return p;
    }
    void expect_refused(raw_peer& p, const std::string& words)
    {
        EXPECT_EQ(std::uint32_t(ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED),
                  events_->await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL).value);
        const std::string said = connection_error();
        EXPECT_TRUE(said.starts_with("ws://127.0.0.1:")) << said;
        EXPECT_TRUE(said.ends_with(": " + words)) << said;
        EXPECT_TRUE(p.wait_for_end());
    }

    socket server_ = ctx_.open(ZMQ_PULL);
    socket good_ = ctx_.open(ZMQ_PUSH);
    std::string endpoint_;
    std::optional<monitor> events_;
};

}  // namespace zlink::test
