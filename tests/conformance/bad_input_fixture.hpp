// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#pragma once

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <optional>
#include <string>

namespace zlink::test {

inline constexpr int end_of_connection = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                         ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED;

/// A monitored PULL socket with one well-behaved peer, whose messages must keep arriving whatever others do.
class bad_input_test : public zmq_test {
protected:
    void SetUp() override
    {
        server_.set(ZMQ_HANDSHAKE_IVL, 300);
        endpoint_ = server_.bind("tcp://127.0.0.1:*");
        good_.connect(endpoint_);
        expect_good_peer_undisturbed();
        events_.emplace(ctx_, server_, ZMQ_EVENT_ALL & ~ZMQ_EVENT_ACCEPTED);
        good_events_.emplace(ctx_, good_, ZMQ_EVENT_DISCONNECTED);
    }

    void TearDown() override
    {
        if (!endpoint_.empty()) expect_good_peer_heard_among_others();
        EXPECT_FALSE(good_events_->next(0)) << "the good peer lost its connection";
        events_.reset();
        good_events_.reset();
    }

    void expect_good_peer_undisturbed()
    {
        const std::string body = "good " + std::to_string(++round_);
        good_.send(body);
        EXPECT_EQ(body, server_.recv());
    }

    /// The same where bad peers may, by chance, have spoken ZMTP 1.0 and sent messages of their own.
    void expect_good_peer_heard_among_others()
    {
        const std::string body = "good " + std::to_string(++round_);
        good_.send(body);
        std::string got;
        while (got != body && !HasFailure()) got = server_.recv();
    }

    raw_peer bad_peer() const { return raw_peer::connect_to(endpoint_); }

    /// A bad peer that has shaken hands properly.
    raw_peer bad_peer_in_traffic(const std::string& type = "PUSH")
    {
        raw_peer peer = bad_peer();
        peer.handshake(zmtp_version::v3_1, type);
        events_->await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        return peer;
    }

    void expect_end(raw_peer& peer)
    {
        EXPECT_TRUE(peer.wait_for_end());
        events_->await(end_of_connection);
    }

    socket server_ = ctx_.open(ZMQ_PULL);
    socket good_ = ctx_.open(ZMQ_PUSH);
    std::string endpoint_;
    std::optional<monitor> events_;
    std::optional<monitor> good_events_;
    int round_ = 0;
};

}  // namespace zlink::test
