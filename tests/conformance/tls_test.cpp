// tls: who is let in and who is not, what is told of it, and peers that are openssl's own client and server.
#include "support/raw_peer.hpp"
#include "support/tls_command.hpp"
#include "support/zmq_fixture.hpp"

#include <sys/wait.h>

#include <filesystem>

namespace zlink::test {
namespace {

constexpr const char* anywhere = "tls://127.0.0.1:*";

std::string free_endpoint()
{
    return "tls://127.0.0.1:" + std::to_string(tcp_peer::port_of(tcp_peer::listen().endpoint()));
}

std::string property(socket& from, const char* name)
{
    zmq_msg_t message;
    zmq_msg_init(&message);
    EXPECT_NE(-1, zmq_msg_recv(&message, from, 0)) << zmq_strerror(zmq_errno());
    const char* const value = zmq_msg_gets(&message, name);
    std::string text = value == nullptr ? "(none)" : value;
    zmq_msg_close(&message);
    return text;
}

class tls_test : public zmq_test {
protected:
    socket server(int type = ZMQ_PULL) { return server(type, authority::shared_certificate()); }
    socket server(int type, const certificate& own)
    {
        socket s = ctx_.open(type);
        s.set(ZMQ_TLS_CERT_FILE, own.file);
        s.set(ZMQ_TLS_KEY_FILE, own.key);
        return s;
    }
    socket client(int type = ZMQ_PUSH)
    {
        socket s = ctx_.open(type);
        s.set(ZMQ_TLS_CA_FILE, ca_.file());
        s.set(ZMQ_RECONNECT_IVL, 10);
        return s;
    }

    /// Nobody else's handshake: a message of a peer who is welcome.
    void expect_others_to_be_served(socket& pull, const std::string& endpoint)
    {
        socket push = client();
        push.connect(endpoint);
        push.send("welcome");
        EXPECT_EQ("welcome", pull.recv());
    }

    const authority& ca_ = authority::of_this_process();
};

// --- peers that are not ours ------------------------------------------------------------------------------------------------

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
        peer.send_bytes("K\n");  // at the start of what is read: new keys, and the same asked of us
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

// --- who is not let in ------------------------------------------------------------------------------------------------------

struct unwelcome {
    const char* name;
    authority::wish wish;
    bool another_authority;
    const char* words;
};

class tls_refusal_test : public tls_test, public ::testing::WithParamInterface<unwelcome> {};

TEST_P(tls_refusal_test, a_server_is_not_spoken_to_and_both_sides_are_told_why)
{
    const authority another;
    const authority& signer = GetParam().another_authority ? another : ca_;
    socket pull = server(ZMQ_PULL, signer.issue(GetParam().wish)), push = client();
    monitor seen_by_server(ctx_, pull), seen_by_client(ctx_, push);
    push.connect(pull.bind(anywhere));
    const monitor_event failed = seen_by_client.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    EXPECT_EQ(unsigned(EACCES), failed.value);
    EXPECT_TRUE(eventually([] { return std::string(zlink_last_error()).find(GetParam().words) != std::string::npos; }))
        << zlink_last_error();
    seen_by_server.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    push.try_send("into the void");
    expect_no_message(pull);
}

INSTANTIATE_TEST_SUITE_P(
    of, tls_refusal_test,
    ::testing::Values(unwelcome{"an_unknown_authority", {}, true, "unable to get local issuer certificate"},
                      unwelcome{"another_host", {.names = "DNS:elsewhere.example,IP:10.1.2.3"}, false, "mismatch"},
                      unwelcome{"the_past", {.days = -1}, false, "expired"},
                      unwelcome{"another_purpose", {.purpose = "clientAuth"}, false, "purpose"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(tls_test, an_unverified_server_is_spoken_to_if_the_program_says_so)
{
    const authority another;
    socket pull = server(ZMQ_PULL, another.issue()), push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_TLS_VERIFY, 0);
    push.connect(pull.bind(anywhere));
    push.send("whoever you are");
    EXPECT_EQ("whoever you are", pull.recv());
}

TEST_F(tls_test, the_name_to_look_for_can_be_given)
{
    socket pull = server(ZMQ_PULL, ca_.issue({.names = "DNS:elsewhere.example"})), push = client();
    push.set(ZMQ_TLS_HOSTNAME, "elsewhere.example");
    push.connect(pull.bind(anywhere));
    push.send("found");
    EXPECT_EQ("found", pull.recv());
}

TEST_F(tls_test, clients_without_a_certificate_stay_out_where_one_is_required)
{
    socket pull = server(), push = client();
    pull.set(ZMQ_TLS_CA_FILE, ca_.file());
    pull.set(ZMQ_TLS_REQUIRE_CLIENT_CERT, 1);
    monitor events(ctx_, pull), told(ctx_, push);
    const std::string endpoint = pull.bind(anywhere);
    push.connect(endpoint);
    EXPECT_EQ(unsigned(EACCES), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    told.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);

    const certificate own = ca_.issue({.subject = "/O=Example/CN=joe", .names = "email:joe@example.com"});
    socket other = client();
    other.set(ZMQ_TLS_CERT_FILE, own.file);
    other.set(ZMQ_TLS_KEY_FILE, own.key);
    other.connect(endpoint);
    other.send("one");
    other.send("two");
    EXPECT_EQ("CN=joe,O=Example", property(pull, "Tls-Subject"));
    EXPECT_EQ("email:joe@example.com", property(pull, "Tls-Names"));
}

TEST_F(tls_test, messages_tell_of_the_server_and_of_what_protects_them)
{
    socket push = server(ZMQ_PUSH), pull = client(ZMQ_PULL);
    pull.connect(push.bind(anywhere));
    for (int i = 0; i < 4; ++i) push.send("x");
    EXPECT_EQ("CN=zlink test", property(pull, "Tls-Subject"));
    EXPECT_EQ("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1", property(pull, "Tls-Names"));
    EXPECT_EQ("TLSv1.3", property(pull, "Tls-Version"));
    EXPECT_EQ("127.0.0.1", property(pull, "Peer-Address"));
}

// --- what is wrong with the options -----------------------------------------------------------------------------------------

TEST_F(tls_test, what_is_wrong_with_files_is_told_by_bind_and_connect)
{
    const certificate good = authority::shared_certificate(), other = ca_.issue();
    const std::string missing = ca_.path("missing.pem"), junk = ca_.path("junk.pem");
    std::ofstream(junk) << "no certificate";
    const auto refuse = [&](bool bind, const std::vector<std::pair<int, std::string>>& options,
                            const std::vector<std::string>& words) {
        socket s = ctx_.open(ZMQ_PAIR);
        for (const auto& [option, value] : options) s.set(option, value);
        EXPECT_EQ(-1, bind ? zmq_bind(s, anywhere) : zmq_connect(s, "tls://127.0.0.1:9"));
        EXPECT_EQ(EINVAL, zmq_errno());
        for (const std::string& word : words) {
            EXPECT_NE(std::string::npos, std::string(zlink_last_error()).find(word)) << zlink_last_error();
        }
    };
    refuse(true, {}, {"ZMQ_TLS_CERT_FILE"});
    refuse(true, {{ZMQ_TLS_CERT_FILE, missing}}, {missing, "No such file"});
    refuse(true, {{ZMQ_TLS_CERT_FILE, junk}}, {junk, "no certificate"});
    refuse(true, {{ZMQ_TLS_CERT_FILE, good.file}}, {good.file, "no key"});
    refuse(true, {{ZMQ_TLS_CERT_FILE, good.file}, {ZMQ_TLS_KEY_FILE, missing}}, {missing, "No such file"});
    refuse(true, {{ZMQ_TLS_CERT_FILE, good.file}, {ZMQ_TLS_KEY_FILE, other.key}}, {other.key, good.file});
    refuse(false, {{ZMQ_TLS_CA_FILE, missing}}, {missing, "No such file"});
    refuse(false, {{ZMQ_TLS_CA_FILE, junk}}, {junk, "no certificate"});
    refuse(false, {{ZMQ_TLS_CA_FILE, ca_.file()}, {ZMQ_TLS_CERT_FILE, missing}}, {missing});
}

TEST_F(tls_test, a_key_may_want_a_password)
{
    const certificate own = ca_.issue();
    const std::string locked = ca_.path("locked.key");
    output_of("openssl pkcs8 -topk8 -v2 aes256 -passout pass:sesame -in " + own.key + " -out " + locked);
    socket pull = server(ZMQ_PULL, {own.file, locked});
    for (const char* wrong : {"", "wrong"}) {
        pull.set(ZMQ_TLS_KEY_PASSWORD, std::string_view(wrong));
        EXPECT_EQ(-1, zmq_bind(pull, anywhere));
        EXPECT_NE(std::string::npos, std::string(zlink_last_error()).find("password")) << zlink_last_error();
    }
    pull.set(ZMQ_TLS_KEY_PASSWORD, "sesame");
    expect_others_to_be_served(pull, pull.bind(anywhere));
}

TEST_F(tls_test, options_of_libzmqs_draft_take_the_texts_themselves)
{
    socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
    pull.set(ZMQ_WSS_CERT_PEM, content_of(authority::shared_certificate().file));
    pull.set(ZMQ_WSS_KEY_PEM, content_of(authority::shared_certificate().key));
    push.set(ZMQ_WSS_TRUST_PEM, content_of(ca_.file()));
    push.set(ZMQ_WSS_HOSTNAME, "localhost");
    push.connect(pull.bind(anywhere));
    push.send("by text");
    EXPECT_EQ("by text", pull.recv());
}

TEST_F(tls_test, new_files_serve_the_next_connection)
{
    const certificate own{ca_.path("live.pem"), ca_.path("live.key")};
    const auto install = [&](const char* subject) {
        const certificate made = ca_.issue({.subject = subject});
        std::filesystem::rename(made.file, own.file);
        std::filesystem::rename(made.key, own.key);
    };
    install("/CN=first");
    socket push = server(ZMQ_PUSH, own);
    const std::string endpoint = push.bind(anywhere);
    for (const char* name : {"first", "second"}) {
        socket pull = client(ZMQ_PULL);
        pull.connect(endpoint);
        push.send("x");
        EXPECT_EQ(std::string("CN=") + name, property(pull, "Tls-Subject"));
        install("/CN=second");
        pull.close();
        EXPECT_TRUE(eventually([&] { return !push.writable(); }));
    }
    // Half a change, or a broken one, leaves what there was.
    std::filesystem::remove(own.key);
    socket pull = client(ZMQ_PULL);
    pull.connect(endpoint);
    push.send("x");
    EXPECT_EQ("CN=second", property(pull, "Tls-Subject"));
}

TEST_F(tls_test, the_library_says_that_it_has_tls)
{
    EXPECT_EQ(1, zmq_has("tls"));
}

// --- bad peers --------------------------------------------------------------------------------------------------------------

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

TEST_F(tls_test, old_versions_are_not_spoken)
{
    socket pull = server();
    monitor events(ctx_, pull);
    const std::string endpoint = pull.bind(anywhere);
    piped_process process(tls_client(endpoint, "-tls1_1 -cipher DEFAULT@SECLEVEL=0"));
    EXPECT_EQ(unsigned(EPROTO), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
}

// --- the life of a connection -------------------------------------------------------------------------------------------------

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
