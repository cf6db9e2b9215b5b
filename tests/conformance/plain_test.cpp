// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PLAIN (RFC 24) from both ends, and against peers that say something else.
#include "zap_fixture.hpp"

namespace zlink::test {
namespace {

void be_client(socket& s, const std::string& username = "joe", const std::string& password = "secret")
{
    s.set(ZMQ_PLAIN_USERNAME, username);
    s.set(ZMQ_PLAIN_PASSWORD, password);
}

/// The octets of a greeting that say something to a peer of 3.x.
std::string behind_signature(const std::string& greeting)
{
    return greeting.substr(zmtp_signature().size());
}

class plain_test : public zap_fixture {
protected:
    socket server(int type = ZMQ_PULL)
    {
        socket s = ctx_.open(type);
        s.set(ZMQ_PLAIN_SERVER, 1);
        return s;
    }

    socket client(const std::string& endpoint, int type = ZMQ_PUSH)
    {
        socket s = ctx_.open(type);
        s.set(ZMQ_RECONNECT_IVL, 1);
        be_client(s);
        s.connect(endpoint);
        return s;
    }
};

TEST_P(plain_test, handler_is_given_name_and_password)
{
    zap_handler handler(ctx_);
    socket ours = server();
    ours.set(ZMQ_ZAP_DOMAIN, "global");
    const std::string endpoint = bind(ours);
    socket theirs = client(endpoint);
    const zap_request asked = handler.answer(zap_reply("200", "joe", zmtp_property("Level", "high")));
    EXPECT_EQ("PLAIN", asked.mechanism);
    EXPECT_EQ("global", asked.domain);
    EXPECT_EQ((parts{"joe", "secret"}), asked.credentials);
    if (in_this_run(GetParam()) == GetParam()) {
        EXPECT_EQ(own_address(), asked.address);
    }

    theirs.send("hello");
    received message(ours);
    EXPECT_EQ("hello", message.body());
    EXPECT_EQ("joe", message.property("User-Id"));
    EXPECT_EQ("high", message.property("Level"));
    EXPECT_EQ("PUSH", message.property("Socket-Type"));
}

TEST_P(plain_test, messages_go_both_ways)
{
    zap_handler handler(ctx_);
    socket router = server(ZMQ_ROUTER);
    const std::string endpoint = bind(router);
    socket dealer = ctx_.open(ZMQ_DEALER);
    be_client(dealer, std::string(255, 'n'), std::string(255, 'p'));
    dealer.set(ZMQ_ROUTING_ID, "me");
    dealer.connect(endpoint);
    EXPECT_EQ((parts{std::string(255, 'n'), std::string(255, 'p')}), handler.answer("200").credentials);
    for (const std::size_t size : {0u, 1u, 255u, 256u, 100000u, 5000000u}) {
        const parts body{std::string(size, 'a'), std::string(size, 'b')};
        dealer.send_parts(body);
        const parts come = router.recv_parts();
        ASSERT_EQ((parts{"me", body[0], body[1]}), come);
        router.send_parts(come);
        ASSERT_EQ(body, dealer.recv_parts());
    }
}

// libzmq hands the user's name down the queue before the first message, and wakes the application for the name alone.
TEST_P(plain_test, what_is_readable_can_be_received)
{
    zap_handler handler(ctx_);
    socket ours = server();
    const std::string endpoint = bind(ours);
    socket theirs = client(endpoint);
    handler.answer(zap_reply("200", "joe"));
    const parts body{"a", std::string(4000000, 'b')};
    theirs.send_parts(body);
    ASSERT_TRUE(ours.readable(patience_ms));
    zmq_msg_t first;
    zmq_msg_init(&first);
    EXPECT_EQ(1, zmq_msg_recv(&first, ours, ZMQ_DONTWAIT)) << zmq_strerror(zmq_errno());
    zmq_msg_close(&first);
    EXPECT_EQ(body[1], ours.recv());
}

TEST_P(plain_test, a_req_may_be_the_server)
{
    zap_handler handler(ctx_);
    socket ours = server(ZMQ_REQ);
    const std::string endpoint = bind(ours);
    socket theirs = client(endpoint, ZMQ_REP);
    handler.answer(zap_reply("200", "joe"));
    ours.send("question");
    EXPECT_EQ("question", theirs.recv());
    theirs.send("answer");
    EXPECT_EQ("answer", ours.recv());
}

TEST_P(plain_test, whoever_connects_may_be_the_server)
{
    zap_handler handler(ctx_);
    socket theirs = ctx_.open(ZMQ_PUSH);
    be_client(theirs);
    const std::string endpoint = bind(theirs);
    socket ours = server();
    ours.connect(endpoint);
    handler.answer(zap_reply("200", "joe"));
    theirs.send("hello");
    EXPECT_EQ("joe", received(ours).property("User-Id"));
}

TEST_P(plain_test, subscriptions_come_through)
{
    zap_handler handler(ctx_);
    socket publisher = server(ZMQ_XPUB);
    const std::string endpoint = bind(publisher);
    socket subscriber = ctx_.open(ZMQ_SUB);
    be_client(subscriber);
    subscriber.subscribe("a");
    subscriber.connect(endpoint);
    handler.answer("200");
    EXPECT_EQ("\1a", publisher.recv());
    publisher.send("b");
    publisher.send("a");
    EXPECT_EQ("a", subscriber.recv());
}

TEST_P(plain_test, success_is_an_event_on_both_sides)
{
    zap_handler handler(ctx_);
    socket ours = server();
    monitor here(ctx_, ours, any_handshake | ZMQ_EVENT_ACCEPTED);
    const std::string endpoint = bind(ours);
    socket theirs = ctx_.open(ZMQ_PUSH);
    monitor there(ctx_, theirs, any_handshake | ZMQ_EVENT_CONNECTED);
    be_client(theirs);
    theirs.connect(endpoint);
    EXPECT_EQ(ZMQ_EVENT_ACCEPTED, here.next()->event);
    EXPECT_EQ(ZMQ_EVENT_CONNECTED, there.next()->event);
    const zap_request asked = handler.take();
    EXPECT_FALSE(here.next(0));
    EXPECT_FALSE(there.next(0));
    handler.reply(zap_reply("200"));
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, here.next()->event);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, there.next()->event);
}

TEST_P(plain_test, without_a_handler_nobody_is_admitted_until_there_is_one)
{
    socket ours = server();
    monitor here(ctx_, ours, any_handshake);
    const std::string endpoint = bind(ours);
    socket theirs = client(endpoint);
    theirs.send("hello");
    for (int i = 0; i < 3; ++i) {
        const auto refused = here.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, refused.event);
        EXPECT_EQ(EFAULT, static_cast<int>(refused.value));
    }
    zap_handler handler(ctx_);
    handler.answer("200");
    EXPECT_EQ("hello", ours.recv());
}

TEST_P(plain_test, handler_that_closes_in_the_middle_refuses)
{
    zap_handler handler(ctx_);
    socket ours = server();
    monitor here(ctx_, ours, any_handshake);
    const std::string endpoint = bind(ours);
    socket theirs = ctx_.open(ZMQ_PUSH);
    theirs.set(ZMQ_RECONNECT_IVL, -1);
    be_client(theirs);
    theirs.connect(endpoint);
    (void)handler.take();
    handler.close();
    const auto refused = here.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, refused.event);
    EXPECT_EQ(EFAULT, static_cast<int>(refused.value));
}

TEST_P(plain_test, wrong_password_is_told_and_not_tried_again)
{
    zap_handler handler(ctx_);
    socket ours = server();
    monitor here(ctx_, ours, any_handshake);
    const std::string endpoint = bind(ours);
    for (const int status : {400, 500}) {
        socket theirs = ctx_.open(ZMQ_PUSH);
        monitor there(ctx_, theirs, any_handshake | ZMQ_EVENT_CONNECT_RETRIED);
        theirs.set(ZMQ_RECONNECT_IVL, 1);
        be_client(theirs, "joe", "wrong");
        theirs.connect(endpoint);
        handler.answer(std::to_string(status));
        for (monitor* events : {&here, &there}) {
            const auto refused = events->await(any_handshake);
            EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, refused.event);
            EXPECT_EQ(status, static_cast<int>(refused.value));
        }
        EXPECT_TRUE(has_given_up(theirs));
        EXPECT_FALSE(there.next(0));

        // With other ones it may.
        be_client(theirs, "joe", "secret");
        theirs.connect(endpoint);
        EXPECT_EQ((parts{"joe", "secret"}), handler.answer("200").credentials);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, there.await(any_handshake).event);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, here.await(any_handshake).event);
        theirs.send("hello");
        EXPECT_EQ("hello", ours.recv());
    }
}

TEST_P(plain_test, busy_server_is_tried_again)
{
    zap_handler handler(ctx_);
    socket ours = server();
    const std::string endpoint = bind(ours);
    socket theirs = client(endpoint);
    theirs.send("hello");
    for (int i = 0; i < 3; ++i) handler.answer("300");
    handler.answer("200");
    EXPECT_EQ("hello", ours.recv());
}

TEST_P(plain_test, many_at_once_are_all_answered)
{
    constexpr int count = 200;
    zap_handler handler(ctx_);
    socket ours = server();
    const std::string endpoint = bind(ours);
    std::vector<socket> clients;
    for (int i = 0; i < count; ++i) {
        clients.push_back(client(endpoint));
        clients.back().send("hello");
    }
    for (int i = 0; i < count; ++i) handler.answer("200");
    for (int i = 0; i < count; ++i) ASSERT_EQ("hello", ours.recv());
}

INSTANTIATE_TEST_SUITE_P(transports, plain_test, ::testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

/// A scripted peer of a server.
class plain_server_test : public zmq_test {
protected:
    plain_server_test() { endpoint_ = server_.bind("tcp://127.0.0.1:*"); }

    static socket open(context& ctx)
    {
        socket s = ctx.open(ZMQ_PULL);
        s.set(ZMQ_PLAIN_SERVER, 1);
        return s;
    }

    raw_peer greeted(std::string_view mechanism = "PLAIN", int minor = 1)
    {
        raw_peer peer = raw_peer::connect_to(endpoint_);
        peer.send_bytes(zmtp3_greeting(minor, mechanism));
        peer.read_bytes(64);
        return peer;
    }

    void expect_protocol_error(int code, const place& where = place::current())
    {
        const auto event = events_.await(any_handshake, where);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event) << where.line();
        EXPECT_EQ(code, static_cast<int>(event.value)) << where.line();
    }

    static inline const std::string hello = zmtp_command("HELLO", "\3joe\6secret");
    static inline const std::string initiate = zmtp_command("INITIATE", zmtp_property("Socket-Type", "PUSH"));

    zap_handler handler_{ctx_};
    socket server_ = open(ctx_);
    monitor events_{ctx_, server_, any_handshake};
    std::string endpoint_;
};

TEST_F(plain_server_test, talks_as_the_specification_says)
{
    raw_peer peer = raw_peer::connect_to(endpoint_);
    peer.send_bytes(zmtp3_greeting(1, "PLAIN"));
    EXPECT_EQ(behind_signature(zmtp3_greeting(1, "PLAIN", true)), behind_signature(peer.read_bytes(64)));
    peer.send_bytes(hello);
    handler_.answer("200");
    const raw_frame welcome = peer.read_frame();
    EXPECT_EQ("\7WELCOME", welcome.body);
    EXPECT_TRUE(welcome.is_command());
    peer.send_bytes(initiate);
    const raw_frame ready = peer.read_frame();
    EXPECT_EQ("READY", ready.name());
    EXPECT_EQ("PULL", parse_metadata(ready.data())["Socket-Type"]);
    peer.send_message({"hello"});
    EXPECT_EQ("hello", server_.recv());
}

TEST_F(plain_server_test, octet_by_octet_is_all_the_same)
{
    raw_peer peer = raw_peer::connect_to(endpoint_);
    for (const char octet : zmtp3_greeting(1, "PLAIN") + hello) peer.send_bytes({&octet, 1});
    handler_.answer("200");
    peer.read_bytes(64);
    EXPECT_EQ("WELCOME", peer.read_frame().name());
    for (const char octet : initiate) peer.send_bytes({&octet, 1});
    EXPECT_EQ("READY", peer.read_frame().name());
    peer.send_message({"hello"});
    EXPECT_EQ("hello", server_.recv());
}

TEST_F(plain_server_test, malformed_commands_are_told_by_their_events)
{
    const std::pair<std::string, int> wrong[] = {
        {zmtp_command("HELLO"), ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO},
        {zmtp_command("HELLO", "\4joe"), ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO},
        {zmtp_command("HELLO", "\3joe\7secret"), ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO},
        {zmtp_command("HELLO", "\3joe\6secret!"), ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO},
        {zmtp_ready("PUSH"), ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
        {initiate, ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
        {zmtp_frame("hello"), ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
        {zmtp_frame("\6HELLO", command_bit), ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED},
    };
    for (const auto& [command, code] : wrong) {
        raw_peer peer = greeted();
        peer.send_bytes(command);
        expect_protocol_error(code);
        EXPECT_TRUE(peer.wait_for_end());
    }
    EXPECT_FALSE(handler_.is_asked());
}

TEST_F(plain_server_test, wrong_initiate_is_told_by_its_event)
{
    const std::pair<std::string, int> wrong[] = {
        {hello, ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
        {zmtp_command("INITIATE", "\5Short"), ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA},
        {zmtp_command("INITIATE", zmtp_property("Socket-Type", "PULL")), ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA},
    };
    for (const auto& [command, code] : wrong) {
        raw_peer peer = greeted();
        peer.send_bytes(hello);
        handler_.answer("200");
        EXPECT_EQ("WELCOME", peer.read_frame().name());
        peer.send_bytes(command);
        expect_protocol_error(code);
        EXPECT_TRUE(peer.wait_for_end());
    }
}

TEST_F(plain_server_test, whoever_does_not_wait_for_the_answer_is_out)
{
    raw_peer peer = greeted();
    peer.send_bytes(hello);
    (void)handler_.take();
    peer.send_bytes(initiate);
    expect_protocol_error(ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED);
    EXPECT_TRUE(peer.wait_for_end());
    handler_.reply(zap_reply("200"));

    // Nor is a command that never ends kept.
    raw_peer other = greeted();
    other.send_bytes(hello);
    (void)handler_.take();
    other.send_bytes(std::string("\6\0\0\0\0\0\1\0\1", 9));
    expect_protocol_error(ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED);
    EXPECT_TRUE(other.wait_for_end());
    handler_.reply(zap_reply("200"));
}

TEST_F(plain_server_test, whoever_leaves_while_the_handler_is_asked_is_forgotten)
{
    raw_peer peer = greeted();
    peer.send_bytes(hello);
    (void)handler_.take();
    peer.close();
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, events_.await(any_handshake).event);
    handler_.reply(zap_reply("200"));
    EXPECT_FALSE(events_.next(0));
}

TEST_F(plain_server_test, silent_peers_keep_nobody_else_out)
{
    std::vector<raw_peer> silent;
    for (int i = 0; i < 50; ++i) {
        silent.push_back(raw_peer::connect_to(endpoint_));
        if (i % 3 == 1) silent.back().send_bytes(zmtp3_greeting(1, "PLAIN"));
        if (i % 3 == 2) silent.back().send_bytes(zmtp3_greeting(1, "PLAIN") + "\4\40\5HEL");
    }
    socket client = ctx_.open(ZMQ_PUSH);
    be_client(client);
    client.connect(endpoint_);
    handler_.answer("200");
    client.send("hello");
    EXPECT_EQ("hello", server_.recv());
}

// Downgrades: a peer that does not speak PLAIN does not get in, and the handler is not even asked.

TEST_F(plain_server_test, null_peers_stay_outside)
{
    for (const std::string mechanism : {"NULL", "CURVE", "", "PLAINTEXT"}) {
        raw_peer peer = raw_peer::connect_to(endpoint_);
        peer.send_bytes(zmtp3_greeting(1, mechanism) + zmtp_ready("PUSH") + zmtp_frame("intruder"));
        expect_protocol_error(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH);
        EXPECT_TRUE(peer.wait_for_end());
    }
    EXPECT_FALSE(handler_.is_asked());
    expect_no_message(server_);
}

TEST_F(plain_server_test, peers_from_before_mechanisms_stay_outside)
{
    const std::string zmtp2 = zmtp_signature() + '\x01' + raw_peer::socket_type_octet("PUSH") + zmtp_frame("id");
    const std::string zmtp1_versioned = zmtp_signature() + std::string(1, '\0') + zmtp1_frame("id");
    for (const std::string& old : {zmtp2 + zmtp_frame("intruder"), zmtp1_frame("id") + zmtp1_frame("intruder"),
                                   zmtp1_versioned + zmtp1_frame("intruder")}) {
        raw_peer peer = raw_peer::connect_to(endpoint_);
        peer.send_bytes(old);
        expect_protocol_error(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH);
        EXPECT_TRUE(peer.wait_for_end());
    }
    EXPECT_FALSE(handler_.is_asked());
    expect_no_message(server_);
}

TEST_F(plain_server_test, our_own_null_client_does_not_get_in)
{
    socket client = ctx_.open(ZMQ_PUSH);
    monitor there(ctx_, client, any_handshake);
    client.connect(endpoint_);
    const auto event = there.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event);
    EXPECT_EQ(static_cast<std::uint32_t>(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH), event.value);
    EXPECT_TRUE(has_given_up(client));
}

TEST_F(plain_server_test, password_is_not_tried_on_a_null_server)
{
    raw_listener listener;
    socket client = ctx_.open(ZMQ_PUSH);
    be_client(client);
    client.connect(listener.endpoint());
    raw_peer peer = listener.accept();
    peer.send_bytes(zmtp3_greeting(1, "NULL") + zmtp_ready("PULL"));
    EXPECT_EQ(behind_signature(zmtp3_greeting(1, "PLAIN")), behind_signature(peer.read_bytes(64)));
    EXPECT_TRUE(peer.wait_for_end());
    EXPECT_TRUE(has_given_up(client));
}

}  // namespace
}  // namespace zlink::test
