// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One connection's TLS by OpenSSL.
#pragma once

#include "transport/tls/openssl/handles.hpp"
#include "transport/tls/openssl/identity.hpp"
#include "transport/tls/openssl/reasons.hpp"
#include "transport/tls/tls_machine.hpp"

#include <memory>
#include <span>

namespace zlink::transport::tls::openssl {

class openssl_machine final : public machine {
public:
    /// Null: memory is short. `expected`: the required identity of the peer.
    [[nodiscard]] static machine* make(SSL_CTX* with, tls::role role, const identity& expected,
                                       SSL_SESSION* resumed) noexcept;

    ~openssl_machine() override;

    [[nodiscard]] step handshake(exchange& through) noexcept override;
    [[nodiscard]] step open(exchange& through, std::byte* to, std::size_t room) noexcept override;
    [[nodiscard]] step seal(exchange& through, const std::byte* from, std::size_t size) noexcept override;
    [[nodiscard]] std::size_t opened() const noexcept override { return std::size_t(SSL_pending(ssl_.get())); }
    void close(exchange& through) noexcept override;
    [[nodiscard]] errc failure() const noexcept override { return failure_.error; }
    void tell_failure(text_sink& to) const noexcept override { to.put(failure_.words); }
    void tell_properties(property_sink& to) const override;
    [[nodiscard]] bool tell_certificate(text_sink& to) const noexcept override;

private:
    openssl_machine(SSL_CTX* with, tls::role role, const identity& expected);
    [[nodiscard]] X509* verified_peer() const noexcept;
    /// Null: nothing is wrong, or it is not a ClientHello.
    [[nodiscard]] const char* wrong_with_hello(std::span<const std::byte> record) const noexcept;
    step stopped(int result) noexcept;
    step fail(openssl::failure why) noexcept;
    step fail(errc error, const char* words) noexcept;

    const identity expected_;
    exchange* through_ = nullptr;
    ssl_ptr ssl_;
    openssl::failure failure_;
};

}  // namespace zlink::transport::tls::openssl
