// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_last_error() and zlink_connection_error(): each failure of the API has words, and they are those of the last
// one.
#include "support/monitor.hpp"
#include "support/zmq_fixture.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace zlink::test {
namespace {

bool says(const char* words)
{
    return std::string(zlink_last_error()).find(words) != std::string::npos;
}

struct endpoint_failure {
    const char* endpoint;
    int error;
    const char* words;
};

class last_error_test : public zmq_test {
protected:
    last_error_test() : socket_(ctx_.open(ZMQ_PAIR)) {}

    socket socket_;
};

TEST_F(last_error_test, binds_say_what_is_wrong_with_their_endpoint)
{
    for (const auto& [endpoint, error, words] : {
             endpoint_failure{"127.0.0.1:5555", EINVAL, "has no scheme"},
             {"tcp://", EINVAL, "nothing follows its scheme"},
             {"tcp://127.0.0.1", EINVAL, "it has no port"},
             {"tcp://127.0.0.1:65536", EINVAL, "'65536' is not a port: 0 to 65535, or *"},
             {"tcp://127.0.0.1:http", EINVAL, "'http' is not a port"},
             {"tcp://:5555", ENODEV, "it has no host"},
             {"tcp://no-such-interface-0:*", ENODEV, "no interface, host or address"},
             {"tcp://192.0.2.1:*", EADDRNOTAVAIL, "not an address of this machine"},
             {"carrier-pigeon://loft", EPROTONOSUPPORT, "no such transport; it has tcp, "},
             {"ipc:///nonexistent/folder/socket", ENOENT, "a part of its path does not exist"},
         }) {
        EXPECT_EQ(-1, zmq_bind(socket_, endpoint));
        EXPECT_EQ(error, zmq_errno()) << endpoint;
        EXPECT_TRUE(says(words)) << endpoint << ": " << zlink_last_error();
        EXPECT_TRUE(says((std::string("cannot bind to '") + endpoint + "': ").c_str())) << zlink_last_error();
    }
    socket other = ctx_.open(ZMQ_PAIR);
    const std::string taken = other.bind("tcp://127.0.0.1:*");
    EXPECT_EQ(-1, zmq_bind(socket_, taken.c_str()));
    EXPECT_TRUE(says("something is bound there already")) << zlink_last_error();
}

TEST_F(last_error_test, connects_say_what_is_wrong_with_their_endpoint)
{
    for (const auto& [endpoint, error, words] : {
             endpoint_failure{"tcp://127.0.0.1:*", EINVAL, "'*' is not a port: 0 to 65535"},
             {"tcp://127.0.0.1:-1", EINVAL, "'-1' is not a port"},
             {"tcp://::1:5555", EINVAL, "ZMQ_IPV6"},
             {"carrier-pigeon://loft", EPROTONOSUPPORT, "no such transport"},
         }) {
        EXPECT_EQ(-1, zmq_connect(socket_, endpoint));
        EXPECT_EQ(error, zmq_errno()) << endpoint;
        EXPECT_TRUE(says(words)) << endpoint << ": " << zlink_last_error();
    }
    EXPECT_EQ(-1, zmq_connect(socket_, nullptr));
    EXPECT_TRUE(says("has no scheme")) << zlink_last_error();
}

TEST_F(last_error_test, a_bind_to_all_interfaces_does_not_blame_them_for_an_option)
{
    const int not_listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socket_.set(ZMQ_USE_FD, not_listening);
    EXPECT_EQ(-1, zmq_bind(socket_, "tcp://*:5555"));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_TRUE(says("an option that goes with it is wrong")) << zlink_last_error();
    ::close(not_listening);
}

TEST_F(last_error_test, endpoints_of_udp_say_what_is_wrong_with_host_and_port)
{
    socket radio = ctx_.open(ZMQ_RADIO), dish = ctx_.open(ZMQ_DISH);
    for (const auto& [endpoint, error, words] : {
             endpoint_failure{"udp://127.0.0.1", EINVAL, "it has no port: write host:port"},
             {"udp://127.0.0.1:65536", EINVAL, "'65536' is not a port: 0 to 65535"},
             {"udp://127.0.0.1:snmp", EINVAL, "'snmp' is not a port"},
             {"udp://:5555", EINVAL, "an address, a name or an interface is wanted before the port"},
             {"udp://;127.0.0.1:5555", EINVAL, "it is none that udp takes"},
         }) {
        for (const bool binds : {true, false}) {
            EXPECT_EQ(-1, binds ? zmq_bind(dish, endpoint) : zmq_connect(radio, endpoint)) << endpoint;
            EXPECT_EQ(error, zmq_errno()) << endpoint;
            EXPECT_TRUE(says(words)) << endpoint << ": " << zlink_last_error();
        }
    }
    EXPECT_EQ(-1, zmq_connect(radio, "udp://*:5555"));
    EXPECT_TRUE(says("is wanted before the port")) << zlink_last_error();
}

TEST_F(last_error_test, ends_of_endpoints_say_what_is_missing)
{
    EXPECT_EQ(-1, zmq_unbind(socket_, "tcp://127.0.0.1:5555"));
    EXPECT_TRUE(says("cannot unbind 'tcp://127.0.0.1:5555': this socket has no such endpoint")) << zlink_last_error();
    EXPECT_EQ(-1, zmq_disconnect(socket_, "inproc://nobody"));
    EXPECT_TRUE(says("cannot disconnect 'inproc://nobody': ")) << zlink_last_error();
}

TEST_F(last_error_test, options_say_which_and_how)
{
    int value = -7;
    EXPECT_EQ(-1, zmq_setsockopt(socket_, ZMQ_SNDHWM, &value, sizeof value));
    EXPECT_TRUE(says("option 23 ")) << zlink_last_error();
    EXPECT_TRUE(says("4 octets")) << zlink_last_error();
    EXPECT_EQ(-1, zmq_setsockopt(socket_, ZMQ_CURVE_SERVERKEY, "short", 5));
    EXPECT_TRUE(says("option 50 ")) << zlink_last_error();
    std::size_t size = sizeof value;
    EXPECT_EQ(-1, zmq_getsockopt(socket_, 99999, &value, &size));
    EXPECT_TRUE(says("option 99999 is unknown")) << zlink_last_error();
}

TEST_F(last_error_test, a_failure_without_words_of_its_own_has_a_sentence)
{
    char octet = 0;
    EXPECT_EQ(-1, zmq_recv(socket_, &octet, 1, ZMQ_DONTWAIT));
    EXPECT_TRUE(says("it would have to wait")) << zlink_last_error();
    socket req = ctx_.open(ZMQ_REQ);
    EXPECT_EQ(-1, zmq_recv(req, &octet, 1, 0));
    EXPECT_EQ(EFSM, zmq_errno());
    EXPECT_TRUE(says("not this socket's turn")) << zlink_last_error();
    EXPECT_EQ(-1, zmq_msg_send(nullptr, socket_, 0));
    EXPECT_TRUE(says("a pointer is null")) << zlink_last_error();
    alignas(64) std::array<char, 4096> nothing{};
    EXPECT_EQ(-1, zmq_close(nothing.data()));
    EXPECT_TRUE(says("not a socket")) << zlink_last_error();
    EXPECT_EQ(nullptr, zmq_socket(ctx_, 4711));
    EXPECT_TRUE(says("an argument is not valid")) << zlink_last_error();
}

TEST_F(last_error_test, the_last_failure_counts_alone)
{
    char octet = 0;
    EXPECT_EQ(-1, zmq_bind(socket_, "tcp://127.0.0.1:65536"));
    EXPECT_TRUE(says("65536"));
    EXPECT_EQ(-1, zmq_recv(socket_, &octet, 1, ZMQ_DONTWAIT));
    EXPECT_FALSE(says("65536")) << zlink_last_error();
    EXPECT_EQ(-1, zmq_bind(socket_, "tcp://127.0.0.1:65537"));
    int value = 10;
    EXPECT_EQ(0, zmq_setsockopt(socket_, ZMQ_SNDHWM, &value, sizeof value));  // does not fail, so it changes nothing
    EXPECT_TRUE(says("65537")) << zlink_last_error();
}

TEST_F(last_error_test, a_thread_in_which_nothing_has_failed_has_no_words)
{
    EXPECT_EQ(-1, zmq_bind(socket_, "tcp://127.0.0.1:65536"));
    std::thread([] { EXPECT_STREQ("", zlink_last_error()); }).join();
}

TEST_F(last_error_test, a_refused_connection_is_told_with_its_endpoint)
{
    socket bound = ctx_.open(ZMQ_PAIR);
    const std::string gone = bound.bind("tcp://127.0.0.1:*");
    bound.close();
    EXPECT_TRUE(eventually([&] {  // its port is free
        socket again = ctx_.open(ZMQ_PAIR);
        return zmq_bind(again, gone.c_str()) == 0;
    }));
    monitor events(ctx_, socket_, ZMQ_EVENT_CONNECT_RETRIED);
    std::uint64_t position = 0;
    while (zlink_connection_error(&position, nullptr, 0) != 0) {
    }
    socket_.connect(gone);
    ASSERT_TRUE(events.next());
    char text[100] = "";
    const std::string expected = gone + ": Connection refused";
    EXPECT_EQ(expected.size(), zlink_connection_error(&position, text, sizeof text));
    EXPECT_EQ(expected, text);
}

TEST_F(last_error_test, a_reader_of_connections_needs_a_position_and_room)
{
    std::uint64_t position = 0;
    char text[10];
    EXPECT_EQ(0u, zlink_connection_error(nullptr, text, sizeof text));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(0u, zlink_connection_error(&position, nullptr, 5));
    EXPECT_EQ(EFAULT, zmq_errno());
}

}  // namespace
}  // namespace zlink::test
