// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What is particular to vsock: endpoints, what is told of peers, and connections that are refused.
#include "support/received.hpp"
#include "support/vsock_loopback.hpp"
#include "support/zmq_fixture.hpp"

#include <sys/socket.h>

#include <linux/vm_sockets.h>

#include <cerrno>
#include <string>

namespace zlink::test {
namespace {

class vsock_test : public zmq_test {
protected:
    /// Of an endpoint.
    static std::string port_of(const std::string& endpoint) { return endpoint.substr(endpoint.rfind(':') + 1); }

    void expect_exchange()
    {
        push_.send("exchange");
        EXPECT_EQ("exchange", pull_.recv());
    }

    socket pull_ = ctx_.open(ZMQ_PULL);
    socket push_ = ctx_.open(ZMQ_PUSH);
};

TEST_F(vsock_test, is_a_capability)
{
    EXPECT_EQ(1, zmq_has("vsock"));
}

TEST_F(vsock_test, a_wildcard_port_is_chosen_by_the_system)
{
    for (const char* wildcard : {"vsock://1:*", "vsock://1:-1", "vsock://@:*"}) {
        socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
        const std::string endpoint = pull.bind(wildcard);
        EXPECT_EQ("vsock://1:" + port_of(endpoint), endpoint);
        EXPECT_NE("*", port_of(endpoint));
        push.connect(endpoint);
        push.send(wildcard);
        EXPECT_EQ(wildcard, pull.recv());
    }
}

TEST_F(vsock_test, a_wildcard_context_id_listens_on_all)
{
    const std::string endpoint = pull_.bind("vsock://*:*");
    EXPECT_EQ("vsock://*:" + port_of(endpoint), endpoint);
    push_.connect("vsock://@:" + port_of(endpoint));
    expect_exchange();
    pull_.unbind(endpoint);
    const std::string port = std::to_string(free_vsock_port());
    EXPECT_EQ("vsock://*:" + port, pull_.bind("vsock://-1:" + port));
    pull_.unbind("vsock://-1:" + port);
}

TEST_F(vsock_test, an_endpoint_is_unbound_by_any_of_its_texts)
{
    const std::string port = std::to_string(free_vsock_port());
    EXPECT_EQ("vsock://1:" + port, pull_.bind("vsock://@:" + port));
    pull_.unbind("vsock://@:" + port);
    EXPECT_EQ(-1, zmq_unbind(pull_, ("vsock://1:" + port).c_str()));
    EXPECT_EQ(ENOENT, zmq_errno());
}

TEST_F(vsock_test, malformed_endpoints_are_invalid)
{
    for (const char* bad : {"vsock://", "vsock://3", "vsock://:5", "vsock://3:", "vsock://x:5", "vsock://3:5x",
                            "vsock://-2:5", "vsock://4294967296:5", "vsock://@:@"}) {
        EXPECT_EQ(-1, zmq_bind(pull_, bad)) << bad;
        EXPECT_EQ(EINVAL, zmq_errno()) << bad;
        EXPECT_EQ(-1, zmq_connect(push_, bad)) << bad;
        EXPECT_EQ(EINVAL, zmq_errno()) << bad;
    }
    for (const char* no_peer : {"vsock://*:5", "vsock://-1:5", "vsock://3:*", "vsock://3:-1"}) {
        EXPECT_EQ(-1, zmq_connect(push_, no_peer)) << no_peer;
        EXPECT_EQ(EINVAL, zmq_errno()) << no_peer;
    }
}

TEST_F(vsock_test, a_foreign_context_id_cannot_be_bound)
{
    EXPECT_EQ(-1, zmq_bind(pull_, "vsock://4294967290:*"));
    EXPECT_EQ(EADDRNOTAVAIL, zmq_errno());
}

TEST_F(vsock_test, connects_before_the_bind)
{
    const std::string endpoint = "vsock://1:" + std::to_string(free_vsock_port());
    push_.set(ZMQ_RECONNECT_IVL, 10);
    monitor events(ctx_, push_, ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_CONNECTED);
    push_.connect(endpoint);
    EXPECT_EQ(ZMQ_EVENT_CONNECT_RETRIED, events.next()->event);
    pull_.bind(endpoint);
    expect_exchange();
}

TEST_F(vsock_test, stops_when_refused_if_told_so)
{
    push_.set(ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_CONN_REFUSED);
    monitor events(ctx_, push_, ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CLOSED);
    push_.connect("vsock://1:" + std::to_string(free_vsock_port()));
    EXPECT_EQ(ZMQ_EVENT_CLOSED, events.next()->event);
    EXPECT_FALSE(events.next(100));
}

TEST_F(vsock_test, messages_tell_the_peers_context_id)
{
    push_.connect(pull_.bind("vsock://@:*"));
    push_.send("from loopback");
    received message(pull_);
    ASSERT_EQ(13, static_cast<int>(zmq_msg_size(message)));
    EXPECT_STREQ("1", zmq_msg_gets(message, "Peer-Address"));
}

TEST_F(vsock_test, events_name_the_ends)
{
    monitor accepting(ctx_, pull_, ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED);
    monitor connecting(ctx_, push_, ZMQ_EVENT_CONNECTED);
    const std::string endpoint = pull_.bind("vsock://@:*");
    push_.connect(endpoint);
    expect_exchange();
    EXPECT_EQ(endpoint, accepting.next()->endpoint);
    EXPECT_EQ(endpoint, accepting.next()->endpoint);
    EXPECT_EQ(endpoint, connecting.next()->endpoint);
}

TEST_F(vsock_test, takes_a_listener_over)
{
    const int fd = ::socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_vm address{};
    address.svm_family = AF_VSOCK;
    address.svm_cid = 1;
    address.svm_port = VMADDR_PORT_ANY;
    ASSERT_EQ(0, ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    ASSERT_EQ(0, ::listen(fd, 1));
    pull_.set(ZMQ_USE_FD, fd);
    const std::string endpoint = pull_.bind("vsock://@:*");
    EXPECT_TRUE(endpoint.starts_with("vsock://1:")) << endpoint;
    push_.connect(endpoint);
    expect_exchange();
}

TEST_F(vsock_test, carries_raw_octets)
{
    socket bound = ctx_.open(ZMQ_STREAM), connecting = ctx_.open(ZMQ_STREAM);
    connecting.connect(bound.bind("vsock://@:*"));
    const parts there = bound.recv_parts(), here = connecting.recv_parts();
    ASSERT_EQ(2U, there.size());
    ASSERT_EQ(2U, here.size());
    EXPECT_EQ("", there[1]);
    bound.send_parts({there[0], "raw"});
    EXPECT_EQ((parts{here[0], "raw"}), connecting.recv_parts());
}

TEST_F(vsock_test, small_buffers_hold_nothing_up)
{
    for (socket* one : {&pull_, &push_}) {
        one->set(ZMQ_SNDBUF, 4096);
        one->set(ZMQ_RCVBUF, 4096);
    }
    push_.connect(pull_.bind("vsock://@:*"));
    const std::string body(1 << 20, 'x');
    for (int i = 0; i < 4; ++i) push_.send(body);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(body, pull_.recv());
}

}  // namespace
}  // namespace zlink::test
