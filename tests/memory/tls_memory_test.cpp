// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What tls connections cost in octets that malloc has given out. There are idle ones next to an idle SSL, and peers
// that get no further than their handshake.
#include "allocations.hpp"
#include "secrets.hpp"
#include "support/raw_peer.hpp"
#include "support/tls_command.hpp"
#include "support/zmq_fixture.hpp"

#include <openssl/ssl.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <vector>

namespace zlink::test {
namespace {

void may_open(std::size_t files)
{
    rlimit limit{};
    ASSERT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &limit));
    if (limit.rlim_cur >= files) return;
    limit.rlim_cur = files;
    ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &limit)) << "needs so many descriptors: " << files;
}

struct frees {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* ctx) const { SSL_CTX_free(ctx); }
};
using ssl_ptr = std::unique_ptr<SSL, frees>;
using ctx_ptr = std::unique_ptr<SSL_CTX, frees>;

ctx_ptr plain_context(const SSL_METHOD* method)
{
    ctx_ptr ctx(SSL_CTX_new(method));
    SSL_CTX_set_mode(ctx.get(), SSL_MODE_RELEASE_BUFFERS);
    return ctx;
}

/// A client of OpenSSL's own over a connected socket, as a channel for raw_peer.
class ssl_channel final : public octet_channel {
public:
    ssl_channel(SSL_CTX* ctx, const std::string& endpoint) : ssl_(SSL_new(ctx))
    {
        tcp_ = tcp_peer::connect("tcp://" + host_and_port(endpoint));
        SSL_set_fd(ssl_.get(), tcp_.fd());
        EXPECT_EQ(1, SSL_connect(ssl_.get()));
    }
    [[nodiscard]] int fd() const override { return tcp_.fd(); }
    ssize_t send(const char* octets, std::size_t size) override { return SSL_write(ssl_.get(), octets, int(size)); }
    ssize_t receive(char* octets, std::size_t size) override { return SSL_read(ssl_.get(), octets, int(size)); }
    int wait(short events, int timeout_ms) override
    {
        if ((events & POLLIN) && SSL_pending(ssl_.get()) > 0) return 1;
        pollfd item{tcp_.fd(), events, 0};
        return ::poll(&item, 1, timeout_ms);
    }
    void end_hard() override {}

private:
    tcp_peer tcp_;
    ssl_ptr ssl_;
};

class tls_memory_test : public zmq_test {
protected:
    void be_server(socket& s)
    {
        s.set(ZMQ_TLS_CERT_FILE, authority::shared_certificate().file);
        s.set(ZMQ_TLS_KEY_FILE, authority::shared_certificate().key);
        s.set(ZMQ_BACKLOG, 2000);
    }
};

/// The greater of what two idle ends keep, once each has sent something.
std::size_t of_an_idle_ssl_pair()
{
    constexpr std::size_t pairs = 100;
    const ctx_ptr server = plain_context(TLS_server_method()), client = plain_context(TLS_client_method());
    EXPECT_EQ(1, SSL_CTX_use_certificate_chain_file(server.get(), authority::shared_certificate().file.c_str()));
    EXPECT_EQ(1,
              SSL_CTX_use_PrivateKey_file(server.get(), authority::shared_certificate().key.c_str(), SSL_FILETYPE_PEM));
    std::vector<ssl_ptr> all;
    const auto join = [&] {
        ssl_ptr a(SSL_new(server.get())), b(SSL_new(client.get()));
        BIO *one = nullptr, *other = nullptr;
        EXPECT_EQ(1, BIO_new_bio_pair(&one, 0, &other, 0));
        SSL_set_bio(a.get(), one, one);
        SSL_set_bio(b.get(), other, other);
        SSL_set_accept_state(a.get());
        SSL_set_connect_state(b.get());
        while (SSL_do_handshake(b.get()) != 1 || SSL_do_handshake(a.get()) != 1) (void)SSL_do_handshake(a.get());
        char text[10];
        EXPECT_EQ(5, SSL_write(a.get(), "hello", 5));
        EXPECT_EQ(5, SSL_read(b.get(), text, sizeof text));
        EXPECT_EQ(5, SSL_write(b.get(), "hello", 5));
        EXPECT_EQ(5, SSL_read(a.get(), text, sizeof text));
        // Of the memory BIOs nothing counts.
        SSL_set_bio(a.get(), nullptr, nullptr);
        SSL_set_bio(b.get(), nullptr, nullptr);
        all.push_back(std::move(a));
        all.push_back(std::move(b));
    };
    join();
    const std::size_t before = octets_in_use();
    for (std::size_t i = 0; i < pairs; ++i) join();
    return (octets_in_use() - before) / pairs;
}

TEST_F(tls_memory_test, an_idle_connection_keeps_an_ssl_and_8_kb)
{
    constexpr std::size_t most_of_ours = 8 * 1024;
    constexpr std::size_t many = 200;
    may_open(2 * many + 100);
    const ctx_ptr client = plain_context(TLS_client_method());
    const auto expect_at_most = [&](const char* transport, std::size_t most) {
        socket router = ctx_.open(ZMQ_ROUTER);
        be_server(router);
        const std::string endpoint = router.bind(std::string(transport) + "://127.0.0.1:*");
        std::vector<raw_peer> peers;
        peers.reserve(many + 1);
        const auto join = [&] {
            if (endpoint.starts_with("tls")) {
                peers.emplace_back(std::make_unique<ssl_channel>(client.get(), endpoint));
            } else {
                peers.push_back(raw_peer::connect_to(endpoint));
            }
            raw_peer& peer = peers.back();
            peer.handshake(zmtp_version::v3_1, "DEALER");
            peer.send_message({std::string(100'000, 'x')});
            const parts come = router.recv_parts();
            ASSERT_EQ(2u, come.size());
            router.send_parts({come[0], "heard"});
            ASSERT_EQ((parts{"heard"}), peer.read_message());
        };
        join();
        const std::size_t before = octets_in_use();
        for (std::size_t i = 0; i < many; ++i) join();
        EXPECT_TRUE(eventually([&] { return octets_in_use() <= before + many * most; }, 10'000));
        const std::size_t each = (octets_in_use() - before) / many;
        RecordProperty(transport, int(each));
        return each;
    };
    const std::size_t ssl_pair = of_an_idle_ssl_pair();  // the peer's is here, too
    (void)expect_at_most("tcp", 16 * 1024);              // to compare it with
    const std::size_t over_tls = expect_at_most("tls", ssl_pair + most_of_ours);
    EXPECT_LE(over_tls, ssl_pair + most_of_ours);
    RecordProperty("two_ssl", int(ssl_pair));
}

TEST_F(tls_memory_test, of_secrets_nothing_stays_when_their_socket_has_gone)
{
    wipe_what_is_freed();
    const std::string front = "a password that", back = " nobody shall find";
    socket pull = ctx_.open(ZMQ_PULL);
    be_server(pull);
    const std::string endpoint = pull.bind("tls://127.0.0.1:*");
    {
        context other;
        socket push = other.open(ZMQ_PUSH);
        know_certificates(push);
        {
            const std::string password = front + back;
            push.set(ZMQ_TLS_KEY_PASSWORD, password);
        }
        push.connect(endpoint);
        push.send("hello");
        EXPECT_EQ("hello", pull.recv());
        EXPECT_LT(0, copies_of(front, back)) << "the search finds nothing";
    }
    EXPECT_EQ(0, copies_of(front, back));
}

TEST_F(tls_memory_test, a_thousand_stalled_handshakes_stay_small)
{
    constexpr std::size_t peers = 1000, most = 64'000'000;
    may_open(2 * peers + 100);
    const ctx_ptr client = plain_context(TLS_client_method());
    for (const bool whole : {false, true}) {
        socket pull = ctx_.open(ZMQ_PULL);
        be_server(pull);
        monitor events(ctx_, pull, ZMQ_EVENT_ACCEPTED);
        const std::string endpoint = pull.bind("tls://127.0.0.1:*");
        // A ClientHello, to be sent in full, or without its last octet.
        const ssl_ptr hello(SSL_new(client.get()));
        BIO* const memory = BIO_new(BIO_s_mem());
        SSL_set_bio(hello.get(), BIO_new(BIO_s_mem()), memory);
        (void)SSL_connect(hello.get());
        char* data = nullptr;
        const std::size_t size = std::size_t(BIO_get_mem_data(memory, &data)) - (whole ? 0 : 1);
        const std::string octets(data, size);
        const std::size_t before = octets_in_use();
        std::vector<raw_peer> stalled;
        for (std::size_t i = 0; i < peers; ++i) {
            stalled.push_back(raw_peer::connect_to("tcp://" + host_and_port(endpoint)));
            stalled.back().send_bytes(octets);
            if (whole) (void)stalled.back().read_bytes(500);  // of the server's answer
            events.await(ZMQ_EVENT_ACCEPTED);
        }
        EXPECT_LT(octets_in_use() - before, most);
        RecordProperty(whole ? "after_their_hello" : "within_their_hello", int((octets_in_use() - before) / peers));
    }
}

TEST_F(tls_memory_test, who_announces_a_hello_of_128_kb_is_left_and_has_cost_nothing)
{
    constexpr std::size_t peers = 100, most = 1'000'000;
    socket pull = ctx_.open(ZMQ_PULL);
    be_server(pull);
    const std::string endpoint = pull.bind("tls://127.0.0.1:*");
    const std::size_t before = octets_in_use();
    std::vector<raw_peer> greedy;
    for (std::size_t i = 0; i < peers; ++i) {
        greedy.push_back(raw_peer::connect_to("tcp://" + host_and_port(endpoint)));
        greedy.back().send_bytes(std::string("\x16\3\1\0\x14\1\1\xff\xb8\3\3", 11) + std::string(14, 'x'));
        EXPECT_TRUE(greedy.back().wait_for_end());
    }
    EXPECT_LT(octets_in_use() - std::min(before, octets_in_use()), most);
}

TEST_F(tls_memory_test, a_peer_that_asks_for_new_keys_for_ever_and_reads_nothing_costs_little_and_is_left)
{
    constexpr std::size_t most = 1'000'000;
    socket pull = ctx_.open(ZMQ_PULL);
    be_server(pull);
    pull.set(ZMQ_SNDBUF, 4096);
    pull.set(ZMQ_HANDSHAKE_IVL, 0);
    monitor events(ctx_, pull, ZMQ_EVENT_DISCONNECTED);
    const std::string endpoint = pull.bind("tls://127.0.0.1:*");
    const ctx_ptr with = plain_context(TLS_client_method());
    (void)std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's own writing
    const tcp_peer tcp = tcp_peer::connect("tcp://" + host_and_port(endpoint));
    // Much smaller, and the kernel drops what comes with the acknowledgements in it.
    const int small = 64 * 1024;
    (void)::setsockopt(tcp.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    const ssl_ptr ssl(SSL_new(with.get()));
    SSL_set_fd(ssl.get(), tcp.fd());
    ASSERT_EQ(1, SSL_connect(ssl.get()));
    const std::size_t before = octets_in_use();
    std::size_t highest = before;
    bool left = false;
    for (int i = 0; i < 10'000'000 && !left; ++i) {
        left = SSL_key_update(ssl.get(), SSL_KEY_UPDATE_REQUESTED) != 1 || SSL_do_handshake(ssl.get()) != 1;
        if (i % 1000 == 0) highest = std::max(highest, octets_in_use());
    }
    EXPECT_TRUE(left);
    events.await(ZMQ_EVENT_DISCONNECTED);
    EXPECT_LT(highest - before, most);
    EXPECT_NE(std::string::npos, connection_error().find("does not read")) << connection_error();
}

}  // namespace
}  // namespace zlink::test
