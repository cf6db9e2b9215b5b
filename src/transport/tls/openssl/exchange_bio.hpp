// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A BIO that reads from an exchange's octets and writes into its room: no socket, no memory of its own.
#pragma once

#include "transport/tls/openssl/handles.hpp"
#include "transport/tls/tls_machine.hpp"

namespace zlink::transport::tls::openssl {

/// `through` names the exchange, at each call. If it names null, no octets come, and there is no room. Null: memory is
/// short.
[[nodiscard]] BIO* make_exchange_bio(exchange** through) noexcept;

}  // namespace zlink::transport::tls::openssl
