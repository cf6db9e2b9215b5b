// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket of TCP that connects from the address that it connects to is joined with itself. That happens by chance
// where a peer's port is one of those that the system gives to connections. Here the source is named, so that it
// happens each time.
#include "support/zmq_fixture.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace zlink::test {
namespace {

class self_connection_test : public testing::TestWithParam<const char*> {
protected:
    /// The source and the peer are one port, which is free.
    [[nodiscard]] std::string endpoint() const
    {
        tcp_peer probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = inet_addr("127.83.7.24");  // nobody else's
        socklen_t size = sizeof address;
        EXPECT_EQ(0, ::bind(probe.fd(), reinterpret_cast<sockaddr*>(&address), size));
        EXPECT_EQ(0, ::getsockname(probe.fd(), reinterpret_cast<sockaddr*>(&address), &size));
        const std::string own = "127.83.7.24:" + std::to_string(ntohs(address.sin_port));
        return GetParam() + ("://" + own + ';' + own);
    }

    socket open()
    {
        socket opened = ctx_.open(ZMQ_PAIR);
        opened.set(ZMQ_RECONNECT_IVL, 10);
        if (is_encrypted()) know_certificates(opened);
        return opened;
    }
    [[nodiscard]] bool is_encrypted() const
    {
        return std::string_view(GetParam()) == "tls" || std::string_view(GetParam()) == "wss";
    }

    context ctx_;
};

TEST_P(self_connection_test, is_closed_and_tried_again)
{
    socket client = open();
    monitor events(ctx_, client,
                   ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                       ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    client.connect(endpoint());
    client.send("not to itself");
    for (int i = 0; i < 3; ++i) {
        const auto event = events.next();
        ASSERT_TRUE(event);
        EXPECT_EQ(ZMQ_EVENT_CONNECT_RETRIED, event->event);
    }
    expect_no_message(client);
}

TEST_P(self_connection_test, counts_as_refused)
{
    socket client = open();
    client.set(ZMQ_RECONNECT_STOP, ZMQ_RECONNECT_STOP_CONN_REFUSED);
    monitor events(ctx_, client, ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_CLOSED);
    client.connect(endpoint());
    EXPECT_EQ(ZMQ_EVENT_CLOSED, events.await(ZMQ_EVENT_ALL).event);
    EXPECT_FALSE(events.next(100));
}

std::vector<const char*> schemes_over_tcp()
{
    std::vector<const char*> all{"tcp", "ws"};
    if (zmq_has("tls")) all.insert(all.end(), {"tls", "wss"});
    return all;
}

INSTANTIATE_TEST_SUITE_P(all, self_connection_test, testing::ValuesIn(schemes_over_tcp()),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace zlink::test
