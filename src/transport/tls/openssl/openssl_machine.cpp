// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/openssl/openssl_machine.hpp"

#include "transport/tls/openssl/entry.hpp"
#include "transport/tls/openssl/exchange_bio.hpp"
#include "transport/tls/openssl/openssl_context.hpp"

#include <openssl/err.h>

#include <new>
#include <utility>

namespace zlink::transport::tls::openssl {

namespace {

class lent {
public:
    lent(exchange*& where, exchange& what) noexcept : where_(where) { where_ = &what; }
    lent(const lent&) = delete;
    lent& operator=(const lent&) = delete;
    ~lent() { where_ = nullptr; }

private:
    exchange*& where_;
};

}  // namespace

openssl_machine::openssl_machine(SSL_CTX* with, tls::role role, const identity& expected)
    : expected_(expected),
      ssl_(SSL_new(with))
{
    BIO* const bio = ssl_ ? make_exchange_bio(&through_) : nullptr;
    if (!bio) throw std::bad_alloc();
    SSL_set_bio(ssl_.get(), bio, bio);
    if (role == tls::role::server) {
        SSL_set_accept_state(ssl_.get());
    } else {
        SSL_set_connect_state(ssl_.get());
        expected_.announce(ssl_.get());
    }
}

openssl_machine::~openssl_machine()
{
    const entry inside;
    if (!inside) (void)ssl_.release();
    ssl_.reset();
}

machine* openssl_machine::make(SSL_CTX* with, tls::role role, const identity& expected, SSL_SESSION* resumed) noexcept
{
    try {
        std::unique_ptr<openssl_machine> made(new openssl_machine(with, role, expected));
        if (resumed) SSL_set_session(made->ssl_.get(), resumed);
        return made.release();
    } catch (...) {
        ERR_clear_error();
        return nullptr;
    }
}

machine::step openssl_machine::handshake(exchange& through) noexcept
{
    const entry inside;
    if (!inside) return fail(errc::protocol_not_supported, fork_gate::broken_words);
    if (const char* const wrong = wrong_with_hello(through.in)) return fail(errc::protocol_error, wrong);
    const lent to_bio(through_, through);
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result != 1) return stopped(result);
    // A resumed session means that the peer is the one of the earlier handshake; whether it is still accepted is
    // checked again.
    if (SSL_session_reused(ssl_.get())) {
        if (const long why = expected_.check_again(ssl_.get()); why != X509_V_OK) {
            openssl_context::forget_session(SSL_get_SSL_CTX(ssl_.get()));
            return fail(
                {errc::access_denied, "the peer's certificate is not accepted any more: " +
                                          words_of_refusal(why, SSL_get0_peer_certificate(ssl_.get()), expected_)});
        }
    }
    return {};
}

// OpenSSL makes room for all of a ClientHello when it has seen the length, 128 KB at most. It does so before anything
// is known of the peer, and again after a HelloRetryRequest.
const char* openssl_machine::wrong_with_hello(std::span<const std::byte> record) const noexcept
{
    constexpr auto handshake_type = 22u, client_hello = 1u;
    constexpr std::size_t message_header = 4;
    const OSSL_HANDSHAKE_STATE now = SSL_get_state(ssl_.get());
    const bool awaits_hello = SSL_is_server(ssl_.get()) && (now == TLS_ST_BEFORE || now == TLS_ST_EARLY_DATA);
    const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(record[i]); };
    if (!awaits_hello || record.size() < record_header || at(0) != handshake_type) return nullptr;
    if (record.size() < record_header + message_header) return "a ClientHello that is cut within its header";
    if (at(record_header) != client_hello) return nullptr;
    const std::size_t size = at(record_header + 1) << 16 | at(record_header + 2) << 8 | at(record_header + 3);
    return size > largest_client_hello ? "a ClientHello of more than 16 KB" : nullptr;
}

machine::step openssl_machine::open(exchange& through, std::byte* to, std::size_t room) noexcept
{
    const entry inside;
    if (!inside) return fail(errc::protocol_not_supported, fork_gate::broken_words);
    const lent to_bio(through_, through);
    ERR_clear_error();
    std::size_t got = 0;
    if (const int result = SSL_read_ex(ssl_.get(), to, room, &got); result != 1) return stopped(result);
    return {state::done, got};
}

machine::step openssl_machine::seal(exchange& through, const std::byte* from, std::size_t size) noexcept
{
    const entry inside;
    if (!inside) return fail(errc::protocol_not_supported, fork_gate::broken_words);
    const lent to_bio(through_, through);
    ERR_clear_error();
    std::size_t taken = 0;
    if (const int result = SSL_write_ex(ssl_.get(), from, size, &taken); result != 1) return stopped(result);
    return {state::done, taken};
}

void openssl_machine::close(exchange& through) noexcept
{
    const entry inside;
    if (!inside || !SSL_is_init_finished(ssl_.get())) return;
    const lent to_bio(through_, through);
    (void)SSL_shutdown(ssl_.get());
    ERR_clear_error();
}

machine::step openssl_machine::stopped(int result) noexcept
{
    switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ: return {state::wants_input};
    case SSL_ERROR_ZERO_RETURN: return {state::closed};
    default: break;
    }
    try {
        return fail(take_failure(ssl_.get(), expected_, openssl_context::carried_by(ssl_.get())));
    } catch (...) {
        return fail({errc::out_of_memory, {}});
    }
}

machine::step openssl_machine::fail(errc error, const char* words) noexcept
{
    try {
        return fail({error, words});
    } catch (...) {
        return fail({errc::out_of_memory, {}});
    }
}

machine::step openssl_machine::fail(openssl::failure why) noexcept
{
    failure_ = std::move(why);
    return {state::failed};
}

X509* openssl_machine::verified_peer() const noexcept
{
    const bool verified =
        SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE && SSL_get_verify_result(ssl_.get()) == X509_V_OK;
    return verified ? SSL_get0_peer_certificate(ssl_.get()) : nullptr;
}

bool openssl_machine::tell_certificate(text_sink& to) const noexcept
{
    const entry inside;
    X509* const peer = inside ? verified_peer() : nullptr;
    if (!peer) return true;
    unsigned char* octets = nullptr;
    const int size = i2d_X509(peer, &octets);
    ERR_clear_error();
    if (size < 0) return false;
    to.put({reinterpret_cast<const char*>(octets), std::size_t(size)});
    OPENSSL_free(octets);
    return true;
}

void openssl_machine::tell_properties(property_sink& to) const
{
    const entry inside;
    if (!inside) return;
    to.put("Tls-Version", SSL_get_version(ssl_.get()));
    to.put("Tls-Cipher", SSL_get_cipher_name(ssl_.get()));
    X509* const peer = verified_peer();
    if (!peer) return;
    to.put("Tls-Subject", subject_of(peer));
    to.put("Tls-Names", alternative_names_of(peer));
}

}  // namespace zlink::transport::tls::openssl
