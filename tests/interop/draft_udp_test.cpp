// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// RADIO, DISH and DGRAM over udp with a libzmq that has them as the peer: unicast and multicast, both ways.
//
// The peer is never sent a group length of 0x80 or more, at which libzmq up to 4.3.5 aborts. Nor is it asked to send
// more than 7,900 octets, at which it writes past the end of a buffer of its own.
#include "draft_interop_fixture.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace zlink::test {
namespace {

// A port of udp that nobody else has: libzmq does not tell which one the kernel gave it.
std::string free_port()
{
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof any;
    EXPECT_EQ(0, ::bind(fd, reinterpret_cast<sockaddr*>(&any), size));
    EXPECT_EQ(0, ::getsockname(fd, reinterpret_cast<sockaddr*>(&any), &size));
    ::close(fd);
    return std::to_string(ntohs(any.sin_port));
}

constexpr std::size_t udp_sizes[] = {0, 1, 8, 100, 1400, 1500, 4096, 7800};
const std::string longest_group(127, 'g');

// The parameter is the host part of the endpoint.
class draft_udp_test : public draft_interop_test, public ::testing::WithParamInterface<const char*> {
protected:
    const std::string endpoint_ = std::string("udp://") + GetParam() + ":" + free_port();
};

TEST_P(draft_udp_test, our_radio_reaches_their_dish)
{
    peer_process theirs = start("DISH");
    theirs.ask("bind " + endpoint_);
    socket ours = ctx_.open(ZMQ_RADIO);
    ours.connect(endpoint_);
    for (const std::string& group : {std::string("group"), longest_group}) {
        await_member(ours, theirs, group);
        theirs.ask("envelope " + group);
        std::uint64_t number = 0;
        for (const std::size_t size : udp_sizes) {
            SCOPED_TRACE(size);
            theirs.tell("recv " + seeded_arguments(1, number, 1, {size}));
            give(ours, {"no-member", "x"});
            give(ours, joined({group}, seeded_message(1, number++, {size})));
            theirs.reply();
        }
    }
}

TEST_P(draft_udp_test, their_radio_reaches_our_dish)
{
    socket ours = ctx_.open(ZMQ_DISH);
    ASSERT_EQ(0, zmq_bind(ours, endpoint_.c_str())) << zmq_strerror(zmq_errno());
    peer_process theirs = start("RADIO");
    theirs.ask("connect " + endpoint_);
    for (const std::string& group : {std::string("group"), longest_group}) {
        join_until_heard(ours, theirs, group);
        theirs.ask("envelope " + group);
        std::uint64_t number = 0;
        for (const std::size_t size : udp_sizes) {
            SCOPED_TRACE(size);
            theirs.ask("post no-member x");
            theirs.ask("send " + seeded_arguments(1, number, 1, {size}));
            take_exactly(ours, joined({group}, seeded_message(1, number++, {size})));
        }
    }
}

TEST_P(draft_udp_test, a_burst_within_the_kernels_buffer_comes_in_order)
{
    constexpr std::uint64_t count = 100;
    peer_process dish = start("DISH");
    dish.ask("bind " + endpoint_);
    socket radio = ctx_.open(ZMQ_RADIO);
    radio.connect(endpoint_);
    await_member(radio, dish, "group");
    dish.ask("envelope group");
    dish.tell("recv " + seeded_arguments(3, 0, count, {64}));
    for (std::uint64_t number = 0; number < count; ++number) {
        give(radio, joined({"group"}, seeded_message(3, number, {64})));
    }
    dish.reply();
}

INSTANTIATE_TEST_SUITE_P(, draft_udp_test, ::testing::Values("127.0.0.1", "127.0.0.1;239.192.7.31"),
                         [](const ::testing::TestParamInfo<const char*>& one) {
                             return std::string(one.param).find(';') == std::string::npos ? "unicast" : "multicast";
                         });

// Addresses as DGRAM tells them end with a zero, in libzmq and here; it also takes them so.
std::string told(const std::string& address)
{
    return address + '\0';
}

class draft_datagram_test : public draft_interop_test {
protected:
    const std::string our_address_ = "127.0.0.1:" + free_port();
    const std::string their_address_ = "127.0.0.1:" + free_port();
    const std::string our_address_as_shown_ = our_address_ + "\\x00";
};

TEST_F(draft_datagram_test, datagrams_go_both_ways)
{
    peer_process theirs = start("DGRAM");
    theirs.ask("bind udp://" + their_address_);
    socket ours = ctx_.open(ZMQ_DGRAM);
    ASSERT_EQ(0, zmq_bind(ours, ("udp://" + our_address_).c_str())) << zmq_strerror(zmq_errno());
    // Binding takes effect on another thread of the peer's.
    theirs.tell("until " + our_address_);
    for (int i = 0; i < patience_ms / 10 && !theirs.answered(10); ++i) {
        ours.send_parts({their_address_, "hello"});
    }
    EXPECT_EQ(our_address_as_shown_ + " hello", theirs.reply());
    theirs.ask("post " + our_address_ + " answer");
    EXPECT_EQ((parts{told(their_address_), "answer"}), ours.recv_parts());
    ours.send_parts({told(their_address_), "last"});
    while (!HasFailure() && theirs.ask("take") != our_address_as_shown_ + " last") {
    }
    theirs.ask("envelope " + our_address_as_shown_);
    std::uint64_t number = 0;
    for (const std::size_t size : udp_sizes) {
        SCOPED_TRACE(size);
        theirs.tell("recv " + seeded_arguments(1, number, 1, {size}));
        ours.send_parts(joined({their_address_}, seeded_message(1, number, {size})));
        theirs.reply();
        theirs.ask("send " + seeded_arguments(2, number, 1, {size}));
        recv_exactly(ours, joined({told(their_address_)}, seeded_message(2, number, {size})));
        ++number;
    }
}

}  // namespace
}  // namespace zlink::test
