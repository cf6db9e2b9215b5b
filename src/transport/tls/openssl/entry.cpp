// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/openssl/entry.hpp"

#include <openssl/crypto.h>

namespace zlink::transport::tls::openssl {

namespace {

// OpenSSL would free a thread's data by pthread_key_create, under a lock of its own, and no gate holds forks back
// there.
struct farewell {
    ~farewell()
    {
        const fork_gate::pass inside;
        if (inside) OPENSSL_thread_stop();
    }
    void announce() noexcept {}
};

thread_local farewell of_this_thread;

}  // namespace

entry::entry() noexcept
{
    of_this_thread.announce();
}

}  // namespace zlink::transport::tls::openssl
