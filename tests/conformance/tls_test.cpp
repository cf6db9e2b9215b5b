// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// tls: which peers are let in and which are not, what is told of it, and what is wrong with options and files.
#include "tls_fixture.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <thread>

namespace zlink::test {
namespace {

// --- which peers are not let in --------------------------------------------------------------------------------------

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
    EXPECT_TRUE(eventually([] { return connection_error().find(GetParam().words) != std::string::npos; }))
        << connection_error();
    seen_by_server.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    push.try_send("into the void");
    expect_no_message(pull);
}

INSTANTIATE_TEST_SUITE_P(
    of, tls_refusal_test,
    ::testing::Values(unwelcome{"an_unknown_authority",
                                {},
                                true,
                                "issuer certificate: nobody who is trusted here has signed 'CN=zlink test': name its "
                                "authority's file by ZMQ_TLS_CA_FILE"},
                      unwelcome{"another_host",
                                {.names = "DNS:elsewhere.example,IP:10.1.2.3"},
                                false,
                                "mismatch: '127.0.0.1' is wanted, and it is for 'DNS:elsewhere.example, IP "
                                "Address:10.1.2.3': connect by such a name, or give it as ZMQ_TLS_HOSTNAME"},
                      unwelcome{"the_past", {.days = -1}, false, "expired: it ended at "},
                      unwelcome{
                          "another_purpose", {.purpose = "clientAuth"}, false, "purpose: it is not for this side"}),
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

// --- what is wrong with the options
// -----------------------------------------------------------------------------------------

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
    refuse(true, {{ZMQ_TLS_CERT_FILE, ca_.path("")}}, {ca_.path(""), "Is a directory"});  // there, and cannot be read
    refuse(true, {{ZMQ_TLS_CERT_FILE, junk}}, {junk, "no certificate"});
    refuse(true, {{ZMQ_TLS_CERT_FILE, good.file}}, {good.file, "no key"});
    refuse(true, {{ZMQ_TLS_CERT_FILE, good.file}, {ZMQ_TLS_KEY_FILE, missing}}, {missing, "No such file"});
    refuse(true, {{ZMQ_TLS_CERT_FILE, good.file}, {ZMQ_TLS_KEY_FILE, other.key}}, {other.key, good.file});
    refuse(false, {{ZMQ_TLS_CA_FILE, missing}}, {missing, "No such file"});
    refuse(false, {{ZMQ_TLS_CA_FILE, junk}}, {junk, "no certificate"});
    refuse(false, {{ZMQ_TLS_CA_FILE, ca_.file()}, {ZMQ_TLS_CERT_FILE, missing}}, {missing});
}

// Otherwise every peer with a certificate of a public authority would be let in.
TEST_F(tls_test, clients_certificates_are_wanted_of_authorities_that_are_named)
{
    for (const int wish : {ZMQ_TLS_REQUIRE_CLIENT_CERT, ZMQ_TLS_ZAP_CLIENT_CERT}) {
        for (const char* endpoint : {anywhere, "wss://127.0.0.1:*"}) {
            socket pull = server();
            pull.set(wish, 1);
            for (const int system : {-1, 0}) {
                pull.set(ZMQ_TLS_TRUST_SYSTEM, system);
                EXPECT_EQ(-1, zmq_bind(pull, endpoint)) << endpoint << ' ' << wish << ' ' << system;
                EXPECT_EQ(EINVAL, zmq_errno());
                EXPECT_NE(std::string::npos, std::string(zlink_last_error()).find("ZMQ_TLS_CA_FILE"))
                    << zlink_last_error();
            }
            pull.set(ZMQ_TLS_TRUST_SYSTEM, 1);
            EXPECT_EQ(0, zmq_bind(pull, endpoint)) << zlink_last_error();
            socket named = server();
            named.set(wish, 1);
            named.set(ZMQ_TLS_CA_FILE, ca_.file());
            EXPECT_EQ(0, zmq_bind(named, endpoint)) << zlink_last_error();
        }
    }
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
    for (const char* endpoint : {anywhere, "wss://127.0.0.1:*/zmq"}) {
        socket pull = ctx_.open(ZMQ_PULL), push = ctx_.open(ZMQ_PUSH);
        pull.set(ZMQ_WSS_CERT_PEM, content_of(authority::shared_certificate().file));
        pull.set(ZMQ_WSS_KEY_PEM, content_of(authority::shared_certificate().key));
        push.set(ZMQ_WSS_TRUST_PEM, content_of(ca_.file()));
        push.set(ZMQ_WSS_TRUST_SYSTEM, 0);
        push.set(ZMQ_WSS_HOSTNAME, "localhost");
        const std::string bound = pull.bind(endpoint);
        push.connect(bound);
        push.send("by text");
        EXPECT_EQ("by text", pull.recv());

        // And are what the server is judged by.
        socket other = ctx_.open(ZMQ_PUSH);
        other.set(ZMQ_WSS_TRUST_PEM, content_of(ca_.file()));
        other.set(ZMQ_WSS_HOSTNAME, "elsewhere.example");
        monitor events(ctx_, other);
        other.connect(bound);
        EXPECT_EQ(unsigned(EACCES), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    }
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
    const std::string words = connection_error();
    EXPECT_NE(std::string::npos, words.find("stay in use: cannot read " + own.key)) << words;
}

TEST_F(tls_test, a_file_that_takes_its_time_holds_up_nobody_else)
{
    const std::string slow = ca_.path("slow.pem");
    ASSERT_EQ(0, ::mkfifo(slow.c_str(), 0600));
    socket pull = server();
    const std::string endpoint = pull.bind(anywhere);
    std::thread waiting([&] {
        context other;
        socket push = other.open(ZMQ_PUSH);
        push.set(ZMQ_TLS_CA_FILE, slow);
        EXPECT_EQ(-1, zmq_connect(push, endpoint.c_str()));
        EXPECT_EQ(EINVAL, zmq_errno());
    });
    // Once there is a reader, it waits for what is written.
    int to_reader = -1;
    EXPECT_TRUE(eventually([&] { return (to_reader = ::open(slow.c_str(), O_WRONLY | O_NONBLOCK)) >= 0; }));
    expect_others_to_be_served(pull, endpoint);
    EXPECT_EQ(8, ::write(to_reader, "nothing\n", 8));
    ::close(to_reader);
    waiting.join();
}

// --- names
// -------------------------------------------------------------------------------------------------------------------

TEST_F(tls_test, the_subject_is_no_name_of_a_host)
{
    socket pull = server(ZMQ_PULL, ca_.issue({.subject = "/CN=localhost", .names = "IP:10.9.9.9"})), push = client();
    push.set(ZMQ_TLS_HOSTNAME, "localhost");
    monitor events(ctx_, push);
    push.connect(pull.bind(anywhere));
    EXPECT_EQ(unsigned(EACCES), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
}

TEST_F(tls_test, an_address_is_the_one_that_it_means_however_it_is_written)
{
    socket pull = server(ZMQ_PULL, ca_.issue({.names = "IP:127.0.0.1"}));
    const std::string bound = pull.bind(anywhere);
    const std::string port = bound.substr(bound.rfind(':'));
    for (const char* host : {"127.1", "0x7f.0.0.1", "2130706433"}) {
        socket push = client();
        push.connect(std::string("tls://") + host + port);
        push.send(host);
        EXPECT_EQ(host, pull.recv());
    }
}

TEST_F(tls_test, a_name_to_look_for_does_not_begin_with_a_dot)
{
    socket push = client();
    for (const int option : {ZMQ_TLS_HOSTNAME, ZMQ_WSS_HOSTNAME}) {
        for (const std::string name : {".", "..", ".example"}) {
            EXPECT_EQ(-1, zmq_setsockopt(push, option, name.data(), name.size())) << name;
            EXPECT_EQ(EINVAL, zmq_errno());
        }
    }
    for (const char* endpoint : {"tls://.:1", "tls://.example:1", "wss://.example:1"}) {
        EXPECT_EQ(-1, zmq_connect(push, endpoint)) << endpoint;
        EXPECT_EQ(EINVAL, zmq_errno()) << endpoint;
    }
}

TEST_F(tls_test, what_one_name_holds_is_not_taken_for_two)
{
    // The section is read where the purpose ends.
    const certificate own = ca_.issue({.subject = "/CN=joe",
                                       .names = "@all",
                                       .purpose = "clientAuth\n[all]\nURI.1 = http://x/?a, DNS:admin.example\n"
                                                  "DNS.1 = joe.example"});
    socket pull = server(), push = client();
    pull.set(ZMQ_TLS_CA_FILE, ca_.file());
    pull.set(ZMQ_TLS_REQUIRE_CLIENT_CERT, 1);
    push.set(ZMQ_TLS_CERT_FILE, own.file);
    push.set(ZMQ_TLS_KEY_FILE, own.key);
    push.connect(pull.bind(anywhere));
    push.send("x");
    EXPECT_EQ("URI:http://x/?a\\2c DNS:admin.example, DNS:joe.example", property(pull, "Tls-Names"));
}

TEST_F(tls_test, files_that_are_named_are_read_and_keys_want_certificates)
{
    socket careless = ctx_.open(ZMQ_PUSH), keyed = client();
    careless.set(ZMQ_TLS_VERIFY, 0);
    careless.set(ZMQ_TLS_CA_FILE, "/nonexistent/ca.pem");
    EXPECT_EQ(-1, zmq_connect(careless, "tls://127.0.0.1:1"));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_NE(std::string::npos, std::string(zlink_last_error()).find("/nonexistent/ca.pem")) << zlink_last_error();
    keyed.set(ZMQ_TLS_KEY_FILE, authority::shared_certificate().key);
    EXPECT_EQ(-1, zmq_connect(keyed, "tls://127.0.0.1:1"));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_NE(std::string::npos, std::string(zlink_last_error()).find("certificate")) << zlink_last_error();
}

// --- sessions that are resumed
// -----------------------------------------------------------------------------------------------

TEST_F(tls_test, a_server_that_was_accepted_under_one_name_is_not_under_another)
{
    socket pull = server();
    const std::string endpoint = pull.bind(anywhere);
    const auto client_for = [&](const char* host) {
        socket push = client();
        push.set(ZMQ_TLS_HOSTNAME, host);
        return push;
    };
    for (int i = 0; i < 2; ++i) {
        socket push = client_for("localhost");
        push.connect(endpoint);
        push.send("welcome");
        EXPECT_EQ("welcome", pull.recv());

        socket other = client_for("elsewhere.example");
        monitor events(ctx_, other);
        other.connect(endpoint);
        EXPECT_EQ(unsigned(EACCES), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    }
}

TEST_F(tls_test, what_came_of_an_unverified_connection_opens_no_verified_one)
{
    const authority another;
    socket pull = server(ZMQ_PULL, another.issue());
    const std::string endpoint = pull.bind(anywhere);
    socket careless = client();
    careless.set(ZMQ_TLS_VERIFY, 0);
    careless.connect(endpoint);
    careless.send("whoever you are");
    EXPECT_EQ("whoever you are", pull.recv());

    socket careful = client();
    monitor events(ctx_, careful);
    careful.connect(endpoint);
    EXPECT_EQ(unsigned(EACCES), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
}

TEST_F(tls_test, another_server_in_the_place_of_one_that_was_accepted_is_judged_anew)
{
    const std::string endpoint = free_endpoint();
    const authority another;
    socket push = client();
    monitor events(ctx_, push, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    push.connect(endpoint);
    {
        socket pull = server();
        monitor gone(ctx_, pull, ZMQ_EVENT_CLOSED);
        pull.bind(endpoint);
        events.await(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        push.send("first");
        EXPECT_EQ("first", pull.recv());
        pull.unbind(endpoint);
        gone.await(ZMQ_EVENT_CLOSED);
    }
    socket pull = server(ZMQ_PULL, another.issue());
    pull.bind(endpoint);
    EXPECT_EQ(unsigned(EACCES), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    expect_no_message(pull);
}

TEST_F(tls_test, a_server_that_was_accepted_is_not_any_more_once_its_certificate_has_ended)
{
    std::time_t end = 0;
    std::string endpoint;
    std::optional<socket> pull;
    // On a slow machine the certificate may have ended before it is shown.
    for (int seconds = 2; endpoint.empty() && seconds < 120; seconds *= 2) {
        end = std::time(nullptr) + seconds;
        pull.emplace(server(ZMQ_PULL, ca_.issue({.end = end})));
        const std::string bound = pull->bind(anywhere);
        socket push = client();
        monitor events(ctx_, push);
        push.connect(bound);
        const int outcome = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
        if (events.await(outcome).event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
            push.send("in time");
            EXPECT_EQ("in time", pull->recv());
            endpoint = bound;
        }
    }
    ASSERT_FALSE(endpoint.empty());
    // The certificate ends by the clock, and nothing tells of that.
    std::this_thread::sleep_until(std::chrono::system_clock::from_time_t(end + 1));
    socket push = client();
    monitor events(ctx_, push);
    push.connect(endpoint);
    EXPECT_EQ(unsigned(EACCES), events.await(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL).value);
    const std::string words = connection_error();
    EXPECT_NE(std::string::npos, words.find("not accepted any more: certificate has expired")) << words;
}

TEST_F(tls_test, the_library_says_that_it_has_tls)
{
    EXPECT_EQ(1, zmq_has("tls"));
}

}  // namespace
}  // namespace zlink::test
