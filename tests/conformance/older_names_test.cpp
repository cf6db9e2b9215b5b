// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Names that older programs use: each does what the newer one does.
#include "support/zmq_fixture.hpp"

namespace zlink::test {
namespace {

using older_names_test = zmq_test;

TEST_F(older_names_test, socket_types)
{
    EXPECT_EQ(ZMQ_DEALER, ctx_.open(ZMQ_XREQ).get_int(ZMQ_TYPE));
    EXPECT_EQ(ZMQ_ROUTER, ctx_.open(ZMQ_XREP).get_int(ZMQ_TYPE));
}

TEST_F(older_names_test, noblock_does_not_wait)
{
    socket pull = ctx_.open(ZMQ_PULL);
    char octet = 0;
    EXPECT_EQ(-1, zmq_recv(pull, &octet, 1, ZMQ_NOBLOCK));
    EXPECT_EQ(EAGAIN, zmq_errno());
}

TEST_F(older_names_test, identities_are_routing_ids)
{
    socket router = ctx_.open(ZMQ_ROUTER), dealer = ctx_.open(ZMQ_DEALER), connecting = ctx_.open(ZMQ_ROUTER);
    dealer.set(ZMQ_IDENTITY, "me");
    char id[8];
    std::size_t size = sizeof id;
    ASSERT_EQ(0, zmq_getsockopt(dealer, ZMQ_ROUTING_ID, id, &size));
    EXPECT_EQ("me", std::string(id, size));
    dealer.connect(router.bind(unique_inproc()));
    dealer.send("x");
    EXPECT_EQ((parts{"me", "x"}), router.recv_parts());

    socket other = ctx_.open(ZMQ_DEALER);
    connecting.set(ZMQ_CONNECT_RID, "you");
    connecting.connect(other.bind(unique_inproc()));
    connecting.send_parts({"you", "y"});
    EXPECT_EQ("y", other.recv());
}

TEST_F(older_names_test, messages_without_a_route_fail)
{
    for (const int option : {ZMQ_FAIL_UNROUTABLE, ZMQ_ROUTER_BEHAVIOR}) {
        socket router = ctx_.open(ZMQ_ROUTER);
        router.set(option, 1);
        EXPECT_EQ(-1, zmq_send(router, "nobody", 6, ZMQ_SNDMORE));
        EXPECT_EQ(EHOSTUNREACH, zmq_errno());
    }
}

TEST_F(older_names_test, delay_attach_on_connect_is_immediate)
{
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_DELAY_ATTACH_ON_CONNECT, 1);
    EXPECT_EQ(1, push.get_int(ZMQ_IMMEDIATE));
    push.connect("tcp://127.0.0.1:1");
    EXPECT_EQ(-1, zmq_send(push, "x", 1, ZMQ_DONTWAIT));
    EXPECT_EQ(EAGAIN, zmq_errno());
}

}  // namespace
}  // namespace zlink::test
