// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What options do to the system's sockets, seen at the descriptors that monitors tell.
#include "support/zmq_fixture.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace zlink::test {
namespace {

class kernel_options_test : public zmq_test {
protected:
    static int option_of(int fd, int level, int name)
    {
        int value = -1;
        socklen_t size = sizeof value;
        EXPECT_EQ(0, ::getsockopt(fd, level, name, &value, &size));
        return value;
    }

    /// The descriptors of both ends of a connection whose sockets have the option.
    std::vector<int> descriptors(const std::vector<std::pair<int, int>>& options)
    {
        bound_ = ctx_.open(ZMQ_PAIR);
        connecting_ = ctx_.open(ZMQ_PAIR);
        for (const auto& [option, value] : options) {
            bound_.set(option, value);
            connecting_.set(option, value);
        }
        monitor accepting(ctx_, bound_, ZMQ_EVENT_ACCEPTED);
        monitor connected(ctx_, connecting_, ZMQ_EVENT_CONNECTED);
        connecting_.connect(bound_.bind("tcp://127.0.0.1:*"));
        connecting_.send("the connection is complete");
        bound_.recv();
        return {static_cast<int>(accepting.await(ZMQ_EVENT_ACCEPTED).value),
                static_cast<int>(connected.await(ZMQ_EVENT_CONNECTED).value)};
    }

    socket bound_, connecting_;
};

TEST_F(kernel_options_test, tos_and_priority)
{
    for (const int fd : descriptors({{ZMQ_TOS, 0x28}, {ZMQ_PRIORITY, 3}})) {
        EXPECT_EQ(0x28, option_of(fd, IPPROTO_IP, IP_TOS));
        EXPECT_EQ(3, option_of(fd, SOL_SOCKET, SO_PRIORITY));
    }
}

TEST_F(kernel_options_test, tcp_keepalive)
{
    for (const int fd : descriptors({{ZMQ_TCP_KEEPALIVE, 1},
                                     {ZMQ_TCP_KEEPALIVE_CNT, 4},
                                     {ZMQ_TCP_KEEPALIVE_IDLE, 33},
                                     {ZMQ_TCP_KEEPALIVE_INTVL, 7}})) {
        EXPECT_EQ(1, option_of(fd, SOL_SOCKET, SO_KEEPALIVE));
        EXPECT_EQ(4, option_of(fd, IPPROTO_TCP, TCP_KEEPCNT));
        EXPECT_EQ(33, option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE));
        EXPECT_EQ(7, option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL));
    }
    for (const int fd : descriptors({{ZMQ_TCP_KEEPALIVE, 0}})) EXPECT_EQ(0, option_of(fd, SOL_SOCKET, SO_KEEPALIVE));
}

TEST_F(kernel_options_test, tcp_maxrt)
{
    for (const int fd : descriptors({{ZMQ_TCP_MAXRT, 4321}}))
        EXPECT_EQ(4321, option_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT));
}

TEST_F(kernel_options_test, sizes_of_buffers)
{
    // Linux counts its own needs as well, and doubles.
    for (const int fd : descriptors({{ZMQ_SNDBUF, 20000}, {ZMQ_RCVBUF, 30000}})) {
        EXPECT_EQ(40000, option_of(fd, SOL_SOCKET, SO_SNDBUF));
        EXPECT_EQ(60000, option_of(fd, SOL_SOCKET, SO_RCVBUF));
    }
}

TEST_F(kernel_options_test, backlog)
{
    socket pull = ctx_.open(ZMQ_PULL);
    pull.set(ZMQ_BACKLOG, 17);
    monitor listening(ctx_, pull, ZMQ_EVENT_LISTENING);
    pull.bind("tcp://127.0.0.1:*");
    tcp_info info{};
    socklen_t size = sizeof info;
    const int fd = static_cast<int>(listening.await(ZMQ_EVENT_LISTENING).value);
    ASSERT_EQ(0, ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size));
    EXPECT_EQ(17U, info.tcpi_sacked) << "of a listener, the field has its backlog";
}

TEST_F(kernel_options_test, a_descriptor_of_the_programs_own_is_listened_at)
{
    const int own = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(0, ::bind(own, reinterpret_cast<sockaddr*>(&address), sizeof address));
    ASSERT_EQ(0, ::listen(own, 5));
    socklen_t size = sizeof address;
    ASSERT_EQ(0, ::getsockname(own, reinterpret_cast<sockaddr*>(&address), &size));
    const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));

    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    pull.set(ZMQ_USE_FD, own);
    monitor listening(ctx_, pull, ZMQ_EVENT_LISTENING);
    ASSERT_EQ(0, zmq_bind(pull, endpoint.c_str()));
    EXPECT_EQ(own, static_cast<int>(listening.await(ZMQ_EVENT_LISTENING).value));
    push.connect(endpoint);
    push.send("x");
    EXPECT_EQ("x", pull.recv());
}

TEST_F(kernel_options_test, affinity_to_no_thread_that_is_there)
{
    socket pull = ctx_.open(ZMQ_PULL);
    std::uint64_t mask = std::uint64_t{1} << 5;
    ASSERT_EQ(0, zmq_setsockopt(pull, ZMQ_AFFINITY, &mask, sizeof mask));
    EXPECT_EQ(-1, zmq_bind(pull, "tcp://127.0.0.1:*"));
    EXPECT_EQ(EMTHREAD, zmq_errno());
    mask = 1;
    ASSERT_EQ(0, zmq_setsockopt(pull, ZMQ_AFFINITY, &mask, sizeof mask));
    EXPECT_EQ(0, zmq_bind(pull, "tcp://127.0.0.1:*"));
}

}  // namespace
}  // namespace zlink::test
