// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Keys, names and words of OpenSSL's side: what is read from options, which names a certificate has, and why one is
// refused.
#include "transport/tls/openssl/identity.hpp"

#include "support/tls_certificates.hpp"
#include "transport/tls/openssl/entry.hpp"
#include "transport/tls/openssl/handles.hpp"
#include "transport/tls/openssl/key_material.hpp"
#include "transport/tls/openssl/reasons.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <string>

namespace zlink::transport::tls::openssl {
namespace {

using test::authority;
using test::certificate;

class with_openssl : public testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_TRUE(inside_);
        ASSERT_TRUE(ctx_);
        ERR_clear_error();
    }

    static tls_options own_of(const certificate& one)
    {
        tls_options options;
        options.cert_file = one.file;
        options.key_file = one.key;
        return options;
    }
    /// The certificate in the context.
    X509* load(const certificate& one)
    {
        EXPECT_EQ("", load_own(ctx_.get(), own_of(one)));
        return SSL_CTX_get0_certificate(ctx_.get());
    }
    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

    const entry inside_;
    const ssl_ctx_ptr ctx_{SSL_CTX_new(TLS_method())};
};

// --- identity
// -----------------------------------------------------------------------------------------------------------

class tls_identity_test : public with_openssl {
protected:
    /// Whether a certificate with these names is one for the host.
    static bool accepts(const std::string& host, X509* shown)
    {
        const ssl_ctx_ptr verifying(SSL_CTX_new(TLS_client_method()));
        EXPECT_TRUE(identity(host, true).demand(verifying.get()));
        X509_STORE* const store = SSL_CTX_get_cert_store(verifying.get());
        X509_STORE_set1_param(store, SSL_CTX_get0_param(verifying.get()));
        X509_STORE_add_cert(store, shown);
        X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
        X509_STORE_CTX* const check = X509_STORE_CTX_new();
        X509_STORE_CTX_init(check, store, shown, nullptr);
        const bool accepted = X509_verify_cert(check) == 1;
        X509_STORE_CTX_free(check);
        return accepted;
    }
};

TEST_F(tls_identity_test, a_host_is_named_without_its_last_dot_and_an_address_in_full)
{
    EXPECT_EQ("", identity().host());
    EXPECT_EQ("broker.example", identity("broker.example", true).host());
    EXPECT_EQ("broker.example", identity("broker.example.", true).host());
    EXPECT_EQ("127.0.0.1", identity("127.1", true).host());
    EXPECT_EQ("::1", identity("::1", true).host());
}

TEST_F(tls_identity_test, a_name_that_begins_with_a_dot_is_none)
{
    EXPECT_FALSE(identity(".example", true).demand(ctx_.get()));
    EXPECT_FALSE(identity(".", true).demand(ctx_.get()));
    EXPECT_TRUE(identity(".example", false).demand(ctx_.get())) << "it is not verified";
    EXPECT_TRUE(identity().demand(ctx_.get()));
}

TEST_F(tls_identity_test, a_certificate_is_for_its_alternative_names_alone)
{
    X509* const shown = load(authority::of_this_process().issue(
        {.subject = "/CN=subject.example", .names = "DNS:broker.example,DNS:*.wild.example,IP:10.0.0.1"}));
    EXPECT_TRUE(accepts("broker.example", shown));
    EXPECT_TRUE(accepts("one.wild.example", shown));
    EXPECT_TRUE(accepts("10.0.0.1", shown));
    EXPECT_FALSE(accepts("subject.example", shown));
    EXPECT_FALSE(accepts("10.0.0.2", shown));
    EXPECT_FALSE(accepts("two.one.wild.example", shown));
}

TEST_F(tls_identity_test, a_server_is_announced_by_its_name_and_not_by_an_address)
{
    const auto announced = [this](const identity& whom) -> std::string {
        const ssl_ptr connection(SSL_new(ctx_.get()));
        SSL_set_connect_state(connection.get());
        whom.announce(connection.get());
        const char* const name = SSL_get_servername(connection.get(), TLSEXT_NAMETYPE_host_name);
        return name ? name : "";
    };
    EXPECT_EQ("broker.example", announced({"broker.example", true}));
    EXPECT_EQ("broker.example", announced({"broker.example", false}));
    EXPECT_EQ("", announced({"127.0.0.1", true}));
    EXPECT_EQ("", announced({}));
}

TEST_F(tls_identity_test, the_names_of_a_certificate_can_be_read)
{
    X509* const shown = load(authority::of_this_process().issue(
        {.subject = "/O=Example/CN=broker", .names = "DNS:broker.example,IP:10.0.0.1"}));
    EXPECT_EQ("CN=broker,O=Example", subject_of(shown));
    EXPECT_EQ("DNS:broker.example, IP Address:10.0.0.1", alternative_names_of(shown));
}

TEST_F(tls_identity_test, a_certificate_may_have_no_names)
{
    const authority& from = authority::of_this_process();
    X509* const shown = load({from.file(), from.path("ca.key")});
    EXPECT_EQ("CN=zlink test authority", subject_of(shown));
    EXPECT_EQ("", alternative_names_of(shown));
}

// --- key material
// -------------------------------------------------------------------------------------------------------

class tls_key_material_test : public with_openssl {};

TEST_F(tls_key_material_test, options_have_an_identity_if_they_name_a_certificate)
{
    tls_options options;
    EXPECT_FALSE(has_own(options));
    options.cert_pem = "text";
    EXPECT_TRUE(has_own(options));
    EXPECT_TRUE(has_own(own_of({"file", "key"})));
}

TEST_F(tls_key_material_test, options_have_trust_if_they_name_an_authority_or_the_system)
{
    tls_options options;
    EXPECT_FALSE(has_trust(options));
    options.trust_system = 0;
    EXPECT_FALSE(has_trust(options));
    options.trust_system = 1;
    EXPECT_TRUE(has_trust(options));
    tls_options by_file, by_text;
    by_file.ca_file = "file";
    by_text.trust_pem = "text";
    EXPECT_TRUE(has_trust(by_file));
    EXPECT_TRUE(has_trust(by_text));
}

TEST_F(tls_key_material_test, a_certificate_comes_from_files_or_texts_with_its_key)
{
    const certificate& one = authority::shared_certificate();
    EXPECT_EQ("", load_own(ctx_.get(), own_of(one)));
    tls_options texts;
    texts.cert_pem = test::content_of(one.file);
    texts.key_pem = test::content_of(one.key);
    EXPECT_EQ("", load_own(ctx_.get(), texts));
    tls_options together;
    together.cert_pem = texts.cert_pem + texts.key_pem;
    EXPECT_EQ("", load_own(ctx_.get(), together)) << "they may share a text";
    EXPECT_EQ("", load_own(ctx_.get(), {})) << "there need not be any";
}

TEST_F(tls_key_material_test, a_mistake_names_the_file)
{
    const certificate& one = authority::shared_certificate();
    EXPECT_TRUE(has(load_own(ctx_.get(), own_of({"/no/such.pem", one.key})), "/no/such.pem"));
    EXPECT_TRUE(has(load_own(ctx_.get(), own_of({one.file, "/no/such.key"})), "/no/such.key"));
    EXPECT_TRUE(has(load_own(ctx_.get(), own_of({one.key, one.key})), one.key + " holds no certificate"));
    EXPECT_TRUE(has(load_own(ctx_.get(), own_of({one.file, one.file})), one.file + " holds no key"));
}

TEST_F(tls_key_material_test, a_key_and_its_certificate_belong_together)
{
    const certificate& one = authority::shared_certificate();
    const certificate other = authority::of_this_process().issue();
    EXPECT_TRUE(has(load_own(ctx_.get(), own_of({one.file, other.key})), "does not go with the certificate"));
    tls_options key_alone;
    key_alone.key_file = one.key;
    EXPECT_TRUE(has(load_own(ctx_.get(), key_alone), "a key wants a certificate"));
}

TEST_F(tls_key_material_test, authorities_come_from_a_file_or_a_text)
{
    tls_options by_file, by_text, wrong;
    by_file.ca_file = authority::of_this_process().file();
    EXPECT_EQ("", load_trust(ctx_.get(), by_file));
    EXPECT_EQ(1, sk_X509_OBJECT_num(X509_STORE_get0_objects(SSL_CTX_get_cert_store(ctx_.get()))));
    by_text.trust_pem = test::content_of(by_file.ca_file);
    EXPECT_EQ("", load_trust(ctx_.get(), by_text));
    wrong.ca_file = authority::shared_certificate().key;
    EXPECT_TRUE(has(load_trust(ctx_.get(), wrong), wrong.ca_file + " holds no certificate"));
}

// --- reasons
// ------------------------------------------------------------------------------------------------------------

class tls_reasons_test : public with_openssl {};

TEST_F(tls_reasons_test, the_first_error_is_told_and_the_queue_is_empty)
{
    EXPECT_EQ("unknown error", take_reason());
    ERR_raise(ERR_LIB_SSL, SSL_R_NO_SHARED_CIPHER);
    ERR_raise(ERR_LIB_SSL, SSL_R_HTTP_REQUEST);
    EXPECT_EQ("no shared cipher", take_reason());
    EXPECT_EQ(0u, ERR_peek_error());
}

TEST_F(tls_reasons_test, a_refusal_of_a_name_says_which_is_wanted_and_which_are_there)
{
    X509* const shown = load(authority::of_this_process().issue({.names = "DNS:other.example"}));
    const std::string words = words_of_refusal(X509_V_ERR_HOSTNAME_MISMATCH, shown, {"broker.example", true});
    EXPECT_TRUE(has(words, "'broker.example' is wanted")) << words;
    EXPECT_TRUE(has(words, "'DNS:other.example'")) << words;
    EXPECT_TRUE(has(words, "ZMQ_TLS_HOSTNAME")) << words;
}

TEST_F(tls_reasons_test, a_refusal_names_its_remedy)
{
    X509* const shown = load(authority::shared_certificate());
    EXPECT_TRUE(has(words_of_refusal(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, shown, {}), "ZMQ_TLS_CA_FILE"));
    EXPECT_TRUE(has(words_of_refusal(X509_V_ERR_CERT_HAS_EXPIRED, shown, {}), "it ended at"));
    EXPECT_TRUE(has(words_of_refusal(X509_V_ERR_CERT_NOT_YET_VALID, shown, {}), "it begins at"));
    EXPECT_NE("", words_of_refusal(X509_V_ERR_CERT_HAS_EXPIRED, nullptr, {}));
}

TEST_F(tls_reasons_test, the_failure_of_a_connection_is_one_of_its_peers_identity_or_of_its_protocol)
{
    const ssl_ptr connection(SSL_new(ctx_.get()));
    SSL_set_connect_state(connection.get());
    EXPECT_EQ(errc::protocol_error, take_failure(connection.get(), {}, {"zmtp", "tcp"}).error);

    ERR_raise(ERR_LIB_SSL, SSL_R_WRONG_VERSION_NUMBER);
    const failure plain = take_failure(connection.get(), {}, {"zmtp", "tcp"});
    EXPECT_EQ(errc::protocol_error, plain.error);
    EXPECT_TRUE(has(plain.words, "tcp://")) << plain.words;

    ERR_raise(ERR_LIB_SSL, SSL_R_CERTIFICATE_VERIFY_FAILED);
    EXPECT_EQ(errc::access_denied, take_failure(connection.get(), {}, {"zmtp", "tcp"}).error);

    ERR_raise(ERR_LIB_SSL, SSL_AD_REASON_OFFSET + TLS1_AD_UNKNOWN_CA);
    const failure refused = take_failure(connection.get(), {}, {"zmtp", "tcp"});
    EXPECT_EQ(errc::access_denied, refused.error);
    EXPECT_TRUE(has(refused.words, "the peer refuses")) << refused.words;
    EXPECT_EQ(0u, ERR_peek_error());
}

}  // namespace
}  // namespace zlink::transport::tls::openssl
