// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The entry of the module: OpenSSL as a provider.
#include "transport/tls/openssl/entry.hpp"
#include "transport/tls/openssl/openssl_context.hpp"

#include <openssl/crypto.h>

#include <memory>
#include <string>

namespace zlink::transport::tls::openssl {

namespace {

result<context*> make_context(const context_settings& settings, text_sink& why) noexcept
{
    try {
        std::unique_ptr<openssl_context> made;
        std::string wrong = fork_gate::broken_words;
        if (const entry inside; inside) {
            made = std::make_unique<openssl_context>(settings);
            wrong = made->prepare(settings.options);
        }
        if (wrong.empty()) return made.release();
        why.put(wrong);
        return errc::invalid_argument;
    } catch (...) {
        why.put("memory is short");
        return errc::out_of_memory;
    }
}

constexpr provider it{this_build, make_context};

}  // namespace

}  // namespace zlink::transport::tls::openssl

extern "C" __attribute__((visibility("default"))) const zlink::transport::tls::provider* zlink_tls_provider() noexcept
{
    const zlink::transport::tls::openssl::entry inside;
    // I/O threads may still be at work when the process ends.
    if (inside) OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
    return &zlink::transport::tls::openssl::it;
}
