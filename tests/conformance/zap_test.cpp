// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ZAP (RFC 27) with the NULL mechanism: what the handler is asked, what comes of each answer, and of none.
#include "zap_fixture.hpp"

namespace zlink::test {
namespace {

class zap_test : public zap_fixture {
protected:
    socket pull(const std::string& domain = "test", bool enforce = false)
    {
        socket s = ctx_.open(ZMQ_PULL);
        s.set(ZMQ_ZAP_DOMAIN, domain);
        s.set(ZMQ_ZAP_ENFORCE_DOMAIN, enforce ? 1 : 0);
        return s;
    }

    socket push(const std::string& endpoint, int reconnect_ivl = 10)
    {
        socket s = ctx_.open(ZMQ_PUSH);
        s.set(ZMQ_RECONNECT_IVL, reconnect_ivl);
        s.connect(endpoint);
        return s;
    }
};

TEST_P(zap_test, handler_is_told_who_wants_what)
{
    zap_handler handler(ctx_);
    socket server = pull("global");
    server.set(ZMQ_ROUTING_ID, "server");
    const std::string endpoint = bind(server);
    socket client = push(endpoint);
    const zap_request asked = handler.answer(zap_reply("200", "joe", zmtp_property("Level", "high")));
    EXPECT_EQ("1.0", asked.version);
    EXPECT_EQ("global", asked.domain);
    if (in_this_run(GetParam()) == GetParam()) {
        EXPECT_EQ(own_address(), asked.address);
    }
    EXPECT_EQ("server", asked.identity);
    EXPECT_EQ("NULL", asked.mechanism);
    EXPECT_EQ(parts{}, asked.credentials);

    client.send("hello");
    received message(server);
    EXPECT_EQ("hello", message.body());
    EXPECT_EQ("joe", message.property("User-Id"));
    EXPECT_EQ("high", message.property("Level"));
    EXPECT_EQ("PUSH", message.property("Socket-Type"));
}

TEST_P(zap_test, router_may_be_the_handler)
{
    zap_handler handler(ctx_, ZMQ_ROUTER);
    socket server = pull();
    const std::string endpoint = bind(server);
    socket one = push(endpoint), other = push(endpoint);
    // It need not answer in order.
    (void)handler.take();
    const parts first = handler.envelope();
    handler.answer("200");
    handler.envelope() = first;
    handler.reply(zap_reply("200"));
    one.send("x");
    other.send("x");
    EXPECT_EQ("x", server.recv());
    EXPECT_EQ("x", server.recv());
}

TEST_P(zap_test, without_a_domain_nobody_is_asked)
{
    zap_handler handler(ctx_);
    socket server = ctx_.open(ZMQ_PULL);
    const std::string endpoint = bind(server);
    socket client = push(endpoint);
    client.send("hello");
    received message(server);
    EXPECT_EQ("hello", message.body());
    EXPECT_EQ("(none)", message.property("User-Id"));
    EXPECT_FALSE(handler.is_asked());
}

TEST_P(zap_test, whoever_connects_may_have_its_peer_checked_too)
{
    zap_handler handler(ctx_);
    socket client = ctx_.open(ZMQ_PUSH);
    const std::string endpoint = bind(client);
    socket server = pull();
    server.connect(endpoint);
    handler.answer(zap_reply("200", "joe"));
    client.send("hello");
    EXPECT_EQ("joe", received(server).property("User-Id"));
}

TEST_P(zap_test, without_a_handler_peers_are_admitted)
{
    socket server = pull();
    monitor events(ctx_, server, any_handshake);
    socket client = push(bind(server));
    client.send("hello");
    EXPECT_EQ("(none)", received(server).property("User-Id"));
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, events.await(any_handshake).event);
}

TEST_P(zap_test, without_a_handler_an_enforced_domain_admits_nobody_until_there_is_one)
{
    socket server = pull("test", true);
    monitor events(ctx_, server, any_handshake);
    socket client = push(bind(server));
    client.send("hello");
    for (int i = 0; i < 3; ++i) {
        const auto event = events.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, event.event);
        EXPECT_EQ(EFAULT, static_cast<int>(event.value));
    }
    zap_handler handler(ctx_);
    handler.answer("200");
    EXPECT_EQ("hello", server.recv());
}

TEST_P(zap_test, lasting_refusal_is_told_and_the_peer_does_not_come_back)
{
    zap_handler handler(ctx_);
    socket server = pull();
    monitor here(ctx_, server, any_handshake | ZMQ_EVENT_DISCONNECTED);
    const std::string endpoint = bind(server);
    for (const int status : {400, 500}) {
        socket client = ctx_.open(ZMQ_PUSH);
        monitor there(ctx_, client, any_handshake | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECT_RETRIED);
        client.set(ZMQ_RECONNECT_IVL, 1);
        client.connect(endpoint);
        handler.answer(std::to_string(status));
        for (monitor* events : {&here, &there}) {
            const auto refused = events->next();
            ASSERT_TRUE(refused);
            EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, refused->event);
            EXPECT_EQ(status, static_cast<int>(refused->value));
            const auto ended = events->next();
            ASSERT_TRUE(ended);
            EXPECT_EQ(ZMQ_EVENT_DISCONNECTED, ended->event);
        }
        EXPECT_TRUE(has_given_up(client));
        EXPECT_FALSE(there.next(0));
    }
    EXPECT_FALSE(handler.is_asked());
}

TEST_P(zap_test, temporary_refusal_is_silent_and_the_peer_comes_again)
{
    zap_handler handler(ctx_);
    socket server = pull();
    monitor here(ctx_, server, any_handshake);
    const std::string endpoint = bind(server);
    socket client = ctx_.open(ZMQ_PUSH);
    monitor there(ctx_, client, any_handshake | ZMQ_EVENT_CONNECT_RETRIED);
    client.set(ZMQ_RECONNECT_IVL, 1);
    client.connect(endpoint);
    client.send("hello");
    for (int i = 0; i < 3; ++i) {
        handler.answer("300");
        const auto refused = here.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, refused.event);
        EXPECT_EQ(300, static_cast<int>(refused.value));
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, there.await(any_handshake).event);
        there.await(ZMQ_EVENT_CONNECT_RETRIED);
    }
    handler.answer("200");
    EXPECT_EQ("hello", server.recv());
}

TEST_P(zap_test, nonsense_refuses_that_connection_and_nothing_else)
{
    const std::pair<parts, int> nonsense[] = {
        {{"1.0"}, ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY},
        {{"1.0", "1", "200", "text", "joe"}, ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY},
        {{"1.0", "1", "200", "text", "joe", "", ""}, ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY},
        {parts(5000, "1.0"), ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY},
        {{"2.0", "1", "200", "text", "joe", ""}, ZMQ_PROTOCOL_ERROR_ZAP_BAD_VERSION},
        {{"1.0", "2", "200", "text", "joe", ""}, ZMQ_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID},
        {{"1.0", "1", "201", "text", "joe", ""}, ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE},
        {{"1.0", "1", "", "text", "joe", ""}, ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE},
        {{"1.0", "1", "200", "text", "joe", "x"}, ZMQ_PROTOCOL_ERROR_ZAP_INVALID_METADATA},
        // As much as a peer may say of itself, and no more, is kept of a reply.
        {zap_reply("200", "joe", zmtp_property("Long", std::string(65536, 'x'))),
         ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY},
        {zap_reply("200", std::string(4000000, 'x')), ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY},
    };
    zap_handler handler(ctx_);
    socket server = pull();
    monitor events(ctx_, server, any_handshake);
    const std::string endpoint = bind(server);
    for (const auto& [reply, code] : nonsense) {
        socket client = push(endpoint);
        client.send("hello");
        handler.answer(reply);
        const auto refused = events.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, refused.event) << code;
        EXPECT_EQ(code, static_cast<int>(refused.value));
        // It comes again, and all is well with a good answer.
        handler.answer("200");
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, events.await(any_handshake).event);
        EXPECT_EQ("hello", server.recv());
    }
}

TEST_P(zap_test, late_answer_refuses_that_connection_and_nothing_else)
{
    zap_handler handler(ctx_, ZMQ_ROUTER);
    socket server = pull();
    server.set(ZMQ_HANDSHAKE_IVL, 100);
    monitor events(ctx_, server, any_handshake);
    const std::string endpoint = bind(server);
    socket client = push(endpoint);
    client.send("hello");
    (void)handler.take();
    const parts late = handler.envelope();
    const auto refused = events.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, refused.event);
    EXPECT_EQ(EAGAIN, static_cast<int>(refused.value));

    // The peer is back; the old answer is not for it.
    (void)handler.take();
    const parts now = handler.envelope();
    EXPECT_NE(late, now);
    handler.envelope() = late;
    handler.reply(zap_reply("400"));
    handler.envelope() = now;
    handler.reply(zap_reply("200"));
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, events.await(any_handshake).event);
    EXPECT_EQ("hello", server.recv());
}

// More than the kernel takes at once, and the peer says nothing until it has all of it.
TEST(zap_answer_test, what_goes_out_after_it_goes_out_to_the_end)
{
    context ctx;
    zap_handler handler(ctx);
    socket server = ctx.open(ZMQ_PULL);
    server.set(ZMQ_ZAP_DOMAIN, std::string("test"));
    server.set(ZMQ_SNDBUF, 4096);
    const std::string value(8'000'000, 'x');
    server.set(ZMQ_METADATA, "X-much:" + value);
    const std::string endpoint = server.bind("tcp://127.0.0.1:*");
    raw_peer peer = raw_peer::connect_to(endpoint);
    peer.send_bytes(zmtp3_greeting());
    (void)peer.read_bytes(64);
    handler.answer("200");
    const std::string header = peer.read_bytes(9);
    const std::string ready = peer.read_bytes(from_big_endian(header.substr(1)));
    EXPECT_NE(std::string::npos, ready.find(value));
}

// Though without a handler it would be admitted, where that is not enforced.
TEST_P(zap_test, nobody_is_admitted_by_a_handler_that_closes_in_the_middle)
{
    for (const bool enforced : {false, true}) {
        zap_handler handler(ctx_);
        socket server = pull("test", enforced);
        monitor events(ctx_, server, any_handshake);
        const std::string endpoint = bind(server);
        socket client = push(endpoint, -1);
        (void)handler.take();
        handler.close();
        const auto event = events.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, event.event);
        EXPECT_EQ(EFAULT, static_cast<int>(event.value));
    }
}

TEST_P(zap_test, handler_that_closes_with_requests_unread_is_none)
{
    zap_handler handler(ctx_);
    socket server = pull("test", true);
    monitor events(ctx_, server, any_handshake);
    const std::string endpoint = bind(server);
    std::vector<socket> clients;
    for (int i = 0; i < 20; ++i) clients.push_back(push(endpoint, -1));
    (void)handler.take();
    handler.close();
    for (int i = 0; i < 20; ++i) {
        const auto event = events.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, event.event);
    }
}

TEST_P(zap_test, whoever_asked_may_leave_before_the_answer)
{
    zap_handler handler(ctx_);
    {
        socket server = pull();
        const std::string endpoint = bind(server);
        socket client = push(endpoint);
        (void)handler.take();
    }
    handler.reply(zap_reply("200"));
    socket server = pull();
    const std::string endpoint = bind(server);
    socket client = push(endpoint);
    handler.answer("200");
    client.send("hello");
    EXPECT_EQ("hello", server.recv());
}

TEST_P(zap_test, peers_that_say_nothing_keep_nobody_else_out)
{
    zap_handler handler(ctx_, ZMQ_ROUTER);
    socket server = pull();
    const std::string endpoint = bind(server);
    // Some never get as far as to be asked about, and about some the handler has nothing to say.
    std::vector<socket> unanswered;
    for (int i = 0; i < 20; ++i) {
        unanswered.push_back(push(endpoint));
        (void)handler.take();
    }
    socket client = push(endpoint);
    handler.answer("200");
    client.send("hello");
    EXPECT_EQ("hello", server.recv());
}

TEST_P(zap_test, many_at_once_are_all_answered)
{
    constexpr int count = 200;
    zap_handler handler(ctx_);
    socket server = pull();
    const std::string endpoint = bind(server);
    std::vector<socket> clients;
    for (int i = 0; i < count; ++i) {
        clients.push_back(push(endpoint));
        clients.back().send(std::to_string(i));
    }
    for (int i = 0; i < count; ++i) handler.answer(zap_reply("200", std::to_string(i)));
    std::vector<int> seen(count);
    for (int i = 0; i < count && !HasFailure(); ++i) ++seen.at(std::size_t(std::stoi(server.recv())));
    EXPECT_EQ(std::vector<int>(count, 1), seen);
}

TEST_P(zap_test, context_can_end_while_the_handler_is_asked)
{
    context other;
    socket handler(other, ZMQ_REP);
    handler.bind("inproc://zeromq.zap.01");
    socket server(other, ZMQ_PULL);
    server.set(ZMQ_ZAP_DOMAIN, "test");
    const std::string endpoint = bind(server);
    socket client(other, ZMQ_PUSH);
    client.connect(endpoint);
    EXPECT_TRUE(handler.wait(ZMQ_POLLIN));
    client.close();
    server.close();
    handler.close();
    other.terminate();
}

INSTANTIATE_TEST_SUITE_P(transports, zap_test, ::testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
