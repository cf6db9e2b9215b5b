// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_socket_monitor(): seven frames for each event, and the reason of each failure in words.

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif

#include "support/curve_keys.hpp"
#include "support/raw_peer.hpp"
#include "support/tls_command.hpp"
#include "support/zap_handler.hpp"
#include "support/zmq_fixture.hpp"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace zlink::test {
namespace {

using zlink::test::socket;
using std::literals::operator""s;

struct explained_event {
    std::uint64_t event = 0;
    std::uint64_t value = 0;
    std::string endpoint;
    std::string address;
    std::string routing_id;
    std::string user_id;
    std::string reason;
};

std::uint64_t number_in(const std::string& frame)
{
    std::uint64_t number = 0;
    EXPECT_EQ(sizeof number, frame.size());
    if (frame.size() == sizeof number) std::memcpy(&number, frame.data(), sizeof number);
    return number;
}

/// Reads the events of a socket. Declare it after the socket.
class explained_monitor {
public:
    explicit explained_monitor(context& ctx, socket& watched, std::uint64_t events = ZMQ_EVENT_ALL)
        : reader_(ctx, ZMQ_PAIR)
    {
        const std::string at = unique_inproc();
        EXPECT_EQ(0, zlink_socket_monitor(watched, at.c_str(), events, 0)) << zlink_last_error();
        reader_.connect(at);
    }

    explained_event next()
    {
        const parts frames = reader_.recv_parts();
        EXPECT_EQ(7u, frames.size());
        if (frames.size() != 7) return {};
        return {number_in(frames[0]), number_in(frames[1]), frames[2], frames[3], frames[4], frames[5], frames[6]};
    }

    /// Passes over others.
    explained_event await(std::uint64_t event)
    {
        explained_event come = next();
        while (come.event != event && come.event != 0 && !testing::Test::HasFailure()) come = next();
        return come;
    }

    socket& reader() { return reader_; }

private:
    socket reader_;
};

bool has(const std::string& text, std::string_view words)
{
    return text.find(words) != std::string::npos;
}

class explained_monitor_test : public zmq_test {
protected:
    static constexpr const char* anywhere = "tcp://127.0.0.1:*";

    /// Whatever the run puts in tcp's place.
    static std::string bind_to(socket& s, const char* endpoint)
    {
        EXPECT_EQ(0, zmq_bind(s, endpoint)) << zlink_last_error();
        return s.last_endpoint();
    }

    /// An address where nothing listens.
    static std::string deserted()
    {
        raw_listener nobody;
        return nobody.endpoint();
    }
};

TEST_F(explained_monitor_test, tells_the_life_of_a_connection)
{
    socket server = ctx_.open(ZMQ_ROUTER), client = ctx_.open(ZMQ_DEALER);
    client.set(ZMQ_ROUTING_ID, "joe");
    explained_monitor of_server(ctx_, server), of_client(ctx_, client);
    const std::string endpoint = bind_to(server, anywhere);

    const explained_event listening = of_server.await(ZMQ_EVENT_LISTENING);
    EXPECT_EQ(anywhere, listening.endpoint) << "as the program wrote it";
    EXPECT_EQ("", listening.address);
    EXPECT_EQ("", listening.reason);

    client.connect(endpoint);
    const explained_event accepted = of_server.await(ZMQ_EVENT_ACCEPTED);
    EXPECT_EQ(anywhere, accepted.endpoint);
    EXPECT_TRUE(accepted.address.starts_with("tcp://127.0.0.1:")) << accepted.address;
    EXPECT_NE(endpoint, accepted.address);
    EXPECT_EQ("", accepted.routing_id);
    const explained_event known = of_server.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    EXPECT_EQ(0u, known.value);
    EXPECT_EQ(anywhere, known.endpoint);
    EXPECT_EQ(accepted.address, known.address);
    EXPECT_EQ("joe", known.routing_id);
    EXPECT_EQ("", known.user_id);
    EXPECT_EQ("", known.reason);

    const explained_event connected = of_client.await(ZMQ_EVENT_CONNECTED);
    EXPECT_EQ(endpoint, connected.endpoint);
    EXPECT_EQ(endpoint, connected.address);
    EXPECT_EQ("", of_client.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED).routing_id) << "the server has announced none";

    client.close();
    const explained_event gone = of_server.await(ZMQ_EVENT_DISCONNECTED);
    EXPECT_EQ(accepted.value, gone.value) << "the descriptor's number";
    EXPECT_EQ(anywhere, gone.endpoint);
    EXPECT_EQ(accepted.address, gone.address);
    EXPECT_EQ("joe", gone.routing_id);
    EXPECT_EQ("the peer closed the connection", gone.reason);

    ASSERT_EQ(0, zlink_socket_monitor(server, nullptr, 0, 0));
    EXPECT_EQ(std::uint64_t(ZMQ_EVENT_MONITOR_STOPPED), of_server.next().event);
}

TEST_F(explained_monitor_test, tells_the_address_of_a_name_that_was_written)
{
    socket server = ctx_.open(ZMQ_PULL), client = ctx_.open(ZMQ_PUSH);
    explained_monitor events(ctx_, client, ZMQ_EVENT_CONNECTED);
    const std::string endpoint = bind_to(server, anywhere);
    const std::string by_name = "tcp://localhost" + endpoint.substr(endpoint.rfind(':'));
    client.connect(by_name);
    const explained_event connected = events.next();
    EXPECT_EQ(by_name, connected.endpoint);
    EXPECT_EQ(endpoint, connected.address);
}

TEST_F(explained_monitor_test, tells_the_user_that_authentication_has_named)
{
    socket server = ctx_.open(ZMQ_PULL), client = ctx_.open(ZMQ_PUSH);
    zap_handler handler(ctx_);
    server.set(ZMQ_PLAIN_SERVER, 1);
    client.set(ZMQ_PLAIN_USERNAME, "me");
    client.set(ZMQ_PLAIN_PASSWORD, "secret");
    explained_monitor events(ctx_, server);
    client.connect(bind_to(server, anywhere));
    (void)handler.answer(zap_reply("200", "the user"));
    EXPECT_EQ("the user", events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED).user_id);
    client.close();
    EXPECT_EQ("the user", events.await(ZMQ_EVENT_DISCONNECTED).user_id);
}

TEST_F(explained_monitor_test, a_refused_connect_says_so_until_it_works)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 1);
    explained_monitor events(ctx_, client);
    const std::string endpoint = deserted();
    client.connect(endpoint);
    const explained_event closed = events.await(ZMQ_EVENT_CLOSED);
    EXPECT_EQ(endpoint, closed.endpoint);
    EXPECT_EQ("", closed.address);
    EXPECT_EQ("Connection refused", closed.reason);
    EXPECT_EQ("Connection refused", events.await(ZMQ_EVENT_CONNECT_RETRIED).reason);
}

TEST_F(explained_monitor_test, a_name_that_is_unknown_is_a_reason_to_try_again)
{
    socket client = ctx_.open(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 1);
    explained_monitor events(ctx_, client);
    client.connect("tcp://no-such-host.invalid:5555");
    EXPECT_EQ("its name cannot be looked up", events.await(ZMQ_EVENT_CONNECT_RETRIED).reason);
}

TEST_F(explained_monitor_test, a_bind_that_fails_says_why)
{
    socket first = ctx_.open(ZMQ_PULL), second = ctx_.open(ZMQ_PULL);
    explained_monitor events(ctx_, second);
    const std::string taken = bind_to(first, anywhere);
    EXPECT_EQ(-1, zmq_bind(second, taken.c_str()));
    const explained_event failed = events.await(ZMQ_EVENT_BIND_FAILED);
    EXPECT_EQ(std::uint64_t(EADDRINUSE), failed.value);
    EXPECT_EQ(taken, failed.endpoint);
    EXPECT_EQ("Address already in use", failed.reason);
}

struct stranger {
    const char* name;
    std::string says;
    std::uint64_t value;
    const char* words;
};

class stranger_test : public zmq_test, public testing::WithParamInterface<stranger> {};

TEST_P(stranger_test, that_answers_is_named)
{
    raw_listener there;
    socket client = ctx_.open(ZMQ_DEALER);
    explained_monitor events(ctx_, client);
    client.connect(there.endpoint());
    raw_peer peer = there.accept();
    peer.send_bytes(GetParam().says);
    const explained_event failed = events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    EXPECT_EQ(GetParam().value, failed.value);
    EXPECT_TRUE(has(failed.reason, GetParam().words)) << failed.reason;
    EXPECT_EQ(there.endpoint(), failed.endpoint);
    EXPECT_EQ(there.endpoint(), failed.address);
    EXPECT_EQ(failed.reason, events.await(ZMQ_EVENT_DISCONNECTED).reason);
    EXPECT_EQ(failed.reason, events.await(ZMQ_EVENT_CONNECT_RETRIED).reason);
}

TEST_P(stranger_test, that_comes_is_named)
{
    socket server = ctx_.open(ZMQ_DEALER);
    explained_monitor events(ctx_, server);
    ASSERT_EQ(0, zmq_bind(server, "tcp://127.0.0.1:*"));
    raw_peer peer = raw_peer::connect_to(server.last_endpoint());
    for (const char octet : GetParam().says) {
        if (!peer.try_send_bytes(std::string(1, octet))) break;  // the server knows enough, and has gone
    }
    const explained_event failed = events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    EXPECT_TRUE(has(failed.reason, GetParam().words)) << failed.reason;
    EXPECT_EQ("tcp://127.0.0.1:*", failed.endpoint);
}

INSTANTIATE_TEST_SUITE_P(all, stranger_test,
                         testing::Values(stranger{"http", "HTTP/1.1 400 Bad Request\r\n\r\n", EPROTONOSUPPORT,
                                                  "peer answers by HTTP; a web server is there; check the port"},
                                         stranger{"tls_alert", "\x15\x03\x01\0\x02\x02\x46"s, EPROTONOSUPPORT,
                                                  "peer speaks TLS; use a tls or wss endpoint here"},
                                         stranger{"tls_hello", "\x16\x03\x01\x02\0\x01\0"s, EPROTONOSUPPORT,
                                                  "peer speaks TLS; use a tls or wss endpoint here"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(explained_monitor_test, a_peer_that_closes_at_once_is_told_from_others)
{
    raw_listener there;
    socket client = ctx_.open(ZMQ_DEALER);
    explained_monitor events(ctx_, client);
    client.connect(there.endpoint());
    {
        raw_peer peer = there.accept();
    }
    const explained_event failed = events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    EXPECT_TRUE(has(failed.reason, "during the handshake") || has(failed.reason, "Connection reset")) << failed.reason;
}

TEST_F(explained_monitor_test, a_peer_that_says_nothing_took_too_long)
{
    raw_listener there;
    socket client = ctx_.open(ZMQ_DEALER);
    client.set(ZMQ_HANDSHAKE_IVL, 20);
    explained_monitor events(ctx_, client);
    client.connect(there.endpoint());
    EXPECT_TRUE(has(events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).reason, "took too long"));
    EXPECT_TRUE(has(events.await(ZMQ_EVENT_DISCONNECTED).reason, "took too long"));
}

TEST_F(explained_monitor_test, other_mechanisms_and_other_types_are_named)
{
    socket server = ctx_.open(ZMQ_PULL), plain = ctx_.open(ZMQ_PUSH), pub = ctx_.open(ZMQ_PUB);
    explained_monitor events(ctx_, server);
    const std::string endpoint = bind_to(server, anywhere);
    plain.set(ZMQ_PLAIN_USERNAME, "me");
    plain.set(ZMQ_PLAIN_PASSWORD, "secret");
    plain.connect(endpoint);
    explained_event failed = events.await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
    EXPECT_EQ(std::uint64_t(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH), failed.value);
    EXPECT_TRUE(has(failed.reason, "security mechanisms differ; one side uses CURVE or PLAIN")) << failed.reason;
    pub.connect(endpoint);
    failed = events.await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
    EXPECT_TRUE(has(failed.reason, "check that the types of the two sockets fit")) << failed.reason;
}

TEST_F(explained_monitor_test, a_wrong_key_is_named_on_both_sides)
{
    if (zmq_has("curve") == 0) GTEST_SKIP() << "a library without CURVE";
    const curve_keys of_server, of_client, other;
    socket server = ctx_.open(ZMQ_PULL), client = ctx_.open(ZMQ_PUSH);
    be_curve_server(server, of_server);
    be_curve_client(client, of_client, other.open);
    explained_monitor at_server(ctx_, server), at_client(ctx_, client);
    client.connect(bind_to(server, anywhere));
    const explained_event failed = at_server.await(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
    EXPECT_EQ(std::uint64_t(ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC), failed.value);
    EXPECT_TRUE(has(failed.reason, "wrong key")) << failed.reason;
    EXPECT_TRUE(has(failed.reason, "ZMQ_CURVE_SERVERKEY of the client must be the server's public key"));
    const std::string reason = at_client.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).reason;
    EXPECT_TRUE(has(reason, "ZMQ_CURVE_SERVERKEY is its public key") || has(reason, "Connection reset")) << reason;
}

TEST_F(explained_monitor_test, a_refusal_has_its_status_on_both_sides)
{
    for (const auto& [status, words] : {std::pair{"400", "refused with status 400"},
                                        {"300", "status 300: the ZAP handler has a temporary problem"},
                                        {"500", "status 500"}}) {
        context ctx;
        socket server = ctx.open(ZMQ_PULL), client = ctx.open(ZMQ_PUSH);
        zap_handler handler(ctx);
        server.set(ZMQ_PLAIN_SERVER, 1);
        client.set(ZMQ_PLAIN_USERNAME, "me");
        client.set(ZMQ_PLAIN_PASSWORD, "secret");
        explained_monitor at_server(ctx, server), at_client(ctx, client);
        client.connect(bind_to(server, anywhere));
        (void)handler.answer(zap_reply(status));
        const std::string reason = at_server.await(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH).reason;
        EXPECT_TRUE(has(reason, words)) << reason;
        if (status == "300"s) continue;  // the client is not told
        const std::string told = at_client.await(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH).reason;
        EXPECT_TRUE(has(told, words)) << told;
    }
}

TEST_F(explained_monitor_test, a_silent_peer_is_said_to_be)
{
    socket server = ctx_.open(ZMQ_PULL);
    server.set(ZMQ_HEARTBEAT_IVL, 10);
    server.set(ZMQ_HEARTBEAT_TIMEOUT, 20);
    explained_monitor events(ctx_, server);
    raw_peer peer = raw_peer::connect_to(bind_to(server, anywhere));
    peer.handshake(zmtp_version::v3_1, "PUSH");
    const std::string reason = events.await(ZMQ_EVENT_DISCONNECTED).reason;
    EXPECT_TRUE(has(reason, "did not answer a heartbeat in time")) << reason;
}

TEST_F(explained_monitor_test, a_message_that_is_too_long_is_said_to_be)
{
    socket server = ctx_.open(ZMQ_PULL);
    const std::int64_t most = 10;
    ASSERT_EQ(0, zmq_setsockopt(server, ZMQ_MAXMSGSIZE, &most, sizeof most));
    explained_monitor events(ctx_, server);
    raw_peer peer = raw_peer::connect_to(bind_to(server, anywhere));
    peer.handshake(zmtp_version::v3_1, "PUSH");
    peer.send_message({"longer than ten octets"});
    const std::string reason = events.await(ZMQ_EVENT_DISCONNECTED).reason;
    EXPECT_EQ("the peer sent a message longer than ZMQ_MAXMSGSIZE allows", reason);
}

TEST_F(explained_monitor_test, a_certificate_that_has_expired_is_named)
{
    if (zmq_has("tls") == 0) GTEST_SKIP() << "a library without tls";
    const certificate old = authority::of_this_process().issue({.days = -1});
    socket server = ctx_.open(ZMQ_PULL), client = ctx_.open(ZMQ_PUSH);
    server.set(ZMQ_TLS_CERT_FILE, old.file);
    server.set(ZMQ_TLS_KEY_FILE, old.key);
    client.set(ZMQ_TLS_CA_FILE, authority::of_this_process().file());
    explained_monitor events(ctx_, client);
    client.connect(bind_to(server, "tls://127.0.0.1:*"));
    const explained_event failed = events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    EXPECT_TRUE(has(failed.reason, "expired")) << failed.reason;
    EXPECT_EQ(failed.reason, events.await(ZMQ_EVENT_DISCONNECTED).reason);
}

TEST_F(explained_monitor_test, descriptors_that_run_out_at_accept_are_said_to)
{
    socket server = ctx_.open(ZMQ_PULL);
    explained_monitor events(ctx_, server);
    raw_peer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(tcp_peer::port_of(bind_to(server, anywhere)));
    rlimit before{};
    ASSERT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before));
    const int lowest_free = ::dup(STDIN_FILENO);
    ::close(lowest_free);
    rlimit none_left = before;
    none_left.rlim_cur = static_cast<rlim_t>(lowest_free);
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &none_left));
    EXPECT_EQ(0, ::connect(peer.fd(), reinterpret_cast<sockaddr*>(&to), sizeof to));
    const explained_event failed = events.await(ZMQ_EVENT_ACCEPT_FAILED);
    EXPECT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &before));
    EXPECT_EQ(std::uint64_t(EMFILE), failed.value);
    EXPECT_EQ(anywhere, failed.endpoint);
    EXPECT_TRUE(has(failed.reason, "raise the limit of this process (ulimit -n)")) << failed.reason;
}

TEST_F(explained_monitor_test, what_a_peer_says_in_its_refusal_is_passed_on_without_controls)
{
    raw_listener there;
    socket client = ctx_.open(ZMQ_DEALER);
    explained_monitor events(ctx_, client);
    client.connect(there.endpoint());
    raw_peer peer = there.accept();
    peer.send_bytes(zmtp3_greeting());
    peer.send_command("ERROR", "\x0bgo \x1b[2Jaway"s);
    const std::string reason = events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).reason;
    EXPECT_EQ("the peer refused the handshake: go ?[2Jaway", reason);
}

TEST_F(explained_monitor_test, a_reader_that_does_not_read_holds_up_nobody)
{
    socket first = ctx_.open(ZMQ_PULL), second = ctx_.open(ZMQ_PULL);
    explained_monitor unread(ctx_, second, ZMQ_EVENT_BIND_FAILED);
    const std::string taken = bind_to(first, anywhere);
    constexpr int told = 5000;
    for (int i = 0; i < told; ++i) EXPECT_EQ(-1, zmq_bind(second, taken.c_str()));
    int kept = 0;
    for (; unread.reader().readable(); ++kept) {
        const parts frames = unread.reader().recv_parts();
        ASSERT_EQ(7u, frames.size()) << "whole events alone";
        EXPECT_EQ(taken, frames[2]);
    }
    EXPECT_LT(0, kept);
    EXPECT_GT(told, kept);
}

TEST_F(explained_monitor_test, takes_the_place_of_another_and_ends_like_it)
{
    socket server = ctx_.open(ZMQ_PULL);
    monitor before(ctx_, server);
    explained_monitor now(ctx_, server, ZMQ_EVENT_LISTENING);
    EXPECT_EQ(ZMQ_EVENT_MONITOR_STOPPED, before.next()->event);
    bind_to(server, anywhere);
    EXPECT_EQ(std::uint64_t(ZMQ_EVENT_LISTENING), now.next().event);
    EXPECT_EQ(-1, zmq_socket_monitor_pipes_stats(server)) << "it has no events of several values";
    EXPECT_EQ(EINVAL, zmq_errno());
    ASSERT_EQ(0, zmq_socket_monitor(server, nullptr, 0));
    bind_to(server, anywhere);
    EXPECT_FALSE(now.reader().readable());
}

}  // namespace
}  // namespace zlink::test
