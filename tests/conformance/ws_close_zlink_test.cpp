// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How connections of ws end (RFC 6455 section 7): the side that ends one says so, and why.
#include "ws_fixture.hpp"

#include "support/curve_keys.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace zlink::test {
namespace {

class ws_close_test : public ws_test {
protected:
    struct bad_frame {
        std::string octets;
        int code;
    };

    static constexpr int normal = 1000, protocol_error = 1002, unsupported_data = 1003, policy_violation = 1008,
                         too_big = 1009;

    static void skip_ready(raw_peer& p)
    {
        const auto size = std::size_t(p.read_bytes(2)[1]);
        EXPECT_EQ("\2\5READY", p.read_bytes(size).substr(0, 7));
    }
    /// Nothing but a close comes, and the end.
    static void expect_close(raw_peer& p, int code) { EXPECT_EQ(close_frame(code), p.read_to_end()) << code; }
    void expect_refused_with(raw_peer& p, int code, std::uint32_t reason = ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED)
    {
        EXPECT_EQ(reason, events_->await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL).value);
        const std::string said = connection_error();
        EXPECT_TRUE(said.starts_with("ws://127.0.0.1:")) << said;
        EXPECT_TRUE(said.ends_with("(closed with " + std::to_string(code) + ")")) << said;
        expect_close(p, code);
    }
    /// Whatever the state, these are wrong.
    static std::vector<bad_frame> bad_everywhere()
    {
        return {{own(std::string(1, '\0') + "unmasked"), protocol_error},
                {frame(std::string(1, '\0') + "text", 0x81), unsupported_data},
                {frame("reserved bit", 0xc2), protocol_error},
                {frame("reserved opcode", 0x83), protocol_error},
                {frame("reserved opcode of a control frame", 0x8b), protocol_error},
                {frame("ping in pieces", 0x09), protocol_error},
                {frame("continues nothing", 0x80), protocol_error},
                {frame("\7 is no flag"), protocol_error},
                {frame(""), protocol_error},
                {frame("\1", 0x88), protocol_error},
                {frame(big_endian(999, 2), 0x88), protocol_error},
                {frame(big_endian(1005, 2), 0x88), protocol_error},
                {frame(big_endian(2000, 2), 0x88), protocol_error},
                {"\x82\xfe" + big_endian(125, 2) + std::string(4, '\0'), protocol_error},
                {"\x82\xff" + big_endian(65535, 8) + std::string(4, '\0'), protocol_error},
                {"\x89\xfe" + big_endian(126, 2) + std::string(4, '\0'), protocol_error}};
    }
};

TEST_F(ws_close_test, frames_that_are_none_end_the_handshake)
{
    for (const auto& [octets, code] : bad_everywhere()) {
        raw_peer p = upgraded("ZWS2.0/NULL");
        skip_ready(p);
        p.send_bytes(octets);
        expect_refused_with(p, code);
    }
}

TEST_F(ws_close_test, frames_that_are_none_end_the_traffic)
{
    for (const auto& [octets, code] : bad_everywhere()) {
        raw_peer p = in_traffic();
        p.send_bytes(octets);
        expect_refused_with(p, code);
    }
}

TEST_F(ws_close_test, of_a_flood_with_a_mistake_the_reason_is_heard)
{
    raw_peer p = in_traffic();
    p.send_bytes(frame("text", 0x81) + std::string(16'000, 'x'));
    expect_refused_with(p, unsupported_data);
}

TEST_F(ws_close_test, fragments_that_do_not_fit_end_the_traffic)
{
    const std::string part = std::string(1, '\0') + "part";
    for (const std::string& bad : {frame(part, 0x02) + frame(part), frame(part, 0x02) + frame(part, 0x02)}) {
        raw_peer p = in_traffic();
        p.send_bytes(bad);
        expect_refused_with(p, protocol_error);
    }
}

TEST_F(ws_close_test, max_msg_size_bounds_frames_and_fragments_together)
{
    socket small = ctx_.open(ZMQ_PULL);
    const std::int64_t most = 10;
    ASSERT_EQ(0, zmq_setsockopt(small, ZMQ_MAXMSGSIZE, &most, sizeof most));
    listen_on(small);
    const std::string ten = std::string(1, '\0') + std::string(10, 'x');
    for (const std::string& bad : {frame(ten + "x"), frame(ten, 0x02) + frame("x", 0x80)}) {
        raw_peer p = in_traffic();
        p.send_bytes(frame(ten));
        EXPECT_EQ(std::string(10, 'x'), small.recv());
        p.send_bytes(bad);
        expect_refused_with(p, too_big, ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE);
    }
}

TEST_F(ws_close_test, a_frame_of_the_handshake_that_is_too_long_ends_it)
{
    raw_peer p = upgraded();
    EXPECT_EQ(own(std::string(1, '\0')), p.read_bytes(3)) << "the server's routing id";
    p.send_bytes("\x82\xff" + big_endian(1 << 20, 8) + std::string(4, '\0'));
    expect_refused_with(p, too_big);
}

/// The header of a client's frame of so many octets, more than 125, which never come.
std::string announced(std::size_t size, int first = 0x82)
{
    return std::string{char(first), char(0x80 | 126)} + big_endian(size, 2) + std::string(4, '\0');
}

// By its header, before anything of it is kept: it is as long as a command that the mechanism waits for, and the flags.
TEST_F(ws_close_test, a_frame_longer_than_what_the_mechanism_waits_for_ends_the_handshake)
{
    struct awaited {
        const char* protocol;
        std::size_t longest;
    };
    std::vector<awaited> all{{"ZWS2.0", 255}, {"ZWS2.0/NULL", 4096}, {"ZWS2.0/PLAIN", 1024}};
    if (zmq_has("curve")) all.push_back({"ZWS2.0/CURVE", 4096});
    for (const auto& [protocol, longest] : all) {
        socket other = ctx_.open(ZMQ_PULL);
        if (std::string(protocol).ends_with("PLAIN")) other.set(ZMQ_PLAIN_SERVER, 1);
        if (std::string(protocol).ends_with("CURVE")) be_curve_server(other, curve_keys());
        other.set(ZMQ_HANDSHAKE_IVL, 10'000);
        listen_on(other);
        const auto joined = [&] {
            raw_peer p = upgraded(protocol);
            if (std::string(protocol) == "ZWS2.0") (void)p.read_bytes(3);
            if (std::string(protocol) == "ZWS2.0/NULL") skip_ready(p);
            return p;
        };
        raw_peer at_once = joined();
        at_once.send_bytes(announced(1 + longest + 1));
        expect_refused_with(at_once, too_big);
        // A ping in between is no part of it.
        raw_peer in_fragments = joined();
        in_fragments.send_bytes(announced(1 + longest, 0x02) + std::string(1 + longest, '\0') + frame("ping", 0x89));
        EXPECT_EQ(own("ping", 0x8a), in_fragments.read_bytes(6)) << protocol;
        in_fragments.send_bytes(frame("x", 0x80));
        expect_refused_with(in_fragments, too_big);
        events_.reset();
    }
    events_.emplace(ctx_, server_, ZMQ_EVENT_ALL);
}

TEST_F(ws_close_test, who_does_not_get_in_is_told)
{
    socket plain = ctx_.open(ZMQ_PULL);
    plain.set(ZMQ_PLAIN_SERVER, 1);  // and nobody answers for it
    listen_on(plain);
    raw_peer p = upgraded("ZWS2.0/PLAIN");
    p.send_bytes(frame("\2\5HELLO\4user\6secret"));
    EXPECT_EQ(std::uint32_t(EFAULT), events_->await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    expect_close(p, policy_violation);
}

TEST_F(ws_close_test, a_close_is_answered_and_ends_the_connection)
{
    for (const std::string& payload :
         {std::string("\3\xe8 bye"), std::string("\3\xe9"), std::string("\x0f\xa0"), std::string()}) {
        raw_peer p = in_traffic();
        p.send_bytes(frame(std::string(1, '\0') + "before") + frame(payload, 0x88) +
                     frame(std::string(1, '\0') + "after"));
        EXPECT_EQ("before", server_.recv());
        const std::string answer = own(payload.substr(0, 2), 0x88);
        EXPECT_EQ(answer, p.read_to_end());
        events_->await(ZMQ_EVENT_DISCONNECTED);
    }
}

TEST_F(ws_close_test, a_close_ends_the_handshake_too)
{
    raw_peer p = upgraded("ZWS2.0/NULL");
    skip_ready(p);
    p.send_bytes(frame("\3\xe8", 0x88));
    EXPECT_EQ(std::uint32_t(EPIPE), events_->await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    expect_close(p, normal);
}

TEST_F(ws_close_test, a_socket_that_closes_says_so)
{
    for (const int linger : {0, -1}) {
        socket closing = ctx_.open(ZMQ_PULL);
        closing.set(ZMQ_LINGER, linger);
        listen_on(closing);
        raw_peer p = in_traffic(), in_handshake = upgraded("ZWS2.0/NULL"), not_upgraded = peer();
        skip_ready(in_handshake);
        p.send_bytes(frame(std::string(1, '\0') + "message"));
        EXPECT_EQ("message", closing.recv());
        events_.reset();
        closing.close();
        expect_close(p, normal);
        expect_close(in_handshake, normal);
        EXPECT_TRUE(not_upgraded.wait_for_end());
        events_.emplace(ctx_, server_, ZMQ_EVENT_ALL);
    }
}

TEST_F(ws_close_test, what_lingers_goes_out_before)
{
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_LINGER, -1);
    listen_on(push);
    raw_peer p = in_traffic();
    push.send_parts({"one", "two"});
    events_.reset();
    push.close();
    EXPECT_EQ(own("\1one"), p.read_bytes(6));
    EXPECT_EQ(own(std::string(1, '\0') + "two"), p.read_bytes(6));
    expect_close(p, normal);
    events_.emplace(ctx_, server_, ZMQ_EVENT_ALL);
}

TEST_F(ws_close_test, nothing_is_said_in_the_middle_of_a_frame)
{
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_LINGER, 0);
    listen_on(push);
    raw_peer p = in_traffic();
    const std::size_t size = 64 << 20;  // more than kernels take of a peer that does not read
    push.send(std::string(size, 'x'));
    const std::string begin = p.read_bytes(11);
    EXPECT_EQ("\x82\x7f" + big_endian(size + 1, 8) + std::string(1, '\0'), begin);
    events_.reset();
    push.close();
    const std::string rest = p.read_to_end();
    EXPECT_LT(rest.size(), size);
    EXPECT_EQ(std::string::npos, rest.find_first_not_of('x'));
    events_.emplace(ctx_, server_, ZMQ_EVENT_ALL);
}

TEST_F(ws_close_test, a_child_of_fork_says_nothing)
{
    raw_peer p = in_traffic();
    const pid_t child = ::fork();
    if (child == 0) {
        zmq_close(server_.release());
        zmq_close(good_.release());
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    p.send_bytes(frame("?", 0x89));
    EXPECT_EQ(own("?", 0x8a), p.read_bytes(3));
}

}  // namespace
}  // namespace zlink::test
