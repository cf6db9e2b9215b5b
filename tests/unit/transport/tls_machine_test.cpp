// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// TLS as octets in and octets out, by OpenSSL: the provider, and two machines that talk to each other in memory.
#include "transport/tls/tls_machine.hpp"

#include "support/tls_certificates.hpp"
#include "transport/tls/openssl/openssl_context.hpp"
#include "transport/tls/openssl/openssl_machine.hpp"
#include "transport/tls/tls_options.hpp"
#include "transport/tls/tls_provider.hpp"
#include "transport/tls/work_space.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace zlink::transport::tls {
namespace {

using state = machine::state;
using test::authority;

class text final : public text_sink {
public:
    void put(std::string_view more) noexcept override { all += more; }
    std::string all;
};

class properties final : public property_sink {
public:
    void put(std::string_view name, std::string_view value) override { all[std::string(name)] = value; }
    std::map<std::string, std::string> all;
};

/// One end, and the octets that have come to it.
class party {
public:
    void begin(context& with) { machine_.reset(with.make_machine()); }

    machine& operator*() { return *machine_; }
    machine* operator->() { return machine_.get(); }

    state shake_hands(party& other)
    {
        return with_record(other, [&](exchange& through) { return machine_->handshake(through); }).what;
    }
    std::string opened(party& other)
    {
        std::string plain(largest_plain_record, '\0');
        const auto step = with_record(other, [&](exchange& through) {
            return machine_->open(through, reinterpret_cast<std::byte*>(plain.data()), plain.size());
        });
        last_ = step.what;
        return plain.substr(0, step.octets);
    }
    state seal(party& other, std::string_view plain)
    {
        const auto octets = std::as_bytes(std::span(plain));
        exchange through = room();
        const auto step = machine_->seal(through, octets.data(), octets.size());
        pass_on(other, through);
        return step.what;
    }
    void close(party& other)
    {
        exchange through = room();
        machine_->close(through);
        pass_on(other, through);
    }

    [[nodiscard]] bool has_input() const { return !come_.empty(); }
    [[nodiscard]] state last() const { return last_; }
    std::string come_;

private:
    exchange room() { return {{}, out_}; }
    void pass_on(party& other, const exchange& through)
    {
        other.come_.append(reinterpret_cast<const char*>(out_.data()), out_.size() - through.out.size());
    }
    // Only whole records are given to a machine.
    template <class Call>
    machine::step with_record(party& other, Call call)
    {
        std::size_t size = 0;
        if (come_.size() >= record_header)
            size = record_header + (std::size_t(std::uint8_t(come_[3])) << 8) + std::uint8_t(come_[4]);
        exchange through{std::as_bytes(std::span(come_)).first(size), out_};
        const machine::step step = call(through);
        come_.erase(0, size - through.in.size());
        pass_on(other, through);
        return step;
    }

    std::unique_ptr<machine> machine_;
    std::vector<std::byte> out_ = std::vector<std::byte>(4 * largest_record);
    state last_ = state::done;
};

class tls_machine_test : public testing::Test {
protected:
    tls_machine_test()
    {
        server_options_.cert_file = authority::shared_certificate().file;
        server_options_.key_file = authority::shared_certificate().key;
        client_options_.ca_file = authority::of_this_process().file();
    }

    /// Empty: what was wrong is in `wrong_`.
    std::unique_ptr<context> make(role as, const tls_options& options, std::string_view host = "localhost")
    {
        wrong_.all.clear();
        const auto from = find_provider();
        EXPECT_TRUE(from);
        const auto made = (*from)->make_context({as, options, host, {"zmtp/3.1", "tcp"}}, wrong_);
        EXPECT_EQ(made ? errc::none : errc::invalid_argument, made.error());
        return std::unique_ptr<context>(made ? *made : nullptr);
    }
    /// Until neither has anything left to say, or one has failed.
    void connect(std::string_view host = "localhost")
    {
        server_context_ = make(role::server, server_options_);
        client_context_ = make(role::client, client_options_, host);
        ASSERT_TRUE(server_context_ && client_context_) << wrong_.all;
        server_.begin(*server_context_);
        client_.begin(*client_context_);
        client_is_ = client_.shake_hands(server_);
        server_is_ = state::wants_input;
        while (server_is_ == state::wants_input || client_is_ == state::wants_input) {
            const bool for_server = server_is_ == state::wants_input && server_.has_input();
            const bool for_client = client_is_ == state::wants_input && client_.has_input();
            if (!for_server && !for_client) break;
            if (for_server) server_is_ = server_.shake_hands(client_);
            if (for_client) client_is_ = client_.shake_hands(server_);
        }
    }

    tls_options server_options_, client_options_;
    std::unique_ptr<context> server_context_, client_context_;
    party server_, client_;
    state server_is_ = state::wants_input, client_is_ = state::wants_input;
    text wrong_;
};

TEST_F(tls_machine_test, the_provider_is_the_same_each_time_and_of_this_build)
{
    const auto first = find_provider(), second = find_provider();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(*first, *second);
    EXPECT_STREQ(this_build, (*first)->build);
}

TEST_F(tls_machine_test, both_sides_come_to_an_end_of_the_handshake)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    EXPECT_EQ(state::done, client_is_);
    EXPECT_EQ(state::done, server_is_);
    EXPECT_EQ(errc::none, client_->failure());
    EXPECT_EQ(errc::none, server_->failure());
}

TEST_F(tls_machine_test, octets_go_both_ways_in_records)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    EXPECT_EQ(state::done, client_.seal(server_, "to the server"));
    EXPECT_EQ(std::string::npos, server_.come_.find("to the server"));
    EXPECT_EQ("to the server", server_.opened(client_));
    EXPECT_EQ(0u, server_->opened());

    EXPECT_EQ(state::done, server_.seal(client_, std::string(largest_plain_record, 'x')));
    std::string come;
    while (client_.has_input()) come += client_.opened(server_);  // a ticket comes first
    EXPECT_EQ(std::string(largest_plain_record, 'x'), come);
}

TEST_F(tls_machine_test, the_end_of_a_stream_is_told)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    client_.close(server_);
    EXPECT_EQ("", server_.opened(client_));
    EXPECT_EQ(state::closed, server_.last());
}

TEST_F(tls_machine_test, a_verified_peer_is_known_by_its_names)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    properties of_server;
    client_->tell_properties(of_server);
    EXPECT_EQ("CN=zlink test", of_server.all["Tls-Subject"]);
    EXPECT_EQ("TLSv1.3", of_server.all["Tls-Version"]);
    EXPECT_TRUE(of_server.all["Tls-Names"].starts_with("DNS:localhost"));
    EXPECT_NE("", of_server.all["Tls-Cipher"]);
    text certificate;
    EXPECT_TRUE(client_->tell_certificate(certificate));
    EXPECT_NE("", certificate.all);

    properties of_client;
    server_->tell_properties(of_client);
    EXPECT_EQ(0u, of_client.all.count("Tls-Subject"));
    text none;
    EXPECT_TRUE(server_->tell_certificate(none));
    EXPECT_EQ("", none.all);
}

TEST_F(tls_machine_test, a_server_of_another_name_is_refused_and_told)
{
    ASSERT_NO_FATAL_FAILURE(connect("other.example"));
    EXPECT_EQ(state::failed, client_is_);
    EXPECT_EQ(errc::access_denied, client_->failure());
    text why;
    client_->tell_failure(why);
    EXPECT_NE(std::string::npos, why.all.find("other.example")) << why.all;
    EXPECT_TRUE(server_.has_input() || server_is_ == state::failed) << "by an alert";
}

TEST_F(tls_machine_test, octets_that_are_not_tls_are_a_failure)
{
    server_context_ = make(role::server, server_options_);
    ASSERT_TRUE(server_context_);
    server_.begin(*server_context_);
    server_.come_ = std::string("GET /\0\0\0", 8);
    server_.come_[3] = server_.come_[4] = '\0';
    EXPECT_EQ(state::failed, server_.shake_hands(client_));
    EXPECT_EQ(errc::protocol_error, server_->failure());
}

TEST_F(tls_machine_test, mistakes_in_the_options_are_told_in_words)
{
    EXPECT_EQ(nullptr, make(role::server, {}));
    EXPECT_NE(std::string::npos, wrong_.all.find("ZMQ_TLS_CERT_FILE"));
    server_options_.require_client_certificate = true;
    EXPECT_EQ(nullptr, make(role::server, server_options_));
    EXPECT_NE(std::string::npos, wrong_.all.find("ZMQ_TLS_CA_FILE"));
    client_options_.ca_file = "/no/such.pem";
    EXPECT_EQ(nullptr, make(role::client, client_options_));
    EXPECT_NE(std::string::npos, wrong_.all.find("/no/such.pem"));
}

TEST_F(tls_machine_test, a_context_knows_the_protocol_that_its_connections_carry)
{
    openssl::openssl_context with({role::client, client_options_, "localhost", {"zmtp/3.1", "tcp"}});
    ASSERT_EQ("", with.prepare(client_options_));
    const openssl::ssl_ctx_ptr other(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_app_data(other.get(), &with);
    const openssl::ssl_ptr connection(SSL_new(other.get()));
    EXPECT_EQ((carried_protocol{"zmtp/3.1", "tcp"}), openssl::openssl_context::carried_by(connection.get()));
}

// --- options and memory
// -------------------------------------------------------------------------------------------------

TEST(tls_options_test, any_trusted_server_is_verified_by_the_name_of_its_endpoint)
{
    const tls_options fresh;
    EXPECT_TRUE(fresh.verify);
    EXPECT_EQ("", fresh.hostname);
    EXPECT_EQ(-1, fresh.trust_system);
    EXPECT_FALSE(fresh.require_client_certificate);
    EXPECT_FALSE(fresh.request_client_certificate);
    EXPECT_EQ("", fresh.cert_file + fresh.key_file + fresh.ca_file + fresh.cert_pem + fresh.key_pem + fresh.trust_pem);
}

TEST(tls_options_test, a_host_name_does_not_begin_with_a_dot)
{
    const auto set = [](stream_options& options, std::string_view name) {
        return set_hostname(own_options.front(), options, {name.data(), name.size()});
    };
    stream_options options;
    EXPECT_EQ(errc::none, set(options, "broker.example"));
    EXPECT_EQ("broker.example", options.of<tls_options>().hostname);
    for (const char* bad : {".", ".example"}) EXPECT_EQ(errc::invalid_argument, set(options, bad)) << bad;
    EXPECT_EQ("broker.example", options.of<tls_options>().hostname);
    EXPECT_EQ(errc::none, set(options, ""));
    EXPECT_EQ("", options.of<tls_options>().hostname);
}

TEST(tls_work_space_test, a_thread_has_one_with_room_for_a_batch_and_its_records)
{
    work_space* const mine = work_space::of_this_thread();
    ASSERT_NE(nullptr, mine);
    EXPECT_EQ(mine, work_space::of_this_thread());
    EXPECT_EQ(work_space::batch + largest_record, mine->in().size());
    EXPECT_EQ(work_space::batch + work_space::room_to_seal, mine->out().size());
    EXPECT_EQ(largest_plain_record, mine->plain().size());
    work_space* other = nullptr;
    std::thread([&other] { other = work_space::of_this_thread(); }).join();
    EXPECT_NE(mine, other);
}

}  // namespace
}  // namespace zlink::transport::tls
