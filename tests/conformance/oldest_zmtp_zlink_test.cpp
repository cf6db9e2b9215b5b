// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZMQ_OLDEST_ZMTP keeps peers of older versions out, and an answer by HTTP is no peer of any version.
#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <zlink.h>

namespace zlink::test {
namespace {

using zlink::test::socket;

class oldest_zmtp_test : public zmq_test {};

TEST_F(oldest_zmtp_test, is_one_to_three)
{
    socket s(ctx_, ZMQ_PULL);
    EXPECT_EQ(1, s.get_int(ZMQ_OLDEST_ZMTP));
    for (const int wrong : {-1, 0, 4}) {
        EXPECT_EQ(-1, zmq_setsockopt(s, ZMQ_OLDEST_ZMTP, &wrong, sizeof wrong));
        EXPECT_EQ(EINVAL, errno);
    }
    s.set(ZMQ_OLDEST_ZMTP, 3);
    EXPECT_EQ(3, s.get_int(ZMQ_OLDEST_ZMTP));
}

TEST_F(oldest_zmtp_test, peers_of_older_versions_stay_outside)
{
    const std::pair<zmtp_version, int> versions[] = {
        {zmtp_version::v1_0, 1}, {zmtp_version::v2_0, 2}, {zmtp_version::v3_0, 3}, {zmtp_version::v3_1, 3}};
    for (int oldest = 1; oldest <= 3; ++oldest) {
        socket pull(ctx_, ZMQ_PULL);
        pull.set(ZMQ_OLDEST_ZMTP, oldest);
        monitor events(ctx_, pull, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
        const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
        for (const auto& [version, major] : versions) {
            raw_peer peer = raw_peer::connect_to(endpoint);
            if (major >= oldest) {
                peer.handshake(version, "PUSH");
                events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
            } else {
                peer.send_bytes(version == zmtp_version::v1_0 ? std::string("\x01\0", 2)
                                                              : zmtp_signature() + "\x01\x08");
                events.await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
                EXPECT_TRUE(peer.wait_for_end());
            }
        }
    }
}

TEST_F(oldest_zmtp_test, a_web_server_takes_no_messages)
{
    raw_listener listener;
    socket push(ctx_, ZMQ_PUSH);
    monitor events(ctx_, push, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    push.connect(listener.endpoint());
    raw_peer server = listener.accept();
    server.send_bytes(
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\nDate: today, or some other\r\n\r\n");
    EXPECT_EQ(EPROTONOSUPPORT, events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    EXPECT_TRUE(server.wait_for_end());
    (void)listener.accept();  // tried again: the server behind it may come back
}

}  // namespace
}  // namespace zlink::test
