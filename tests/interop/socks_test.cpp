// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Through a SOCKS5 proxy that is not ours, to a libzmq. The proxy is open to all or with a password. The tests have
// names that the proxy looks up, IPv6, raw octets, ws, large messages, and a proxy that goes and comes back.
#include "interop_fixture.hpp"
#include "socks_proxy.hpp"

namespace zlink::test {
namespace {

const std::string login = "-u joe -P secret";

class socks_interop_test : public interop_test {
protected:
    [[nodiscard]] socket by(const socks_proxy& proxy, int type = ZMQ_DEALER)
    {
        socket ours = ctx_.open(type);
        ours.set(ZMQ_SOCKS_PROXY, proxy.address());
        ours.set(ZMQ_RECONNECT_IVL, 10);
        return ours;
    }

    static void log_in(socket& ours, std::string_view password = "secret")
    {
        ours.set(ZMQ_SOCKS_USERNAME, "joe");
        ours.set(ZMQ_SOCKS_PASSWORD, password);
    }

    static void expect_traffic_both_ways(socket& ours, peer_process& theirs)
    {
        for (const frame_sizes& sizes :
             {frame_sizes{16}, frame_sizes{16, 0, 255, 256, 70000}, frame_sizes{16, 3000000}}) {
            theirs.tell("recv " + seeded_arguments(1, 0, 50, sizes));
            for (std::uint64_t number = 0; number < 50; ++number) ours.send_parts(seeded_message(1, number, sizes));
            theirs.reply();
            theirs.tell("send " + seeded_arguments(2, 0, 50, sizes));
            for (std::uint64_t number = 0; number < 50; ++number) {
                ASSERT_TRUE(recv_exactly(ours, seeded_message(2, number, sizes)));
            }
            theirs.reply();
        }
    }

    static void expect_exchange(socket& one, socket& other, const std::string& text = "hello")
    {
        one.send(text);
        ASSERT_EQ(text, other.recv());
        other.send(text + " back");
        ASSERT_EQ(text + " back", one.recv());
    }

    void expect_words(const std::string& words)
    {
        EXPECT_TRUE(eventually([&] { return connection_error().find(words) != std::string::npos; }))
            << connection_error();
    }

    static std::string port_of(const std::string& endpoint) { return endpoint.substr(endpoint.rfind(':')); }
};

TEST_F(socks_interop_test, libzmq_is_a_peer_behind_an_open_proxy)
{
    const socks_proxy proxy;
    peer_process theirs("DEALER");
    const std::string endpoint = theirs.ask("bind tcp://127.0.0.1:*");
    socket ours = by(proxy);
    ours.connect(endpoint);
    expect_traffic_both_ways(ours, theirs);
}

TEST_F(socks_interop_test, libzmq_is_a_peer_behind_a_proxy_with_a_password)
{
    const socks_proxy proxy(login);
    peer_process theirs("DEALER");
    const std::string endpoint = theirs.ask("bind tcp://127.0.0.1:*");
    socket ours = by(proxy);
    log_in(ours);
    ours.connect(endpoint);
    expect_traffic_both_ways(ours, theirs);
}

TEST_F(socks_interop_test, without_the_password_nobody_gets_through)
{
    const socks_proxy proxy(login);
    socket server = ctx_.open(ZMQ_DEALER), wrong = by(proxy), none = by(proxy);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    monitor accepted(ctx_, server, ZMQ_EVENT_ACCEPTED);
    log_in(wrong, "guess");
    wrong.connect(endpoint);
    expect_words("the proxy refuses user name and password");
    wrong.close();
    none.connect(endpoint);
    expect_words("the proxy wants authentication");
    none.close();
    EXPECT_FALSE(accepted.next(0));
    socket right = by(proxy);
    log_in(right);
    right.connect(endpoint);
    expect_exchange(right, server);
}

TEST_F(socks_interop_test, names_and_addresses_of_both_families_are_the_proxys_to_reach)
{
    const socks_proxy proxy;
    for (const char* host : {"localhost", "127.0.0.1", "[::1]"}) {
        socket server = ctx_.open(ZMQ_DEALER);  // one that never had another peer to answer
        server.set(ZMQ_IPV6, 1);
        const std::string port = port_of(server.bind("tcp://*:*"));
        socket ours = by(proxy);  // without ZMQ_IPV6
        ours.connect("tcp://" + std::string(host) + port);
        expect_exchange(ours, server);
        ours.disconnect("tcp://" + std::string(host) + port);
    }
}

TEST_F(socks_interop_test, the_proxy_reports_whom_it_cannot_reach)
{
    const socks_proxy proxy;
    socket ours = by(proxy);
    const tcp_peer nobody = tcp_peer::reserve();
    ours.connect(nobody.endpoint());
    expect_words("the proxy reports: connection refused");
    // microsocks says this of names that it cannot look up.
    socket lost = by(proxy);
    lost.connect("tcp://nobody.invalid:5555");
    expect_words("tcp://nobody.invalid:5555 by way of the SOCKS proxy " + proxy.address() + ": the proxy reports");
}

TEST_F(socks_interop_test, the_proxy_may_have_a_name)
{
    const socks_proxy proxy;
    socket server = ctx_.open(ZMQ_DEALER), ours = by(proxy);
    ours.set(ZMQ_SOCKS_PROXY, "localhost" + port_of(proxy.address()));
    ours.connect(server.bind("tcp://127.0.0.1:*"));
    expect_exchange(ours, server);
}

TEST_F(socks_interop_test, raw_octets_go_through)
{
    const socks_proxy proxy;
    tcp_peer listener = tcp_peer::listen();
    socket ours = by(proxy, ZMQ_STREAM);
    ours.connect(listener.endpoint());
    const std::string id = ours.recv_parts().at(0);
    tcp_peer peer = listener.accept();
    ours.send_parts({id, "ping"});
    EXPECT_EQ("ping", peer.read(4));
    peer.write("pong");
    EXPECT_EQ((parts{id, "pong"}), ours.recv_parts());
}

TEST_F(socks_interop_test, web_sockets_go_through)
{
    const socks_proxy proxy(login);
    socket server = ctx_.open(ZMQ_DEALER), ours = by(proxy);
    log_in(ours);
    ours.connect(server.bind("ws://127.0.0.1:*/path"));
    expect_exchange(ours, server);
    expect_exchange(ours, server, std::string(8 << 20, 'x'));
}

TEST_F(socks_interop_test, a_proxy_that_comes_back_is_used_again)
{
    socks_proxy proxy;
    socket server = ctx_.open(ZMQ_DEALER), ours = by(proxy);
    monitor events(ctx_, ours, ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECT_RETRIED);
    ours.connect(server.bind("tcp://127.0.0.1:*"));
    for (int round = 0; round < 3; ++round) {
        SCOPED_TRACE(round);
        expect_exchange(ours, server, std::to_string(round));
        proxy.stop();
        events.await(ZMQ_EVENT_DISCONNECTED);
        events.await(ZMQ_EVENT_CONNECT_RETRIED);
        ours.send("meanwhile");
        proxy.start();
        ASSERT_EQ("meanwhile", server.recv());
    }
}

}  // namespace
}  // namespace zlink::test
