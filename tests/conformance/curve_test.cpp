// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CURVE (RFC 26) from both ends, and against peers that say something else.
#include "zap_fixture.hpp"

#include "support/curve_keys.hpp"

namespace zlink::test {
namespace {

std::string octets_of(const std::string& z85)
{
    std::string octets(z85.size() / 5 * 4, '\0');
    EXPECT_NE(nullptr, zmq_z85_decode(reinterpret_cast<std::uint8_t*>(octets.data()), z85.c_str()));
    return octets;
}

class curve_test : public zap_fixture {
protected:
    socket server(int type = ZMQ_PULL)
    {
        socket s = ctx_.open(type);
        be_curve_server(s, server_keys_);
        return s;
    }

    socket client(const std::string& endpoint, int type = ZMQ_PUSH)
    {
        socket s = ctx_.open(type);
        s.set(ZMQ_RECONNECT_IVL, 1);
        be_curve_client(s, client_keys_, server_keys_.open);
        s.connect(endpoint);
        return s;
    }

    const curve_keys server_keys_;
    const curve_keys client_keys_;
};

TEST_P(curve_test, messages_of_all_sizes_go_both_ways)
{
    socket router = server(ZMQ_ROUTER);
    const std::string endpoint = bind(router);
    socket dealer = ctx_.open(ZMQ_DEALER);
    be_curve_client(dealer, client_keys_, server_keys_.open);
    dealer.set(ZMQ_ROUTING_ID, "me");
    dealer.connect(endpoint);
    for (const std::size_t size : {0u, 1u, 222u, 223u, 255u, 256u, 5000u, 70000u, 262144u, 16000000u}) {
        const parts body{std::string(size, 'a'), "", std::string(size, 'b')};
        dealer.send_parts(body);
        const parts come = router.recv_parts();
        ASSERT_EQ((parts{"me", body[0], body[1], body[2]}), come) << size;
        router.send_parts(come);
        ASSERT_EQ(body, dealer.recv_parts()) << size;
    }
}

TEST_P(curve_test, floods_arrive_whole_and_in_order)
{
    socket pull = server();
    socket push = client(bind(pull));
    constexpr int count = 20'000;
    int sent = 0;
    for (int come = 0; come < count; ++come) {
        while (sent < count && sent < come + 500) {
            const std::string text = std::to_string(sent);
            push.send_parts({text, std::string(std::size_t(sent % 700), 'x')});
            ++sent;
        }
        const std::string text = std::to_string(come);
        ASSERT_EQ((parts{text, std::string(std::size_t(come % 700), 'x')}), pull.recv_parts());
    }
}

TEST_P(curve_test, patterns_work_as_without_it)
{
    socket rep = server(ZMQ_REP);
    socket req = client(bind(rep), ZMQ_REQ);
    for (int i = 0; i < 100; ++i) {
        req.send("question");
        EXPECT_EQ("question", rep.recv());
        rep.send("answer");
        EXPECT_EQ("answer", req.recv());
    }

    socket publisher = server(ZMQ_XPUB);
    socket subscriber = client(bind(publisher), ZMQ_SUB);
    subscriber.subscribe("a");
    EXPECT_EQ("\1a", publisher.recv());
    publisher.send("b");
    publisher.send("a");
    EXPECT_EQ("a", subscriber.recv());
    subscriber.set(ZMQ_UNSUBSCRIBE, "a");
    EXPECT_EQ(std::string("\0a", 2), publisher.recv());

    socket pair = server(ZMQ_PAIR);
    socket other = client(bind(pair), ZMQ_PAIR);
    other.send("there");
    EXPECT_EQ("there", pair.recv());
    pair.send("and back");
    EXPECT_EQ("and back", other.recv());
}

TEST_P(curve_test, heartbeats_keep_the_connection)
{
    socket pull = server();
    pull.set(ZMQ_HEARTBEAT_IVL, 5);
    pull.set(ZMQ_HEARTBEAT_TIMEOUT, 3000);
    monitor events(ctx_, pull, ZMQ_EVENT_DISCONNECTED | any_handshake);
    const std::string endpoint = bind(pull);
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_HEARTBEAT_IVL, 5);
    push.set(ZMQ_HEARTBEAT_TIMEOUT, 3000);
    be_curve_client(push, client_keys_, server_keys_.open);
    push.connect(endpoint);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, events.await(any_handshake).event);
    EXPECT_FALSE(events.next(100));
    push.send("still there");
    EXPECT_EQ("still there", pull.recv());
}

TEST_P(curve_test, whoever_connects_may_be_the_server)
{
    socket push = ctx_.open(ZMQ_PUSH);
    be_curve_client(push, client_keys_, server_keys_.open);
    const std::string endpoint = bind(push);
    socket pull = server();
    pull.connect(endpoint);
    push.send("hello");
    EXPECT_EQ("hello", pull.recv());
}

TEST_P(curve_test, clients_come_back_to_a_restarted_server)
{
    socket pull = server();
    const std::string endpoint = pull.bind(
        in_this_run(GetParam()).starts_with("ipc") ? "ipc://@curve-" + client_keys_.open.substr(0, 8) : GetParam());
    socket push = client(endpoint);
    push.send("first");
    EXPECT_EQ("first", pull.recv());
    monitor events(ctx_, push, ZMQ_EVENT_DISCONNECTED);
    pull.close();
    events.await(ZMQ_EVENT_DISCONNECTED);
    push.send("second");
    socket again = server();
    EXPECT_TRUE(eventually([&] { return zmq_bind(again, endpoint.c_str()) == 0; }));
    EXPECT_EQ("second", again.recv());
}

TEST_P(curve_test, handler_is_given_the_public_key)
{
    zap_handler handler(ctx_);
    socket pull = server();
    pull.set(ZMQ_ZAP_DOMAIN, "global");
    socket push = client(bind(pull));
    const zap_request asked = handler.answer(zap_reply("200", "joe", zmtp_property("Level", "high")));
    EXPECT_EQ("CURVE", asked.mechanism);
    EXPECT_EQ("global", asked.domain);
    EXPECT_EQ(parts{octets_of(client_keys_.open)}, asked.credentials);
    push.send("hello");
    received message(pull);
    EXPECT_EQ("hello", message.body());
    EXPECT_EQ("joe", message.property("User-Id"));
    EXPECT_EQ("high", message.property("Level"));
    EXPECT_EQ("PUSH", message.property("Socket-Type"));
}

TEST_P(curve_test, refusal_is_told_and_not_tried_again)
{
    zap_handler handler(ctx_);
    socket pull = server();
    monitor here(ctx_, pull, any_handshake);
    const std::string endpoint = bind(pull);
    for (const int status : {400, 500}) {
        socket push = ctx_.open(ZMQ_PUSH);
        monitor there(ctx_, push, any_handshake | ZMQ_EVENT_CONNECT_RETRIED);
        push.set(ZMQ_RECONNECT_IVL, 1);
        be_curve_client(push, client_keys_, server_keys_.open);
        push.connect(endpoint);
        handler.answer(std::to_string(status));
        for (monitor* events : {&here, &there}) {
            const auto refused = events->await(any_handshake);
            EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, refused.event);
            EXPECT_EQ(status, static_cast<int>(refused.value));
        }
        EXPECT_TRUE(has_given_up(push));
        EXPECT_FALSE(there.next(0));
    }
}

TEST_P(curve_test, busy_server_is_tried_again)
{
    zap_handler handler(ctx_);
    socket pull = server();
    socket push = client(bind(pull));
    push.send("hello");
    for (int i = 0; i < 3; ++i) handler.answer("300");
    handler.answer("200");
    EXPECT_EQ("hello", pull.recv());
}

TEST_P(curve_test, without_a_handler_everybody_is_admitted_unless_the_domain_is_enforced)
{
    socket open = server();
    open.set(ZMQ_ZAP_DOMAIN, "global");
    socket push = client(bind(open));
    push.send("hello");
    EXPECT_EQ("hello", open.recv());

    socket strict = server();
    strict.set(ZMQ_ZAP_DOMAIN, "global");
    strict.set(ZMQ_ZAP_ENFORCE_DOMAIN, 1);
    monitor here(ctx_, strict, any_handshake);
    socket other = client(bind(strict));
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, here.await(any_handshake).event);
}

// The server cannot open the box of a client that takes it for somebody else.
TEST_P(curve_test, whoever_wants_another_server_is_out)
{
    socket pull = server();
    monitor here(ctx_, pull, any_handshake);
    const std::string endpoint = bind(pull);
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, -1);
    be_curve_client(push, client_keys_, curve_keys().open);
    push.connect(endpoint);
    const auto event = here.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event);
    EXPECT_EQ(static_cast<std::uint32_t>(ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC), event.value);
    expect_no_message(pull);
}

TEST_P(curve_test, null_and_plain_peers_stay_outside)
{
    socket pull = server();
    monitor here(ctx_, pull, any_handshake);
    const std::string endpoint = bind(pull);
    for (const bool plain : {false, true}) {
        socket push = ctx_.open(ZMQ_PUSH);
        push.set(ZMQ_RECONNECT_IVL, -1);
        if (plain) {
            push.set(ZMQ_PLAIN_USERNAME, "joe");
            push.set(ZMQ_PLAIN_PASSWORD, "secret");
        }
        push.connect(endpoint);
        const auto event = here.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event);
        EXPECT_EQ(static_cast<std::uint32_t>(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH), event.value);
    }
    expect_no_message(pull);
}

TEST_P(curve_test, many_connect_at_once)
{
    constexpr int count = 100;
    socket pull = server();
    const std::string endpoint = bind(pull);
    std::vector<socket> clients;
    for (int i = 0; i < count; ++i) {
        clients.push_back(client(endpoint));
        clients.back().send("hello");
    }
    for (int i = 0; i < count; ++i) ASSERT_EQ("hello", pull.recv());
}

INSTANTIATE_TEST_SUITE_P(transports, curve_test, ::testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                         scheme_of<const char*>);

/// A scripted peer of a server.
class curve_server_test : public zmq_test {
protected:
    curve_server_test()
    {
        be_curve_server(server_, keys_);
        endpoint_ = server_.bind("tcp://127.0.0.1:*");
    }

    const curve_keys keys_;
    socket server_ = ctx_.open(ZMQ_PULL);
    monitor events_{ctx_, server_, any_handshake};
    std::string endpoint_;
};

TEST_F(curve_server_test, peers_from_before_mechanisms_stay_outside)
{
    const std::string zmtp2 = zmtp_signature() + '\x01' + raw_peer::socket_type_octet("PUSH") + zmtp_frame("id");
    const std::string zmtp1_versioned = zmtp_signature() + std::string(1, '\0') + zmtp1_frame("id");
    for (const std::string& old : {zmtp2 + zmtp_frame("intruder"), zmtp1_frame("id") + zmtp1_frame("intruder"),
                                   zmtp1_versioned + zmtp1_frame("intruder")}) {
        raw_peer peer = raw_peer::connect_to(endpoint_);
        peer.send_bytes(old);
        const auto event = events_.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event);
        EXPECT_EQ(static_cast<std::uint32_t>(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH), event.value);
        EXPECT_TRUE(peer.wait_for_end());
    }
    expect_no_message(server_);
}

TEST_F(curve_server_test, hello_that_is_none_is_told_by_its_event)
{
    const std::pair<std::string, int> wrong[] = {
        {zmtp_command("HELLO", std::string(193, '\1')), ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO},
        {zmtp_command("HELLO", "\1" + std::string(193, '\0')), ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC},
        {zmtp_ready("PUSH"), ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
        {zmtp_frame("hello"), ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND},
    };
    for (const auto& [command, code] : wrong) {
        raw_peer peer = raw_peer::connect_to(endpoint_);
        peer.send_bytes(zmtp3_greeting(1, "CURVE") + command);
        const auto event = events_.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event);
        EXPECT_EQ(code, static_cast<int>(event.value));
        EXPECT_TRUE(peer.wait_for_end());
    }
}

class curve_options_test : public zmq_test {
protected:
    socket socket_ = ctx_.open(ZMQ_DEALER);
    const curve_keys keys_;

    std::string key(int option, std::size_t size)
    {
        std::string value(size, 'x');
        return zmq_getsockopt(socket_, option, value.data(), &size) == 0 && size == value.size() ? value : "(error)";
    }
    int mechanism() { return socket_.get_int(ZMQ_MECHANISM); }
};

TEST_F(curve_options_test, keys_are_taken_and_given_in_both_forms)
{
    for (const int option : {ZMQ_CURVE_PUBLICKEY, ZMQ_CURVE_SECRETKEY, ZMQ_CURVE_SERVERKEY}) {
        const std::string octets = octets_of(keys_.secret);
        for (const std::string& form : {keys_.secret, keys_.secret + '\0', octets}) {
            ASSERT_EQ(0, zmq_setsockopt(socket_, option, form.data(), form.size()));
            EXPECT_EQ(octets, key(option, 32));
            EXPECT_EQ(keys_.secret + '\0', key(option, 41));
            EXPECT_EQ("(error)", key(option, 40));
            EXPECT_EQ("(error)", key(option, 42));
        }
    }
    EXPECT_EQ(ZMQ_CURVE, mechanism());
}

TEST_F(curve_options_test, what_is_no_key_is_refused)
{
    const std::string bad[] = {"",
                               std::string(31, 'a'),
                               std::string(33, 'a'),
                               std::string(40, '~'),
                               std::string(40, '#'),
                               keys_.open.substr(0, 39),
                               keys_.open + "ab"};
    for (const int option : {ZMQ_CURVE_PUBLICKEY, ZMQ_CURVE_SECRETKEY, ZMQ_CURVE_SERVERKEY}) {
        for (const std::string& form : bad) {
            EXPECT_EQ(-1, zmq_setsockopt(socket_, option, form.data(), form.size())) << form;
            EXPECT_EQ(EINVAL, zmq_errno());
        }
        EXPECT_EQ(-1, zmq_setsockopt(socket_, option, nullptr, 0));
    }
    EXPECT_EQ(ZMQ_NULL, mechanism());
}

TEST_F(curve_options_test, the_role_chooses_the_mechanism)
{
    socket_.set(ZMQ_CURVE_SERVER, 1);
    EXPECT_EQ(ZMQ_CURVE, mechanism());
    EXPECT_EQ(1, socket_.get_int(ZMQ_CURVE_SERVER));
    socket_.set(ZMQ_CURVE_SERVERKEY, keys_.open);
    EXPECT_EQ(0, socket_.get_int(ZMQ_CURVE_SERVER));
    socket_.set(ZMQ_CURVE_SERVER, 0);
    EXPECT_EQ(ZMQ_NULL, mechanism());
    const int two = 2;
    EXPECT_EQ(-1, zmq_setsockopt(socket_, ZMQ_CURVE_SERVER, &two, sizeof two));
}

TEST_F(curve_options_test, a_public_key_is_that_of_its_secret)
{
    char text[41];
    EXPECT_EQ(0, zmq_curve_public(text, keys_.secret.c_str()));
    EXPECT_EQ(keys_.open, text);
    EXPECT_EQ(1, zmq_has("curve"));
}

}  // namespace
}  // namespace zlink::test
