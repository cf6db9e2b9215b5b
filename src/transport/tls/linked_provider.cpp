// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// libzmq.a contains the TLS library's part.
#include "transport/tls/tls_provider.hpp"

extern "C" const zlink::transport::tls::provider* zlink_tls_provider() noexcept;

namespace zlink::transport::tls {

result<const provider*> find_provider()
{
    return zlink_tls_provider();
}

}  // namespace zlink::transport::tls
