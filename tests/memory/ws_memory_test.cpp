// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What frames of WebSocket leave behind once they have been dealt with, in octets that malloc has given out.
#include "allocations.hpp"
#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace zlink::test {
namespace {

class ws_memory_test : public zmq_test {};

/// A client's, with a mask of zeros.
std::string long_frame(int first, const std::string& payload)
{
    return std::string{char(first), char(0xff)} + big_endian(payload.size(), 8) + std::string(4, '\0') + payload;
}

// 60 MB of them. What the pool of large blocks keeps for the next ones is no connection's, and 16 MB at most.
TEST_F(ws_memory_test, of_fragments_that_were_a_command_or_a_message_nothing_is_kept)
{
    constexpr std::size_t peers = 60, size = 500'000, most = 24'000'000;
    socket pull = ctx_.open(ZMQ_PULL);
    const std::string endpoint = pull.bind("ws://127.0.0.1:*");
    for (const bool command : {true, false}) {
        const std::string first = command ? "\2\5THING" : std::string(1, '\0');
        std::vector<raw_peer> all;
        const std::size_t before = octets_in_use();
        for (std::size_t i = 0; i < peers; ++i) {
            all.push_back(raw_peer::connect_to("tcp" + endpoint.substr(2, endpoint.size() - 3)));
            raw_peer& p = all.back();
            p.send_bytes("GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                         "Sec-WebSocket-Protocol: ZWS2.0\r\n\r\n" +
                         std::string("\x82\x81\0\0\0\0\0", 7));
            for (std::string head; !head.ends_with("\r\n\r\n");) head += p.read_bytes(1);
            (void)p.read_bytes(3);
            p.send_bytes(long_frame(0x02, first + std::string(size, 'x')) + long_frame(0x80, std::string(size, 'x')));
            if (!command) {
                EXPECT_EQ(2 * size, pull.recv().size());
            }
            p.send_bytes(std::string("\x89\x80\0\0\0\0", 6));
            EXPECT_EQ(std::string("\x8a\0", 2), p.read_bytes(2)) << "the ping behind it is answered";
        }
        EXPECT_LT(octets_in_use(), before + most) << command;
    }
}

}  // namespace
}  // namespace zlink::test
