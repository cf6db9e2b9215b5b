// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The table of transports with one row more, in place of src/transport/registry.cpp.
#include "support/memory_transport/memory_transport.hpp"
#include "transport/inproc/inproc_transport.hpp"
#include "transport/ipc/ipc_transport.hpp"
#include "transport/registry.hpp"
#include "transport/tcp/tcp_transport.hpp"
#ifdef ZLINK_TLS
#include "transport/tls/tls_transport.hpp"
#endif
#include "transport/ws/ws_transport.hpp"

namespace zlink::transport {

std::span<const transport* const> transports() noexcept
{
    static const transport* const rows[] = {
        &tcp::the_transport(), &ipc::the_transport(),         &inproc::the_transport(),
#ifdef ZLINK_TLS
        &tls::the_transport(), &ws::the_transport_over_tls(),
#endif
        &ws::the_transport(),  &memory::the_transport(),
    };
    return rows;
}

}  // namespace zlink::transport
