// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// tls with peers that are openssl's own client and server, with peers that are no good, and the life of a connection.
#include "forged_metadata.hpp"
#include "tls_fixture.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

namespace zlink::test {
namespace {

// --- peers that are not ours
// ------------------------------------------------------------------------------------------------

class tls_versions_test : public tls_test, public ::testing::WithParamInterface<const char*> {};

TEST_P(tls_versions_test, openssls_client_speaks_zmtp_with_our_server)
{
    socket dealer = server(ZMQ_DEALER);
    const std::string endpoint = dealer.bind(anywhere);
    piped_process process(tls_client(endpoint, GetParam()));
    raw_peer peer = process.peer();
    peer.handshake(zmtp_version::v3_1, "DEALER");
    peer.send_message({"to", std::string(100'000, 'x')});
    EXPECT_EQ((parts{"to", std::string(100'000, 'x')}), dealer.recv_parts());
    dealer.send_parts({"fro", std::string(100'000, 'y')});
    EXPECT_EQ((parts{"fro", std::string(100'000, 'y')}), peer.read_message());
}

TEST_P(tls_versions_test, our_client_speaks_zmtp_with_openssls_server)
{
    const std::string endpoint = free_endpoint();
    const certificate& own = authority::shared_certificate();
    piped_process process("openssl s_server -quiet -accept " + host_and_port(endpoint) + " -cert " + own.file +
                          " -key " + own.key + " " + GetParam());
    socket dealer = client(ZMQ_DEALER);
    dealer.connect(endpoint);
    raw_peer peer = process.peer();
    peer.handshake(zmtp_version::v3_1, "DEALER");
    peer.send_message({"to", std::string(100'000, 'x')});
    EXPECT_EQ((parts{"to", std::string(100'000, 'x')}), dealer.recv_parts());
    dealer.send_parts({"fro", std::string(100'000, 'y')});
    EXPECT_EQ((parts{"fro", std::string(100'000, 'y')}), peer.read_message());
}

INSTANTIATE_TEST_SUITE_P(of, tls_versions_test, ::testing::Values("-tls1_2", "-tls1_3"),
                         [](const auto& test) { return std::string(test.param + 1); });

TEST_F(tls_test, a_client_without_a_certificate_has_no_subject_whatever_it_says)
{
    socket dealer = server(ZMQ_DEALER);
    piped_process process(tls_client(dealer.bind(anywhere)));
    raw_peer peer = process.peer();
    shake_hands_forged(peer, "DEALER");
    peer.send_message({"x"});
    received message(dealer);
    EXPECT_EQ("TLSv1.3", message.property("Tls-Version"));
    EXPECT_EQ("127.0.0.1", message.property("Peer-Address"));
    for (const char* name : {"Tls-Subject", "Tls-Names", "User-Id", "tls-version"})
        EXPECT_EQ("(none)", message.property(name)) << name;
    EXPECT_NE(std::stoi(forged), message.source_descriptor());
    EXPECT_EQ("r", message.property("Resource"));
}

TEST_F(tls_test, a_server_has_the_subject_of_its_certificate_whatever_it_says)
{
    const std::string endpoint = free_endpoint();
    const certificate& own = authority::shared_certificate();
    piped_process process("openssl s_server -quiet -accept " + host_and_port(endpoint) + " -cert " + own.file +
                          " -key " + own.key);
    socket dealer = client(ZMQ_DEALER);
    dealer.connect(endpoint);
    raw_peer peer = process.peer();
    shake_hands_forged(peer, "DEALER");
    peer.send_message({"x"});
    received message(dealer);
    EXPECT_EQ("CN=zlink test", message.property("Tls-Subject"));
    EXPECT_EQ("TLSv1.3", message.property("Tls-Version"));
}

TEST_F(tls_test, the_protocol_that_is_offered_is_named_and_another_is_no_hindrance)
{
    socket pull = server();
    const std::string endpoint = pull.bind(anywhere);
    const auto answer_to = [&](const char* offer) {
        return output_of("openssl s_client -connect " + host_and_port(endpoint) + " -CAfile " + ca_.file() +
                         " -verify_return_error -alpn " + offer + " </dev/null");
    };
    EXPECT_NE(std::string::npos, answer_to("zmtp/3.1").find("ALPN protocol: zmtp/3.1"));
    EXPECT_NE(std::string::npos, answer_to("h2").find("No ALPN negotiated"));
}

TEST_F(tls_test, wss_offers_and_chooses_http_by_alpn)
{
    socket pull = server();
    const std::string endpoint = pull.bind("wss://127.0.0.1:*/zmq");
    const std::string host = endpoint.substr(6, endpoint.rfind('/') - 6);
    const std::string said = output_of("openssl s_client -connect " + host + " -CAfile " + ca_.file() +
                                       " -verify_return_error -alpn zmtp/3.1,http/1.1 </dev/null");
    EXPECT_NE(std::string::npos, said.find("ALPN protocol: http/1.1")) << said;
}

TEST_F(tls_test, new_keys_in_the_middle_of_traffic_change_nothing)
{
    socket dealer = server(ZMQ_DEALER);
    const std::string endpoint = dealer.bind(anywhere);
    piped_process process("openssl s_client -brief -connect " + host_and_port(endpoint) + " -CAfile " + ca_.file());
    raw_peer peer = process.peer();
    peer.handshake(zmtp_version::v3_1, "DEALER");
    for (int i = 0; i < 20; ++i) {
        peer.send_message({"to"});
        EXPECT_EQ("to", dealer.recv());
        peer.send_bytes("K\n");  // all of what is read at once: new keys, and the same asked of us
        EXPECT_TRUE(eventually([&] {
            int unread = -1;
            return ::ioctl(peer.fd(), SIOCOUTQ, &unread) == 0 && unread == 0;
        }));
        dealer.send("fro");
        EXPECT_EQ((parts{"fro"}), peer.read_message());
    }
}

TEST_F(tls_test, what_came_before_a_cut_is_kept_and_the_half_message_is_not)
{
    socket pull = server();
    monitor events(ctx_, pull);
    const std::string endpoint = pull.bind(anywhere);
    piped_process process(tls_client(endpoint));
    raw_peer peer = process.peer();
    peer.handshake(zmtp_version::v3_1, "PUSH");
    peer.send_message({"whole"});
    peer.send_bytes(std::string("\1\5first\0\7half", 13));
    EXPECT_EQ("whole", pull.recv());
    process.kill();  // no close_notify
    events.await(ZMQ_EVENT_DISCONNECTED);
    expect_no_message(pull);
    expect_others_to_be_served(pull, endpoint);
}

TEST_F(tls_test, a_peer_that_ends_in_good_order_is_gone_and_its_messages_are_not)
{
    socket pull = server();
    monitor events(ctx_, pull);
    const std::string endpoint = pull.bind(anywhere);
    {
        piped_process process(tls_client(endpoint));
        raw_peer peer = process.peer();
        peer.handshake(zmtp_version::v3_1, "PUSH");
        for (int i = 0; i < 100; ++i) peer.send_message({std::to_string(i)});
        peer.close();  // s_client sends close_notify at the end of its input
        for (int i = 0; i < 100; ++i) EXPECT_EQ(std::to_string(i), pull.recv());
        events.await(ZMQ_EVENT_DISCONNECTED);
    }
}

TEST_F(tls_test, a_peer_that_will_send_no_more_is_sent_no_more_either)
{
    socket dealer = server(ZMQ_DEALER);
    monitor events(ctx_, dealer);
    piped_process process(tls_client(dealer.bind(anywhere)));
    raw_peer peer = process.peer();
    peer.handshake(zmtp_version::v3_1, "DEALER");
    peer.send_message({"last"});
    EXPECT_EQ(0, ::shutdown(peer.fd(), SHUT_WR));  // close_notify follows; the peer would read on
    EXPECT_EQ("last", dealer.recv());
    EXPECT_TRUE(peer.wait_for_end());
    events.await(ZMQ_EVENT_DISCONNECTED);
}

// --- raw sockets
// ----------------------------------------------------------------------------------------------------------

TEST_F(tls_test, a_stream_socket_serves_clients_that_speak_no_zmtp)
{
    socket stream = server(ZMQ_STREAM);
    piped_process process(tls_client(stream.bind(anywhere)));
    raw_peer peer = process.peer();
    const parts arrival = stream.recv_parts();
    ASSERT_EQ(2u, arrival.size());
    EXPECT_EQ("", arrival[1]);
    // Before the peer has said anything: it waits for the handshake.
    stream.send_parts({arrival[0], "who is there?"});
    EXPECT_EQ("who is there?", peer.read_bytes(13));
    peer.send_bytes("joe");
    EXPECT_EQ((parts{arrival[0], "joe"}), stream.recv_parts());
    stream.send_parts({arrival[0], ""});
    EXPECT_TRUE(peer.wait_for_end());
}

TEST_F(tls_test, a_stream_socket_is_a_client_of_servers_that_speak_no_zmtp)
{
    const std::string endpoint = free_endpoint();
    const certificate& own = authority::shared_certificate();
    piped_process process("openssl s_server -quiet -accept " + host_and_port(endpoint) + " -cert " + own.file +
                          " -key " + own.key);
    socket stream = client(ZMQ_STREAM);
    stream.connect(endpoint);
    raw_peer peer = process.peer();
    const parts arrival = stream.recv_parts();
    ASSERT_EQ(2u, arrival.size());
    stream.send_parts({arrival[0], "hello"});
    EXPECT_EQ("hello", peer.read_bytes(5));
    peer.send_bytes("and you");
    EXPECT_EQ((parts{arrival[0], "and you"}), stream.recv_parts());
}

TEST_F(tls_test, a_stream_socket_hears_nothing_of_a_server_that_it_does_not_trust)
{
    const authority another;
    socket bound = server(ZMQ_STREAM, another.issue()), stream = client(ZMQ_STREAM);
    monitor events(ctx_, stream);
    stream.connect(bound.bind(anywhere));
    events.await(ZMQ_EVENT_DISCONNECTED);
    EXPECT_TRUE(eventually([] { return connection_error().find("certificate") != std::string::npos; }))
        << connection_error();
}

TEST_F(tls_test, handshakes_with_a_stream_socket_that_stall_end_in_time)
{
    socket stream = server(ZMQ_STREAM);
    stream.set(ZMQ_HANDSHAKE_IVL, 300);
    monitor events(ctx_, stream, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_DISCONNECTED);
    const std::string endpoint = stream.bind(anywhere);
    piped_process process(tls_client(endpoint));
    raw_peer good = process.peer();
    good.send_bytes("joe");
    const parts arrival = stream.recv_parts();
    EXPECT_EQ((parts{arrival[0], "joe"}), stream.recv_parts());
    for (const std::string& words : {std::string(), std::string("\x16\x03\x01\x01\x00\x01", 6)}) {
        raw_peer peer = raw_peer::connect_to("tcp://" + host_and_port(endpoint));
        peer.send_bytes(words);
        const parts stalled = stream.recv_parts();
        stream.send_parts({stalled[0], "is never seen"});
        EXPECT_EQ(unsigned(EAGAIN), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
        EXPECT_TRUE(peer.wait_for_end());
        events.await(ZMQ_EVENT_DISCONNECTED);
        EXPECT_EQ((parts{stalled[0], ""}), stream.recv_parts());
    }
    // A connection that is done with it goes on, however long it says nothing.
    stream.send_parts({arrival[0], "still there?"});
    EXPECT_EQ("still there?", good.read_bytes(12));
}

// --- bad peers
// --------------------------------------------------------------------------------------------------------------

TEST_F(tls_test, what_is_no_tls_ends_at_once_and_others_go_on)
{
    socket pull = server();
    monitor events(ctx_, pull);
    const std::string endpoint = pull.bind(anywhere);
    for (const std::string& words :
         {zmtp3_greeting(1), std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), std::string(5000, '\x16'),
          std::string("\x16\x03\x01\xff\xff", 5) + std::string(100, 'x'), std::string("\x15\x03\x03\0\2\2\0", 7)}) {
        raw_peer peer = raw_peer::connect_to("tcp://" + host_and_port(endpoint));
        peer.send_bytes(words);
        EXPECT_EQ(unsigned(EPROTO), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value) << words.substr(0, 20);
        EXPECT_TRUE(peer.wait_for_end());
    }
    expect_others_to_be_served(pull, endpoint);
}

TEST_F(tls_test, a_server_that_speaks_no_tls_is_told_of)
{
    socket pull = ctx_.open(ZMQ_PULL), push = client();
    const std::string endpoint = "tls://" + host_and_port(pull.bind("tcp://127.0.0.1:*"));
    monitor events(ctx_, push);
    push.connect(endpoint);
    EXPECT_EQ(unsigned(EPROTO), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
}

TEST_F(tls_test, handshakes_that_stall_end_in_time_and_others_go_on)
{
    socket pull = server();
    pull.set(ZMQ_HANDSHAKE_IVL, 300);
    monitor events(ctx_, pull);
    const std::string endpoint = pull.bind(anywhere);
    // Nothing; a part of a record's header; a header; a part of a record; ZMTP that goes no further.
    for (const std::string& words : {std::string(), std::string("\x16\x03", 2), std::string("\x16\x03\x01\x01\x00", 5),
                                     std::string("\x16\x03\x01\x01\x00\x01\x00", 7)}) {
        raw_peer peer = raw_peer::connect_to("tcp://" + host_and_port(endpoint));
        peer.send_bytes(words);
        EXPECT_EQ(unsigned(EAGAIN), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
        EXPECT_TRUE(peer.wait_for_end());
    }
    piped_process process(tls_client(endpoint));
    EXPECT_EQ(unsigned(EAGAIN), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    expect_others_to_be_served(pull, endpoint);
}

TEST_F(tls_test, one_limit_is_for_tls_and_zmtp_together)
{
    socket pull = server();
    pull.set(ZMQ_HANDSHAKE_IVL, 300);
    monitor events(ctx_, pull, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    const std::string endpoint = pull.bind(anywhere);
    piped_process process(tls_client(endpoint));
    raw_peer peer = process.peer();
    // TLS is done, and each octet of the greeting comes soon after the one before.
    std::optional<monitor_event> failed;
    for (const char octet : zmtp3_greeting(1)) {
        if (!failed && peer.try_send_bytes({&octet, 1})) failed = events.next(20);
    }
    if (!failed) failed = events.next();
    ASSERT_TRUE(failed);
    EXPECT_EQ(unsigned(EAGAIN), failed->value);
    expect_others_to_be_served(pull, endpoint);
}

TEST_F(tls_test, wss_handshakes_that_stall_anywhere_end_in_time)
{
    socket pull = server();
    pull.set(ZMQ_HANDSHAKE_IVL, 300);
    monitor events(ctx_, pull, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    const std::string endpoint = pull.bind("wss://127.0.0.1:*/zmq");
    const std::string host = endpoint.substr(6, endpoint.rfind('/') - 6);
    for (const std::string& words : {std::string(), std::string("\x16\x03\x01\x01\x00\x01", 6)}) {
        raw_peer peer = raw_peer::connect_to("tcp://" + host);
        peer.send_bytes(words);
        EXPECT_EQ(unsigned(EAGAIN), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
        EXPECT_TRUE(peer.wait_for_end());
    }
    const std::string upgrade = "GET /zmq HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Protocol: ZWS2.0/NULL\r\n\r\n";
    // TLS alone; a part of the upgrade; all of it and no ZMTP.
    for (const std::string& words : {std::string(), upgrade.substr(0, 40), upgrade}) {
        piped_process process(tls_client("wss://" + host));
        raw_peer peer = process.peer();
        peer.send_bytes(words);
        EXPECT_EQ(unsigned(EAGAIN), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
        EXPECT_TRUE(peer.wait_for_end());
    }
    socket push = client();
    push.connect(endpoint);
    push.send("welcome");
    EXPECT_EQ("welcome", pull.recv());
}

TEST_F(tls_test, old_versions_are_not_spoken)
{
    socket pull = server();
    monitor events(ctx_, pull);
    const std::string endpoint = pull.bind(anywhere);
    piped_process process(tls_client(endpoint, "-tls1_1 -cipher DEFAULT@SECLEVEL=0"));
    EXPECT_EQ(unsigned(EPROTO), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
}

// --- the life of a connection
// -------------------------------------------------------------------------------------------------

TEST_F(tls_test, what_was_sent_goes_out_when_a_socket_closes)
{
    socket pull = server(), push = client();
    push.set(ZMQ_LINGER, -1);
    push.connect(pull.bind(anywhere));
    for (int i = 0; i < 500; ++i) push.send(std::to_string(i) + std::string(5000, 'x'));
    push.close();
    for (int i = 0; i < 500; ++i) EXPECT_EQ(std::to_string(i) + std::string(5000, 'x'), pull.recv());
}

TEST_F(tls_test, a_child_of_fork_leaves_the_parents_streams_alone)
{
    socket dealer = server(ZMQ_DEALER), peer = client(ZMQ_DEALER);
    peer.connect(dealer.bind(anywhere));
    peer.send("before");
    EXPECT_EQ("before", dealer.recv());
    const pid_t child = ::fork();
    if (child == 0) {
        zmq_close(dealer.release());
        zmq_close(peer.release());
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(child, ::waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
    monitor events(ctx_, dealer, ZMQ_EVENT_DISCONNECTED);
    for (int i = 0; i < 100; ++i) {
        peer.send("after");
        EXPECT_EQ("after", dealer.recv());
        dealer.send("back");
        EXPECT_EQ("back", peer.recv());
    }
    EXPECT_FALSE(events.next(0));
}

// Threads of the parent may be anywhere in OpenSSL at that moment. (Under sanitizers there is no such test: their own
// locks stay locked in such a child.)
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(tls_test, a_child_of_fork_uses_tls_and_ends_its_context_while_the_parent_is_busy_with_tls)
{
    socket pull = server();
    const std::string endpoint = pull.bind(anywhere);
    std::atomic<bool> over{false};
    std::vector<std::thread> busy;
    for (int i = 0; i < 2; ++i) {
        busy.emplace_back([&] {
            while (!over) {
                socket push = client();
                monitor events(ctx_, push, ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
                push.connect(endpoint);
                events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
            }
        });
    }
    const std::string authority = ca_.file();
    for (int turn = 0; turn < 40 && !HasFailure(); ++turn) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(patience_ms / 1000);
            void* const own = zmq_ctx_new();
            void* const push = zmq_socket(own, ZMQ_PUSH);
            zmq_setsockopt(push, ZMQ_TLS_CA_FILE, authority.data(), authority.size());
            bool good = zmq_connect(push, endpoint.c_str()) == 0;
            if (turn % 2 == 0) good = zmq_send(push, "child", 5, 0) == 5 && good;
            if (turn % 2 == 0) zmq_close(pull.release());
            const int none = 0;
            if (turn % 2 != 0) zmq_setsockopt(push, ZMQ_LINGER, &none, sizeof none);
            good = zmq_close(push) == 0 && zmq_ctx_term(own) == 0 && good;
            ::_exit(good ? 0 : 1);
        }
        int status = -1;
        EXPECT_EQ(child, ::waitpid(child, &status, 0));
        EXPECT_EQ(0, status) << "child " << turn;
        if (turn % 2 == 0) {
            EXPECT_EQ("child", pull.recv());
        }
    }
    over = true;
    for (std::thread& each : busy) each.join();
}
#endif

TEST_F(tls_test, a_client_comes_back_to_a_server_that_was_away)
{
    const std::string endpoint = free_endpoint();
    socket push = client();
    push.connect(endpoint);
    for (int round = 0; round < 3; ++round) {
        socket pull = server();
        monitor events(ctx_, pull, ZMQ_EVENT_CLOSED);
        pull.bind(endpoint);
        push.send("round " + std::to_string(round));
        EXPECT_EQ("round " + std::to_string(round), pull.recv());
        pull.unbind(endpoint);
        events.await(ZMQ_EVENT_CLOSED);
        monitor gone(ctx_, push, ZMQ_EVENT_CONNECT_RETRIED);
        gone.await(ZMQ_EVENT_CONNECT_RETRIED);
    }
}

}  // namespace
}  // namespace zlink::test
