// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What has been used against libzmq to make its memory grow, by the names of its CVEs. Octets in use, as malloc counts
// them.
#include "allocations.hpp"
#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <cstddef>
#include <string>

namespace zlink::test {
namespace {

constexpr std::size_t little = 500'000;

class known_attacks_on_memory_test : public zmq_test {};

// A server whose messages never end, again and again: what has come of them goes with the connection. 100 KB each time.
TEST_F(known_attacks_on_memory_test, cve_2021_20234_messages_without_an_end_are_forgotten_with_their_connection)
{
    raw_listener listener;
    socket pull = ctx_.open(ZMQ_PULL);
    pull.set(ZMQ_RECONNECT_IVL, 1);
    pull.connect(listener.endpoint());
    const auto cut = [&](int times) {
        for (int i = 0; i < times; ++i) {
            raw_peer server = listener.accept();
            (void)server.handshake(zmtp_version::v3_1, "PUSH");
            for (int part = 0; part < 100; ++part) server.send_bytes(zmtp_frame(std::string(1000, 'x'), more_bit));
        }
        // And one that does end.
        raw_peer server = listener.accept();
        (void)server.handshake(zmtp_version::v3_1, "PUSH");
        server.send_message({"whole"});
        EXPECT_EQ("whole", pull.recv());
        EXPECT_EQ(0, pull.get_int(ZMQ_RCVMORE));
    };
    cut(10);
    const std::size_t before = octets_in_use();
    cut(100);
    EXPECT_LT(octets_in_use(), before + little);
}

// What a subscriber sends that is no subscription, in many parts. 800 KB, then 8 MB.
TEST_F(known_attacks_on_memory_test, cve_2021_20237_messages_to_a_publisher_are_passed_over)
{
    socket publisher = ctx_.open(ZMQ_PUB);
    const std::string endpoint = publisher.bind("tcp://127.0.0.1:*");
    raw_peer peer = raw_peer::connect_to(endpoint);
    (void)peer.handshake(zmtp_version::v3_0, "SUB");
    const std::string junk = zmtp_frame(std::string(200, 'x'), more_bit) + zmtp_frame(std::string(200, 'y'));
    const auto send_junk = [&](int times, const std::string& topic) {
        const auto publish = [&] { publisher.send("nobody's"); };  // it reads when it is called
        for (int i = 0; i < times; ++i) {
            if (!peer.has_room()) {
                EXPECT_TRUE(eventually([&] { return publish(), peer.has_room(); }));
            }
            peer.send_bytes(junk);
            if (i % 100 == 0) publish();
        }
        peer.send_message({'\1' + topic});
        // Once that is in effect all before it has been read.
        EXPECT_TRUE(eventually([&] {
            publisher.send(topic);
            return !peer.is_silent_for(std::chrono::milliseconds(1));
        }));
        EXPECT_EQ(topic, peer.read_message().front());
    };
    send_junk(2000, "a");
    const std::size_t before = octets_in_use();
    send_junk(20'000, "b");
    EXPECT_LT(octets_in_use(), before + little);
}

}  // namespace
}  // namespace zlink::test
