// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Clients' certificates before a ZAP handler (ZMQ_TLS_ZAP_CLIENT_CERT): what the handler is asked and when, and what
// comes of the answers.
#include "support/curve_keys.hpp"
#include "support/raw_peer.hpp"
#include "support/tls_command.hpp"
#include "zap_fixture.hpp"

namespace zlink::test {
namespace {

/// What the file's certificate is on the wire.
std::string der_of(const certificate& of)
{
    const std::string file = of.file + ".der";
    output_of("openssl x509 -in " + of.file + " -outform DER -out " + file);
    return content_of(file);
}

/// Over tls and wss.
class tls_zap_test : public zap_fixture {
protected:
    socket server(const std::string& domain = {}, bool enforce = false)
    {
        socket s = ctx_.open(ZMQ_PULL);
        s.set(ZMQ_TLS_CERT_FILE, authority::shared_certificate().file);
        s.set(ZMQ_TLS_KEY_FILE, authority::shared_certificate().key);
        s.set(ZMQ_TLS_CA_FILE, ca_.file());
        s.set(ZMQ_TLS_ZAP_CLIENT_CERT, 1);
        if (!domain.empty()) s.set(ZMQ_ZAP_DOMAIN, domain);
        s.set(ZMQ_ZAP_ENFORCE_DOMAIN, enforce ? 1 : 0);
        return s;
    }
    socket client(const certificate* own = nullptr)
    {
        socket s = ctx_.open(ZMQ_PUSH);
        s.set(ZMQ_TLS_CA_FILE, ca_.file());
        s.set(ZMQ_RECONNECT_IVL, 10);
        if (own) {
            s.set(ZMQ_TLS_CERT_FILE, own->file);
            s.set(ZMQ_TLS_KEY_FILE, own->key);
        }
        return s;
    }
    static const certificate& joes()
    {
        static const certificate it = authority::of_this_process().issue({.subject = "/CN=joe", .names = "DNS:joe"});
        return it;
    }

    const authority& ca_ = authority::of_this_process();
};

TEST_P(tls_zap_test, a_handler_is_told_the_certificate_and_its_answer_is_on_the_messages)
{
    zap_handler handler(ctx_);
    socket pull = server(), push = client(&joes());
    pull.set(ZMQ_ROUTING_ID, "server");
    push.connect(bind(pull));
    const zap_request asked = handler.answer(zap_reply("200", "joe", zmtp_property("Level", "high")));
    EXPECT_EQ("1.0", asked.version);
    EXPECT_EQ("", asked.domain);
    EXPECT_EQ("127.0.0.1", asked.address);
    EXPECT_EQ("server", asked.identity);
    EXPECT_EQ("TLS", asked.mechanism);
    EXPECT_EQ(parts{der_of(joes())}, asked.credentials);
    push.send("hello");
    received message(pull);
    EXPECT_EQ("hello", message.body());
    EXPECT_EQ("joe", message.property("User-Id"));
    EXPECT_EQ("high", message.property("Level"));
    EXPECT_EQ("CN=joe", message.property("Tls-Subject"));
    EXPECT_FALSE(handler.is_asked());
}

TEST_P(tls_zap_test, who_shows_none_is_asked_about_with_an_empty_frame)
{
    zap_handler handler(ctx_);
    socket pull = server(), push = client();
    push.connect(bind(pull));
    EXPECT_EQ(parts{""}, handler.answer("200").credentials);
    push.send("hello");
    EXPECT_EQ("hello", pull.recv());
}

TEST_P(tls_zap_test, a_resumed_session_is_asked_about_with_the_certificate_again)
{
    zap_handler handler(ctx_);
    socket pull = server();
    const std::string endpoint = bind(pull);
    for (int i = 0; i < 3; ++i) {
        socket push = client(&joes());
        push.connect(endpoint);
        EXPECT_EQ(parts{der_of(joes())}, handler.answer("200").credentials);
        push.send("hello");
        EXPECT_EQ("hello", pull.recv());
    }
}

TEST_P(tls_zap_test, a_handler_that_refuses_everyone_is_asked_though_an_enforced_domain_has_no_name)
{
    zap_handler handler(ctx_);
    const curve_keys server_keys, client_keys;
    for (const bool curve : {false, true}) {
        SCOPED_TRACE(curve);
        socket pull = server({}, true), push = client(&joes());
        if (curve) {
            be_curve_server(pull, server_keys);
            be_curve_client(push, client_keys, server_keys.open);
        }
        monitor events(ctx_, push, any_handshake);
        push.connect(bind(pull));
        const zap_request asked = handler.answer("400");
        EXPECT_EQ("TLS", asked.mechanism);
        EXPECT_EQ("", asked.domain);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, events.await(any_handshake).event);
    }
}

TEST_P(tls_zap_test, nobody_is_asked_unless_the_server_wants_it)
{
    zap_handler handler(ctx_);
    socket pull = server(), push = client(&joes());
    pull.set(ZMQ_TLS_ZAP_CLIENT_CERT, 0);
    push.set(ZMQ_TLS_ZAP_CLIENT_CERT, 1);  // is no server
    push.connect(bind(pull));
    push.send("hello");
    EXPECT_EQ("hello", pull.recv());
    EXPECT_FALSE(handler.is_asked());
}

TEST_P(tls_zap_test, the_mechanisms_question_comes_after_it_as_ever)
{
    zap_handler handler(ctx_);
    const curve_keys server_keys, client_keys;
    for (const std::string mechanism : {"NULL", "PLAIN", "CURVE"}) {
        SCOPED_TRACE(mechanism);
        socket pull = server(), push = client(&joes());
        if (mechanism == "NULL") pull.set(ZMQ_ZAP_DOMAIN, "some");
        if (mechanism == "PLAIN") {
            pull.set(ZMQ_PLAIN_SERVER, 1);
            push.set(ZMQ_PLAIN_USERNAME, "joe");
            push.set(ZMQ_PLAIN_PASSWORD, "secret");
        }
        if (mechanism == "CURVE") {
            be_curve_server(pull, server_keys);
            be_curve_client(push, client_keys, server_keys.open);
        }
        push.connect(bind(pull));
        EXPECT_EQ("TLS", handler.answer(zap_reply("200", "by certificate")).mechanism);
        EXPECT_EQ(mechanism, handler.answer(zap_reply("200", "by mechanism")).mechanism);
        push.send("hello");
        EXPECT_EQ("by mechanism", received(pull).property("User-Id"));
    }
}

TEST_P(tls_zap_test, a_lasting_refusal_is_told_and_the_client_does_not_come_back)
{
    zap_handler handler(ctx_);
    const curve_keys server_keys, client_keys;
    for (const std::string mechanism : {"NULL", "PLAIN", "CURVE"}) {
        for (const char* status : {"400", "500"}) {
            SCOPED_TRACE(mechanism + " " + status);
            socket pull = server(), push = client(&joes());
            if (mechanism == "PLAIN") {
                pull.set(ZMQ_PLAIN_SERVER, 1);
                push.set(ZMQ_PLAIN_USERNAME, "joe");
            }
            if (mechanism == "CURVE") {
                be_curve_server(pull, server_keys);
                be_curve_client(push, client_keys, server_keys.open);
            }
            monitor seen_by_server(ctx_, pull, any_handshake), seen_by_client(ctx_, push, any_handshake);
            push.connect(bind(pull));
            EXPECT_EQ("TLS", handler.answer(status).mechanism);
            for (monitor* events : {&seen_by_server, &seen_by_client}) {
                const auto event = events->await(any_handshake);
                EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, event.event);
                EXPECT_EQ(std::stoul(status), event.value);
            }
            EXPECT_TRUE(has_given_up(push));
            EXPECT_FALSE(handler.is_asked());
        }
    }
}

TEST_P(tls_zap_test, a_refusal_for_now_is_not_told_and_the_client_comes_back)
{
    zap_handler handler(ctx_);
    socket pull = server(), push = client(&joes());
    monitor events(ctx_, pull, any_handshake);
    push.connect(bind(pull));
    handler.answer("300");
    const auto event = events.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, event.event);
    EXPECT_EQ(300u, event.value);
    handler.answer("200");
    push.send("hello");
    EXPECT_EQ("hello", pull.recv());
}

TEST_P(tls_zap_test, an_answer_that_is_none_admits_nobody)
{
    zap_handler handler(ctx_);
    socket pull = server(), push = client(&joes());
    monitor events(ctx_, pull, any_handshake);
    push.connect(bind(pull));
    const std::pair<parts, unsigned> cases[] = {
        {{"1.0", "1", "200", "text", "joe", "", "more"}, ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY},
        {{"1.0", "2", "200", "text", "joe", ""}, ZMQ_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID},
        {{"2.0", "1", "200", "text", "joe", ""}, ZMQ_PROTOCOL_ERROR_ZAP_BAD_VERSION},
        {{"1.0", "1", "201", "text", "joe", ""}, ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE},
        {{"1.0", "1", "200", "text", "joe", "x"}, ZMQ_PROTOCOL_ERROR_ZAP_INVALID_METADATA},
    };
    for (const auto& [reply, error] : cases) {
        handler.answer(reply);
        const auto event = events.await(any_handshake);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event);
        EXPECT_EQ(error, event.value);
    }
    handler.answer("200");
    push.send("hello");
    EXPECT_EQ("hello", pull.recv());
}

TEST_P(tls_zap_test, without_a_handler_clients_are_let_in_but_where_a_domain_is_enforced)
{
    const auto outcome = [&](const std::string& domain, bool enforce) {
        socket pull = server(domain, enforce), push = client(&joes());
        monitor events(ctx_, pull, any_handshake);
        push.connect(bind(pull));
        return events.await(any_handshake);
    };
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, outcome("", false).event);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_SUCCEEDED, outcome("some", false).event);
    for (const char* domain : {"some", ""}) {
        const auto refused = outcome(domain, true);
        EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, refused.event) << domain;
        EXPECT_EQ(unsigned(EFAULT), refused.value);
    }
}

TEST_P(tls_zap_test, a_handler_that_is_late_or_goes_admits_nobody)
{
    std::optional<zap_handler> handler(std::in_place, ctx_);
    socket pull = server("some", true), push = client(&joes());
    pull.set(ZMQ_HANDSHAKE_IVL, 300);
    monitor events(ctx_, pull, any_handshake);
    const std::string endpoint = bind(pull);
    push.connect(endpoint);
    (void)handler->take();
    const auto late = events.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, late.event);
    EXPECT_EQ(unsigned(EAGAIN), late.value);
    handler->close();
    const auto gone = events.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, gone.event);
    EXPECT_EQ(unsigned(EFAULT), gone.value);
}

INSTANTIATE_TEST_SUITE_P(over, tls_zap_test, ::testing::Values("tls://127.0.0.1:*", "wss://127.0.0.1:*/zmq"),
                         [](const auto& test) { return std::string(test.param).substr(0, 3); });

// --- peers by hand
// -----------------------------------------------------------------------------------------------------------

class tls_zap_peer_test : public zmq_test {
protected:
    socket server()
    {
        socket s = ctx_.open(ZMQ_PULL);
        s.set(ZMQ_TLS_CERT_FILE, authority::shared_certificate().file);
        s.set(ZMQ_TLS_KEY_FILE, authority::shared_certificate().key);
        s.set(ZMQ_TLS_CA_FILE, authority::of_this_process().file());
        s.set(ZMQ_TLS_ZAP_CLIENT_CERT, 1);
        return s;
    }
};

TEST_F(tls_zap_peer_test, nothing_of_the_mechanism_is_said_before_the_answer_and_no_message_passes)
{
    zap_handler handler(ctx_);
    socket pull = server();
    monitor events(ctx_, pull, any_handshake);
    piped_process process(tls_client(pull.bind("tls://127.0.0.1:*")));
    raw_peer peer = process.peer();
    peer.send_bytes(zmtp3_greeting(1) + zmtp_ready("PUSH"));
    (void)handler.take();
    EXPECT_EQ(64u, peer.read_bytes(64).size());
    peer.send_bytes(std::string("\0\5hello", 7));  // too early
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, events.await(any_handshake).event);
    expect_no_message(pull);
}

TEST_F(tls_zap_peer_test, peers_from_before_mechanisms_stay_outside)
{
    zap_handler handler(ctx_);
    socket pull = server();
    monitor events(ctx_, pull, any_handshake);
    piped_process process(tls_client(pull.bind("tls://127.0.0.1:*")));
    raw_peer peer = process.peer();
    peer.send_bytes(std::string("\xff\0\0\0\0\0\0\0\1\x7f\1\x08\0\0", 14));  // ZMTP 2.0, PUSH
    const auto event = events.await(any_handshake);
    EXPECT_EQ(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, event.event);
    EXPECT_EQ(unsigned(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH), event.value);
    EXPECT_FALSE(handler.is_asked());
}

TEST_F(tls_zap_peer_test, raw_sockets_ask_nobody_and_so_are_not_bound)
{
    socket stream = ctx_.open(ZMQ_STREAM);
    stream.set(ZMQ_TLS_CERT_FILE, authority::shared_certificate().file);
    stream.set(ZMQ_TLS_KEY_FILE, authority::shared_certificate().key);
    stream.set(ZMQ_TLS_ZAP_CLIENT_CERT, 1);
    EXPECT_EQ(-1, zmq_bind(stream, "tls://127.0.0.1:*"));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_NE(std::string::npos, std::string(zlink_last_error()).find("ZMQ_TLS_ZAP_CLIENT_CERT"));
}

}  // namespace
}  // namespace zlink::test
